"""Budgets: a burst after a rest, then one an interval; never more, and none is lost."""

from __future__ import annotations

import asyncio
from functools import partial

from hutch.store.budgets import Taken
from hutch.store.keys import shard_of
from hutch.store.store import Store
from tests.redis_servers import eventually, now_us

HOUR_US = 3_600_000_000


async def test_a_whole_budget_is_taken_once(store: Store) -> None:
    take = partial(store.budgets.take, "calls", "ada", interval_us=HOUR_US, burst=20)
    assert [await take() for _ in range(19)] == [Taken(1, 0)] * 19
    for expected in (1, 0):
        number, wait_us = await take()
        assert number == expected
        assert HOUR_US - 60_000_000 < wait_us <= HOUR_US


async def test_shares_get_smaller_and_come_to_the_budget_in_all(store: Store) -> None:
    take = partial(store.budgets.take, "calls", "ada", interval_us=HOUR_US, burst=400, one_in=16)
    shares = []
    while taken := (await take()).number:
        shares.append(taken)
    assert shares == sorted(shares, reverse=True)
    assert (shares[0], shares[-1], sum(shares)) == (25, 1, 400)


async def test_more_may_be_wanted_than_the_share_and_no_more_taken_than_is_free(
    store: Store,
) -> None:
    take = partial(store.budgets.take, "calls", "ada", interval_us=HOUR_US, burst=20, one_in=16)
    assert [(await take(wanted=wanted)).number for wanted in (12, 12, 12)] == [12, 8, 0]


async def test_many_at_once_take_no_more_than_there_is(store: Store) -> None:
    take = partial(store.budgets.take, "calls", "ada", interval_us=HOUR_US, burst=50)
    assert sum([one.number for one in await asyncio.gather(*[take() for _ in range(80)])]) == 50


async def test_budgets_of_others_and_for_other_things_are_apart(store: Store) -> None:
    for what, who in (("calls", "ada"), ("actions", "ada"), ("calls", "ben")):
        assert (await store.budgets.take(what, who, interval_us=HOUR_US, burst=1)).number == 1
    assert (await store.budgets.take("calls", "ada", interval_us=HOUR_US, burst=1)).number == 0


async def test_after_the_wait_that_is_told_there_is_one_more(store: Store) -> None:
    take = partial(store.budgets.take, "calls", "ada", interval_us=200_000, burst=3, one_in=1)
    began_us = await now_us(store)
    assert (await take()).number == 3
    waits_us = [200_000]
    while not (taken := await take()).number:
        waits_us.append(taken.wait_us)
    assert waits_us == sorted(waits_us, reverse=True)
    assert waits_us[-1] > 0
    assert await now_us(store) - began_us >= 200_000


async def test_a_budget_that_is_whole_again_leaves_nothing_behind(store: Store) -> None:
    await store.budgets.take("calls", "ada", interval_us=20_000, burst=3)

    async def gone() -> bool:
        pattern = f"{store.keys.namespace}:*"
        return not [key async for key in store.client.scan_iter(pattern)]

    assert await eventually(gone)


async def test_a_clock_that_was_set_back_costs_nobody_more_than_a_whole_budget(
    store: Store,
) -> None:
    take = partial(store.budgets.take, "calls", "ada", interval_us=20_000, burst=3)
    shard = shard_of("ada")
    (key,) = store.keys.of_shard(shard, "budget:calls:ada")
    await store.pipelining.call(shard, "SET", key, await now_us(store) + HOUR_US)
    number, wait_us = await take()
    assert number == 0
    assert 0 < wait_us <= 20_000

    async def is_one_free() -> bool:
        return bool((await take()).number)

    await eventually(is_one_free)
