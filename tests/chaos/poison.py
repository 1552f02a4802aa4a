"""Bots that are poison: `python -m tests.chaos.poison bots` runs `python -m hutch.workers bots`
with strategies for Rabbit Space that do what no strategy may.

Each writes a line with its name to POISON_LOG before it does.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, NoReturn, cast

from hutch.bots import STRATEGIES, Move, Sight, Strategy
from hutch.workers.__main__ import main

RULESET: Final = "rabbit-space"
_BLOCK: Final = 16_000_000


def raises() -> NoReturn:
    """Raises."""
    raise RuntimeError("poison")


def loops() -> NoReturn:
    """Goes round for ever, whatever is raised meanwhile."""
    while True:
        try:
            sum(range(1000))
        except Exception:
            continue


def eats() -> NoReturn:
    """Takes memory without end."""
    eaten = []
    while True:
        eaten.append(b"\xff" * _BLOCK)


def exits() -> NoReturn:
    """Ends the process, and leaves it no time for last words."""
    os._exit(1)


def crashes() -> NoReturn:
    """Reads what is not there."""
    ctypes.string_at(0)
    raise AssertionError("nobody gets here")


KINDS: Final[tuple[Callable[[], NoReturn], ...]] = (raises, loops, eats, exits, crashes)


def poison(log: Path) -> Mapping[str, Strategy]:
    """Those strategies, by name."""

    def play(do: Callable[[], NoReturn], sight: Sight, rng: Random) -> Move:
        with log.open("a") as lines:
            lines.write(f"{do.__name__}\n")
        do()

    return {kind.__name__: partial(play, kind) for kind in KINDS}


def known() -> dict[str, Strategy]:
    """The strategies for Rabbit Space, to add to."""
    return cast("dict[str, Strategy]", STRATEGIES[RULESET])


if __name__ == "__main__":
    known().update(poison(Path(os.environ["POISON_LOG"])))
    main()
