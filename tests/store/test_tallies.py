"""The tallies: every finished table is added once, and all shards are added up."""

from __future__ import annotations

import asyncio

import pytest

from hutch.store.commits import Commit
from hutch.store.keys import shard_of
from hutch.store.store import Store
from hutch.store.tallies import Measure, Spread

TURNS = Measure("carrots", "rivals", 4, "turns")
SCORE = Measure("carrots", "rivals", 4, "score", "greedy", 2)


async def finish(store: Store, table_id: str) -> None:
    await store.tables.commit(Commit(table_id=table_id, expected_revision=0, finished=True))


async def test_measures_of_many_tables_are_added_up(store: Store) -> None:
    values = {f"table-{number}": number - 20.0 for number in range(60)}
    await asyncio.gather(*[finish(store, table_id) for table_id in values])
    added = [store.tallies.add(one, {TURNS: 7, SCORE: value}) for one, value in values.items()]
    assert all(await asyncio.gather(*added))
    squares = sum(value * value for value in values.values())
    assert await store.tallies.read() == {
        TURNS: Spread(60, 420, 60 * 49, 7, 7),
        SCORE: Spread(60, sum(values.values()), squares, -20, 39),
    }


async def test_a_table_is_added_once_however_many_try(store: Store) -> None:
    await finish(store, "t")
    done = await asyncio.gather(*[store.tallies.add("t", {SCORE: 3}) for _ in range(20)])
    assert sorted(done) == [False] * 19 + [True]
    assert await store.tallies.read() == {SCORE: Spread(1, 3, 9, 3, 3)}


async def test_a_table_that_is_no_more_is_not_added_and_leaves_nothing_behind(store: Store) -> None:
    assert not await store.tallies.add("gone", {SCORE: 3})
    assert await store.tallies.read() == {}
    assert await store.tables.load("gone") is None


async def test_a_tallied_table_goes_when_its_time_is_over_as_any_other(store: Store) -> None:
    await finish(store, "t")
    await store.tallies.add("t", {SCORE: 3})
    left_ms = await store.pipelining.call(shard_of("t"), "PTTL", store.keys.table("t"))
    assert left_ms > 0


async def test_fractions_and_large_numbers_keep_their_value(store: Store) -> None:
    seconds = Measure("carrots", "rivals", 4, "seconds")
    week = 7 * 24 * 3600.0
    for table_id, value in (("a", 0.125), ("b", week), ("c", 1e-5)):
        await finish(store, table_id)
        await store.tallies.add(table_id, {seconds: value})
    spread = (await store.tallies.read())[seconds]
    assert spread.total == pytest.approx(week + 0.125 + 1e-5, rel=1e-12)
    assert spread.squares == pytest.approx(week**2, rel=1e-9)
    assert (spread.least, spread.most) == (1e-5, week)
