"""Growth: whether what was measured again and again piles up, or only swings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import median
from typing import Final, Literal

from msgspec import Struct

What = Literal["memory", "descriptors", "threads", "redis memory", "redis keys"]

#: Caches fill in this share of a run; what is left is judged.
WARM: Final = 0.5


class Bound(Struct, frozen=True):
    """What is too much: more than `an_hour`, where that makes more than `swing` in the time that is
    judged. A short run cannot tell less than that from what comes and goes with games."""

    unit: str
    an_hour: float
    swing: float


BOUNDS: Final[dict[What, Bound]] = {
    "memory": Bound("MiB", an_hour=30, swing=2),
    "descriptors": Bound("", an_hour=6, swing=2),
    "threads": Bound("", an_hour=6, swing=2),
    "redis memory": Bound("MiB", an_hour=30, swing=4),
    "redis keys": Bound("", an_hour=600, swing=150),
}


class Series(Struct, frozen=True):
    """One thing of one process, measured at those minutes."""

    what: What
    whose: str
    minutes: list[float]
    values: list[float]


class Verdict(Struct, frozen=True):
    """What became of a series after the warm-up: from `first` to `last`, and its slope."""

    series: Series
    first: float
    last: float
    an_hour: float
    piles_up: bool

    def __str__(self) -> str:
        bound = BOUNDS[self.series.what]
        return (
            f"{self.series.what} of {self.series.whose} grows by {self.an_hour:.1f} "
            f"{bound.unit or 'more'} an hour; {bound.an_hour:g} are allowed"
        )


def judge(series: Series) -> Verdict:
    """Whether a series piles up once everything is warm."""
    bound = BOUNDS[series.what]
    start, end = series.minutes[0], series.minutes[-1]
    warm = [minute >= start + WARM * (end - start) for minute in series.minutes]
    minutes = [minute for minute, is_warm in zip(series.minutes, warm, strict=True) if is_warm]
    values = [value for value, is_warm in zip(series.values, warm, strict=True) if is_warm]
    an_hour = 60 * slope(minutes, values)
    grown = an_hour * (minutes[-1] - minutes[0]) / 60
    piles_up = an_hour > bound.an_hour and grown > bound.swing
    return Verdict(series, values[0], values[-1], an_hour, piles_up)


def slope(at: Sequence[float], values: Sequence[float]) -> float:
    """The slope of Theil and Sen: the median over all pairs. A third of the values may be anything
    without turning it."""
    return median(
        (later - before) / (then - when)
        for (when, before), (then, later) in combinations(zip(at, values, strict=True), 2)
    )
