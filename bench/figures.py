"""Figures: what is measured, in rounds, and where it is to get to."""

from __future__ import annotations

from statistics import median
from typing import Literal

from msgspec import Struct

Better = Literal["more", "less"]
#: `end`: where it must end; `now`: what is to be reached first; `missed`: neither; `none`: no goal.
Standing = Literal["end", "now", "missed", "none"]


class Target(Struct, frozen=True):
    """Where a figure is to get to: first `now`, in the end `end`. None: nothing was set."""

    better: Better
    now: float | None = None
    end: float | None = None


class Figure(Struct, frozen=True, kw_only=True):
    """One line of the table. `rounds` are the values measured; their median is the figure."""

    section: str
    title: str
    unit: str
    rounds: list[float]
    target: Target | None = None
    #: What it was made from, for the reader.
    detail: str = ""

    @property
    def value(self) -> float:
        """The median of the rounds."""
        return median(self.rounds)

    @property
    def standing(self) -> Standing:
        """Which goal is reached."""
        if self.target is None:
            return "none"
        if self._reaches(self.target.end):
            return "end"
        return "now" if self._reaches(self.target.now) else "missed"

    @property
    def progress(self) -> float | None:
        """How much of the way to the end: 1 is there, more is beyond."""
        if self.target is None or self.target.end is None:
            return None
        return self.ratio_to_end(self.value)

    def ratio_to_end(self, value: float) -> float:
        """That value on a scale on which the goal of the end is 1, and more is better."""
        assert self.target is not None
        assert self.target.end is not None
        end = self.target.end
        return value / end if self.target.better == "more" else end / value if value else 1e9

    def _reaches(self, goal: float | None) -> bool:
        if goal is None or self.target is None:
            return False
        return self.value >= goal if self.target.better == "more" else self.value <= goal


def ratios(above: list[float], below: list[float]) -> list[float]:
    """Round by round, the one over the other: what ran side by side is compared side by side."""
    return [one / other for one, other in zip(above, below, strict=True)]
