"""Watchers: the memory that a gateway needs for a thousand that watch and see nothing happen."""

from __future__ import annotations

import time

from bench.figures import Figure, Target
from bench.load.orders import Watch
from bench.measuring import Plan
from bench.processes import LoadProcess, resident_bytes
from bench.stack import Stack

SECTION = "watchers"
_WATCHERS = 1000
_MEBIBYTE = 2**20


def measure(plan: Plan) -> list[Figure]:
    """Resident memory for each thousand watchers."""
    watchers = plan.many(_WATCHERS, 100)
    with Stack() as stack, LoadProcess() as load:
        gateway = stack.gateway()
        address, token = gateway.address(), stack.token("bench")

        def watch(watchers: int) -> int:
            load.watch(
                Watch(
                    address=address,
                    redis_url=stack.redis.url,
                    player="bench",
                    token=token,
                    watchers=watchers,
                    tables=max(1, watchers // 4),
                )
            )
            time.sleep(plan.seconds(2.0))  # for what opening them needed to be given back
            return resident_bytes(gateway.pid)

        plan.tell("watchers: the first few, which everything is loaded for")
        before = watch(plan.many(100, 10))
        plan.tell(f"watchers: {watchers} more")
        after = watch(watchers)
    grown = (after - before) / _MEBIBYTE
    return [
        Figure(
            section=SECTION,
            title="memory per 1,000 idle watchers",
            unit="MiB",
            rounds=[grown * 1000 / watchers],
            target=Target("less", None, 64),
            detail=f"gateway grew from {before / _MEBIBYTE:.0f} to {after / _MEBIBYTE:.0f} MiB, "
            f"4 watchers a table",
        )
    ]
