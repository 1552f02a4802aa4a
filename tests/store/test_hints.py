"""Hints: awaited bots are asked for again and again, and those that fail are counted."""

from __future__ import annotations

import asyncio

import pytest

from hutch.store.commits import Commit
from hutch.store.hints import LONGEST_RETRY_MS, Hint
from hutch.store.keys import ALL_SHARDS, shard_of
from hutch.store.store import Store
from tests.redis_servers import eventually

LONG_MS = 60_000
PERIOD_MS = 100


async def commit(
    store: Store, revision: int = 0, *, hint: bool = True, after_ms: int = 0, table_id: str = "t"
) -> None:
    await store.tables.commit(
        Commit(table_id=table_id, expected_revision=revision, hint=hint, hint_after_ms=after_ms)
    )


async def claim(store: Store, limit: int = 100) -> list[Hint]:
    claimed, _ = await store.hints.claim_hints(ALL_SHARDS, limit, LONG_MS)
    return claimed


async def claim_shortly(store: Store, retry_ms: int) -> list[Hint]:
    """Claim from the shard of table `t` alone, in one call."""
    claimed, _ = await store.hints.claim_hints([shard_of("t")], 10, retry_ms)
    return claimed


async def due_in_ms(store: Store) -> int:
    """In how many ms the hint of table `t` is due, which is not due yet."""
    claimed, next_in_ms = await store.hints.claim_hints([shard_of("t")], 10, LONG_MS)
    assert claimed == []
    return next_in_ms[shard_of("t")]


async def a_millisecond(store: Store) -> None:
    """Wait until Redis' clock has moved on."""
    began_ms = await store.tables.now_ms()

    async def over() -> bool:
        return await store.tables.now_ms() > began_ms

    await eventually(over)


async def test_awaited_bots_are_hinted_at_once(store: Store) -> None:
    await commit(store)
    await commit(store, hint=False, table_id="people only")
    assert await claim(store) == [Hint("t", 1)]
    assert await claim(store) == []
    assert await store.hints.size() == 1


async def test_two_dispatchers_never_get_the_same_hint(store: Store) -> None:
    tables = [f"table-{number}" for number in range(300)]
    await asyncio.gather(*[commit(store, table_id=one) for one in tables])
    claims = await asyncio.gather(*[claim(store, limit=40) for _ in range(20)])
    assert sorted(hint.table_id for one in claims for hint in one) == sorted(tables)


async def test_a_hint_without_an_answer_comes_again(store: Store) -> None:
    await commit(store)
    assert await claim_shortly(store, 50) == [Hint("t", 1)]
    assert await eventually(lambda: claim_shortly(store, LONG_MS)) == [Hint("t", 2)]
    assert await claim(store) == []


async def test_a_hint_tells_how_often_an_answer_was_tried(store: Store) -> None:
    await commit(store)
    assert await claim_shortly(store, 50) == [Hint("t", 1, tried=0)]
    await store.hints.begin("t", 50)
    assert await eventually(lambda: claim_shortly(store, LONG_MS)) == [Hint("t", 2, tried=1)]
    await commit(store, 1)
    assert await claim_shortly(store, 50) == [Hint("t", 1, tried=0)]


@pytest.mark.parametrize("hint", [True, False])
async def test_the_commit_answers_a_hint(store: Store, hint: bool) -> None:
    await commit(store)
    await claim(store)
    await commit(store, 1, hint=hint)
    assert await claim(store) == ([Hint("t", 1)] if hint else [])
    assert await store.hints.size() == hint


async def test_a_worker_that_plays_on_is_not_hinted_meanwhile(store: Store) -> None:
    await commit(store, after_ms=LONG_MS)
    assert await claim(store) == []
    assert 0 < await due_in_ms(store) <= LONG_MS
    await commit(store, 1, after_ms=20)
    # That it does not come to that may be because it died of it.
    assert await eventually(lambda: claim(store)) == [Hint("t", 1, tried=1)]


@pytest.mark.parametrize(("tried", "periods"), [(0, (0.5, 0.5, 1, 2)), (1, (1, 1, 2, 4))])
async def test_a_hint_that_is_not_answered_comes_later_and_later(
    store: Store, tried: int, periods: tuple[float, ...]
) -> None:
    await commit(store)
    for _ in range(tried):
        await store.hints.begin("t", 0)
    before_ms = 0

    async def claimed() -> list[Hint]:
        nonlocal before_ms
        before_ms = await store.tables.now_ms()
        return await claim_shortly(store, PERIOD_MS)

    (hints,) = store.keys.of_shard(shard_of("t"), "hints")
    for given, later in enumerate(periods, start=1):
        (hint,) = await eventually(claimed)
        after_ms = await store.tables.now_ms()
        assert hint == Hint("t", given, tried)
        at_ms = await store.client.zscore(hints, "t")
        assert at_ms is not None
        assert before_ms <= at_ms - later * PERIOD_MS <= after_ms
        assert hint.next_ms(PERIOD_MS) == later * PERIOD_MS


async def test_a_hint_leaves_an_attempt_its_time(store: Store) -> None:
    await commit(store)
    await claim_shortly(store, LONG_MS)
    assert await due_in_ms(store) <= LONG_MS // 2
    await store.hints.begin("t", LONG_MS)
    assert LONG_MS - 10_000 < await due_in_ms(store) <= LONG_MS
    await store.hints.begin("t", PERIOD_MS)  # another one takes no time of it
    assert await due_in_ms(store) > PERIOD_MS


async def test_attempts_are_counted_until_the_table_moves_on(store: Store) -> None:
    await commit(store)
    assert [await store.hints.begin("t", LONG_MS) for _ in range(3)] == [1, 2, 3]
    await commit(store, 1)
    assert await store.hints.begin("t", LONG_MS) == 1


async def test_an_attempt_that_begins_when_no_bot_is_awaited_any_more_leaves_nothing(
    store: Store,
) -> None:
    await commit(store)
    await commit(store, 1, hint=False)
    assert await store.hints.begin("t", LONG_MS) == 0
    (claims,) = store.keys.of_shard(shard_of("t"), "claims")
    assert await store.client.hgetall(claims) == {}


async def test_bots_that_are_given_up_are_listed_and_hinted_all_the_same(store: Store) -> None:
    await commit(store)
    before_ms = await store.tables.now_ms()
    await store.hints.give_up("t", 5)
    (letter,) = await store.hints.dead_letters(10)
    assert (letter.table_id, letter.attempts) == ("t", 5)
    assert before_ms <= letter.given_up_ms <= await store.tables.now_ms()
    assert await claim(store) == [Hint("t", 1)]


async def test_the_latest_dead_letters_come_first(store: Store) -> None:
    for table_id in ("a", "b", "c"):
        await store.hints.give_up(table_id, 5)
        await a_millisecond(store)
    assert [letter.table_id for letter in await store.hints.dead_letters(10)] == ["c", "b", "a"]
    assert len(await store.hints.dead_letters(2)) == 2


async def test_a_clock_that_was_set_back_keeps_no_bot_waiting(store: Store) -> None:
    await commit(store)
    await claim(store)
    (hints,) = store.keys.of_shard(shard_of("t"), "hints")
    hour_ms = 3_600_000
    await store.pipelining.call(shard_of("t"), "ZINCRBY", hints, hour_ms, "t")
    assert await claim(store) == [Hint("t", 2)]
    assert 0 < await due_in_ms(store) <= LONG_MS


async def test_of_hints_that_a_clock_which_was_set_back_put_off_no_more_are_claimed_than_asked_for(
    store: Store,
) -> None:
    for number in range(6):
        await commit(store, table_id=f"t{number}")
    await claim(store)
    for number in range(6):
        (hints,) = store.keys.of_shard(shard_of(f"t{number}"), "hints")
        call = ("ZINCRBY", hints, 3_600_000, f"t{number}")
        await store.pipelining.call(shard_of(f"t{number}"), *call)
    assert len(await claim(store, 4)) == 4
    assert len(await claim(store)) == 2


async def test_an_attempt_that_takes_longer_than_any_hint_waits_is_left_its_time(
    store: Store,
) -> None:
    patient_ms = 20 * LONGEST_RETRY_MS
    await commit(store)
    assert await claim_shortly(store, PERIOD_MS) == [Hint("t", 1)]
    assert await store.hints.begin("t", patient_ms) == 1
    assert await claim_shortly(store, PERIOD_MS) == []
    await commit(store, 1, after_ms=patient_ms)
    assert await claim_shortly(store, PERIOD_MS) == []
    (hints,) = store.keys.of_shard(shard_of("t"), "hints")
    await store.pipelining.call(shard_of("t"), "ZINCRBY", hints, 3_600_000, "t")
    assert await claim_shortly(store, PERIOD_MS) == [Hint("t", 1, tried=1)]
