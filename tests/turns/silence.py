"""Waiting for an outage."""

from __future__ import annotations

from hutch.store.pulse import Heard, Pulse
from tests.redis_servers import eventually


async def silence(pulse: Pulse) -> Heard:
    """Wait until the pulse has been silent for longer than its grace: what is heard then."""

    async def heard() -> Heard | None:
        now = await pulse.listen()
        return now if now.ongoing else None

    found = await eventually(heard)
    assert found is not None
    return found


async def outage(pulse: Pulse, *, grace_ms: int = 50) -> Heard:
    """Have an outage, from now until a moment later: what is heard after it. A grace for the time
    to come follows, so that no other one begins."""
    await pulse.beat(grace_ms)
    await silence(pulse)
    await pulse.beat(grace_ms)
    return await pulse.beat(3_600_000)
