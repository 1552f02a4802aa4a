"""Rates: how much one caller may ask for, at all gateways together.

The budget is in Redis. A gateway takes a share of what is free of it, and spends that by itself, so
that most calls cost no trip. The less is free the smaller the shares: near the limit it takes no
more than it is asked for just then.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from time import monotonic

from hutch.store.budgets import Budgets
from hutch.store.errors import StoreUnavailable
from hutch.wire.errors import Fault, Wrong

#: A gateway takes one in so many of those that are free.
ONE_IN = 16
#: What it has not spent by then is lost: a caller who is back later finds a whole budget.
SHARE_SECONDS = 60.0
#: While Redis is away a gateway goes by itself, and asks again after so long.
ALONE_SECONDS = 1.0
_CALLERS = 50_000


class _Share:
    """What this gateway has of a caller's budget. Times are the monotonic clock's."""

    __slots__ = ("asking", "left", "refused_until", "until", "waiting")

    def __init__(self) -> None:
        self.left = 0
        self.until = 0.0
        self.refused_until = 0.0
        self.asking: asyncio.Task[None] | None = None
        self.waiting = 0


class Rate:
    """`per_second` on average and `burst` after a rest, for each caller; 0 is no limit."""

    def __init__(self, budgets: Budgets, what: str, per_second: float, burst: int) -> None:
        self._budgets = budgets
        self._what = what
        self._per_second = per_second
        self._burst = burst
        self._interval_us = max(1, round(1_000_000 / per_second)) if per_second else 0
        self._shares: OrderedDict[str, _Share] = OrderedDict()

    async def take(self, caller: str) -> None:
        """Count one. Raises `Fault` RATE_LIMITED with the time to wait."""
        if not self._per_second:
            return
        share = self._share_of(caller)
        while True:
            now = monotonic()
            if share.left and now < share.until:
                share.left -= 1
                return
            if now < share.refused_until:
                raise self._refusal(share.refused_until - now)
            if share.asking is None:
                share.asking = asyncio.create_task(self._ask(caller, share))
            share.waiting += 1
            try:
                await asyncio.shield(share.asking)  # others wait for it too
            finally:
                share.waiting -= 1

    async def wait(self, caller: str) -> None:
        """Count one as soon as it may be."""
        while True:
            try:
                return await self.take(caller)
            except Fault as fault:
                await asyncio.sleep((fault.retry_after_ms or 0) / 1000)

    def _share_of(self, caller: str) -> _Share:
        share = self._shares.get(caller)
        if share is None:
            share = self._shares[caller] = _Share()
            if len(self._shares) > _CALLERS:
                self._shares.popitem(last=False)
        else:
            self._shares.move_to_end(caller)
        return share

    async def _ask(self, caller: str, share: _Share) -> None:
        try:
            taken, wait_us = await self._budgets.take(
                self._what,
                caller,
                interval_us=self._interval_us,
                burst=self._burst,
                wanted=share.waiting,
                one_in=ONE_IN,
            )
            share.left, share.until = taken, monotonic() + SHARE_SECONDS
            share.refused_until = monotonic() + wait_us / 1_000_000
        except StoreUnavailable:
            share.left = max(1, self._burst // ONE_IN)
            share.until = share.refused_until = monotonic() + ALONE_SECONDS
        finally:
            share.asking = None

    def _refusal(self, wait_seconds: float) -> Fault:
        wait_ms = int(wait_seconds * 1000) + 1
        rare = self._per_second < 1
        pace = f"{self._per_second * 60:g} a minute" if rare else f"{self._per_second:g} a second"
        return Fault(
            Wrong.RATE_LIMITED,
            f"Too many {self._what}: {pace} are allowed, {self._burst} at once; wait {wait_ms} ms.",
            {"retry_after_ms": str(wait_ms)},
            retry_after_ms=wait_ms,
        )
