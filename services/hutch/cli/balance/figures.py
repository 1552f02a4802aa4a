"""Figures: means with their confidence intervals, and spreads."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from statistics import NormalDist, fmean, quantiles, stdev
from typing import Final

from msgspec import Struct

from hutch.cli.balance.studies import Observation

CONFIDENCE: Final = 0.95
_Z: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


class Figure(Struct, frozen=True):
    """What was observed of one side or module. `low` and `high` bound the mean at 95 %."""

    label: str
    count: int
    mean: float
    low: float
    high: float
    spread: float
    #: The 5th, 50th and 95th hundredth of the observations.
    hundredths: tuple[float, float, float]


def figures(observations: Iterable[Observation]) -> list[Figure]:
    """The figures of all sides or modules, the highest mean first."""
    by_label: dict[str, list[float]] = {}
    for label, value in observations:
        by_label.setdefault(label, []).append(value)
    found = [figure(label, values) for label, values in by_label.items()]
    return sorted(found, key=lambda one: (-one.mean, one.label))


def figure(label: str, values: list[float]) -> Figure:
    """The figure of one side or module. The interval is the normal one of a mean."""
    count, mean = len(values), fmean(values)
    spread = stdev(values) if count > 1 else 0.0
    off = _Z * spread / sqrt(count)
    cuts = quantiles(values, n=20, method="inclusive") if count > 1 else [mean] * 19
    return Figure(label, count, mean, mean - off, mean + off, spread, (cuts[0], cuts[9], cuts[18]))
