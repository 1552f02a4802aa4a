"""Outages as one process knows them: times in which nobody could answer, so that no clock counts
them.

What was heard of the pulse is the whole truth for a while: an outage that is not in it began with
that beat or later, and cannot be over before the grace is: by our clock, and by that of Redis,
which may be set forward meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from math import inf
from time import monotonic

from hutch.store.pulse import Heard, Outage


class Outages:
    """What this process knows of outages. `listen` asks for the pulse, or keeps it and tells."""

    def __init__(self, listen: Callable[[], Awaitable[Heard]]) -> None:
        self._listen = listen
        self._heard = Heard(0)
        self._latest_ms = 0
        self._whole_until = -inf
        self._whole_until_ms = 0
        self._hearing: asyncio.Task[Heard] | None = None

    def none_since(self, at_ms: int, now_ms: int) -> bool:
        """Whether it is known, without asking, that no outage was on after that time, and until
        `now_ms`, where Redis' clock is."""
        return at_ms >= self._latest_ms and self._is_whole(now_ms)

    async def since(self, at_ms: int, now_ms: int = 0) -> list[Outage]:
        """The outages that were not over at that time, in order, with the one that is on. `now_ms`:
        where Redis' clock is, if that is known."""
        await self._know(now_ms)
        return self._heard.since(at_ms)

    async def is_on(self, now_ms: int = 0) -> bool:
        """Whether nobody can answer now. `now_ms`: where Redis' clock is, if that is known."""
        await self._know(now_ms)
        return self._heard.ongoing is not None

    async def hear(self) -> Heard:
        """Listen to the pulse now. Raises `StoreUnavailable`."""
        asked = monotonic()
        heard = await self._listen()
        # A beat of later than now is of before the clock was set back.
        silent_ms = 0 if heard.last_ms is None else max(0, heard.now_ms - heard.last_ms)
        self._whole_until = asked + (heard.grace_ms - silent_ms) / 1000
        self._whole_until_ms = heard.now_ms - silent_ms + heard.grace_ms
        self._latest_ms = heard.outages[-1].until_ms if heard.outages else 0
        self._heard = heard
        return heard

    def _is_whole(self, now_ms: int) -> bool:
        return monotonic() < self._whole_until and now_ms <= self._whole_until_ms

    async def _know(self, now_ms: int) -> None:
        """Listen, unless it is known how things stand; once for all who ask together."""
        if self._is_whole(now_ms):
            return
        if self._hearing is None or self._hearing.done():
            self._hearing = asyncio.create_task(self.hear())
        await asyncio.shield(self._hearing)
