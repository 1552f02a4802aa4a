"""The kernel: deal a game, resolve a command, look at a table.

Pure functions of their arguments. A record and a command give the same outcome, byte for byte, in
any process.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from hutch.engine.chance import SEED_BYTES, Chance
from hutch.engine.clocks import EVERY_CLOCK
from hutch.engine.commands import (
    Command,
    Credit,
    Leave,
    PlayDefault,
    Rejoin,
    Submit,
    Tick,
    Undo,
)
from hutch.engine.events import Event
from hutch.engine.live import Live
from hutch.engine.options import options_from
from hutch.engine.records import Record, chained, encode
from hutch.engine.refusals import Reason, Refusal
from hutch.engine.rules import Rules
from hutch.engine.table import Table

if TYPE_CHECKING:
    from random import Random


class Outcome(Struct):
    """What a command led to: the game as it stands now, and what happened on the way.

    `rewound` says that something was taken back, so that the events do not tell the change: whoever
    watches needs a fresh view. `timed_out` are the seats whose time to decide ran out; to let a
    mere chance to react go by does not count.
    """

    live: Live
    events: list[Event]
    rewound: bool = False
    timed_out: tuple[int, ...] = ()

    @property
    def record(self) -> Record:
        """The game as it is to be stored."""
        return self.live.record()


def deal(
    rules: Rules,
    *,
    seats: int,
    options: Any,
    seed: bytes,
    at_ms: int,
    limits_ms: Mapping[str, int] | None = None,
    time_bank_ms: int = 0,
    keep: bool = True,
) -> Outcome | Refusal:
    """Start a game: the board is set up and the first question asked.

    `options` are plain values (as from JSON) for the game's options type; `seed` is 32 bytes, see
    `chance.mix_seed` (`ValueError` for any other length); `limits_ms` maps names of clocks, or `*`
    for those not named, to milliseconds (none: no deadline); `time_bank_ms` is what each seat has
    beyond the limits; `keep` is as for `Live`.
    """
    if seats not in rules.seats:
        return Refusal(
            Reason.BAD_SEAT_COUNT,
            f"{rules.title} is for {rules.seats[0]} to {rules.seats[-1]} players, not {seats}.",
        )
    try:
        chosen = options_from(options or {}, rules.options_type)
    except msgspec.ValidationError as fault:
        return Refusal(Reason.BAD_OPTIONS, f"The options of {rules.title} do not fit: {fault}.")
    if sentence := rules.check(seats, chosen):
        return Refusal(Reason.BAD_OPTIONS, sentence)
    limits = dict(sorted((limits_ms or {}).items()))
    if sentence := _fault_of_limits(rules, limits, time_bank_ms):
        return Refusal(Reason.BAD_OPTIONS, sentence)
    if len(seed) != SEED_BYTES:
        raise ValueError(f"the seed has {len(seed)} bytes; {SEED_BYTES} are needed")
    chance = Chance(seed)
    table: Table[Any] = Table(rules, seats, chosen, rules.new_board(seats, chosen), chance)
    rules.setup(table)
    board = rules.encode_board(table.board)
    record = Record(
        ruleset=rules.name,
        rules_revision=rules.revision,
        seats=seats,
        options=msgspec.Raw(encode(chosen)),
        limits_ms=limits,
        seed=seed,
        board=board,
        trail=chained(b"", board),
        draws=chance.draws,
        numbers=list(range(seats)),
        standing=[],
        inputs=[],
        rewinds=[],
        clocks=[],
        gone=list(rules.vacant(seats, chosen)),
        banks_ms=[time_bank_ms] * seats if time_bank_ms else [],
    )
    live = Live(rules, record, keep=keep, forget=False)
    live.run_clocks(at_ms)
    return Outcome(live, table.events + live.forget_events())


def resolve(
    rules: Rules, record: Record | Live, command: Command, *, at_ms: int
) -> Outcome | Refusal:
    """Apply one command at that time.

    A `Live` that stands where the record does serves as well: it is moved on, unless the command is
    refused. Go on with the outcome's, which is another one after an undo.
    """
    if isinstance(record, Live):
        live = record
    elif record.is_of(rules.name, rules.revision):
        live = Live(rules, record)
    else:
        return rules_gone(record.ruleset, record.rules_revision)
    rewound = False
    timed_out: tuple[int, ...] = ()
    match command:
        case Submit(seat=seat, number=number, picks=picks):
            fault = live.answer(seat, number, picks)
        case Tick():
            ran_out = live.tick(at_ms)
            fault = None if ran_out else Refusal(Reason.NOTHING_DUE, "Nothing is due yet.")
            timed_out = tuple([seat for seat, clock in ran_out if clock not in rules.reactions])
        case PlayDefault(seat=seat):
            fault = live.play_default(seat)
        case Leave(seat=seat):
            fault = live.leave(seat)
        case Rejoin(seat=seat):
            fault = live.rejoin(seat)
        case Credit(from_ms=from_ms, until_ms=until_ms):
            fault = None
            if not live.credit(from_ms, until_ms):
                fault = Refusal(Reason.NOTHING_DUE, "No clock ran through that outage.")
        case Undo(seat=seat):
            before = live.undo(seat, at_ms)
            fault = before if isinstance(before, Refusal) else None
            if isinstance(before, Live):
                live, rewound = before, True
    if fault is not None:
        return fault
    live.run_clocks(at_ms)
    return Outcome(live, live.forget_events(), rewound, timed_out)


def imagined(
    rules: Rules, record: Record, seat: int | None, rng: Random, *, keep: bool = False
) -> Live:
    """A world that `seat` cannot tell from the real one, to think ahead in.

    With `keep` it can be forked, without it is faster.
    """
    live = Live(rules, record, keep=keep)
    live.imagine(seat, rng)
    return live


def rules_gone(ruleset: str, revision: int) -> Refusal:
    """The refusal for a game whose rules are not, or no longer, at hand."""
    return Refusal(
        Reason.RULES_GONE,
        f"Revision {revision} of {ruleset!r} is not at hand here; the game goes on where it is.",
        {"ruleset": ruleset, "revision": str(revision)},
    )


def _fault_of_limits(rules: Rules, limits_ms: Mapping[str, int], time_bank_ms: int) -> str:
    """A sentence for time limits that cannot be; "" for those that can."""
    if time_bank_ms < 0:
        return f"A time bank holds 0 milliseconds or more, not {time_bank_ms}."
    if time_bank_ms and not limits_ms:
        return "A time bank is drawn on beyond a limit, and no clock has one."
    for name, limit_ms in limits_ms.items():
        if name not in rules.clocks and name != EVERY_CLOCK:
            known = ", ".join(rules.clocks)
            return f"{rules.title} has no clock {name!r}; its clocks are {known}."
        if limit_ms < 1:
            return f"The clock {name!r} needs at least 1 millisecond, not {limit_ms}."
    return ""
