"""The Evolution sheet: boxes, the lines between them, and what its planets unlock.

Its tables lie beside those of the cards. Who keeps a team's sheet is not this package's affair.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from importlib.resources.abc import Traversable
from typing import Final, get_args

from msgspec import Struct

from hutch.games.rabbit_space.board import Evolution, Mission
from hutch.games.rabbit_space.tables import OURS, CardTableError, misfit, rows

#: RS-032: points for a box.
POINTS_A_BOX: Final = 10
EARTH: Final = "Earth"

EVOLUTIONS: Final[tuple[Evolution, ...]] = get_args(Evolution)
MISSIONS: Final[tuple[Mission, ...]] = tuple([name for name in get_args(Mission) if name])

_BOXES: Final = "evolution_boxes.csv"
_LINES: Final = "evolution_edges.csv"
SHEET_TABLES: Final = (_BOXES, _LINES)
_KINDS: Final = ("planet", "box")
#: Columns for the reader of a table.
_NOTES: Final = ("unlocks", "confidence")
#: Boxes lie at most so many steps from Earth, to each side.
_FARTHEST: Final = 20


class Box(Struct, frozen=True):
    """A box of the sheet. `planet` is what it unlocks; "" for Earth and plain boxes. It is drawn
    `x` steps to the right of Earth and `y` steps below it."""

    name: str
    planet: str
    x: int
    y: int


class Unlocked(Struct, frozen=True):
    """What a team may play with."""

    evolutions: tuple[Evolution, ...]
    missions: tuple[Mission, ...]


class Sheet:
    """The Evolution sheet (O15)."""

    def __init__(self, boxes: Collection[Box], lines: Mapping[str, frozenset[str]]) -> None:
        self.boxes: Final = {box.name: box for box in boxes}
        #: Box to the boxes beside it.
        self.lines: Final = lines

    def why_not(self, checked: Collection[str], box: str) -> str:
        """Why a box cannot be checked now; "" where it can (RS-033)."""
        if box not in self.boxes:
            return f"There is no box {box[:40]!r} on the Evolution sheet."
        if self.is_checked(checked, box):
            return f"The box {box} is checked already."
        if not any(self.is_checked(checked, beside) for beside in self.lines[box]):
            return f"The box {box} is not connected to Earth by checked boxes."
        return ""

    def is_checked(self, checked: Collection[str], box: str) -> bool:
        """Whether a box counts as checked: Earth always does (O15)."""
        return box == EARTH or box in checked

    def open_boxes(self, checked: Collection[str]) -> list[str]:
        """The boxes that can be checked now, in the sheet's order."""
        return [box for box in self.boxes if not self.why_not(checked, box)]

    def unlocked(self, checked: Collection[str]) -> Unlocked:
        """What the checked planets unlock (RS-034)."""
        planets = [box.planet for box in self.boxes.values() if box.name in checked]
        return Unlocked(
            tuple([planet for planet in planets if planet in EVOLUTIONS]),
            tuple([planet for planet in planets if planet in MISSIONS]),
        )


def boxes_for(points: int) -> int:
    """How many boxes a game with so many points earns (RS-032)."""
    return max(0, points) // POINTS_A_BOX


def has_sheet(folder: Traversable) -> bool:
    """Whether that folder has any table of the sheet."""
    return any(folder.joinpath(name).is_file() for name in SHEET_TABLES)


def load_sheet(folder: Traversable) -> Sheet:
    """The sheet of the tables in that folder. Raises `CardTableError` for the first thing wrong."""
    boxes = _boxes(folder)
    lines: dict[str, set[str]] = {name: set() for name in boxes}
    for row, cells in rows(folder, _LINES, ("a", "b"), _NOTES):
        for column in ("a", "b"):
            if cells[column] not in boxes:
                raise misfit(_LINES, row, column, cells[column], "a box that is listed")
        if cells["a"] == cells["b"]:
            raise misfit(_LINES, row, "b", cells["b"], "another box than in column 'a'")
        lines[cells["a"]].add(cells["b"])
        lines[cells["b"]].add(cells["a"])
    sheet = Sheet(boxes.values(), {name: frozenset(beside) for name, beside in lines.items()})
    _check_reach(sheet)
    return sheet


def _boxes(folder: Traversable) -> dict[str, Box]:
    boxes: dict[str, Box] = {}
    for row, cells in rows(folder, _BOXES, ("box", "kind", "x", "y"), _NOTES):
        name, kind = cells["box"], cells["kind"]
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]{0,19}", name) or name in boxes:
            raise misfit(_BOXES, row, "box", name, "1 to 20 letters and digits, each name once")
        if kind not in _KINDS:
            raise misfit(_BOXES, row, "kind", kind, "'planet' or 'box'")
        planet = name.lower() if kind == "planet" and name != EARTH else ""
        if planet and planet not in (*EVOLUTIONS, *MISSIONS):
            raise misfit(_BOXES, row, "box", name, "for a planet, that of an Evolution or mission")
        if planet and any(box.planet == planet for box in boxes.values()):
            raise misfit(_BOXES, row, "box", name, "each planet once")
        x, y = [_steps(row, column, cells[column]) for column in ("x", "y")]
        if any((box.x, box.y) == (x, y) for box in boxes.values()):
            raise misfit(_BOXES, row, "x", cells["x"], "a place where no other box lies")
        boxes[name] = Box(name, planet, x, y)
    if EARTH not in boxes or (boxes[EARTH].x, boxes[EARTH].y) != (0, 0):
        raise CardTableError(f"{_BOXES}, column 'box': Earth must be there, at x 0 and y 0.")
    return boxes


def _steps(row: int, column: str, text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,2}", text) or abs(int(text)) > _FARTHEST:
        raise misfit(_BOXES, row, column, text, f"a whole number from -{_FARTHEST} to {_FARTHEST}")
    return int(text)


def _check_reach(sheet: Sheet) -> None:
    reached: list[str] = []
    while more := sheet.open_boxes(reached):
        reached += more
    for box in sheet.boxes:
        if not sheet.is_checked(reached, box):
            raise CardTableError(f"{_LINES}: no line leads from Earth to the box {box!r}.")


#: The sheet beside the code. Its layout is ours.
SHEET: Final = load_sheet(OURS)
