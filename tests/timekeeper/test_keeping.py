"""Time is kept: the oldest first, never early, and no turn that hangs holds up another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from hutch.engine.refusals import Reason
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.store.commits import LogEntry
from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from hutch.store.timers import Due
from hutch.timekeeper.keeping import Timekeeper
from hutch.turns.lobby import Lobby
from hutch.turns.outages import Outages
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules, RulesLink
from hutch.turns.turn import Turn
from hutch.turns.turn_path import TurnPath
from hutch.wire.errors import Fault
from tests.chaos.timers import History
from tests.redis_servers import Wire, eventually
from tests.turns.arranging import default, started

LONG_MS = 3_600_000
#: So long a default waits for its time. On a busy machine the answer may come too late: then with
#: the next.
WAITS_MS = (500, 5_000, 20_000)


class HangingRules(LocalRules):
    """The rules, which for one table answer only once they are let."""

    def __init__(self, table_id: str) -> None:
        super().__init__(Resolver())
        self._table_id = table_id
        self.asked = asyncio.Event()
        self.let_go = asyncio.Event()

    async def resolve(
        self, table_id: str, request: rules_pb.ResolveRequest
    ) -> rules_pb.ResolveResponse:
        """Apply one command, in time or not."""
        if table_id == self._table_id:
            self.asked.set()
            await self.let_go.wait()
        return await super().resolve(table_id, request)


@asynccontextmanager
async def keeping(
    store: Store, rules: RulesLink | None = None, *, lease_seconds: float = 1.0
) -> AsyncIterator[TurnPath]:
    """A timekeeper at work, and the path that it plays by."""
    outages = Outages(store.pulse.listen)
    path = TurnPath(store.tables, rules or LocalRules(Resolver()), outages)
    keeper = Timekeeper(path, store, outages, lease_seconds=lease_seconds, poll_seconds=1.0)
    stop = asyncio.Event()
    task = asyncio.create_task(keeper.run(stop))
    try:
        yield path
    finally:
        stop.set()
        await task


def settled(store: Store, table_id: str) -> Callable[[], object]:
    """Whether the clock has played three times at that table, which no game ends before."""

    async def look() -> bool:
        return len((await History.of(store, table_id)).fired()) >= 3

    return look


async def test_no_default_is_early_and_each_is_played_once(store: Store, lobby: Lobby) -> None:
    tables = [await started(lobby, limits_ms={"phase": 100 + 3 * one}) for one in range(20)]
    async with keeping(store), keeping(store):
        for table_id in tables:
            await eventually(settled(store, table_id))
    armed = dict(await store.timers.pending(100))
    for table_id in tables:
        history = await History.of(store, table_id)
        assert history.faults(armed.get(table_id)) == []


async def test_who_answers_while_a_default_waits_for_its_time_is_in_time(
    store: Store, lobby: Lobby
) -> None:
    for wait_ms in WAITS_MS:
        table_id = await started(lobby, limits_ms={"phase": LONG_MS})
        due_ms = dict(await store.timers.pending(100))[table_id]
        soon_ms = await store.tables.now_ms() + wait_ms
        tick = Turn(
            table_id=table_id,
            request=rules_pb.ResolveRequest(tick=rules_pb.Tick()),
            seat=0,
            by="clock",
            since_ms=due_ms,
            not_before_ms=soon_ms,
        )
        rules = HangingRules(table_id)
        rules.let_go.set()
        waiting = asyncio.create_task(TurnPath(store.tables, rules).play(tick))
        await rules.asked.wait()
        answered = await TurnPath(store.tables, LocalRules(Resolver())).play(default(table_id, 0))
        (outcome,) = await asyncio.gather(waiting, return_exceptions=True)
        assert answered.stored is not None
        if answered.stored.now_ms < soon_ms:
            assert isinstance(outcome, Fault)
            assert outcome.reason == Reason.NOTHING_DUE
            return
    pytest.fail("the answer comes too late however long the default waits")


async def test_what_is_due_longest_is_served_first(
    store: Store, lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hutch.timekeeper.keeping.AT_ONCE", 1)
    tables = [
        await started(lobby, limits_ms={"phase": limit_ms})
        for limit_ms in (500, 300, 400, 100, 900, 700, 200, 800, 600)
    ]
    due_ms = dict(await store.timers.pending(len(tables)))

    async def all_due() -> bool:
        return await store.tables.now_ms() > max(due_ms.values())

    await eventually(all_due)
    told: list[str] = []

    def listen(table_id: str, _: LogEntry) -> None:
        told.append(table_id)

    async def all_told() -> bool:
        return set(told) == set(tables)

    async with keeping(store) as path:
        path.listen(listen)
        await eventually(all_told)
    served = [due_ms[table_id] for table_id in dict.fromkeys(told)]
    assert served == sorted(served)


async def test_a_turn_that_hangs_holds_up_nobody(store: Store, lobby: Lobby) -> None:
    hung = await started(lobby, limits_ms={"phase": 100})
    rules = HangingRules(hung)
    async with keeping(store, rules, lease_seconds=0.2):
        try:
            await rules.asked.wait()
            for _ in range(5):  # longer than a lease
                other = await started(lobby, limits_ms={"phase": 100})
                await eventually(settled(store, other))
            assert (await History.of(store, hung)).fired() == []
        finally:
            rules.let_go.set()
        await eventually(settled(store, hung))


async def test_a_store_that_is_away_while_a_timer_is_settled_ends_no_timekeeper(
    own_redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    wire = Wire(own_redis_server, tmp_path / "wire.sock")
    async with wire.laid(), await Store.open(wire.url) as store:
        outages = Outages(store.pulse.listen)
        path = TurnPath(store.tables, LocalRules(Resolver()), outages)
        keeper = Timekeeper(path, store, outages, lease_seconds=1.0, poll_seconds=1.0)
        wire.lose_replies(10)  # those to scripts: that the table is gone is told, and no more
        settling = asyncio.create_task(keeper._settle(Due("gone", 0)))
        keeper._settling["gone"] = settling
        await settling
        assert not keeper._settling
