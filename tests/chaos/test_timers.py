"""Timers fire once, and soon, though timekeepers are killed: the short form of `timers`."""

from __future__ import annotations

from hutch.store.embedded import EmbeddedServer
from tests.chaos.timers import KILLED_MS, Plan, campaign, p99
from tests.redis_servers import own_redis_server

__all__ = ["own_redis_server"]

PLAN = Plan(tables=600, seconds=7, quiet_seconds=1, seed=20261130)


async def test_every_timer_fires_once_and_soon_while_timekeepers_are_killed(
    own_redis_server: EmbeddedServer,
) -> None:
    report = await campaign(PLAN, own_redis_server)
    assert not report.faults, f"seed {PLAN.seed}: {report}"
    assert len(report.fired) > PLAN.tables
    assert len(report.kills_ms) >= 2
    assert p99(report.killed()) <= KILLED_MS, str(report)
