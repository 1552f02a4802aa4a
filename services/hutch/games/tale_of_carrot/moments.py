"""The moments at which Heroes act, and which Hero acts at each.

A Hero registers what it does at a moment. Whoever runs that moment *asks* which Heroes are in
effect, the active player's first and on clockwise; nothing is ever added to the board for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from msgspec import Struct

from hutch.engine.rules import Script
from hutch.engine.table import Table
from hutch.games.tale_of_carrot.board import Board

TaleTable = Table[Board]
A = TypeVar("A", bound=Callable[..., Any])


class Hit(Struct, frozen=True):
    """One number pointing at a seat: damage, or healing where it is below 0.

    `danger` is the level of the Rabbit that deals it, "" where no Rabbit does (O48).
    """

    seat: int
    amount: int
    danger: str = ""


class Moment(Generic[A]):
    """A moment of the game: the acts that belong to it, by Hero."""

    def __init__(self) -> None:
        self.acts: dict[str, A] = {}

    def of(self, hero: str) -> Callable[[A], A]:
        """Say what that Hero does at this moment."""

        def register(act: A) -> A:
            self.acts[hero] = act
            return act

        return register

    def in_effect(self, board: Board) -> list[tuple[int, A]]:
        """The living players whose activated Hero acts now, clockwise from the active player."""
        acting = board.acting
        if not acting:
            return []
        villages, acts = board.villages, self.acts
        found = [
            (seat, acts[villages[seat].hero]) for seat in acting if villages[seat].hero in acts
        ]
        if len(found) > 1:
            found.sort(key=lambda one: (one[0] - board.active) % len(villages))
        return found

    def unused(self, board: Board, seats: list[int]) -> list[tuple[int, A]]:
        """Those of the seats whose Hero acts now and was not used yet, in the order given."""
        villages = board.villages
        return [
            (seat, self.acts[villages[seat].hero])
            for seat in seats
            if not villages[seat].spent and villages[seat].hero in self.acts
        ]


#: A declared Supreme takes effect.
ACTIVATION: Moment[Callable[[TaleTable, int], Script[None]]] = Moment()
#: What a Hero asks for beside the HP, before its Supreme may be declared.
REQUIREMENT: Moment[Callable[[Board, int], bool]] = Moment()
#: A Rabbit in the active player's Village was replaced.
REPLACEMENT: Moment[Callable[[TaleTable, int], Script[None]]] = Moment()
#: After the placement in Invasion: whether there is anything to do, and doing it.
SWAP: Moment[Callable[[TaleTable, int], Script[None]]] = Moment()
#: The end of Invasion.
GIFTS: Moment[Callable[[TaleTable, int], Script[None]]] = Moment()
#: Whether a hit drops out of a damage batch.
WARD: Moment[Callable[[Hit], bool]] = Moment()
#: About to suffer damage: whether none is suffered.
EVASION: Moment[Callable[[TaleTable, int], Script[bool]]] = Moment()
#: A Supreme that acts at 0 HP instead of the defeat. Changes the board, asks nothing.
LAST_STAND: Moment[Callable[[TaleTable, int], None]] = Moment()
#: A defeat that takes somebody else to 0 HP: who, given those already at 0.
LINK: Moment[Callable[[TaleTable, int, list[int]], int | None]] = Moment()
#: A defeat that wins the game, given how many fell before this check.
TRIUMPH: Moment[Callable[[int], bool]] = Moment()
#: What a saved player does once the defeats are over.
REVENGE: Moment[Callable[[TaleTable, int], Script[None]]] = Moment()

#: Every Supreme's text, in our own words.
SUPREMES: dict[str, str] = {}


Activation = Callable[[TaleTable, int], Script[None]]


@overload
def supreme(hero: str, text: str) -> Callable[[Activation], Activation]: ...
@overload
def supreme(hero: str, text: str, *, at: Moment[A]) -> Callable[[A], A]: ...
def supreme(hero: str, text: str, *, at: Moment[Any] = ACTIVATION) -> Callable[[Any], Any]:
    """Declare a Hero's Supreme: its text, and what it does at its moment."""
    SUPREMES[hero] = text
    return at.of(hero)
