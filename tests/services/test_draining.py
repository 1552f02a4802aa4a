"""Whoever ends a stream ends all that was done for it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from hutch.gateway.calls import drain_into


async def test_all_tasks_end_though_one_takes_long_and_whoever_waits_for_it_goes_away() -> None:
    forever, may_end = asyncio.Event(), asyncio.Event()

    async def stubborn() -> None:
        with suppress(asyncio.CancelledError):
            await forever.wait()
        await may_end.wait()

    tasks = [asyncio.create_task(stubborn())]
    tasks += [asyncio.create_task(forever.wait()) for _ in range(3)]  # type: ignore[arg-type]
    await asyncio.sleep(0)
    draining = asyncio.create_task(drain_into(*tasks))
    await asyncio.sleep(0)
    draining.cancel()
    await asyncio.wait(tasks[1:], timeout=10)
    assert all(task.cancelled() for task in tasks[1:])
    may_end.set()
    await asyncio.wait(tasks)
