"""The table as a script sees it: the board, chance, and the events of this step."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from hutch.engine.chance import Chance
from hutch.engine.events import Event
from hutch.engine.prompts import Ask, Picks
from hutch.engine.rules import CHECKPOINT, Rules, Script
from msgspec import Struct

B = TypeVar("B")


class Sealed(Struct, frozen=True):
    """A choice that is in, and that nobody else sees until all are."""

    ask: Ask
    picks: Picks


class Table(Generic[B]):
    """What a script plays on. Scripts read `board`, and change it by `emit` alone.

    `sealed` holds the choices of a sealed question that are in already, by seat. They lie here and
    not in a script's locals, so that a bot's imagined worlds can replace them.
    """

    __slots__ = ("board", "chance", "events", "options", "rules", "sealed", "seats")

    def __init__(self, rules: Rules, seats: int, options: Any, board: B, chance: Chance) -> None:
        self.rules = rules
        self.seats = seats
        self.options = options
        self.board = board
        self.chance = chance
        self.events: list[Event] = []
        self.sealed: dict[int, Sealed] = {}

    def emit(self, event: Event) -> None:
        """Let it happen: the board changes and the event is told."""
        event.apply(self.board)
        self.events.append(event)

    def checkpoint(self) -> Script[None]:
        """Say that no script holds anything the board does not: a clean moment to store."""
        yield CHECKPOINT
