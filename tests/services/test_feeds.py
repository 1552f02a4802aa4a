"""Feeds: every watcher gets every entry, in whatever order commits come to be known."""

from __future__ import annotations

import asyncio
from itertools import permutations

import pytest

from hutch.gateway.feeds import Feed
from hutch.store.commits import Commit
from hutch.store.store import Store
from tests.redis_servers import namespace, redis_server, store

__all__ = ["namespace", "redis_server", "store"]

TABLE = "feedfeed"


@pytest.mark.parametrize("order", list(permutations((2, 3, 4, 5))), ids=str)
async def test_a_watcher_gets_all_entries_though_they_are_told_out_of_order(
    store: Store, order: tuple[int, ...]
) -> None:
    for revision in range(5):
        await store.tables.commit(
            Commit(table_id=TABLE, expected_revision=revision, meta=b"m", log={"t": b"x"})
        )
    entries = await store.tables.read_log(TABLE, 0, 10)
    feed = Feed(TABLE, store.tables)
    feed.tell(entries[0])
    seen = [1]
    for revision in order:
        feed.tell(entries[revision - 1])
        while seen[-1] < max(order[: order.index(revision) + 1]):
            async with asyncio.timeout(60):
                news = await feed.after(entries[0].epoch, seen[-1], 1)
            assert news, "told of a revision, and given nothing"
            seen += [entry.revision for entry in news]
    assert seen == [1, 2, 3, 4, 5]
