"""Outages: whatever happens at a table first, its clocks are put off by them, once."""

from __future__ import annotations

import asyncio
import time

import pytest

from hutch.cli.ports import held_ports
from hutch.engine.commands import Command, Credit
from hutch.engine.refusals import Reason
from hutch.engine.replay import decode_logged, decode_opening, replay
from hutch.games import find
from hutch.gateway.heart import Heart
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.store.commits import LogEntry
from hutch.store.pulse import Outage
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.outages import Outages
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules, RemoteRules
from hutch.turns.turn import Turn
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault
from tests.redis_servers import eventually
from tests.turns.arranging import answer, default, live_of, started
from tests.turns.silence import outage, silence

LIMIT_MS = 600_000
LIMITS = {"phase": LIMIT_MS}
BANK_MS = 900_000


@pytest.fixture
def path(store: Store, resolver: Resolver) -> TurnPath:
    """A turn path that knows of outages."""
    return TurnPath(store.tables, LocalRules(resolver), Outages(store.pulse.listen))


async def due_of(path: TurnPath, resolver: Resolver, table_id: str) -> int:
    """When the clock acts next there."""
    due_ms = (await live_of(path, resolver, table_id)).next_due_ms()
    assert due_ms is not None
    return due_ms


async def commands(store: Store, table_id: str) -> list[Command]:
    """What was accepted since the deal."""
    inputs = await store.tables.read_inputs(table_id, 1, 100)
    return [decode_logged(data).command for _, data in inputs]


def tick(table_id: str, since_ms: int) -> Turn:
    """The turn that plays what is due then."""
    request = rules_pb.ResolveRequest(tick=rules_pb.Tick())
    return Turn(table_id=table_id, request=request, seat=0, by="clock", since_ms=since_ms)


async def test_an_answer_after_an_outage_finds_the_clocks_put_off_by_it(
    store: Store, path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    table_id = await started(lobby, players=2, limits_ms=LIMITS)
    due_ms = await due_of(path, resolver, table_id)
    (lost,) = (await outage(store.pulse)).outages
    number = (await live_of(path, resolver, table_id)).ask_numbers[0]
    await path.play(answer(table_id, 0, number))
    credit, _ = await commands(store, table_id)
    assert credit == Credit(lost.from_ms, lost.until_ms)
    deadlines = (await live_of(path, resolver, table_id)).deadlines()
    (other,) = [one.due_ms for one in deadlines if one.seat == 1]
    assert other == due_ms + lost.until_ms - lost.from_ms


async def test_a_time_bank_is_not_charged_though_the_answer_comes_first(
    store: Store, path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    table_id = await started(lobby, players=2, limits_ms={"phase": 100}, time_bank_ms=BANK_MS)
    (lost,) = (await outage(store.pulse, grace_ms=400)).outages
    dealt_ms = await due_of(path, resolver, table_id) - BANK_MS - 100
    number = (await live_of(path, resolver, table_id)).ask_numbers[0]
    accepted = await path.play(answer(table_id, 0, number))
    assert accepted.stored is not None
    left_ms = (await live_of(path, resolver, table_id)).banks_ms[0]
    lost_ms = lost.until_ms - lost.from_ms
    assert lost_ms > 400
    assert BANK_MS - left_ms <= max(0, accepted.stored.resolved_ms - dealt_ms - 100 - lost_ms)


async def test_a_timer_that_came_due_in_an_outage_finds_nothing_to_do(
    store: Store, path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    table_id = await started(lobby, limits_ms=LIMITS)
    due_ms = await due_of(path, resolver, table_id)
    (lost,) = (await outage(store.pulse)).outages
    with pytest.raises(Fault) as refused:
        await path.play(tick(table_id, due_ms))
    assert refused.value.reason == Reason.NOTHING_DUE
    later_ms = due_ms + lost.until_ms - lost.from_ms
    assert await due_of(path, resolver, table_id) == later_ms
    assert [(one.table_id, one.due_ms) for one in await store.timers.pending(1)] == [
        (table_id, later_ms)
    ]
    await path.play(tick(table_id, later_ms))


async def test_an_outage_is_credited_once_whoever_comes_and_however_often(
    store: Store, path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    table_id = await started(lobby, players=2, limits_ms=LIMITS)
    due_ms = await due_of(path, resolver, table_id)
    (lost,) = (await outage(store.pulse)).outages
    paths = [
        TurnPath(store.tables, LocalRules(Resolver()), Outages(store.pulse.listen))
        for _ in range(4)
    ]
    await asyncio.gather(*[one.credit(table_id) for one in paths for _ in range(3)])
    await path.play(default(table_id, 0))
    credits = [one for one in await commands(store, table_id) if isinstance(one, Credit)]
    assert credits == [Credit(lost.from_ms, lost.until_ms)]
    assert await due_of(path, resolver, table_id) == due_ms + lost.until_ms - lost.from_ms


class Stalling(LocalRules):
    """Rules whose answer comes once an outage has begun and ended."""

    def __init__(self, store: Store) -> None:
        super().__init__(Resolver())
        self._store = store

    async def resolve(
        self, table_id: str, request: rules_pb.ResolveRequest
    ) -> rules_pb.ResolveResponse:
        """Apply one command, and take the time of an outage for it."""
        answer = await super().resolve(table_id, request)
        await outage(self._store.pulse)
        return answer


async def test_what_was_resolved_before_an_outage_and_stored_after_it_hides_it_from_nobody(
    store: Store, path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    table_id = await started(lobby, players=2, limits_ms=LIMITS)
    due_ms = await due_of(path, resolver, table_id)
    stalling = TurnPath(store.tables, Stalling(store), Outages(store.pulse.listen))
    await stalling.play(default(table_id, 0))
    (lost,) = (await store.pulse.listen()).outages
    await path.credit(table_id)
    assert await due_of(path, resolver, table_id) == due_ms + lost.until_ms - lost.from_ms


async def test_each_of_several_outages_is_credited(
    store: Store, path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    table_id = await started(lobby, limits_ms=LIMITS)
    due_ms = await due_of(path, resolver, table_id)
    await store.pulse.beat(50)
    for _ in range(2):
        await silence(store.pulse)
        await store.pulse.beat(50)
    heard = await store.pulse.beat(3_600_000)
    assert heard.count == 2
    await path.credit(table_id)
    assert await due_of(path, resolver, table_id) == due_ms + heard.lost_ms


async def test_bots_that_play_on_in_an_outage_cost_nobody_time(
    store: Store, path: TurnPath, lobby: Lobby, resolver: Resolver
) -> None:
    """Commits go on while no gateway beats: what was lost so far is credited, and then the rest."""
    table_id = await started(lobby, players=2, limits_ms=LIMITS)
    due_ms = await due_of(path, resolver, table_id)
    first = await store.pulse.beat(50)
    await silence(store.pulse)
    await path.play(default(table_id, 0))
    await store.pulse.beat(50)
    await store.pulse.beat(3_600_000)
    await path.credit(table_id)
    so_far, _, rest = await commands(store, table_id)
    assert isinstance(so_far, Credit)
    assert isinstance(rest, Credit)
    assert so_far.from_ms == rest.from_ms == first.now_ms
    lost_ms = rest.until_ms - first.now_ms
    deadlines = (await live_of(path, resolver, table_id)).deadlines()
    assert [one.due_ms for one in deadlines if one.seat == 1] == [due_ms + lost_ms]


async def test_the_log_with_its_credits_replays_to_what_is_stored(
    store: Store, path: TurnPath, lobby: Lobby
) -> None:
    table_id = await started(lobby, players=2, limits_ms=LIMITS, time_bank_ms=BANK_MS)
    await outage(store.pulse)
    await path.play(default(table_id, 0))
    inputs = [data for _, data in await store.tables.read_inputs(table_id, 0, 100)]
    opening = decode_opening(inputs[0])
    rules = find(opening.ruleset, opening.rules_revision)
    assert rules is not None
    (*_, last) = replay(rules, opening, [decode_logged(data) for data in inputs[1:]])
    stored, _ = await path.load(table_id)
    assert Resolver().live(stored.record or b"").record() == last.record  # type: ignore[union-attr]


async def test_whoever_watches_is_told_the_new_deadlines_and_prompts(
    store: Store, path: TurnPath, lobby: Lobby
) -> None:
    table_id = await started(lobby, limits_ms=LIMITS)
    heard: list[LogEntry] = []
    path.listen(lambda _, entry: heard.append(entry))
    (lost,) = (await outage(store.pulse)).outages
    await path.credit(table_id)
    (entry,) = heard
    batch = pb.EventBatch.FromString(entry.fields["s"] + entry.fields["0"])
    assert list(batch.events) == []
    ask = next(prompt for prompt in batch.prompts.prompts if not prompt.offered)
    assert ask.due_time == batch.deadlines[0].due_time
    assert batch.deadlines[0].due_time.ToMilliseconds() > lost.until_ms


async def test_tables_without_clocks_are_left_alone(
    store: Store, path: TurnPath, lobby: Lobby
) -> None:
    table_id = await started(lobby)
    await outage(store.pulse)
    await path.credit(table_id)
    await path.play(default(table_id, 0))
    assert not any(isinstance(one, Credit) for one in await commands(store, table_id))


# What a gateway tells


async def test_a_gateway_beats_while_its_rules_are_up_and_not_without(store: Store) -> None:
    with held_ports([0]) as (port,):
        async with RemoteRules([f"127.0.0.1:{port}"]) as nobody:
            cut_off = Heart(store.pulse, nobody, grace_seconds=5)
            assert (await cut_off.outages.hear()).last_ms is None
    well = Heart(store.pulse, LocalRules(Resolver()), grace_seconds=5)
    heard = await well.outages.hear()
    assert (heard.last_ms, heard.grace_ms) == (heard.now_ms, 5_000)
    assert (await store.pulse.listen()).last_ms == heard.last_ms
    assert (await cut_off.outages.hear()).last_ms == heard.last_ms, "it hears others"


async def test_a_heart_beats_again_and_again_until_it_is_told_to_stop(store: Store) -> None:
    stop = asyncio.Event()
    heart = Heart(store.pulse, LocalRules(Resolver()), grace_seconds=5)
    beating = asyncio.create_task(heart.keep_beating(stop))
    beats: set[int | None] = set()

    async def beaten_twice() -> bool:
        beats.add((await store.pulse.listen()).last_ms)
        return len(beats - {None}) >= 2

    await eventually(beaten_twice)
    stop.set()
    await beating


# What a process knows


async def test_a_process_listens_again_before_an_outage_can_have_passed_unheard(
    store: Store,
) -> None:
    outages = Outages(store.pulse.listen)
    assert not outages.none_since(0, 0), "nothing was heard so far"
    await store.pulse.beat(200)
    beaten = time.monotonic()
    await outages.since(0)

    async def the_grace_is_over() -> bool:
        return time.monotonic() - beaten > 0.2

    await eventually(the_grace_is_over)
    assert not outages.none_since(0, 0)
    await store.pulse.beat(3_600_000)
    await outages.since(0)
    now_ms = await store.tables.now_ms()
    assert outages.none_since(now_ms, now_ms)


async def test_a_process_listens_again_where_the_clock_of_redis_was_set_forward(
    store: Store,
) -> None:
    outages = Outages(store.pulse.listen)
    beaten_ms = (await store.pulse.beat(60_000)).now_ms
    assert not await outages.is_on()
    assert outages.none_since(beaten_ms, beaten_ms + 60_000)
    assert not outages.none_since(beaten_ms, beaten_ms + 60_001)
    (pulse,) = store.keys.of_shard(0, "pulse")
    await store.pipelining.call(0, "HINCRBY", pulse, "at", -3_600_000)  # as the clock sees it now
    assert not await outages.is_on()
    assert await outages.is_on(beaten_ms + 3_600_000)


async def test_a_process_listens_again_after_the_grace_where_the_clock_was_set_back(
    store: Store,
) -> None:
    outages = Outages(store.pulse.listen)
    beaten_ms = (await store.pulse.beat(200)).now_ms
    (pulse,) = store.keys.of_shard(0, "pulse")
    await store.pipelining.call(0, "HINCRBY", pulse, "at", 3_600_000)  # as the clock sees it now
    await outages.since(0)

    async def is_stale() -> bool:
        return not outages.none_since(beaten_ms, beaten_ms)

    await eventually(is_stale)


async def test_while_it_is_silent_the_outage_is_on_and_then_over(store: Store) -> None:
    outages = Outages(store.pulse.listen)
    assert not await outages.is_on(), "a store that never had a pulse keeps time"
    first = await store.pulse.beat(50)
    await silence(store.pulse)
    fresh = Outages(store.pulse.listen)
    assert await fresh.is_on()
    (ongoing,) = await fresh.since(0)
    assert ongoing.from_ms == first.now_ms
    await store.pulse.beat(50)
    over = await store.pulse.beat(3_600_000)
    assert not await fresh.is_on()
    assert await fresh.since(0) == [Outage(first.now_ms, over.outages[0].until_ms)]
    assert fresh.none_since(over.now_ms, over.now_ms)
    assert not fresh.none_since(first.now_ms, over.now_ms)


async def test_many_who_ask_at_once_listen_once(store: Store) -> None:
    asked = 0

    async def listen() -> object:
        nonlocal asked
        asked += 1
        return await store.pulse.listen()

    outages = Outages(listen)  # type: ignore[arg-type]
    await asyncio.gather(*[outages.since(0) for _ in range(50)])
    assert asked == 1
