"""Diagnosis: why a table stands as it does, who is awaited, and whether it will ever move again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from hutch import games
from hutch.engine.deadlines import Deadline
from hutch.engine.live import Live
from hutch.engine.records import decode_record
from hutch.store.commits import Failure
from hutch.store.hints import DeadLetter
from hutch.store.inspection import ArmedHint, ArmedTimer, Inspected
from hutch.store.pulse import Heard, Outage
from hutch.store.tables import TableStore
from hutch.turns.history import whole_log
from hutch.turns.table_meta import SeatMeta, State, TableMeta, decode_meta
from hutch.v1 import table_pb2 as pb
from hutch.wire.failures import where_of

#: A timer that is overdue by more than this will not be settled by itself.
OVERDUE_MS = 60_000

#: Who answers for a seat. `left`, `absent`: its bot; `away`, `forfeited`: its defaults.
Who = Literal["player", "bot", "left", "absent", "away", "forfeited"]


class Awaited(Struct, frozen=True):
    """A seat that must answer. `name` is its player's or its bot's, `topic` what it is asked and
    `since_ms` when it was asked that, in ms since 1970."""

    seat: int
    who: Who
    name: str
    topic: str
    number: int
    since_ms: int


class Diagnosis(Struct, frozen=True, kw_only=True):
    """A table as an operator sees it. Times in ms since 1970, by Redis' clock.

    `stuck` says why the table will not move by itself; "" where it will, or where it waits for
    people. `unreadable` says why the game cannot be looked at. `outage` is the one that is on, else
    the last since the table was opened. `trace_id`, in hexadecimal, is of the call that the
    revision came of; empty unless its caller wants to see where it leads.
    """

    table: str
    ruleset: str
    rules_revision: int
    state: State
    revision: int
    epoch: int
    now_ms: int
    commit_ms: int
    trace_id: str
    free_seats: list[int]
    awaited: list[Awaited]
    timer: ArmedTimer | None
    deadlines: list[Deadline]
    time_banks_ms: list[int]
    outage: Outage | None
    hint: ArmedHint | None
    attempts: int
    dead_letters: list[DeadLetter]
    failure: Failure | None
    unreadable: str
    stuck: str


class Unreadable(Exception):
    """A stored game cannot be looked at here."""


def lost_since(due_ms: int | None, heard: Heard) -> int:
    """How long, in ms, a timer that was due then had to wait for an outage to end."""
    return 0 if due_ms is None else heard.lost_since_ms(due_ms)


def overdue(due_ms: int | None, now_ms: int) -> str:
    """Why a timer that was due then will not be settled any more; "" where it will, or is none."""
    if due_ms is None or now_ms - due_ms <= OVERDUE_MS:
        return ""
    return f"its timer has been due for {(now_ms - due_ms) // 1000} s and was not settled"


def standstill(
    awaited: Sequence[SeatMeta], *, hinted: bool, due_ms: int | None, now_ms: int
) -> str:
    """Why a table that is playing will not move by itself; "" where it will, or waits for people.

    `awaited` are the seats that must answer, `hinted` whether its bots will be called.
    """
    if late := overdue(due_ms, now_ms):
        return late
    if not awaited:
        return "nobody is awaited, though the game is not over"
    if due_ms is None and not hinted and all(seat.bot or seat.is_absent for seat in awaited):
        return (
            "only bots and absent players are awaited, and neither a hint nor a timer is armed for "
            "them"
        )
    return ""


def live_of(record: bytes) -> Live:
    """The game of a record, to look at. Raises `Unreadable`."""
    try:
        decoded = decode_record(record)
        rules = games.find(decoded.ruleset, decoded.rules_revision)
        if rules is None:
            raise Unreadable(
                f"revision {decoded.rules_revision} of {decoded.ruleset!r} is not at hand here"
            )
        return Live(rules, decoded, keep=False)
    except Unreadable:
        raise
    except Exception as fault:
        raise Unreadable(f"its record cannot be played: {where_of(fault)}") from fault


async def diagnosed(store: TableStore, inspected: Inspected) -> Diagnosis:
    """The diagnosis of an inspected table."""
    stored = inspected.stored
    meta = decode_meta(stored.meta)
    now_ms, heard = stored.now_ms, inspected.heard
    due_ms = None if inspected.timer is None else inspected.timer.due_ms
    outages = heard.since(meta.created_ms)
    awaited: list[Awaited] = []
    deadlines: list[Deadline] = []
    banks_ms: list[int] = []
    unreadable = stuck = ""
    if meta.state == "playing":
        try:
            live = live_of(stored.record or b"")
            asked_ms = await _asked_ms(store, stored.table_id, live.ask_numbers)
            awaited = [_awaited(meta, live, seat, asked_ms) for seat in live.awaited()]
            deadlines, banks_ms = live.deadlines(), live.banks_left_ms(now_ms)
        except Unreadable as fault:
            unreadable = stuck = str(fault)
        else:
            stuck = standstill(
                [meta.seats[one.seat] for one in awaited],
                hinted=inspected.hint is not None,
                due_ms=due_ms,
                now_ms=now_ms - lost_since(due_ms, heard),
            )
    return Diagnosis(
        table=stored.table_id,
        ruleset=meta.ruleset,
        rules_revision=meta.rules_revision,
        state=meta.state,
        revision=stored.revision,
        epoch=stored.epoch,
        now_ms=now_ms,
        commit_ms=inspected.commit_ms,
        trace_id=(stored.trace_id or b"").hex(),
        free_seats=[index for index, seat in enumerate(meta.seats) if seat.is_free],
        awaited=awaited,
        timer=inspected.timer,
        deadlines=deadlines,
        time_banks_ms=banks_ms,
        outage=outages[-1] if outages else None,
        hint=inspected.hint,
        attempts=inspected.attempts,
        dead_letters=list(inspected.dead_letters),
        failure=inspected.failure,
        unreadable=unreadable,
        stuck=stuck,
    )


def _awaited(meta: TableMeta, live: Live, seat: int, asked_ms: Mapping[int, int]) -> Awaited:
    place = meta.seats[seat]
    return Awaited(
        seat=seat,
        who=_who(place),
        name=place.bot or place.display_name or place.player,
        topic=live.asks[seat].topic,
        number=live.ask_numbers[seat],
        since_ms=asked_ms.get(seat, 0),
    )


def _who(place: SeatMeta) -> Who:
    match place.absence:
        case "away" | "forfeited" as absence:
            return absence
        case _ if place.left:
            return "left"
        case _ if place.bot:
            return "absent" if place.player else "bot"
        case _:
            return "player"


async def _asked_ms(store: TableStore, table_id: str, numbers: Mapping[int, int]) -> dict[int, int]:
    """When each seat was told of the question of that number; without those that the log lacks."""
    found: dict[int, int] = {}
    for entry in await whole_log(store, table_id):
        for seat, number in numbers.items():
            face = entry.fields.get(str(seat))
            if seat not in found and face and number in _numbers(face):
                found[seat] = entry.commit_ms
    return found


def _numbers(face: bytes) -> list[int]:
    """The numbers of the questions in a seat's part of a batch."""
    return [prompt.prompt_id for prompt in pb.EventBatch.FromString(face).prompts.prompts]
