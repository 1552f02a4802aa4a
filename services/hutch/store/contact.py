"""Contact: whether Redis serves this process, told when it ends, now and then, and when it is back.

While Redis is away everything that asks it for something fails, many times a second. Whoever asked
goes on as well as it can, and logs nothing: it is told here, once for all of them.
"""

from __future__ import annotations

from asyncio import TimerHandle, get_running_loop
from contextvars import Context
from time import monotonic
from typing import Final

import structlog

from hutch.runtime import metrics
from hutch.store.errors import StoreError, StoreUnavailable, translated

REMIND_S: Final = 30.0
#: Redis is back when nothing has failed for so long since it answered. One that is full, or a
#: cluster that misses a node, goes on to serve one call and to refuse the next.
STEADY_S: Final = 5.0

log = structlog.get_logger(__name__)


class Contact:
    """The contact of one process to Redis. Belongs to the event loop that it is used in."""

    def __init__(self, *, remind_s: float = REMIND_S, steady_s: float = STEADY_S) -> None:
        self.is_lost = False
        self._remind_s = remind_s
        self._steady_s = steady_s
        self._lost_at = 0.0
        self._remind_at = 0.0
        self._failed = 0
        self._steadying: TimerHandle | None = None

    def noted(self, fault: BaseException) -> StoreError:
        """What went wrong, as an error of ours; it is noted if that means that Redis is away."""
        error = translated(fault)
        if isinstance(error, StoreUnavailable):
            self.failed(error)
        return error

    def failed(self, error: StoreUnavailable) -> None:
        """Something was asked of Redis in vain."""
        metrics.STORE_FAILURES.labels().inc()
        if self._steadying is not None:
            self._steadying.cancel()
            self._steadying = None
        now = monotonic()
        if not self.is_lost:
            self.is_lost, self._lost_at, self._failed = True, now, 1
            _tell("store_unavailable", error=str(error)[:200])
        else:
            self._failed += 1
            if now < self._remind_at:
                return
            _tell("store_unavailable", error=str(error)[:200], **self._since(now))
        self._remind_at = now + self._remind_s

    def answered(self) -> None:
        """Redis did what it was asked for."""
        if self.is_lost and self._steadying is None:
            self._steadying = get_running_loop().call_later(
                self._steady_s, self._regained, monotonic()
            )

    def _regained(self, answered_at: float) -> None:
        self.is_lost, self._steadying = False, None
        _tell("store_available", **self._since(answered_at))

    def _since(self, now: float) -> dict[str, float]:
        return {"away_seconds": round(now - self._lost_at, 1), "failed": self._failed}


def _tell(event: str, **facts: str | float) -> None:
    """Log that. It is of no single call, and names no call's trace."""
    Context().run(log.warning, event, **facts)
