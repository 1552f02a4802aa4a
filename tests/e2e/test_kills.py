"""Any process may be killed at any moment: no acknowledged action is lost, and games finish."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from random import Random

import pytest

from hutch.client import Hutch, Retries, Table, connect
from hutch.store.store import Store
from hutch.v1 import table_pb2
from tests.oracle import judge
from tests.stacks import RunningStack, running_stack

KINDS = ("gateway", "rules-1", "redis", "timekeeper", "dispatcher", "worker-1")
SEED = 20261129
PATIENT = Retries(give_up_after=60, try_timeout=5)
BOT_TABLES = 12
FINISH_SECONDS = 60


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """A stack of this module's own, for its processes are killed."""
    with running_stack(tmp_path_factory.mktemp("kills") / "data", "--workers", "1") as running:
        yield running


@pytest.mark.timeout(180)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_killed_process_loses_nothing_and_the_games_finish(
    kind: str, stack: RunningStack
) -> None:
    async with connect(stack.gateway, retries=PATIENT) as ada:
        await ada.guest("Ada")
        with_bots = [await bot_table(ada, {}) for _ in range(BOT_TABLES)]
        with_ada = [await ada_table(ada, {}) for _ in range(3)]
        by_clock = [await ada_table(ada, {"phase": 0.15})]
        tables = [*with_bots, *with_ada, *by_clock]
        killed = asyncio.Event()
        try:
            async with asyncio.timeout(FINISH_SECONDS):
                await asyncio.gather(*[table.start() for table in tables])
                playing = [
                    asyncio.create_task(play(table, killed, Random(SEED + number)))
                    for number, table in enumerate(with_ada)
                ]
                restarts = stack.kill(kind)
                killed.set()
                acknowledged = await asyncio.gather(*playing)
                await asyncio.gather(*[finished(table) for table in tables])
                await restarted(stack, kind, restarts)
        except TimeoutError:
            pytest.fail(f"killed {kind}, seed {SEED}; unfinished: {await unfinished(tables)}")
        for table, batches in zip(with_ada, acknowledged, strict=True):
            await assert_all_in_replay(table, batches)
    async with await Store.open(stack.redis_url) as store:
        for table in tables:
            verdict = await judge(store, table.name.removeprefix("tables/"))
            assert not verdict.faults, f"{table.name}, killed {kind}, seed {SEED}"


async def bot_table(hutch: Hutch, limits: dict[str, float]) -> Table:
    """A table of four bots, not started."""
    table = await hutch.create_table("rabbit-space", seats=4, limits=limits)
    for seat in range(4):
        await table.assign_bot(seat, "random")
    return table


async def ada_table(hutch: Hutch, limits: dict[str, float]) -> Table:
    """A table with Ada at seat 0 and a bot at seat 1, not started."""
    table = await hutch.create_table("rabbit-space", seats=2, limits=limits)
    await table.claim(0)
    await table.assign_bot(1, "random")
    return table


async def play(table: Table, killed: asyncio.Event, rng: Random) -> list[table_pb2.EventBatch]:
    """Play Ada's seat to the end, the second half only after the kill: what was acknowledged."""
    acknowledged = []
    async for turn in table.seat(0).play():
        if len(acknowledged) == 5:
            await killed.wait()
        batch = await turn.answer(*turn.sample(rng))
        if batch is not None:
            acknowledged.append(batch)
    return acknowledged


async def finished(table: Table) -> None:
    """Wait for the end of the game."""
    async for _ in table.watch():
        pass
    assert (await table.get()).state == table_pb2.TABLE_STATE_FINISHED


async def unfinished(tables: list[Table]) -> list[str]:
    """The tables whose games are still on, with who is awaited."""
    views = [await table.view() for table in tables]
    return [
        f"{view.table.name} at revision {view.revision} awaits {list(view.awaited_seats)}"
        for view in views
        if view.table.state == table_pb2.TABLE_STATE_PLAYING
    ]


async def restarted(stack: RunningStack, kind: str, restarts: int) -> None:
    """Wait until the killed process has a successor that is ready."""
    while True:
        facts = stack.facts
        if facts["restarts"][kind] > restarts and facts["states"][kind] == "ready":
            return
        await asyncio.sleep(0.05)


async def assert_all_in_replay(table: Table, batches: list[table_pb2.EventBatch]) -> None:
    """Every acknowledged batch is in the log, as it was acknowledged."""
    told = {batch.revision: batch async for batch in table.replay(seat=0)}
    assert [told.get(batch.revision) for batch in batches] == batches
