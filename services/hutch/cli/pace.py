"""Pace: how many of something a second, now and over the last while."""

from __future__ import annotations

from collections import deque
from typing import Final

#: The rate is that of so many seconds.
WINDOW_S: Final = 3
HISTORY_S: Final = 40

_BLOCKS: Final = "▁▂▃▄▅▆▇█"


class Pace:
    """Counts by the second. Times are seconds on any clock that only goes forward."""

    def __init__(self, now: float) -> None:
        self.total = 0
        self._begun = now
        self._second = int(now)
        self._counts: deque[int] = deque([0], maxlen=HISTORY_S)

    def count(self, many: int, now: float) -> None:
        """So many more."""
        self._turn_to(now)
        self.total += many
        self._counts[-1] += many

    def rate(self, now: float) -> float:
        """How many a second, over the last seconds."""
        self._turn_to(now)
        recent = list(self._counts)[-(WINDOW_S + 1) :]
        elapsed = min(now - self._begun, len(recent) - 1 + now - self._second)
        return sum(recent) / elapsed if elapsed > 0.2 else 0.0

    def sparkline(self, now: float, width: int) -> str:
        """The last full seconds as bars, the newest at the right."""
        self._turn_to(now)
        counts = list(self._counts)[:-1][-width:]
        most = max(counts, default=0)
        bars = [_BLOCKS[count * (len(_BLOCKS) - 1) // most] if most else " " for count in counts]
        return "".join(bars).rjust(width)

    def _turn_to(self, now: float) -> None:
        passed = int(now) - self._second
        if passed > 0:
            self._counts.extend([0] * min(passed, HISTORY_S))
            self._second = int(now)
