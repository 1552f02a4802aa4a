"""The table as a script sees it: the board, chance, and the events of this step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hutch.engine.chance import Chance
from hutch.engine.events import Event
from hutch.engine.prompts import Sealed
from hutch.engine.rules import CHECKPOINT, Rules, Script
from hutch.engine.sampling import random_picks

if TYPE_CHECKING:
    from random import Random

B = TypeVar("B")


class Table(Generic[B]):
    """What a script plays on. Scripts read `board`, and change it by `emit` alone.

    `sealed` holds the choices of a sealed question that are in already, by seat, `sealed_under`
    those of the questions it interrupted, and `unsealed` counts choices that were opened. They lie
    here and not in a script's locals, so that a bot's imagined worlds can replace them.
    """

    __slots__ = (
        "board",
        "chance",
        "events",
        "options",
        "rules",
        "sealed",
        "sealed_under",
        "seats",
        "unsealed",
    )

    def __init__(self, rules: Rules, seats: int, options: Any, board: B, chance: Chance) -> None:
        self.rules = rules
        self.seats = seats
        self.options = options
        self.board = board
        self.chance = chance
        self.events: list[Event] = []
        self.sealed: dict[int, Sealed] = {}
        self.sealed_under: list[dict[int, Sealed]] = []
        self.unsealed = 0

    def emit(self, event: Event) -> None:
        """Let it happen: the board changes and the event is told."""
        event.apply(self.board)
        self.events.append(event)

    def checkpoint(self) -> Script[None]:
        """Say that no script holds anything the board does not: a clean moment to store."""
        yield CHECKPOINT

    def resample_sealed(self, seat: int | None, rng: Random) -> None:
        """Put random choices in place of those that `seat` does not know.

        A choice whose seat would not be asked any more, as its player has left since, is taken out:
        a script plays on without it as if they had left before.
        """
        for choices in (*self.sealed_under, self.sealed):
            for other in sorted(choices):
                if other == seat:
                    continue
                build = choices[other].build
                ask = build(other)
                if ask is None:
                    del choices[other]
                else:
                    choices[other] = Sealed(build, random_picks(ask, rng))
