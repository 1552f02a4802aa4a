"""Tallies: what all finished games add up to, each of them counted once.

Each shard has a tally of its own, which one script changes together with the mark on the table that
says so. Reading adds them up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

from hutch.store.keys import Keys, shard_of
from hutch.store.lanes import Argument
from hutch.store.pipelining import Pipelining, Script
from hutch.store.sharing import of_shards, pairs

_TALLY = Script("tally")


class Measure(NamedTuple):
    """What is measured, of games that compare: of one ruleset and form, at as many seats.

    `strategy` and `seat` are of whoever it was measured at; "" and -1 for the game as a whole. The
    texts are single words.
    """

    ruleset: str
    form: str
    seats: int
    what: str
    strategy: str = ""
    seat: int = -1


class Spread(Struct, frozen=True):
    """Numbers, by what is left when they are added up."""

    count: int
    total: float
    squares: float
    least: float
    most: float

    def __add__(self, other: Spread) -> Spread:
        return Spread(
            self.count + other.count,
            self.total + other.total,
            self.squares + other.squares,
            min(self.least, other.least),
            max(self.most, other.most),
        )

    @property
    def mean(self) -> float:
        """Their mean."""
        return self.total / self.count

    @property
    def variance(self) -> float:
        """The variance of the population that they are a sample of. Needs two of them."""
        return max(0.0, self.squares - self.total * self.mean) / (self.count - 1)


class Tallies:
    """The tallies of all shards."""

    def __init__(self, pipelining: Pipelining, keys: Keys) -> None:
        self._pipelining = pipelining
        self._keys = keys

    async def add(self, table_id: str, measured: Mapping[Measure, float]) -> bool:
        """Add a finished table's measures, unless that was done before.

        True where this call did it. False may also come of a reply that was lost on its way.
        """
        arguments: list[Argument] = []
        for measure, value in measured.items():
            number = float(value)
            arguments += (_name(measure), repr(number), repr(number * number))
        shard = shard_of(table_id)
        keys = [self._keys.table(table_id), *self._keys.of_shard(shard, "tally")]
        return bool(await self._pipelining.run(shard, _TALLY, keys, arguments))

    async def read(self) -> dict[Measure, Spread]:
        """Everything that was ever added."""
        totals: dict[Measure, Spread] = {}
        for reply in await of_shards(self._pipelining, self._keys, "HGETALL", "tally"):
            parts: dict[str, dict[str, float]] = {}
            for field, value in pairs(reply):
                name, _, part = field.decode().partition(":")
                parts.setdefault(name, {})[part] = float(value)
            for name, part in parts.items():
                measure = _measure(name)
                spread = Spread(
                    int(part["count"]), part["sum"], part["squares"], part["least"], part["most"]
                )
                totals[measure] = totals[measure] + spread if measure in totals else spread
        return totals


def _name(measure: Measure) -> str:
    words = [measure.ruleset, measure.form, str(measure.seats), measure.what]
    if measure.strategy:
        words += [measure.strategy, str(measure.seat)]
    return " ".join(words)


def _measure(name: str) -> Measure:
    ruleset, form, seats, what, *place = name.split(" ")
    if not place:
        return Measure(ruleset, form, int(seats), what)
    strategy, seat = place
    return Measure(ruleset, form, int(seats), what, strategy, int(seat))
