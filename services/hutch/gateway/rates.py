"""Rates: how much one caller may ask for, as token buckets in this process."""

from __future__ import annotations

from collections import OrderedDict
from time import monotonic

from hutch.wire.errors import Fault, Wrong

_CALLERS = 50_000


class Rate:
    """`per_second` on average and `burst` after a rest, for each caller; 0 is no limit."""

    def __init__(self, what: str, per_second: float, burst: int) -> None:
        self._what = what
        self._per_second = per_second
        self._burst = float(burst)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> None:
        """Count one. Raises `Fault` RATE_LIMITED with the time to wait."""
        if not self._per_second:
            return
        now = monotonic()
        left, since = self._buckets.get(caller, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._per_second)
        if left < 1.0:
            wait_ms = int((1.0 - left) / self._per_second * 1000) + 1
            raise Fault(
                Wrong.RATE_LIMITED,
                f"Too many {self._what}: {self._per_second:g} a second are allowed, "
                f"{self._burst:g} at once; wait {wait_ms} ms.",
                {"retry_after_ms": str(wait_ms)},
                retry_after_ms=wait_ms,
            )
        self._buckets[caller] = (left - 1.0, now)
        if len(self._buckets) > _CALLERS:
            self._buckets.popitem(last=False)
