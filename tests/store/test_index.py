"""The index: tables are listed by state and ruleset, the newest in their state first."""

from __future__ import annotations

import random

import pytest

from hutch.store.commits import Commit, Committed, Listing
from hutch.store.embedded import EmbeddedServer
from hutch.store.index import Listed
from hutch.store.keys import SHARDS
from hutch.store.store import Store
from tests.redis_servers import ClusterOfTwo, eventually

GATHERING = Listing("gathering", "rabbit-space")
PLAYING = Listing("playing", "rabbit-space")
OTHER = Listing("playing", "tale-of-carrot")
FINISHED = Listing("finished", "rabbit-space")


async def put(
    store: Store, table_id: str, listing: Listing | None, revision: int = 0, **more: object
) -> Listed:
    made = await store.tables.commit(
        Commit(table_id=table_id, expected_revision=revision, listing=listing, **more)  # type: ignore[arg-type]
    )
    assert isinstance(made, Committed)
    return Listed(made.commit_ms, table_id)


async def counts(store: Store) -> dict[Listing, int]:
    return {listing: number for listing, number in (await store.index.counts()).items() if number}


async def test_a_table_is_listed_where_its_last_commit_put_it(store: Store) -> None:
    gathering = await put(store, "t", GATHERING)
    assert await store.index.list_tables([GATHERING], 10) == [gathering]
    playing = await put(store, "t", PLAYING, 1)
    assert await store.index.list_tables([GATHERING], 10) == []
    assert await store.index.list_tables([PLAYING], 10) == [playing]
    await put(store, "t", PLAYING, 2)
    await put(store, "t", None, 3)
    assert await store.index.list_tables([PLAYING], 10) == [playing]
    assert await counts(store) == {PLAYING: 1}


async def test_rulesets_are_listed_apart_or_together(store: Store) -> None:
    one = await put(store, "one", PLAYING)
    other = await put(store, "other", OTHER)
    assert await store.index.list_tables([PLAYING], 10) == [one]
    assert await store.index.list_tables([OTHER], 10) == [other]
    both = await store.index.list_tables([PLAYING, OTHER, GATHERING], 10)
    assert both == sorted([one, other], reverse=True)
    assert await counts(store) == {PLAYING: 1, OTHER: 1}


async def test_a_ruleset_does_not_list_those_whose_names_begin_alike(store: Store) -> None:
    await put(store, "t", Listing("playing", "rabbit-space-competitive"))
    assert await store.index.list_tables([PLAYING], 10) == []


@pytest.mark.parametrize("limit", [5, 50, 1000])
async def test_pages_list_every_table_once_and_in_order(store: Store, limit: int) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    tables = {
        await put(store, f"table-{rng.randrange(1 << 64)}", rng.choice([PLAYING, OTHER]))
        for _ in range(60)
    }
    listed: list[Listed] = []
    while page := await store.index.list_tables(
        [PLAYING, OTHER], limit, listed[-1] if listed else None
    ):
        assert len(page) <= limit
        listed += page
    assert listed == sorted(tables, reverse=True)


async def test_a_page_of_all_kinds_asks_each_shard_once(own_redis_server: EmbeddedServer) -> None:
    """Whoever may list may do it often; it must not cost a trip for each kind and shard."""

    def scripts_run() -> int:
        calls = own_redis_server.ask("INFO", "commandstats").partition("cmdstat_evalsha:calls=")[2]
        return int(calls.partition(",")[0] or 0)

    listings = [
        Listing(state, ruleset)
        for state in ("gathering", "playing", "finished", "abandoned")
        for ruleset in ("rabbit-space", "tale-of-carrot", "killer-bunnies")
    ]
    async with await Store.open(own_redis_server.url) as store:
        await store.index.list_tables(listings, 50)  # which makes the script known
        before = scripts_run()
        assert await store.index.list_tables(listings, 50) == []
        assert 0 < scripts_run() - before <= SHARDS


@pytest.mark.parametrize("word", ["", "two words", "line\n"])
def test_only_single_words_can_be_listed(word: str) -> None:
    with pytest.raises(ValueError, match="one word"):
        Listing("playing", word)
    with pytest.raises(ValueError, match="one word"):
        Listing(word, "rabbit-space")


async def test_a_page_of_nothing_lists_nothing(store: Store) -> None:
    await put(store, "t", PLAYING)
    assert await store.index.list_tables([PLAYING], 0) == []
    assert await store.index.list_tables([], 10) == []


@pytest.mark.parametrize("ending", ["finished", "unstarted"])
async def test_tables_leave_the_index_after_their_time(
    any_redis: EmbeddedServer | ClusterOfTwo, namespace: str, ending: str
) -> None:
    url = any_redis.url
    async with await Store.open(
        url, namespace=namespace, finished_ttl_s=0, unstarted_ttl_s=0
    ) as store:
        first = await put(store, "t", FINISHED, **{ending: True})
        assert await store.index.list_tables([FINISHED], 10) == [first]

        async def gone() -> bool:
            return await store.tables.load("t") is None

        await eventually(gone)
        again = await put(store, "t", FINISHED, **{ending: True})
        assert await store.index.list_tables([FINISHED], 10) == [again]
        assert await counts(store) == {FINISHED: 1}
