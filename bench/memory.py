"""Memory: how long a read takes that misses the core's own cache, in nanoseconds.

What a machine shares with others is its last cache and its memory. The write path touches more of
them than an echo does, so a neighbour who takes them shows in the ratios. This tells of neighbours.
"""

from __future__ import annotations

from array import array
from functools import cache
from random import Random
from time import perf_counter
from typing import Final

_BYTES: Final = 6 << 20
_READS: Final = 200_000


def read_ns() -> float:
    """The time of a step through 6 MB in no order, with what Python takes for it (25 ns or so)."""
    places, at = _circle(), 0
    for _ in range(_READS):  # the last stretch is at hand otherwise
        at = places[at]
    began = perf_counter()
    for _ in range(_READS):
        at = places[at]
    return (perf_counter() - began) / _READS * 1e9


@cache
def _circle() -> array[int]:
    """Each place holds the next one, all in one circle."""
    order = list(range(_BYTES // 4))
    Random(1).shuffle(order)
    places = array("I", bytes(_BYTES))
    for here, there in zip(order, [*order[1:], order[0]], strict=True):
        places[here] = there
    return places
