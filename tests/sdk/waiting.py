"""Waiting for a condition."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def until(holds: Callable[[], object], seconds: float = 30) -> None:
    """Wait until it holds. Raises `TimeoutError` where it does not in that time."""
    async with asyncio.timeout(seconds):
        while not holds():
            await asyncio.sleep(0.001)
