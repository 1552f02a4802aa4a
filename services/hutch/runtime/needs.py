"""Needs: what a process cannot work without, asked again and again whether it is there.

While one of them is out of reach the process says that it takes no work, so that work goes to where
it can be done. Nothing else changes: whatever comes all the same is tried.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import structlog

from hutch.runtime.health import Health

PERIOD_SECONDS: Final = 0.5
#: As often while something is out of reach.
MISSING_SECONDS: Final = 0.1
#: Who takes longer to answer is out of reach.
PATIENCE_SECONDS: Final = 2.5

log = structlog.get_logger(__name__)

#: Whether something is there. May raise whatever it likes where it is not.
Probe = Callable[[], Awaitable[object]]


class Needs:
    """What that process needs, by name."""

    def __init__(
        self,
        health: Health,
        probes: Mapping[str, Probe],
        *,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._health = health
        self._probes = probes
        self._patience_seconds = patience_seconds
        self._missing: list[str] = []
        self._told: list[str] = []

    async def look(self) -> None:
        """Look once."""
        there = await asyncio.gather(*map(self._answers, self._probes.values()))
        missing = [name for name, is_there in zip(self._probes, there, strict=True) if not is_there]
        # Told at the second look: a process that has just started is still connecting at the first.
        if missing == self._missing and missing != self._told:
            log.warning("out_of_reach" if missing else "within_reach", missing=missing)
            self._told = missing
        self._missing = missing
        self._health.cut_off(bool(missing))

    async def keep_looking(self) -> None:
        """Look again and again, for ever."""
        while True:
            await self.look()
            await asyncio.sleep(MISSING_SECONDS if self._missing else PERIOD_SECONDS)

    async def _answers(self, probe: Probe) -> bool:
        try:
            async with asyncio.timeout(self._patience_seconds):
                return bool(await probe())
        except Exception:  # whatever it is, nothing can be done with it
            return False
