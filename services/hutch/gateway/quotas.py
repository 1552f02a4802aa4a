"""Quotas: how many of a thing somebody may have at once, at all gateways together.

A gateway asks Redis before it hands one out, and tells it what it still has every few seconds, for
all of them together. While one is held nothing is asked of Redis. A gateway that is killed says
nothing any more, and after the lease what it had is free.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import structlog

from hutch.store.errors import StoreUnavailable
from hutch.store.holdings import Holdings
from hutch.wire.errors import Fault

log = structlog.get_logger(__name__)

#: What is held is told so many times a lease, so that it outlasts a few tellings that fail.
TELLINGS = 4


class Quotas:
    """All that this gateway has handed out."""

    def __init__(self, holdings: Holdings, lease_seconds: float) -> None:
        self._holdings = holdings
        self._lease_ms = int(1000 * lease_seconds)
        self._period = lease_seconds / TELLINGS
        self._holder = secrets.token_hex(8)
        self._held: Counter[tuple[str, str]] = Counter()
        #: Not yet known to Redis.
        self._given_back: set[tuple[str, str]] = set()
        self._telling: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def one(
        self, what: str, who: str, most: int, refusal: Callable[[], Fault]
    ) -> AsyncIterator[None]:
        """Have one of a thing while a block lasts. Raises `refusal()` where `who` has `most`.

        While Redis is away this gateway goes by what it handed out itself.
        """
        thing = (what, who)
        if self._held[thing] >= most:
            raise refusal()
        self._held[thing] += 1
        try:
            if not await self._is_granted(what, who, most):
                raise refusal()
            yield
        finally:
            self._give_back(thing)

    async def keep_telling(self) -> None:
        """Tell Redis what is held, again and again, for ever."""
        while True:
            await asyncio.sleep(self._period)
            try:
                with suppress(StoreUnavailable):
                    await self._holdings.tell(
                        self._held, holder=self._holder, lease_ms=self._lease_ms
                    )
            except Exception:  # without it, other gateways would hand out what is held here
                log.exception("quotas_failed")

    async def _is_granted(self, what: str, who: str, most: int) -> bool:
        try:
            return await self._holdings.take(
                what,
                who,
                self._held[what, who],
                most=most,
                holder=self._holder,
                lease_ms=self._lease_ms,
            )
        except StoreUnavailable:
            return True

    def _give_back(self, thing: tuple[str, str]) -> None:
        self._held[thing] -= 1
        self._given_back.add(thing)
        if self._telling is None:
            self._telling = asyncio.create_task(self._tell_what_was_given_back())

    async def _tell_what_was_given_back(self) -> None:
        """All that ends together is told together."""
        try:
            while self._given_back:
                changed, self._given_back = self._given_back, set()
                held = {thing: self._held[thing] for thing in changed}
                for thing in changed:
                    if not self._held[thing]:
                        del self._held[thing]
                await self._holdings.tell(held, holder=self._holder, lease_ms=self._lease_ms)
        except StoreUnavailable:
            pass  # Redis takes it for free when the lease ends
        finally:
            self._telling = None
