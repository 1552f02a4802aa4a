"""After an outage the clocks of all tables are put off, without anybody doing anything there."""

from __future__ import annotations

import asyncio

import structlog

from hutch.store.store import Store
from hutch.timekeeper.crediting import Crediting
from hutch.turns.lobby import Lobby
from hutch.turns.outages import Outages
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from tests.redis_servers import eventually
from tests.turns.arranging import damage, revision_of, started
from tests.turns.silence import outage

LIMITS = {"phase": 3_600_000}


async def dues(store: Store) -> dict[str, int]:
    """When each table's timer is due."""
    return {one.table_id: one.due_ms for one in await store.timers.pending(100)}


async def test_all_armed_tables_are_credited_and_only_they(store: Store, lobby: Lobby) -> None:
    armed = [await started(lobby, limits_ms=LIMITS) for _ in range(20)]
    idle = await started(lobby)
    idle_revision = await revision_of(store, idle)
    before = await dues(store)
    assert sorted(before) == sorted(armed)
    (lost,) = (await outage(store.pulse)).outages
    stop = asyncio.Event()
    outages = Outages(store.pulse.listen)
    path = TurnPath(store.tables, LocalRules(Resolver()), outages)
    crediting = asyncio.create_task(Crediting(path, store, outages).run(stop))
    after = {table_id: due + lost.until_ms - lost.from_ms for table_id, due in before.items()}

    async def all_credited() -> bool:
        return await dues(store) == after

    await eventually(all_credited)
    stop.set()
    await crediting
    assert await revision_of(store, idle) == idle_revision


async def test_a_table_that_cannot_be_read_keeps_no_other_from_being_credited(
    store: Store, lobby: Lobby
) -> None:
    tables = [await started(lobby, limits_ms=LIMITS) for _ in range(20)]
    for table_id in tables[::2]:
        await damage(store, table_id, "meta")
    before = await dues(store)
    await outage(store.pulse)
    outages = Outages(store.pulse.listen)
    await Crediting(TurnPath(store.tables, LocalRules(Resolver()), outages), store, outages).look()
    after = await dues(store)
    assert [one for one in tables if after[one] != before[one]] == tables[1::2]


async def test_while_the_outage_is_on_nothing_is_credited(store: Store, lobby: Lobby) -> None:
    await started(lobby, limits_ms=LIMITS)
    before = await dues(store)
    await outage(store.pulse)
    (pulse,) = store.keys.of_shard(0, "pulse")
    await store.pipelining.call(0, "HSET", pulse, "at", await store.tables.now_ms() - 9_000)
    await store.pipelining.call(0, "HSET", pulse, "grace", 2_000)
    outages = Outages(store.pulse.listen)
    crediting = Crediting(TurnPath(store.tables, LocalRules(Resolver()), outages), store, outages)
    await crediting.look()
    assert await dues(store) == before
    await store.pulse.beat(3_600_000)
    await outages.hear()
    await crediting.look()
    assert await dues(store) != before


async def test_that_an_outage_is_over_is_no_warning_for_it_may_have_been_planned(
    store: Store, lobby: Lobby
) -> None:
    await started(lobby, limits_ms=LIMITS)
    await outage(store.pulse)
    outages = Outages(store.pulse.listen)
    path = TurnPath(store.tables, LocalRules(Resolver()), outages)
    with structlog.testing.capture_logs() as logged:
        await Crediting(path, store, outages).look()
    assert [(line["event"], line["log_level"]) for line in logged] == [("outage_is_over", "info")]
