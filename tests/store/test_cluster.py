"""A cluster: slots move between nodes, and nothing is lost on the way."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest
from redis.asyncio import RedisCluster

from hutch.store.commits import Commit, Committed, Repeated
from hutch.store.embedded import EmbeddedServer
from hutch.store.errors import StoreUnavailable
from hutch.store.keys import ALL_SHARDS
from hutch.store.store import Store
from tests.redis_servers import CLUSTERS, ClusterOfTwo, eventually

pytestmark = pytest.mark.parametrize("any_redis", CLUSTERS, indirect=True, scope="session")


class Slot:
    """The slot of one shard, and the node that has it and the one that has not."""

    def __init__(self, cluster: ClusterOfTwo, store: Store, table_id: str) -> None:
        assert isinstance(store.client, RedisCluster)
        key = store.keys.table(table_id)
        self.number = str(store.client.keyslot(key))
        owner = store.client.get_node_from_key(key)
        assert owner is not None
        here = cluster.ports.index(int(owner.port))
        self.owner, self.other = cluster.nodes[here], cluster.nodes[1 - here]
        self._ports = dict(zip(cluster.nodes, cluster.ports, strict=True))

    def begin_move(self) -> None:
        """From now on the owner gives the slot away, and the other takes it."""
        self._set(self.other, "IMPORTING", _id(self.owner))
        self._set(self.owner, "MIGRATING", _id(self.other))

    def move_keys(self) -> None:
        """Hand all keys of the slot over."""
        while True:
            lines = self.owner.ask("CLUSTER", "GETKEYSINSLOT", self.number, "100").split("\r\n")
            keys = lines[2::2]
            if not keys:
                return
            port = str(self._ports[self.other])
            moved = self.owner.ask("MIGRATE", "127.0.0.1", port, '""', "0", "5000", "KEYS", *keys)
            assert moved.startswith("+OK"), moved

    def end_move(self) -> None:
        """The slot is the other's: they change places."""
        for node in (self.other, self.owner):
            self._set(node, "NODE", _id(self.other))
        self.owner, self.other = self.other, self.owner

    def _set(self, node: EmbeddedServer, *words: str) -> None:
        answer = node.ask("CLUSTER", "SETSLOT", self.number, *words)
        assert answer.startswith("+OK"), answer


def _id(node: EmbeddedServer) -> str:
    return node.ask("CLUSTER", "MYID").split("\r\n")[1]


async def commit_at_last(store: Store, revision: int) -> int:
    """Commit as a client does, again and again until it is done: the new revision."""
    while True:
        try:
            made = await store.tables.commit(
                Commit(
                    table_id="t",
                    expected_revision=revision,
                    log={"s": b"told"},
                    due_ms=1,
                    request_id=f"request {revision}",
                )
            )
        except StoreUnavailable:
            continue
        assert isinstance(made, Committed | Repeated)
        return made.revision


async def revision_of(store: Store) -> int:
    stored = await store.tables.load("t")
    assert stored is not None
    return stored.revision


async def test_a_table_is_found_at_every_step_of_a_move(
    any_redis: ClusterOfTwo, store: Store
) -> None:
    for revision in range(3):
        assert await commit_at_last(store, revision) == revision + 1
    slot = Slot(any_redis, store, "t")
    slot.begin_move()
    assert await revision_of(store) == 3
    slot.move_keys()
    assert await revision_of(store) == 3  # the owner sends us on
    assert len(await store.tables.read_log("t", 0, 10)) == 3
    commit = asyncio.create_task(commit_at_last(store, 3))
    slot.end_move()
    assert await commit == 4
    assert await revision_of(store) == 4
    (due,) = (await store.timers.claim_due(ALL_SHARDS, 10, 1000)).due
    assert due.table_id == "t"


async def test_no_commit_is_lost_while_a_slot_moves_to_and_fro(
    any_redis: ClusterOfTwo, store: Store
) -> None:
    stop = asyncio.Event()
    revision = 0

    async def write() -> None:
        nonlocal revision
        while not stop.is_set():
            revision = await commit_at_last(store, revision)

    async def beyond(goal: int) -> bool:
        assert not writer.done(), writer.exception()
        return revision >= goal

    await commit_at_last(store, 0)
    revision = 1
    slot = Slot(any_redis, store, "t")
    writer = asyncio.create_task(write())
    for _ in range(4):
        await eventually(partial(beyond, revision + 20))
        slot.begin_move()
        slot.move_keys()
        slot.end_move()
    await eventually(partial(beyond, revision + 20))
    stop.set()
    await writer
    entries = await store.tables.read_log("t", 0, revision + 10)
    assert [entry.revision for entry in entries] == list(range(1, revision + 1))


async def test_every_shard_lies_on_a_node_and_both_nodes_have_some(
    any_redis: ClusterOfTwo, store: Store
) -> None:
    assert isinstance(store.client, RedisCluster)
    ports = {
        store.client.get_node_from_key(key).port  # type: ignore[union-attr]
        for shard in ALL_SHARDS
        for key in store.keys.of_shard(shard, "due")
    }
    assert ports == set(any_redis.ports)
