"""Timers: how late defaults are stored, with a thousand clocks running and a real timekeeper.

Every table has one seat that nobody plays, so the clock plays whole games. Lateness is the time
between the moment a question was due and its commit, both by Redis' clock, read from the logs
afterwards; they are whole milliseconds.
"""

from __future__ import annotations

import asyncio
from random import Random
from statistics import median, quantiles

from bench.figures import Figure, Target
from bench.load.tables import deal_tables
from bench.measuring import Plan
from bench.stack import Stack
from hutch.store.commits import LogEntry
from hutch.store.store import Store
from hutch.v1 import table_pb2 as pb

SECTION = "timers"
_TABLES = 1000
_LIMITS_MS = (3000, 7000)
_SECONDS = 12.0
_LOG_PAGE = 1000
#: With fewer a percentile says nothing, so they are waited for.
_LEAST = 100


def measure(plan: Plan) -> list[Figure]:
    """Lateness with a thousand timers."""
    tables = plan.many(_TABLES, 50)
    plan.tell(f"timers: {tables} clocks running")
    low, high = (200, 400) if plan.quick else _LIMITS_MS
    seconds = 1.0 if plan.quick else _SECONDS
    random = Random(1)
    limits = [{"phase": random.randint(low, high)} for _ in range(tables)]
    with Stack() as stack:
        stack.timekeeper().said("rules_connected")
        late_ms = asyncio.run(_lateness(stack.redis.url, limits, seconds))
    return [
        Figure(
            section=SECTION,
            title=f"timer lateness p99, {tables} timers",
            unit="ms",
            rounds=[quantiles(late_ms, n=100)[98]],
            target=Target("less", 20, 2),
            detail=f"p50 {median(late_ms):.0f}, most {max(late_ms)} ms, "
            f"of {len(late_ms)} that ran out in {seconds:.0f} s",
        )
    ]


async def _lateness(redis_url: str, limits: list[dict[str, int]], seconds: float) -> list[int]:
    """For each timer that ran out in those seconds, how late (ms) its default was stored."""
    dealt = await deal_tables(
        redis_url, "bench", len(limits), ruleset="rabbit-space", seats=1, limits_ms=limits
    )
    async with await Store.open(redis_url) as store:
        began_ms = await store.tables.now_ms()
        late_ms: list[int] = []
        while len(late_ms) < _LEAST:
            await asyncio.sleep(seconds)
            logs = [store.tables.read_log(one.table_id, 0, _LOG_PAGE) for one in dealt]
            late_ms = [ms for log in await asyncio.gather(*logs) for ms in _late_ms(log, began_ms)]
    return late_ms


def _late_ms(log: list[LogEntry], since_ms: int) -> list[int]:
    """How late the entries of a log came that a clock caused, as far as they are that new."""
    late, due_ms = [], None
    for entry in log:
        if due_ms is not None and due_ms >= since_ms:
            late.append(entry.commit_ms - due_ms)
        told = pb.EventBatch.FromString(entry.fields.get("s", b""))
        due = [one.due_time.ToMilliseconds() for one in told.deadlines if one.HasField("due_time")]
        due_ms = min(due, default=None)
    return late
