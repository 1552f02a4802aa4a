"""Measuring: how long and how often, and where to say what is going on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct


class Plan(Struct, frozen=True):
    """How thorough a run is. `quick` only shows that everything works; its figures say little."""

    quick: bool
    #: How often everything is measured, in turn; figures are medians.
    rounds: int
    #: Told in a few words what is being done.
    tell: Callable[[str], None]

    def seconds(self, usual: float) -> float:
        """How long to measure, where `usual` is thorough."""
        return min(usual, 0.3) if self.quick else usual

    def many(self, usual: int, quick: int) -> int:
        """How many of something."""
        return quick if self.quick else usual

    def turns(self, what: str) -> Iterator[int]:
        """The rounds, each told of."""
        for number in range(self.rounds):
            self.tell(f"{what}, round {number + 1} of {self.rounds}")
            yield number
