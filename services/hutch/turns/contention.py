"""Contention: whoever finds that somebody else committed first looks again, and tries once more."""

from __future__ import annotations

import asyncio
from random import uniform

#: So often before the caller is told that others keep changing what it wants to change.
TRIES = 10


async def stand_back(attempt: int) -> None:
    """Leave others a moment, which grows with each attempt: 2 ms at most after number 0."""
    await asyncio.sleep(uniform(0, 0.002 * (1 << attempt)))
