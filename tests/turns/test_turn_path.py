"""The turn path: stored once, told once, whoever else is at the table and whatever fails."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable
from typing import Any

import pytest
from msgspec.structs import replace

from hutch.engine import kernel
from hutch.engine.live import Live
from hutch.engine.records import encode_record
from hutch.engine.refusals import Reason
from hutch.games import RULESETS
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.store.store import Store
from hutch.turns.attendance import require_seat
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn import Accepted, Turn
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault, Wrong
from tests.turns.arranging import answer, live_of, started


async def test_two_who_answer_at_once_both_succeed(
    path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    table_id = await started(lobby, players=4)
    live = await live_of(path, resolver, table_id)
    turns = [path.play(answer(table_id, seat, live.ask_numbers[seat])) for seat in range(4)]
    accepted = await asyncio.gather(*turns)
    assert len({one.revision for one in accepted}) == 4


async def test_two_who_answer_at_once_through_two_gateways_both_succeed(
    store: Store, lobby: Lobby, path: TurnPath, resolver: Resolver
) -> None:
    table_id = await started(lobby, players=4)
    live = await live_of(path, resolver, table_id)
    numbers = dict(live.ask_numbers)
    gateways = [TurnPath(store.tables, LocalRules(Resolver())) for _ in range(4)]
    turns = [
        gateway.play(answer(table_id, seat, numbers[seat])) for seat, gateway in enumerate(gateways)
    ]
    accepted = await asyncio.gather(*turns)
    assert len({one.revision for one in accepted}) == 4


async def test_a_doubled_click_counts_once(
    path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    table_id = await started(lobby)
    number = (await live_of(path, resolver, table_id)).ask_numbers[0]
    clicks = [path.play(answer(table_id, 0, number)) for _ in range(2)]
    first, second = await asyncio.gather(*clicks, return_exceptions=True)
    assert isinstance(first, Accepted)
    assert isinstance(second, Fault)
    assert second.reason == Reason.PROMPT_CLOSED


async def test_a_request_sent_many_times_at_once_counts_once_and_all_hear_the_same(
    store: Store, lobby: Lobby, path: TurnPath, resolver: Resolver
) -> None:
    table_id = await started(lobby)
    number = (await live_of(path, resolver, table_id)).ask_numbers[0]
    request_id = uuid.uuid4().hex
    gateways = [TurnPath(store.tables, LocalRules(Resolver())) for _ in range(5)]
    accepted = await asyncio.gather(
        *[
            gateway.play(answer(table_id, 0, number, request_id=request_id))
            for gateway in gateways
            for _ in range(3)
        ]
    )
    assert len({(one.revision, one.batch) for one in accepted}) == 1


async def test_a_stale_copy_refuses_nobody(
    store: Store, lobby: Lobby, path: TurnPath, resolver: Resolver
) -> None:
    table_id = await started(lobby)
    live = await live_of(path, resolver, table_id)
    first = live.ask_numbers[0]
    await path.play(answer(table_id, 0, first))
    elsewhere = TurnPath(store.tables, LocalRules(Resolver()))
    second = (await live_of(elsewhere, resolver, table_id)).ask_numbers[0]
    await elsewhere.play(answer(table_id, 0, second))
    # `path` still holds the table as it was before that: its copy knows no third question.
    third = (await live_of(elsewhere, resolver, table_id)).ask_numbers[0]
    await path.play(answer(table_id, 0, third))


async def test_a_caller_that_goes_away_leaves_the_next_one_unharmed(
    path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    tables = [await started(lobby) for _ in range(8)]
    for delay in range(40):
        numbers = {
            table_id: (await live_of(path, resolver, table_id)).ask_numbers for table_id in tables
        }
        playing = {
            table_id: asyncio.create_task(path.play(answer(table_id, 0, asked[0])))
            for table_id, asked in numbers.items()
            if asked
        }
        for _ in range(delay % 10):
            await asyncio.sleep(0)
        gone = list(playing)[::2]
        for table_id in gone:
            playing[table_id].cancel()
        for table_id, task in playing.items():
            if table_id in gone:
                continue
            accepted = await task
            batch = pb.EventBatch.FromString(accepted.batch)
            log = await path.store.read_log(table_id, batch.revision - 1, 1)
            assert log[0].fields["s"] + log[0].fields.get("0", b"") == accepted.batch


async def test_a_table_that_is_not_there_is_not_found(path: TurnPath) -> None:
    assert await reason(path.play(answer("0" * 20, 0, 1))) == Wrong.TABLE_NOT_FOUND


async def test_a_game_over_takes_no_more_turns(
    path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    table_id = await started(lobby)
    while True:
        live = await live_of(path, resolver, table_id)
        number = live.ask_numbers[0]
        await path.play(answer(table_id, 0, number, *defaults(live)))
        stored, meta = await path.load(table_id)
        if meta.state == "finished":
            break
    assert meta.winners == [0]
    assert await reason(path.play(answer(table_id, 0, number))) == Wrong.TABLE_NOT_PLAYING
    # The kernel itself says so too, to whoever still holds the record.
    assert stored.record is not None
    request = rules_pb.ResolveRequest(record=stored.record, tick=rules_pb.Tick())
    request.submit.seat = 0
    assert resolver.resolve(request).refusal.reason == Reason.GAME_OVER


def defaults(live: Live, seat: int = 0) -> list[str]:
    """The options of a seat's default."""
    return [pick.option for pick in live.asks[seat].default]


@pytest.mark.parametrize(
    ("expected", "command"),
    [
        (Reason.NOTHING_DUE, {"tick": rules_pb.Tick()}),
        (Reason.SEAT_UNKNOWN, {"leave": rules_pb.Leave(seat=9)}),
        (Reason.SEAT_NOT_LEFT, {"rejoin": rules_pb.Rejoin(seat=0)}),
        (Reason.NOT_UNDOABLE, {"undo": rules_pb.Undo(seat=0)}),
        (Reason.NOTHING_DUE, {"play_default": rules_pb.PlayDefault(seat=7)}),
    ],
)
async def test_commands_that_make_no_sense_are_refused(
    expected: Reason, command: dict[str, Any], path: TurnPath, lobby: Lobby
) -> None:
    table_id = await started(lobby)
    turn = Turn(table_id=table_id, request=rules_pb.ResolveRequest(**command), seat=0, by="person")
    assert await reason(path.play(turn)) == expected


async def test_leaving_twice_is_refused(path: TurnPath, lobby: Lobby) -> None:
    table_id = await started(lobby, players=2)

    def leave() -> Turn:
        request = rules_pb.ResolveRequest(leave=rules_pb.Leave(seat=0))
        return Turn(table_id=table_id, request=request, seat=0, by="person")

    await path.play(leave())
    assert await reason(path.play(leave())) == Reason.SEAT_ALREADY_LEFT


async def test_a_default_is_played_before_its_time_for_a_bot_that_cannot_answer(
    path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    table_id = await started(lobby)
    before = (await live_of(path, resolver, table_id)).ask_numbers[0]
    request = rules_pb.ResolveRequest(play_default=rules_pb.PlayDefault(seat=0))
    await path.play(Turn(table_id=table_id, request=request, seat=0, by="clock"))
    assert (await live_of(path, resolver, table_id)).ask_numbers.get(0) != before


@pytest.mark.parametrize(
    ("expected", "seats", "options"),
    [(Reason.BAD_SEAT_COUNT, 9, b"{}"), (Reason.BAD_OPTIONS, 2, b'{"competitive": 7}')],
)
def test_a_deal_that_cannot_be_is_refused(
    expected: Reason, seats: int, options: bytes, resolver: Resolver
) -> None:
    request = rules_pb.DealRequest(
        ruleset="rabbit-space", seats=seats, options=options, seed=bytes(32), revision=1
    )
    assert resolver.deal(request).refusal.reason == expected


def test_rules_that_are_gone_are_a_clear_refusal(resolver: Resolver) -> None:
    request = rules_pb.DealRequest(ruleset="chess", seats=2, seed=bytes(32), revision=1)
    refusal = resolver.deal(request).refusal
    assert refusal.reason == Reason.RULES_GONE
    assert "chess" in refusal.sentence


async def test_a_fault_of_the_rules_is_internal_and_changes_nothing(
    path: TurnPath, lobby: Lobby, resolver: Resolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    table_id = await started(lobby)
    number = (await live_of(path, resolver, table_id)).ask_numbers[0]
    before, _ = await path.load(table_id)

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a card divides by its own cost")

    monkeypatch.setattr("hutch.engine.kernel.resolve", broken)
    with pytest.raises(Fault) as failed:
        await path.play(answer(table_id, 0, number))
    assert failed.value.reason == Wrong.INTERNAL
    assert "cost" not in failed.value.sentence
    monkeypatch.undo()
    after, _ = await path.load(table_id)
    assert (after.revision, after.record) == (before.revision, before.record)
    await path.play(answer(table_id, 0, number))


def test_a_record_that_cannot_be_read_takes_no_other_table_along(resolver: Resolver) -> None:
    fine = kernel.deal(RULESETS["rabbit-space"], seats=1, options={}, seed=bytes(32), at_ms=1)
    assert isinstance(fine, kernel.Outcome)
    records = [encode_record(fine.record), b"\xc1"]
    batch = rules_pb.ResolveBatchesRequest(
        requests=[request_of(fine.live, 0, record, 1) for record in records]
    )
    played, failed = resolver.resolve_batch(batch).responses
    assert played.HasField("outcome")
    assert failed.refusal.reason == Wrong.INTERNAL


def test_a_game_that_cannot_be_shown_is_internal(resolver: Resolver) -> None:
    request = rules_pb.RenderRequest(record=b"\xc1", seat=-1)
    assert resolver.render(request).refusal.reason == Wrong.INTERNAL


async def test_what_a_caller_makes_of_a_table_is_believed_once_it_is_stored(
    path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    """A claim whose commit came to nothing gives nobody a seat."""
    table_id = await started(lobby)
    number = (await live_of(path, resolver, table_id)).ask_numbers[0]
    turn = replace(answer(table_id, 0, number), check=lambda meta: require_seat(meta, 0, "mallory"))
    _, meta = await path.load(table_id)
    meta.seats[0].player = "mallory"
    assert await reason(path.play(turn)) == Wrong.NOT_YOUR_SEAT


async def test_what_is_kept_of_a_game_never_shows_in_what_is_stored(
    path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    """A process that has the game at hand and one that reads it afresh answer the same bytes."""
    table_id = await started(lobby, players=3)
    stored, meta = await path.load(table_id)
    while meta.state == "playing":
        assert stored.record is not None
        live = await live_of(path, Resolver(), table_id)
        seat = min(live.asks)
        request = request_of(live, seat, stored.record, stored.now_ms)
        resolver.live(stored.record)  # at hand from now on
        assert resolver.resolve(request) == Resolver().resolve(request)
        await path.play(answer(table_id, seat, live.ask_numbers[seat], *defaults(live, seat)))
        stored, meta = await path.load(table_id)


def request_of(live: Live, seat: int, record: bytes, at_ms: int) -> rules_pb.ResolveRequest:
    """The default answer of a seat, as a request."""
    request = rules_pb.ResolveRequest(record=record, at_ms=at_ms, revision=7)
    request.submit.seat = seat
    request.submit.action.prompt_id = live.ask_numbers[seat]
    for pick in live.asks[seat].default:
        request.submit.action.picks.add(option_id=pick.option, count=pick.count)
    return request


async def reason(playing: Awaitable[object]) -> str:
    """The reason that it is refused for."""
    with pytest.raises(Fault) as refused:
        await playing
    return refused.value.reason
