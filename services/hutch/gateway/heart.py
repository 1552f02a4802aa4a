"""The heart: keeps the pulse of the service while this gateway can take answers."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

import structlog

from hutch.store.errors import StoreUnavailable
from hutch.store.pulse import Heard, Pulse
from hutch.turns.outages import Outages
from hutch.turns.rules_link import RulesLink

log = structlog.get_logger(__name__)

PERIOD_SECONDS: Final = 1.0


class Heart:
    """Beats once a second, as long as the rules and Redis answer.

    Every gateway has one: the pulse stops only where no gateway could take an answer.
    """

    def __init__(self, pulse: Pulse, rules: RulesLink, *, grace_seconds: float) -> None:
        self._pulse = pulse
        self._rules = rules
        self._grace_ms = int(grace_seconds * 1000)
        self.outages = Outages(self._beat)

    async def keep_beating(self, stop: asyncio.Event) -> None:
        """Beat until `stop` is set."""
        while not stop.is_set():
            try:
                with suppress(StoreUnavailable):
                    await self.outages.hear()
            except Exception:  # a heart that stands still would stop all clocks
                log.exception("heart_failed")
            await asyncio.sleep(PERIOD_SECONDS)

    async def _beat(self) -> Heard:
        if await self._rules.is_up():
            return await self._pulse.beat(self._grace_ms)
        return await self._pulse.listen()
