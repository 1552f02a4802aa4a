"""Processes whose clocks are wrong: Redis' clock alone says when time is over."""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import monotonic

import pytest

from hutch.client import Hutch, HutchError, Table, connect
from hutch.engine.commands import Credit
from hutch.gateway.heart import Heart
from hutch.store.commits import Commit, Committed
from hutch.store.embedded import EmbeddedServer
from hutch.store.keys import ALL_SHARDS
from hutch.store.store import Store
from hutch.timekeeper.crediting import Crediting
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from tests.chaos.gateways import Gateways
from tests.chaos.skew import ShiftedClock, skewed
from tests.chaos.timers import History
from tests.redis_servers import eventually
from tests.timekeeper.test_keeping import keeping
from tests.turns.arranging import started
from tests.turns.test_outages import commands

LIMIT_SECONDS = 0.15
TABLES = 20


async def test_deadlines_go_by_redis_clock_whatever_the_clocks_of_processes_say(
    tmp_path: Path,
) -> None:
    async with Gateways(tmp_path) as behind:
        early = await behind.gateway(**skewed("+2h"))
        await behind.beside("hutch.timekeeper", **skewed("+0 x1.5"))
        await behind.beside("hutch.workers dispatcher")
        await behind.beside("hutch.workers bots", **skewed("-2h"))
        async with connect(early.address) as ada, await Store.open(behind.redis.url) as store:
            await ada.guest("Ada")
            by_clock = [await opened(ada, "", LIMIT_SECONDS) for _ in range(TABLES)]
            by_bots = await opened(ada, "random", 600)
            slow = await opened(ada, "", 600)
            (deadline,) = await slow.deadlines()
            assert 540 < deadline.remaining.ToSeconds() <= 600
            due_ms = deadline.due_time.ToMilliseconds()
            assert 540_000 < due_ms - await store.tables.now_ms() <= 600_000
            async with asyncio.timeout(60):
                await asyncio.gather(*[over(table) for table in [*by_clock, by_bots]])
            for table in by_clock:
                history = await History.of(store, table.name.removeprefix("tables/"))
                assert history.fired()
                assert not history.faults(None)


async def test_tokens_allow_for_a_minute_between_clocks_and_no_more(tmp_path: Path) -> None:
    soon_by, later_by = skewed("+45s"), skewed("+2h")
    async with Gateways(tmp_path) as behind:
        now, soon, later = await asyncio.gather(
            behind.gateway(HUTCH_TOKEN_LIFETIME_SECONDS="3600"),
            behind.gateway(**soon_by),
            behind.gateway(**later_by),
        )
        assert await verdict(issuer=now.address, asked=soon.address) == "taken"
        assert await verdict(issuer=soon.address, asked=now.address) == "taken"
        assert await verdict(issuer=now.address, asked=later.address) == "TOKEN_EXPIRED"
        assert await verdict(issuer=later.address, asked=now.address) == "TOKEN_INVALID"


async def test_a_clock_that_is_set_back_and_right_again_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = ShiftedClock(tmp_path / "clock")
    for name, value in clock.variables.items():
        monkeypatch.setenv(name, value)
    with EmbeddedServer(tmp_path / "redis") as server:
        async with await Store.open(server.url) as store:
            now_ms = await store.tables.now_ms()
            clock.set_off("-1h")

            async def is_set_back() -> bool:
                return await store.tables.now_ms() < now_ms

            await eventually(is_set_back)
            commit = Commit(table_id="t", expected_revision=0, not_before_ms=now_ms)
            committing = asyncio.create_task(store.tables.commit(commit))
            await asyncio.sleep(0)
            await store.tables.now_ms()  # over the same line: it has been told to wait by then
            clock.set_off("+0")
            async with asyncio.timeout(30):
                assert isinstance(await committing, Committed)


async def test_a_clock_that_is_set_forward_costs_nobody_a_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = ShiftedClock(tmp_path / "clock")
    for name, value in clock.variables.items():
        monkeypatch.setenv(name, value)
    with EmbeddedServer(tmp_path / "redis") as server:
        async with await Store.open(server.url, poll_s=0.2) as store, keeping(store):
            heart = Heart(store.pulse, LocalRules(Resolver()), grace_seconds=5)
            await heart.outages.hear()
            path = TurnPath(store.tables, LocalRules(Resolver()), heart.outages)
            quick = await started(Lobby(path), limits_ms={"phase": 100})

            async def is_kept() -> object:
                return len(await commands(store, quick)) > 1

            await eventually(is_kept)  # the timekeeper has listened to the pulse
            await Lobby(path).void(quick)
            table_id = await started(Lobby(path), limits_ms={"phase": 600_000})
            (due_ms,) = (await store.timers.next_due(ALL_SHARDS)).values()
            clock.set_off("+1h")
            until = monotonic() + 5  # then it listens again in any case

            async def is_noticed() -> bool:
                due = await store.timers.next_due(ALL_SHARDS)
                return [*due.values()] != [due_ms] or monotonic() > until

            await eventually(is_noticed)
            await heart.outages.hear()
            await Crediting(path, store, heart.outages).look()
            (credit,) = await commands(store, table_id)
            assert isinstance(credit, Credit)


async def opened(ada: Hutch, bot: str, limit_seconds: float) -> Table:
    """A game of one seat that Ada has and does not play, or that such a bot has."""
    table = await ada.create_table(
        "rabbit-space", seats=1, limits={"phase": limit_seconds}, after_timeouts=0
    )
    if bot:
        await table.assign_bot(0, bot)
    else:
        await table.claim(0)
    await table.start()
    return table


async def over(table: Table) -> None:
    """Wait for the end of the game."""
    async for _ in table.watch():
        pass
    assert (await table.get()).state == pb.TABLE_STATE_FINISHED


async def verdict(*, issuer: str, asked: str) -> str:
    """What a gateway says of a guest's token from another: `taken`, or why not."""
    async with connect(issuer) as there:
        await there.guest("Ada")
        token = there.token
    async with connect(asked, token=token) as here:
        try:
            await here.campaigns()
        except HutchError as error:
            return error.reason
    return "taken"
