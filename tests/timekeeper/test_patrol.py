"""Stuck tables are counted, and nothing else is; the real timekeeper exports them."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from hutch.store.commits import Commit
from hutch.store.embedded import EmbeddedServer
from hutch.store.keys import shard_of
from hutch.store.store import Store
from hutch.timekeeper.patrol import Patrol
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from tests.commands import hutch
from tests.redis_servers import eventually
from tests.services.processes import Served, serving
from tests.turns.arranging import bot_table, damage, default, started


async def lose(store: Store, table_id: str, name: str) -> None:
    """Take the table's hint or timer out of Redis, as no process of ours ever does."""
    shard = shard_of(table_id)
    (key,) = store.keys.of_shard(shard, name)
    assert await store.pipelining.call(shard, "ZREM", key, table_id) == 1


async def stuck(store: Store, *, still_seconds: float = 0.0) -> int:
    """How many tables a patrol finds stuck on its first round."""
    return (await patrolled(store, None, still_seconds=still_seconds)).stuck


async def patrolled(
    store: Store, lobby: Lobby | None, *, still_seconds: float = 0.0, idle_days: float = 0
) -> Patrol:
    """A patrol after its first round."""
    patrol = Patrol(
        store,
        lobby or Lobby(TurnPath(store.tables, LocalRules(Resolver()))),
        still_seconds=still_seconds,
        round_seconds=0.0,
        idle_days=idle_days,
    )
    await patrol.go_round(asyncio.Event())
    return patrol


async def test_bots_whose_hint_is_lost_are_stuck_until_somebody_moves_them_on(
    store: Store, lobby: Lobby, path: TurnPath
) -> None:
    table_id = await bot_table(lobby)
    await lose(store, table_id, "hints")
    patrol = await patrolled(store, lobby)
    for _ in range(2):
        assert patrol.stuck == 1
        await patrol.go_round(asyncio.Event())
    await path.play(default(table_id, 0))
    await patrol.go_round(asyncio.Event())
    assert patrol.stuck == 0


async def test_a_player_who_left_is_not_waited_for_without_a_hint(
    store: Store, lobby: Lobby, path: TurnPath
) -> None:
    table_id = await started(lobby, players=2, options={"absent": "bot"})
    await path.play(default(table_id, 1))
    await lobby.leave(table_id, 0, "p0")
    assert await stuck(store) == 0
    await lose(store, table_id, "hints")
    assert await stuck(store) == 1


@pytest.mark.parametrize("claimed", [False, True])
async def test_a_timer_that_is_overdue_by_a_minute_is_stuck_claimed_or_not(
    claimed: bool, store: Store, lobby: Lobby
) -> None:
    table_id = await started(lobby, limits_ms={"phase": 3_600_000})
    shard = shard_of(table_id)
    (due,) = store.keys.of_shard(shard, "due")
    for overdue_ms, expected in ((50_000, 0), (61_000, 1)):
        due_ms = await store.tables.now_ms() - overdue_ms
        await store.pipelining.call(shard, "ZADD", due, due_ms, table_id)
        if claimed and expected:
            assert (await store.timers.claim_due([shard], 10, 3_600_000)).due
        assert await stuck(store) == expected


async def test_a_timer_that_waits_for_an_outage_to_end_is_not_stuck(
    store: Store, lobby: Lobby
) -> None:
    table_id = await started(lobby, limits_ms={"phase": 3_600_000})
    shard = shard_of(table_id)
    (due,) = store.keys.of_shard(shard, "due")
    (pulse,) = store.keys.of_shard(0, "pulse")
    now_ms = await store.tables.now_ms()
    await store.pipelining.call(shard, "ZADD", due, now_ms - 100_000, table_id)
    for beaten_ms, expected in ((now_ms - 90_000, 0), (now_ms, 1)):
        await store.pipelining.call(0, "HSET", pulse, "at", beaten_ms, "grace", 30_000)
        assert await stuck(store) == expected


async def test_a_record_that_cannot_be_played_is_stuck(store: Store, lobby: Lobby) -> None:
    table_id = await started(lobby)
    stored = await store.tables.load(table_id)
    assert stored is not None
    broken = Commit(table_id=table_id, expected_revision=stored.revision, record=b"\xc1")
    await store.tables.commit(broken)
    assert await stuck(store) == 1


async def test_a_table_that_cannot_be_read_is_stuck_and_hides_no_other(
    store: Store, lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hutch.store.keys.SHARDS", 1)
    for _ in range(2):
        await damage(store, await started(lobby), "meta")
    assert await stuck(store) == 2


async def test_whoever_waits_for_people_clocks_or_workers_is_not_stuck(
    store: Store, lobby: Lobby
) -> None:
    await started(lobby)  # waits for a person
    await started(lobby, limits_ms={"phase": 3_600_000})  # for a person or the clock
    await bot_table(lobby)  # for a worker
    clocked = await bot_table(lobby, limits_ms={"phase": 3_600_000})
    await lose(store, clocked, "hints")  # the clock will play
    voided = await bot_table(lobby)
    await lose(store, voided, "hints")
    await lobby.void(voided)  # for nobody, for it is over
    assert await stuck(store) == 0


async def test_more_tables_than_fit_a_page_are_all_looked_at(
    store: Store, lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hutch.timekeeper.patrol.PAGE", 2)
    monkeypatch.setattr("hutch.store.keys.SHARDS", 1)  # all tables in one shard
    tables = [await bot_table(lobby) for _ in range(5)]
    for table_id in tables:
        await lose(store, table_id, "hints")
    assert await stuck(store) == 5


async def test_a_table_that_has_just_moved_is_not_stuck_yet(store: Store, lobby: Lobby) -> None:
    table_id = await bot_table(lobby)
    await lose(store, table_id, "hints")
    assert await stuck(store, still_seconds=3600) == 0


DAY_MS = 86_400_000


@pytest.mark.parametrize(
    ("days", "limits_ms", "silent_days", "state"),
    [
        (31, None, 0, "abandoned"),
        (29, None, 0, "playing"),
        (31, {"phase": 30 * DAY_MS}, 0, "playing"),  # the clock will move it
        (31, None, 20, "playing"),  # nobody could have played in most of that time
    ],
)
async def test_a_table_that_waits_for_people_for_too_long_is_given_up(
    days: int,
    limits_ms: dict[str, int] | None,
    silent_days: int,
    state: str,
    store: Store,
    lobby: Lobby,
    path: TurnPath,
) -> None:
    table_id = await started(lobby, limits_ms=limits_ms)
    key = store.keys.table(table_id)
    now_ms = await store.tables.now_ms()
    await store.client.hset(key, "at", now_ms - days * DAY_MS)
    (pulse,) = store.keys.of_shard(0, "pulse")
    beaten_ms = now_ms - silent_days * DAY_MS
    await store.pipelining.call(0, "HSET", pulse, "at", beaten_ms, "grace", 30_000)
    for _ in range(2):
        await patrolled(store, lobby, idle_days=30)
        _, meta = await path.load(table_id)
        assert meta.state == state
        assert (await store.client.ttl(key) > 0) == (state == "abandoned")


async def test_a_table_that_moved_while_it_was_looked_at_is_not_given_up(
    store: Store, lobby: Lobby, path: TurnPath
) -> None:
    table_id = await started(lobby)
    stored, _ = await path.load(table_id)
    await path.play(default(table_id, 0))
    assert not await lobby.give_up(table_id, stored.revision)
    assert (await path.load(table_id))[1].state == "playing"


async def test_where_tables_are_to_wait_for_ever_they_do(
    store: Store, lobby: Lobby, path: TurnPath
) -> None:
    table_id = await started(lobby)
    await store.client.hset(store.keys.table(table_id), "at", 1)
    await patrolled(store, lobby, idle_days=0)
    assert (await path.load(table_id))[1].state == "playing"


@pytest.mark.slow
async def test_a_stuck_table_shows_in_the_metric_until_it_is_fixed_and_why_says_the_same(
    own_redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    url = own_redis_server.url
    variables = {
        "HUTCH_REDIS_URL": url,
        "HUTCH_RULES_ADDRESSES": "127.0.0.1:1",  # nobody
        "HUTCH_TIMEKEEPER_STILL_SECONDS": "0.5",
    }
    async with await Store.open(url) as store:
        lobby = Lobby(TurnPath(store.tables, LocalRules(Resolver())))
        table_id = await bot_table(lobby)
        with serving("hutch.timekeeper", tmp_path / "log", **variables) as timekeeper:
            assert await exported(timekeeper, 0)
            await lose(store, table_id, "hints")
            assert await exported(timekeeper, 1)
            why = await asyncio.to_thread(hutch, "why", table_id, HUTCH_REDIS_URL=url)
            assert (why.returncode, "STUCK" in why.stdout) == (1, True)
            fix = await asyncio.to_thread(
                hutch, "fix", table_id, "--default", "1", HUTCH_REDIS_URL=url
            )
            assert fix.returncode == 0
            assert await exported(timekeeper, 0)


async def exported(timekeeper: Served, number: int) -> bool:
    """Wait until so many stuck tables are exported."""

    def look() -> bool:
        found = re.search(r"^hutch_stuck_tables (\d+)", timekeeper.scrape(), re.MULTILINE)
        return found is not None and int(found.group(1)) == number

    return await eventually(lambda: asyncio.to_thread(look), within_s=60, every_s=0.1)
