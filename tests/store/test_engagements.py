"""Engagements: too many may be noted for a while, and never too few."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from hutch.store.embedded import EmbeddedServer
from hutch.store.engagements import LASTING_MS, LOOK_MS, Engagements, TooMany
from hutch.store.keys import shard_of
from hutch.store.store import Store

HOUR_MS = 3_600_000


@pytest.fixture
def old(store: Store) -> Engagements:
    """Engagements of which all are old enough to be looked at."""
    return Engagements(store.pipelining, store.keys, stored_ms=0)


async def test_there_is_room_for_so_many_and_for_one_that_is_known(store: Store) -> None:
    add = partial(store.engagements.add, "tables", "ada", most=2)
    assert [await add(one) for one in "aba"] == [None] * 3
    assert isinstance(await add("c"), TooMany)
    assert await add("b") is None


async def test_many_at_once_get_no_more_than_there_is(store: Store) -> None:
    add = partial(store.engagements.add, "tables", "ada", most=10)
    answers = await asyncio.gather(*[add(f"t{number}") for number in range(30)])
    assert answers.count(None) == 10


async def test_one_looks_which_are_over_and_the_others_are_told_when_to_come_again(
    old: Engagements,
) -> None:
    add = partial(old.add, "tables", "ada", most=2)
    for one in "ab":
        await add(one)
    looks = await asyncio.gather(*[add("c") for _ in range(8)])
    (first,) = [one for one in looks if one is not None and one.to_look_at]
    assert sorted(first.to_look_at) == ["a", "b"]
    assert all(one is not None and 0 < one.wait_ms <= LOOK_MS for one in looks)
    await old.drop("tables", "ada", "a")
    assert await add("c") is None


async def test_what_may_not_be_stored_yet_is_not_looked_at(store: Store) -> None:
    await store.engagements.add("tables", "ada", "a", most=1)
    full = await store.engagements.add("tables", "ada", "b", most=1)
    assert full == TooMany()


async def test_others_and_other_kinds_are_apart(store: Store) -> None:
    for what, who in (("tables", "ada"), ("tables", "ben"), ("seats", "ada")):
        assert await store.engagements.add(what, who, "a", most=1) is None


async def test_what_is_dropped_leaves_nothing_behind(
    redis_server: EmbeddedServer, namespace: str, store: Store
) -> None:
    await store.engagements.add("tables", "ada", "a", most=1)
    await store.engagements.drop("tables", "ada", "a", "never")
    assert await store.client.keys(f"{namespace}:*") == []


async def test_after_a_clock_was_set_back_one_looks_at_once_and_at_all(
    store: Store, old: Engagements
) -> None:
    shard = shard_of("ada")
    engaged, looked = store.keys.of_shard(shard, "engaged:tables:ada", "looked:tables:ada")
    ahead_ms = await store.tables.now_ms() + HOUR_MS
    await store.pipelining.call(shard, "ZADD", engaged, ahead_ms + LASTING_MS, "a")
    await store.pipelining.call(shard, "SET", looked, ahead_ms, "PXAT", ahead_ms)
    assert await old.add("tables", "ada", "b", most=1) == TooMany(("a",))
