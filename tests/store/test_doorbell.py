"""The doorbell: wakes those who wait, and whoever was not woken finds out by looking.

The doorbells of these tests never poll within a test, unless one says so: who wakes was rung.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path

import pytest
import pytest_asyncio
from redis.asyncio import Redis, RedisCluster

from hutch.store.commits import Commit
from hutch.store.contact import Contact
from hutch.store.doorbell import Bell, Doorbell
from hutch.store.embedded import EmbeddedServer
from hutch.store.keys import shard_of
from hutch.store.store import Store
from tests.redis_servers import Wire, eventually

NEVER_S = 600.0


async def commit(store: Store, revision: int = 0, table_id: str = "t", **more: object) -> None:
    await store.tables.commit(
        Commit(table_id=table_id, expected_revision=revision, **more)  # type: ignore[arg-type]
    )


async def rung_for(bell: Bell, revision: int) -> None:
    """Wait until the bell has been rung for that revision."""
    async with asyncio.timeout(60):
        while await bell.wait() < revision:
            pass


async def is_up(doorbell: Doorbell) -> None:
    """Wait until the line is up."""

    async def look() -> bool:
        return doorbell.is_up

    await eventually(look)


async def subscribers(store: Store, channel: str) -> int:
    """How many connections listen to a channel, of all nodes."""
    clients = [store.client]
    if isinstance(store.client, RedisCluster):
        clients = [Redis(host=node.host, port=int(node.port)) for node in store.client.get_nodes()]
    replies = [await client.execute_command("PUBSUB", "NUMSUB", channel) for client in clients]
    if isinstance(store.client, RedisCluster):
        for client in clients:
            await client.aclose()
    return sum(int(reply[1]) for reply in replies)


@pytest_asyncio.fixture
async def doorbell(store: Store) -> AsyncIterator[Doorbell]:
    """A doorbell that never polls, beside the store's own."""
    async with Doorbell(store.client, store.keys, Contact(), poll_s=NEVER_S) as opened:
        await is_up(opened)
        yield opened


async def test_a_commit_rings_all_who_listen_to_its_table(store: Store, doorbell: Doorbell) -> None:
    async with (
        doorbell.listen("t") as one,
        doorbell.listen("t") as two,
        doorbell.listen("other") as other,
    ):
        await commit(store)
        await commit(store, 1)
        await rung_for(one, 2)
        await rung_for(two, 2)
        await commit(store, 0, "other")
        await rung_for(other, 1)


async def test_what_is_committed_once_one_listens_rings(store: Store, doorbell: Doorbell) -> None:
    for number in range(100):
        async with doorbell.listen(f"table-{number % 7}") as bell:
            await commit(store, number // 7, f"table-{number % 7}")
            await rung_for(bell, number // 7 + 1)


async def test_many_listeners_share_one_line(store: Store, doorbell: Doorbell) -> None:
    tables = [f"table-{number}" for number in range(200)]
    async with AsyncExitStack() as stack:
        bells = [await stack.enter_async_context(doorbell.listen(one)) for one in tables]
        assert await subscribers(store, store.keys.bell("table-0")) == 1
        await asyncio.gather(*[commit(store, 0, one) for one in tables])
        for bell in bells:
            await rung_for(bell, 1)


async def test_nothing_is_subscribed_to_once_nobody_listens(
    store: Store, doorbell: Doorbell
) -> None:
    channel = store.keys.bell("t")
    async with doorbell.listen("t"):
        async with doorbell.listen("t"):
            assert await subscribers(store, channel) == 1
        assert await subscribers(store, channel) == 1

    async def nobody() -> bool:
        return await subscribers(store, channel) == 0

    await eventually(nobody)


async def test_a_timer_rings_when_its_shard_has_none_as_early(
    store: Store, doorbell: Doorbell
) -> None:
    now_ms = await store.tables.now_ms()
    shard = shard_of("t")
    async with doorbell.listen_to_shards("timers") as bell:
        assert (await bell.wait()).missed  # what was armed before
        await commit(store, 0, due_ms=now_ms + 90_000)
        assert (await bell.wait()).by_shard == {shard: now_ms + 90_000}
        await commit(store, 1, due_ms=now_ms + 95_000)
        await commit(store, 2, due_ms=now_ms + 80_000)
        wakes = await bell.wait()
        assert wakes.by_shard == {shard: now_ms + 80_000}
        assert not wakes.missed


async def test_awaited_bots_ring_and_a_worker_that_plays_on_does_not(
    store: Store, doorbell: Doorbell
) -> None:
    async with doorbell.listen_to_shards("hints") as bell:
        await bell.wait()
        await commit(store, 0, "playing on", hint=True, hint_after_ms=60_000)
        await commit(store, 0, "t", hint=True)
        assert list((await bell.wait()).by_shard) == [shard_of("t")]


async def test_a_note_rings(store: Store, doorbell: Doorbell) -> None:
    async with doorbell.listen_to_shards("outbox") as bell:
        await bell.wait()
        await commit(store, notes=(b"n",))
        assert list((await bell.wait()).by_shard) == [shard_of("t")]


async def test_a_wait_ends_at_the_poll_interval_without_a_ring(store: Store) -> None:
    async with (
        Doorbell(store.client, store.keys, Contact(), poll_s=0.02) as doorbell,
        doorbell.listen("t") as bell,
        doorbell.listen_to_shards("timers") as shards,
    ):
        assert await bell.wait() == 0
        assert (await shards.wait()).missed
        assert (await shards.wait()).missed


async def test_all_shards_are_looked_at_once_in_a_while_however_much_it_rings(
    store: Store,
) -> None:
    async with (
        Doorbell(store.client, store.keys, Contact(), poll_s=0.1) as doorbell,
        doorbell.listen_to_shards("outbox") as bell,
    ):
        assert (await bell.wait()).missed
        rung = looked = 0
        for revision in count():
            await commit(store, revision, notes=(b"n",))
            wakes = await bell.wait()
            rung += bool(wakes.by_shard)
            looked += wakes.missed
            if rung >= 5 and looked >= 2:
                break


async def test_a_wait_with_a_time_of_its_own_misses_nothing(
    store: Store, doorbell: Doorbell
) -> None:
    async with doorbell.listen_to_shards("timers") as bell:
        await bell.wait()
        wakes = await bell.wait(0.01)
        assert (wakes.by_shard, wakes.missed) == ({}, False)


async def test_a_ring_that_is_none_of_ours_only_wakes(store: Store, doorbell: Doorbell) -> None:
    async with doorbell.listen("t") as bell, doorbell.listen_to_shards("timers") as shards:
        await shards.wait()
        await store.client.publish(store.keys.bell("t"), "nonsense")
        await store.client.publish(store.keys.channel("timers"), "more nonsense")
        assert await bell.wait() == 0
        assert (await shards.wait()).missed
        await commit(store)
        await rung_for(bell, 1)


async def found_out(store: Store, bell: Bell, revision: int) -> None:
    """Wait as a watcher does: look at the store whenever the bell wakes one."""
    async with asyncio.timeout(60):
        while True:
            await bell.wait()
            stored = await store.tables.load("t")
            if stored is not None and stored.revision >= revision:
                return


async def test_a_line_that_was_down_rings_everybody_once_it_is_up(
    redis_server: EmbeddedServer, namespace: str, tmp_path: Path
) -> None:
    async with (
        Wire(redis_server, tmp_path / "w").laid() as wire,
        await Store.open(redis_server.url, namespace=namespace) as store,
        await Store.open(wire.url, namespace=namespace, poll_s=NEVER_S) as far,
    ):
        await is_up(far.doorbell)
        async with (
            far.doorbell.listen("t") as bell,
            far.doorbell.listen_to_shards("timers") as shards,
        ):
            await shards.wait()
            wire.cut()
            await commit(store, due_ms=5)  # nobody hears it
            wire.mend()
            await found_out(far, bell, 1)
            assert (await shards.wait()).missed
            await commit(store, 1)
            await found_out(far, bell, 2)


async def test_one_listens_only_once_the_server_has_heard_of_it(
    redis_server: EmbeddedServer, namespace: str, tmp_path: Path
) -> None:
    async with (
        Wire(redis_server, tmp_path / "w").laid() as wire,
        await Store.open(redis_server.url, namespace=namespace) as store,
        await Store.open(wire.url, namespace=namespace, poll_s=NEVER_S) as far,
        AsyncExitStack() as stack,
    ):
        await is_up(far.doorbell)
        with wire.held():
            listening = asyncio.create_task(stack.enter_async_context(far.doorbell.listen("t")))
            await commit(store)  # time enough, and not heard
            assert not listening.done()
        bell = await listening
        await commit(store, 1)
        await rung_for(bell, 2)


async def test_one_may_begin_to_listen_while_the_line_is_down(
    redis_server: EmbeddedServer, namespace: str, tmp_path: Path
) -> None:
    async with (
        Wire(redis_server, tmp_path / "w").laid() as wire,
        await Store.open(redis_server.url, namespace=namespace) as store,
        await Store.open(wire.url, namespace=namespace, poll_s=NEVER_S) as far,
    ):
        wire.cut()
        async with far.doorbell.listen("t") as bell:
            await commit(store)
            wire.mend()
            await found_out(far, bell, 1)
            await commit(store, 1)
            await found_out(far, bell, 2)


async def test_a_line_that_breaks_while_it_is_closed_does_not_stay_for_ever(
    own_redis_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever turn of the loop the two meet at, neither gets lost."""
    ping_s = 0.1
    monkeypatch.setattr("hutch.store.doorbell._PING_S", ping_s)
    opened = await Store.open(own_redis_server.url)
    for turns_of_the_loop in range(10):
        doorbell = Doorbell(opened.client, opened.keys, Contact())
        await doorbell.__aenter__()
        await is_up(doorbell)
        time.sleep(2.5 * ping_s)  # noqa: ASYNC251  # a busy process: the line counts as dead
        for _ in range(turns_of_the_loop):
            await asyncio.sleep(0)
        async with asyncio.timeout(60):
            await doorbell.__aexit__()
    await opened.aclose()
