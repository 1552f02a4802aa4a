"""Timers: none is lost, none is claimed twice within its lease, a commit settles it."""

from __future__ import annotations

import asyncio
from functools import partial

from hutch.store.commits import Commit, Committed
from hutch.store.keys import ALL_SHARDS, shard_of
from hutch.store.store import Store
from hutch.store.timers import Due
from tests.redis_servers import eventually

LONG_MS = 60_000


async def arm(store: Store, table_id: str, due_ms: int | None, revision: int = 0) -> None:
    await store.tables.commit(Commit(table_id=table_id, expected_revision=revision, due_ms=due_ms))


async def claim(store: Store, limit: int = 100) -> list[Due]:
    return (await store.timers.claim_due(ALL_SHARDS, limit, LONG_MS)).due


async def test_only_what_is_due_is_claimed(store: Store) -> None:
    now_ms = await store.tables.now_ms()
    await arm(store, "due", now_ms - 10)
    await arm(store, "not yet", now_ms + LONG_MS)
    await arm(store, "no clock", None)
    assert await claim(store) == [Due("due", now_ms - 10)]
    assert await claim(store) == []
    assert await store.timers.size() == 2


async def test_two_timekeepers_never_hold_one_timer(store: Store) -> None:
    tables = [f"table-{number}" for number in range(300)]
    await asyncio.gather(*[arm(store, one, 1) for one in tables])
    claims = await asyncio.gather(*[claim(store, limit=40) for _ in range(20)])
    claimed = [due.table_id for one in claims for due in one]
    assert sorted(claimed) == sorted(tables)


async def test_a_claimer_that_dies_costs_the_lease_and_nothing_more(store: Store) -> None:
    async def claim_one(lease_ms: int) -> list[Due]:
        return (await store.timers.claim_due([shard_of("t")], 10, lease_ms)).due

    await arm(store, "t", 7)
    assert await claim_one(50) == [Due("t", 7)]
    assert await eventually(partial(claim_one, 50)) == [Due("t", 7)]
    assert await eventually(partial(claim_one, LONG_MS)) == [Due("t", 7)]
    assert await claim(store) == []


async def test_the_commit_settles_a_claimed_timer(store: Store) -> None:
    await arm(store, "t", 7)
    await claim(store)
    await arm(store, "t", None, revision=1)
    assert await claim(store) == []
    assert await store.timers.size() == 0
    assert await store.timers.next_due(ALL_SHARDS) == {}


async def test_who_knows_of_no_timer_overlooks_none_that_another_set(store: Store) -> None:
    async def commit(revision: int, onto: bytes, due_ms: int | None = None) -> bytes:
        made = await store.tables.commit(
            Commit(
                table_id="t",
                expected_revision=revision,
                onto=onto,
                is_armed=False,
                due_ms=due_ms,
                hint=due_ms is not None,
            )
        )
        return made.token if isinstance(made, Committed) else b""

    async def set_now() -> tuple[int, int]:
        return await store.timers.size(), await store.hints.size()

    unset = await commit(0, b"")
    elsewhere = await commit(1, unset, due_ms=7)
    assert elsewhere
    assert not await commit(1, unset)  # it went on from a revision that is over
    assert await set_now() == (1, 1)
    assert await commit(2, b"")  # from any revision of that number: what it knows is worth nothing
    assert await set_now() == (0, 0)


async def test_a_claimed_timer_may_be_armed_again_for_the_same_moment(store: Store) -> None:
    await arm(store, "t", 7)
    await claim(store)
    await arm(store, "t", 7, revision=1)
    assert await claim(store) == [Due("t", 7)]
    assert await claim(store) == []


async def test_a_claimed_timer_that_is_armed_for_later_is_due_later(store: Store) -> None:
    await arm(store, "t", 7)
    await claim(store)
    await arm(store, "t", 9, revision=1)
    assert await claim(store) == [Due("t", 9)]


async def test_next_due_tells_each_shard_when_to_look_again(store: Store) -> None:
    now_ms = await store.tables.now_ms()
    await arm(store, "t", now_ms + LONG_MS)
    shard = shard_of("t")
    assert await store.timers.next_due(ALL_SHARDS) == {shard: now_ms + LONG_MS}
    assert await store.timers.next_due([shard - 1, shard]) == {shard: now_ms + LONG_MS}
    assert await store.timers.next_due([shard - 1]) == {}
    await arm(store, "t", 7, revision=1)
    await claim(store)
    (lease_end_ms,) = (await store.timers.next_due([shard])).values()
    assert now_ms + LONG_MS <= lease_end_ms <= await store.tables.now_ms() + LONG_MS


async def test_a_claim_tells_the_time_and_when_to_look_again(store: Store) -> None:
    before_ms = await store.tables.now_ms()
    later_ms = before_ms + LONG_MS // 2
    shard = shard_of("t")
    tables = [name for name in map(str, range(10_000)) if shard_of(name) == shard][:2]
    await arm(store, tables[0], 7)
    await arm(store, tables[1], later_ms)
    claimed = await store.timers.claim_due([shard, shard - 1], 10, LONG_MS)
    assert claimed.next_ms == {shard: later_ms, shard - 1: None}
    assert before_ms <= claimed.now_ms <= await store.tables.now_ms()
    await arm(store, tables[1], None, revision=1)
    claimed_again = await store.timers.claim_due([shard], 10, LONG_MS)
    lease_end_ms = claimed_again.next_ms[shard]
    assert lease_end_ms is not None
    assert before_ms + LONG_MS <= lease_end_ms <= await store.tables.now_ms() + LONG_MS


async def test_the_first_shards_are_served_first_and_nothing_is_told_of_those_not_asked(
    store: Store,
) -> None:
    tables = {shard_of(name): name for name in map(str, range(100))}
    await asyncio.gather(*[arm(store, one, 7) for one in tables.values()])
    shards = sorted(tables, reverse=True)
    claimed = await store.timers.claim_due(shards, 3, LONG_MS)
    assert claimed.due == [Due(tables[shard], 7) for shard in shards[:3]]
    assert set(claimed.next_ms) == set(shards[:3])


async def test_a_claim_takes_no_more_than_its_limit_and_leaves_nothing_due(store: Store) -> None:
    tables = [f"table-{number}" for number in range(40)]
    await asyncio.gather(*[arm(store, one, 1) for one in tables])
    sizes = []
    while claimed := await claim(store, limit=15):
        sizes.append(len(claimed))
    assert max(sizes) <= 15
    assert sum(sizes) == 40


async def test_one_full_shard_does_not_need_a_call_a_timer(store: Store) -> None:
    shard = shard_of("t")
    tables = [name for name in map(str, range(10_000)) if shard_of(name) == shard][:20]
    await asyncio.gather(*[arm(store, one, 1) for one in tables])
    assert sorted(due.table_id for due in await claim(store)) == sorted(tables)


async def test_operators_see_what_comes_next_claimed_or_not(store: Store) -> None:
    now_ms = await store.tables.now_ms()
    dues = {"a": 7, "b": 9, "c": now_ms + LONG_MS, "d": now_ms + 2 * LONG_MS}
    for table_id, due_ms in dues.items():
        await arm(store, table_id, due_ms)
    await claim(store)
    assert await store.timers.pending(3) == [Due("a", 7), Due("b", 9), Due("c", dues["c"])]


async def test_a_claimed_timer_comes_before_others_of_its_shard_that_are_due_later(
    store: Store,
) -> None:
    shard = shard_of("t")
    other = next(name for name in map(str, range(10_000)) if shard_of(name) == shard)
    await arm(store, "t", 7)
    await claim(store)
    await arm(store, other, await store.tables.now_ms() + LONG_MS // 2)
    assert await store.timers.pending(1) == [Due("t", 7)]


async def test_a_timer_of_a_table_that_is_gone_is_forgotten(store: Store) -> None:
    await arm(store, "t", 7)
    assert not await store.timers.forget("t")
    await store.client.delete(store.keys.table("t"))
    await claim(store)
    assert await store.timers.forget("t")
    assert await claim(store) == []
    assert not await store.timers.forget("t")
