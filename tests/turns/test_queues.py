"""Queues: one at a time at each table, in the order of coming, whoever gives up."""

from __future__ import annotations

import asyncio

from hutch.turns.queues import Queues


async def at_table(queues: Queues, table_id: str, name: str, seen: list[str]) -> None:
    await queues.enter(table_id)
    try:
        seen.append(f"{name} in")
        await asyncio.sleep(0)
        seen.append(f"{name} out")
    finally:
        queues.leave(table_id)


async def test_one_at_a_time_is_let_in_in_the_order_of_coming() -> None:
    queues, seen = Queues(), list[str]()
    await asyncio.gather(*[at_table(queues, "t", name, seen) for name in "abc"])
    assert seen == ["a in", "a out", "b in", "b out", "c in", "c out"]


async def test_tables_do_not_wait_for_each_other() -> None:
    queues, seen = Queues(), list[str]()
    await asyncio.gather(at_table(queues, "t", "a", seen), at_table(queues, "u", "b", seen))
    assert seen == ["a in", "b in", "a out", "b out"]


async def test_one_who_gives_up_holds_nobody_up() -> None:
    queues, seen = Queues(), list[str]()
    await queues.enter("t")
    waiting = [asyncio.create_task(at_table(queues, "t", name, seen)) for name in "abc"]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.sleep(0)
    queues.leave("t")
    waiting[1].cancel()  # let in at this very moment
    await asyncio.gather(*waiting, return_exceptions=True)
    assert seen == ["c in", "c out"]


async def test_nothing_is_kept_of_tables_that_nobody_is_at() -> None:
    queues, seen = Queues(), list[str]()
    await asyncio.gather(*[at_table(queues, str(number % 7), "x", seen) for number in range(50)])
    assert not queues._queues
