"""Sections: what can be measured by itself, by the name it has on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from bench.figures import Figure
from bench.measuring import Plan
from bench.sections import decisions, resolving, timers, watchers, write_path

SECTIONS: Final[Mapping[str, Callable[[Plan], list[Figure]]]] = {
    "write-path": write_path.measure,
    "timers": timers.measure,
    "watchers": watchers.measure,
    "decisions": decisions.measure,
    "resolving": resolving.measure,
}
