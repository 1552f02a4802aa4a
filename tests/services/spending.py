"""A process that asks as much as it may, as one gateway of several:

    python -m tests.services.spending REDIS_URL NAMESPACE PER_SECOND BURST SECONDS

It says when it is ready, begins when it reads a line, goes on for so long and until it has got one
and was refused one, and tells what it got.
"""

from __future__ import annotations

import asyncio
import sys
from time import monotonic

import msgspec
from msgspec import Struct

from hutch.gateway.rates import Rate
from hutch.store.store import Store
from hutch.wire.errors import Fault
from tests.redis_servers import now_us


class Spent(Struct, frozen=True):
    """How often it got one, how many refusals there were, and between which moments (µs since
    1970, Redis' clock) the first came."""

    got: int
    refused: int
    first_after_us: int
    first_before_us: int


async def spend(url: str, namespace: str, per_second: float, burst: int, seconds: float) -> None:
    """Spend, and print a `Spent`."""
    async with await Store.open(url, namespace=namespace) as store:
        rate = Rate(store.budgets, "actions", per_second, burst)
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        got = refused = 0
        first_after_us = await now_us(store)
        first_before_us = 0
        ends = monotonic() + seconds
        while monotonic() < ends or not (got and refused):
            try:
                await rate.take("ada")
            except Fault as fault:
                refused += 1
                await asyncio.sleep((fault.retry_after_ms or 0) / 1000)
            else:
                got += 1
            first_before_us = first_before_us or await now_us(store)
        spent = Spent(got, refused, first_after_us, first_before_us)
        print(msgspec.json.encode(spent).decode(), flush=True)


if __name__ == "__main__":
    url, namespace, per_second, burst, seconds = sys.argv[1:]
    asyncio.run(spend(url, namespace, float(per_second), int(burst), float(seconds)))
