"""Holdings: all holders together never hold more than there may be, and leases run out."""

from __future__ import annotations

import asyncio
from functools import partial

from hutch.store.keys import shard_of
from hutch.store.store import Store
from tests.redis_servers import eventually, now_us

LONG_MS = 60_000


async def test_holders_together_get_what_one_would(store: Store) -> None:
    take = partial(store.holdings.take, "streams", "ada", most=5, lease_ms=LONG_MS)
    assert await take(3, holder="first")
    assert not await take(3, holder="second")
    assert await take(2, holder="second")
    assert not await take(4, holder="first")


async def test_many_at_once_get_no_more_than_there_is(store: Store) -> None:
    take = partial(store.holdings.take, "streams", "ada", most=20, lease_ms=LONG_MS)
    tries = [take(number, holder=f"h{one}") for number in range(1, 6) for one in range(8)]
    assert sum(await asyncio.gather(*tries)) == 20


async def test_what_is_given_back_is_free(store: Store) -> None:
    take = partial(store.holdings.take, "streams", "ada", most=1, lease_ms=LONG_MS)
    assert await take(1, holder="first")
    assert not await take(1, holder="second")
    await store.holdings.tell({("streams", "ada"): 0}, holder="first", lease_ms=LONG_MS)
    assert await take(1, holder="second")


async def test_others_and_other_things_are_apart(store: Store) -> None:
    for what, who in (("streams", "ada"), ("streams", "ben"), ("spectators", "ada")):
        assert await store.holdings.take(what, who, 1, most=1, holder="h", lease_ms=LONG_MS)


async def test_a_lease_runs_out_unless_it_is_told_again(store: Store) -> None:
    take = partial(store.holdings.take, "streams", "ada", 1, most=1)
    tell = partial(store.holdings.tell, {("streams", "ada"): 1}, holder="first")
    assert await take(holder="first", lease_ms=20)
    began_us = await now_us(store)
    await tell(lease_ms=LONG_MS)

    async def the_first_lease_is_over() -> bool:
        return await now_us(store) - began_us > 20_000

    await eventually(the_first_lease_is_over)
    assert not await take(holder="second", lease_ms=LONG_MS)
    began_us = await now_us(store)
    await tell(lease_ms=100)
    await eventually(partial(take, holder="second", lease_ms=LONG_MS))
    assert await now_us(store) - began_us > 98_000  # the lease, which ends with a ms of the clock


async def test_when_all_leases_have_run_out_nothing_is_left(store: Store) -> None:
    held = {("streams", f"player{number}"): 1 for number in range(40)}
    await store.holdings.tell(held, holder="first", lease_ms=100)
    keys = [store.keys.of_shard(0, "x")[0].partition("{")[0] + "*"]

    async def none_left() -> bool:
        return not await store.client.keys(*keys)

    await eventually(none_left)


async def test_a_lease_counts_no_longer_where_a_clock_was_set_back(store: Store) -> None:
    take = partial(store.holdings.take, "streams", "ada", 1, most=1, lease_ms=50)
    shard = shard_of("ada")
    (key,) = store.keys.of_shard(shard, "held:streams:ada")
    ahead_ms = await store.tables.now_ms() + 3_600_000
    await store.pipelining.call(shard, "HSET", key, "gone", f"1 {ahead_ms}")
    assert not await take(holder="here")
    await eventually(partial(take, holder="here"))
