"""Evolutions: the decks and sets that join the game, and the Evolution sheet of a campaign.

The sheet is data and pure rules here (RS-032 to RS-034); who keeps it is not this package's affair.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, cast, get_args

from msgspec import Struct

from hutch.games.rabbit_space.board import Evolution, Mission, SeatBoard
from hutch.games.rabbit_space.cards import RABBITS, CardTableError, Deck, Kind

#: RS-035 to RS-041: the kind of card that an Evolution adds.
DECKS: Final[Mapping[Evolution, Kind]] = {
    "mercury": "robot",
    "neptune": "rocket",
    "titan": "scientist",
    "vesta": "satellite",
}
STARTING_SETS: Final[Mapping[Evolution, Kind]] = {"mars": "billionaire", "uranus": "experiment"}

#: RS-039: what each Scientist on Level 2 keeps.
KEPT_BY_A_SCIENTIST: Final = 4
#: RS-032: points for a box.
POINTS_A_BOX: Final = 10
EARTH: Final = "Earth"


def promotable(deck: Deck, own: SeatBoard) -> list[int]:
    """Whom a Robot may promote: Rabbit cards in the own Training Center (O17)."""
    return [card for card in own.training_center if deck.kinds[card] in RABBITS]


def dearest(deck: Deck, cards: list[int]) -> int:
    """What the clock has a Robot promote: the dearest, of equals the one placed first."""
    return max(cards, key=lambda card: deck.costs[card])


def keepable(deck: Deck, own: SeatBoard) -> int:
    """How many Carrots and Gold a player's Scientists keep through the reset (O20)."""
    return KEPT_BY_A_SCIENTIST * sum([deck.kinds[card] == "scientist" for card in own.level_2])


def astronaut_away(deck: Deck, own: SeatBoard) -> bool:
    """Whether an own Astronaut is in Space or on the Moon; Satellites are none (O19)."""
    return any(deck.kinds[card] != "satellite" for card in own.space + own.moon)


class Unlocked(Struct, frozen=True):
    """What a team may play with."""

    evolutions: tuple[Evolution, ...]
    missions: tuple[Mission, ...]


class Sheet:
    """The Evolution sheet: boxes, the lines between them, and what planets unlock (O15)."""

    def __init__(self, planets: Mapping[str, str], lines: Mapping[str, frozenset[str]]) -> None:
        #: Box to the Evolution or mission it unlocks; "" for Earth and plain boxes.
        self.planets = planets
        #: Box to the boxes beside it.
        self.lines = lines

    def boxes_for(self, score: int) -> int:
        """How many boxes a game with that team score earns (RS-032)."""
        return max(0, score) // POINTS_A_BOX

    def why_not(self, checked: Collection[str], box: str) -> str:
        """Why a box cannot be checked now; "" where it can (RS-033)."""
        if box not in self.planets:
            return f"There is no box {box!r} on the Evolution sheet."
        if box == EARTH or box in checked:
            return f"The box {box} is checked already."
        if not any(beside == EARTH or beside in checked for beside in self.lines[box]):
            return f"The box {box} is not connected to Earth by checked boxes."
        return ""

    def open_boxes(self, checked: Collection[str]) -> list[str]:
        """The boxes that can be checked now, in the sheet's order."""
        return [box for box in self.planets if not self.why_not(checked, box)]

    def unlocked(self, checked: Collection[str]) -> Unlocked:
        """What the checked planets unlock (RS-034)."""
        names = [self.planets[box] for box in self.planets if box in checked]
        evolutions = [name for name in names if name in get_args(Evolution)]
        missions = [name for name in names if name and name not in evolutions]
        return Unlocked(
            tuple(cast("list[Evolution]", evolutions)), tuple(cast("list[Mission]", missions))
        )


def load_sheet(folder: Traversable) -> Sheet:
    """The sheet of the tables in that folder. Raises `CardTableError` for the first thing wrong."""
    known = (*get_args(Evolution), *[name for name in get_args(Mission) if name])
    planets: dict[str, str] = {}
    for row, cells in _rows(folder, "evolution_boxes.csv", ("box", "kind", "unlocks")):
        where = f"evolution_boxes.csv, row {row}"
        box = cells["box"]
        if not box or box in planets:
            raise CardTableError(f"{where}, column 'box': {box!r} is empty or there twice.")
        planet = box.lower() if cells["kind"] == "planet" and box != EARTH else ""
        if planet and planet not in known:
            raise CardTableError(f"{where}, column 'box': no Evolution is called {box!r}.")
        planets[box] = planet
    if EARTH not in planets:
        raise CardTableError("evolution_boxes.csv, column 'box': Earth is missing.")
    lines: dict[str, set[str]] = {box: set() for box in planets}
    for row, cells in _rows(folder, "evolution_edges.csv", ("a", "b")):
        for column in ("a", "b"):
            if cells[column] not in planets:
                raise CardTableError(
                    f"evolution_edges.csv, row {row}, column {column!r}: there is no box "
                    f"{cells[column]!r}."
                )
        lines[cells["a"]].add(cells["b"])
        lines[cells["b"]].add(cells["a"])
    return Sheet(planets, {box: frozenset(beside) for box, beside in lines.items()})


def _rows(
    folder: Traversable, name: str, columns: tuple[str, ...]
) -> list[tuple[int, dict[str, str]]]:
    reader = csv.DictReader(io.StringIO(folder.joinpath(name).read_text("utf-8"), newline=""))
    for column in columns:
        if column not in (reader.fieldnames or ()):
            raise CardTableError(f"{name}, row 1, column {column!r}: it is missing.")
    return [
        (row, {key: cells[key] or "" for key in columns}) for row, cells in enumerate(reader, 2)
    ]


#: The sheet beside the code. Its layout is ours.
SHEET: Final = load_sheet(files("hutch.games.rabbit_space") / "data")
