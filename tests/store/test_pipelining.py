"""Pipelining: whatever breaks, and whoever leaves, each caller gets its own reply or an error."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from functools import partial
from pathlib import Path
from time import monotonic

import pytest

from hutch.store.commits import Commit, Committed, Conflict
from hutch.store.connect import open_client
from hutch.store.contact import Contact
from hutch.store.embedded import EmbeddedServer
from hutch.store.errors import StoreError, StoreUnavailable
from hutch.store.keys import Keys
from hutch.store.pipelining import Pipelining
from hutch.store.store import Store
from tests.redis_servers import Wire, eventually, fail_over, paused, with_replica


def a_commit(table_id: str, revision: int, **more: object) -> Commit:
    parts: dict[str, object] = {"log": {"s": b"told"}} | more
    return Commit(table_id=table_id, expected_revision=revision, **parts)  # type: ignore[arg-type]


async def test_a_script_that_a_restarted_server_does_not_know_is_carried_out_at_the_last_try(
    own_redis_server: EmbeddedServer, namespace: str, tmp_path: Path
) -> None:
    wire = Wire(own_redis_server, tmp_path / "wire")
    async with wire.laid(), await Store.open(wire.url, namespace=namespace) as store:
        wire.lose_replies(2)
        assert isinstance(await store.tables.commit(a_commit("t", 0)), Committed)


async def test_callers_cancelled_at_any_moment_disturb_nobody(store: Store) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    tables = [f"table-{number}" for number in range(20)]
    for one in tables:
        await store.tables.commit(a_commit(one, 0, meta=one.encode(), request_id=f"of {one}"))
    done: Counter[str] = Counter()

    async def ask(table_id: str) -> None:
        match rng.randrange(4):
            case 0:
                stored = await store.tables.load(table_id)
                assert stored is not None
                assert (stored.table_id, stored.meta) == (table_id, table_id.encode())
            case 1:
                known = await store.tables.find_request(table_id, f"of {table_id}")
                assert known is not None
                assert known.revision == 1
            case 2:
                (entry,) = await store.tables.read_log(table_id, 0, 1)
                assert entry.revision == 1
            case _:
                made = await store.tables.commit(a_commit(table_id, 99))
                assert isinstance(made, Conflict)
        done[table_id] += 1

    async def cancel_later(task: asyncio.Task[None]) -> None:
        for _ in range(rng.randrange(12)):
            await asyncio.sleep(0)
        task.cancel()

    for _ in range(60):
        tasks = [asyncio.create_task(ask(rng.choice(tables))) for _ in range(30)]
        hunted = rng.sample(tasks, 15)
        await asyncio.gather(*[cancel_later(task) for task in hunted])
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            assert outcome is None or isinstance(outcome, asyncio.CancelledError)
    assert done.total() >= 60 * 15


async def test_a_commit_once_sent_is_carried_through_for_a_caller_that_left(store: Store) -> None:
    for revision in range(20):
        commit = asyncio.create_task(store.tables.commit(a_commit("t", revision)))
        await asyncio.sleep(0)  # it is issued …
        await asyncio.sleep(0)  # … and its batch leaves
        commit.cancel()
        await asyncio.wait([commit])
        assert commit.cancelled()
        await eventually(partial(store.tables.read_log, "t", revision, 1))


async def test_cancelled_callers_leak_no_connections(
    own_redis_server: EmbeddedServer, namespace: str
) -> None:
    async with await Store.open(own_redis_server.url, namespace=namespace) as store:
        for _ in range(50):
            loads = [asyncio.create_task(store.tables.load(str(n))) for n in range(20)]
            await asyncio.sleep(0)
            for load in loads[::2]:
                load.cancel()
            await asyncio.gather(*loads, return_exceptions=True)
        clients = own_redis_server.ask("CLIENT", "LIST").count("name=hutch ")
        assert clients <= 4 + 2  # batches at once; the doorbell's line and the one that looked


async def test_a_server_that_lost_its_scripts_gets_them_again(store: Store) -> None:
    assert isinstance(await store.tables.commit(a_commit("t", 0)), Committed)
    for revision in (1, 2):
        await store.client.script_flush()
        outcomes = await asyncio.gather(
            *[store.tables.commit(a_commit("t", revision)) for _ in range(30)]
        )
        assert sum(isinstance(one, Committed) for one in outcomes) == 1


async def test_a_commit_whose_reply_is_lost_happens_once_and_is_told_so(
    redis_server: EmbeddedServer, namespace: str, tmp_path: Path
) -> None:
    async with (
        Wire(redis_server, tmp_path / "w").laid() as wire,
        await Store.open(wire.url, namespace=namespace) as store,
    ):
        for revision in range(20):
            await store.tables.load("t")
            wire.lose_replies(revision % 3)
            made = await store.tables.commit(a_commit("t", revision, inputs=b"%d" % revision))
            assert isinstance(made, Committed)
            assert made.revision == revision + 1
        inputs = await store.tables.read_inputs("t", 0, 100)
        assert [data for _, data in inputs] == [b"%d" % revision for revision in range(20)]


async def test_a_lost_reply_and_another_writer_are_told_apart(
    redis_server: EmbeddedServer, namespace: str
) -> None:
    async with await Store.open(redis_server.url, namespace=namespace) as one:
        made = await one.tables.commit(a_commit("t", 0))
        assert isinstance(made, Committed)
        assert await one.tables.commit(a_commit("t", 0)) == Conflict(1)


async def test_a_cut_wire_is_an_error_soon_and_mended_is_no_error(
    redis_server: EmbeddedServer, namespace: str, tmp_path: Path
) -> None:
    async with (
        Wire(redis_server, tmp_path / "w").laid() as wire,
        await Store.open(wire.url, namespace=namespace) as store,
    ):
        await store.tables.commit(a_commit("t", 0))
        wire.cut()
        began = monotonic()
        outcomes = await asyncio.gather(
            *[store.tables.load("t") for _ in range(50)], return_exceptions=True
        )
        assert all(isinstance(one, StoreUnavailable) for one in outcomes)
        assert monotonic() - began < 20
        wire.mend()
        assert await store.tables.load("t") is not None


async def test_a_server_that_hangs_is_an_error_in_time_and_serves_again_after(
    own_redis_server: EmbeddedServer, namespace: str
) -> None:
    client = open_client(own_redis_server.url)
    pipelining = Pipelining(client, Keys(namespace), Contact(), timeout_s=0.2)

    async def serves() -> bool:
        try:
            return await pipelining.call(0, "ECHO", "well") == b"well"
        except StoreUnavailable:  # so short a time may pass on a busy machine without a fault
            return False

    await eventually(serves)
    with paused(own_redis_server):
        began = monotonic()
        calls = [pipelining.call(0, "ECHO", f"early {n}") for n in range(5000)]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(one, StoreUnavailable) for one in outcomes)
        assert monotonic() - began < 20
    await eventually(serves)
    clients = partial(own_redis_server.ask, "CLIENT", "LIST")

    async def given_up_lines_are_closed() -> bool:
        return clients().count("name=hutch ") == 1

    await eventually(given_up_lines_are_closed)
    await pipelining.aclose()
    await client.aclose()


async def test_what_nobody_waits_for_any_more_is_not_sent(
    own_redis_server: EmbeddedServer, namespace: str
) -> None:
    client = open_client(own_redis_server.url)
    pipelining = Pipelining(client, Keys(namespace), Contact())
    with paused(own_redis_server):
        first = pipelining.call(0, "INCR", "sent")
        await asyncio.sleep(0.01)  # it is on its way, and the lane is taken
        waiting = pipelining.call(0, "INCR", "unsent")
        waiting.cancel()
    assert await first == 1
    assert await pipelining.call(0, "GET", "unsent") is None
    await pipelining.aclose()
    await client.aclose()


async def test_one_bad_command_spoils_no_other_of_its_batch(store: Store) -> None:
    calls = [
        store.pipelining.call(0, "ECHO", "before"),
        store.pipelining.call(0, "NOSUCHCOMMAND"),
        store.pipelining.call(0, "ECHO", "after"),
    ]
    before, bad, after = await asyncio.gather(*calls, return_exceptions=True)
    assert (before, after) == (b"before", b"after")
    assert isinstance(bad, StoreError)
    assert not isinstance(bad, StoreUnavailable)


async def test_commands_of_one_tick_travel_together(
    own_redis_server: EmbeddedServer, namespace: str
) -> None:
    async with await Store.open(own_redis_server.url, namespace=namespace) as store:
        await asyncio.gather(*[store.tables.load(str(number)) for number in range(100)])
        times = own_redis_server.ask("INFO", "commandstats").partition("cmdstat_time:calls=")[2]
        assert int(times.partition(",")[0]) == 1  # the clock is asked once a batch


async def test_a_reply_is_handed_out_while_the_server_is_not_done_with_the_rest_of_the_batch(
    store: Store,
) -> None:
    (key,) = store.keys.of_shard(0, "x")
    first = store.pipelining.call(0, "ECHO", "at once")
    second = store.pipelining.call(0, "BLPOP", key, 0)
    assert await first == b"at once"
    assert not second.done()
    await store.client.rpush(key, "in the end")
    assert await second == [key.encode(), b"in the end"]


async def test_an_address_that_leads_to_another_primary_is_followed(tmp_path: Path) -> None:
    """The old one lives on as a replica, and the connection to it as well."""
    async with with_replica(tmp_path) as (primary, replica):
        wire = Wire(primary, tmp_path / "wire.sock")
        async with wire.laid(), await Store.open(wire.url) as store:
            assert isinstance(await store.tables.commit(a_commit("t", 0)), Committed)
            fail_over(primary, replica)
            wire.lead_to(replica)
            assert isinstance(await store.tables.commit(a_commit("t", 1)), Committed)


async def test_closing_waits_for_what_was_issued_and_takes_no_more(
    redis_server: EmbeddedServer, namespace: str
) -> None:
    store = await Store.open(redis_server.url, namespace=namespace)
    commits = [asyncio.create_task(store.tables.commit(a_commit(str(n), 0))) for n in range(2000)]
    await asyncio.sleep(0)
    await store.aclose()
    assert all(isinstance(commit.result(), Committed) for commit in commits)
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.tables.load("t")
