"""Bots that are poison: `python -m tests.chaos.poison bots` runs `python -m hutch.workers bots`
with strategies for Rabbit Space that do what no strategy may, and `python -m tests.chaos.poison
BOUNDS` the nursery of its thinkers.

Each writes a line with its name to POISON_LOG before it does.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, NoReturn, cast

from hutch.bots import STRATEGIES, Move, Sight, Strategy, random_play
from hutch.engine.prompts import picks
from hutch.workers import thinker
from hutch.workers.thinkers import Thinkers

RULESET: Final = "rabbit-space"
_BLOCK: Final = 16_000_000


def raises(sight: Sight) -> NoReturn:
    """Raises."""
    raise RuntimeError("poison")


def cheats(sight: Sight) -> Move:
    """Picks what it is not offered."""
    return sight.questions[0].number, picks("no such option")


def loops(sight: Sight) -> NoReturn:
    """Goes round for ever, whatever is raised meanwhile."""
    while True:
        try:
            sum(range(1000))
        except Exception:
            continue


def sleeps(sight: Sight) -> NoReturn:
    """Waits for ever, and takes no processor time."""
    while True:
        threading.Event().wait()


def eats(sight: Sight) -> NoReturn:
    """Takes memory without end."""
    eaten = []
    while True:
        eaten.append(b"\xff" * _BLOCK)


def quits(sight: Sight) -> NoReturn:
    """Asks for the end of its process."""
    sys.exit(1)


def exits(sight: Sight) -> NoReturn:
    """Ends its process, and leaves it no time for last words."""
    os._exit(1)


def crashes(sight: Sight) -> NoReturn:
    """Reads what is not there."""
    ctypes.string_at(0)
    raise AssertionError("nobody gets here")


def hides(sight: Sight) -> NoReturn:
    """Hangs up, and lives on."""
    os.closerange(0, 1024)
    sleeps(sight)


def betrays(sight: Sight) -> Move:
    """Answers well wherever it is not trusted; else it ends its worker."""
    if threading.current_thread() is not threading.main_thread():
        os._exit(1)
    return random_play.play(sight, Random(7))


Deed = Callable[[Sight], Move]
KINDS: Final[tuple[Deed, ...]] = (raises, cheats, loops, sleeps, eats, quits, exits, crashes, hides)


class Poisoned(Thinkers):
    """Thinkers that know these strategies."""

    program = "tests.chaos.poison"


def poison(log: Path) -> Mapping[str, Strategy]:
    """Those strategies, by name."""

    def play(do: Deed, sight: Sight, rng: Random) -> Move:
        with log.open("a") as lines:
            lines.write(f"{do.__name__}\n")
        return do(sight)

    return {kind.__name__: partial(play, kind) for kind in (*KINDS, betrays)}


def known() -> dict[str, Strategy]:
    """The strategies for Rabbit Space, to add to."""
    return cast("dict[str, Strategy]", STRATEGIES[RULESET])


if __name__ == "__main__":
    known().update(poison(Path(os.environ["POISON_LOG"])))
    if sys.argv[1:] == ["bots"]:
        # Not for the nursery: it has nothing to do with Celery.
        from hutch.workers import __main__ as workers

        Thinkers.program = Poisoned.program
        workers.main()
    else:
        thinker.main()
