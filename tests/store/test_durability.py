"""Durability: an acknowledged commit is on disk, whatever happens to the server then."""

from __future__ import annotations

import asyncio
import random
import shutil
from pathlib import Path

from hutch.store.commits import Commit, Committed, Repeated
from hutch.store.embedded import EmbeddedServer
from hutch.store.errors import StoreUnavailable
from hutch.store.keys import ALL_SHARDS
from hutch.store.store import Store
from tests.redis_servers import eventually

KILLS = 4
WRITERS = 20


async def test_no_acknowledged_commit_is_lost_or_doubled_when_the_server_is_killed(
    own_redis_server: EmbeddedServer, namespace: str
) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    acknowledged = dict.fromkeys([f"table-{number}" for number in range(WRITERS)], 0)
    refused: list[str] = []
    stop = asyncio.Event()

    async def any_refused() -> bool:
        return bool(refused)

    async def commit_at_last(store: Store, table_id: str, revision: int) -> None:
        """Commit as a client does, again and again until it is acknowledged."""
        commit = Commit(
            table_id=table_id,
            expected_revision=revision,
            log={"s": b"told"},
            inputs=b"%d" % revision,
            due_ms=1,
            notes=(b"%d" % revision,),
            request_id=f"request {revision}",
        )
        while True:
            try:
                made = await store.tables.commit(commit)
            except StoreUnavailable:
                refused.append(table_id)
                await asyncio.sleep(0.01)
                continue
            assert isinstance(made, Committed | Repeated)
            assert made.revision == revision + 1
            return

    async def write(store: Store, table_id: str) -> None:
        while not stop.is_set():
            await commit_at_last(store, table_id, acknowledged[table_id])
            acknowledged[table_id] += 1

    async with await Store.open(own_redis_server.url, namespace=namespace) as store:
        writers = [asyncio.create_task(write(store, one)) for one in acknowledged]
        for _ in range(KILLS):
            goal = sum(acknowledged.values()) + rng.randrange(200, 600)

            async def enough(goal: int = goal) -> bool:
                assert not any(writer.done() for writer in writers), await asyncio.gather(*writers)
                return sum(acknowledged.values()) >= goal

            await eventually(enough, within_s=60)
            own_redis_server.kill()
            refused.clear()
            await eventually(any_refused)
            own_redis_server.start()
        stop.set()
        await asyncio.gather(*writers)
        own_redis_server.kill()
        own_redis_server.start()
        for table_id, revision in acknowledged.items():
            stored = await store.tables.load(table_id)
            assert stored is not None
            assert stored.revision == revision
            inputs = await store.tables.read_inputs(table_id, 0, revision + 1)
            assert [data for _, data in inputs] == [b"%d" % one for one in range(revision)]
            entries = await store.tables.read_log(table_id, 0, revision + 1)
            assert [entry.revision for entry in entries] == list(range(1, revision + 1))
        assert await store.timers.size() == WRITERS
        assert await store.outbox.size() == sum(acknowledged.values())


async def test_an_acknowledged_commit_is_in_the_file_before_its_reply(
    own_redis_server: EmbeddedServer, namespace: str, tmp_path: Path
) -> None:
    """As if the power failed: a copy of the folder, taken at once, holds the commit."""
    async with await Store.open(own_redis_server.url, namespace=namespace) as store:
        for revision in range(5):
            made = await store.tables.commit(Commit(table_id="t", expected_revision=revision))
            copy = tmp_path / f"copy-{revision}"
            shutil.copytree(own_redis_server.folder / "appendonlydir", copy / "appendonlydir")
            assert isinstance(made, Committed)
            with EmbeddedServer(copy) as twin:
                async with await Store.open(twin.url, namespace=namespace) as seen:
                    stored = await seen.tables.load("t")
                    assert stored is not None
                    assert stored.revision == made.revision


async def test_a_file_cut_short_costs_its_end_alone(
    own_redis_server: EmbeddedServer, namespace: str
) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    cut = random.Random(seed).randrange(1, 200)
    async with await Store.open(own_redis_server.url, namespace=namespace) as store:
        for revision in range(50):
            commit = Commit(table_id="t", expected_revision=revision, log={"s": b"told"}, due_ms=1)
            await store.tables.commit(commit)
    own_redis_server.kill()
    (log,) = (own_redis_server.folder / "appendonlydir").glob("*.incr.aof")
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size - cut)
    own_redis_server.start()
    async with await Store.open(own_redis_server.url, namespace=namespace) as store:
        stored = await store.tables.load("t")
        assert stored is not None
        assert stored.revision in (48, 49)
        entries = await store.tables.read_log("t", 0, 100)
        assert len(entries) == stored.revision
        (due,) = (await store.timers.claim_due(ALL_SHARDS, 10, 1000)).due
        assert due.table_id == "t"
        made = await store.tables.commit(Commit(table_id="t", expected_revision=stored.revision))
        assert isinstance(made, Committed)
