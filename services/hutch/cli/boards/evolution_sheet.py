"""The Evolution sheet in a terminal: boxes, the lines between them, and the planets' names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from rich.text import Text

from hutch.v1 import campaign_pb2 as pb

#: Boxes side by side are so many columns apart; above each other they are a line apart.
STEP: Final = 4

_LINE: Final = "grey42"


class _Look(NamedTuple):
    """How plain boxes and planets of one state look, with colours or without."""

    box: str
    planet: str
    style: str
    words: str


_CHECKED: Final = _Look("■", "●", "bold green", "checked")
_OPEN: Final = _Look("◧", "◐", "bold #e8c64a", "can be checked")
_CLOSED: Final = _Look("□", "○", "grey62", "closed")
_LOOKS: Final = {pb.BOX_STATE_CHECKED: _CHECKED, pb.BOX_STATE_OPEN: _OPEN}

Canvas = dict[tuple[int, int], tuple[str, str]]


def sheet(boxes: Iterable[pb.EvolutionBox]) -> Text:
    """The sheet, as wide and high as it needs: each box at its place, planets with their names."""
    by_name = {box.box: box for box in boxes}
    canvas: Canvas = {}
    for box in by_name.values():
        for beside in box.beside:
            _draw_line(canvas, box, by_name[beside])
    for box in by_name.values():
        look = _look(box)
        sign = look.planet if _is_planet(box) else look.box
        canvas[box.y, box.x * STEP] = (sign, look.style)
    for box in by_name.values():
        if _is_planet(box):
            _write_name(canvas, box)
    return _text(canvas)


def legend() -> Text:
    """What the signs mean."""
    text = Text()
    for look in (_CHECKED, _OPEN, _CLOSED):
        text.append(f"{look.box} {look.planet} ", style=look.style)
        text.append(f"{look.words}   ", style=_LINE)
    return text


def _look(box: pb.EvolutionBox) -> _Look:
    return _LOOKS.get(box.state, _CLOSED)


def _is_planet(box: pb.EvolutionBox) -> bool:
    """Whether it unlocks something, or is Earth, where all begins."""
    return bool(box.WhichOneof("unlocks")) or (box.x, box.y) == (0, 0)


def _draw_line(canvas: Canvas, one: pb.EvolutionBox, other: pb.EvolutionBox) -> None:
    """A line between two boxes in a row or a column; others have no room for one."""
    along = all(box.state == pb.BOX_STATE_CHECKED for box in (one, other))
    style = _CHECKED.style if along else _LINE
    if one.y == other.y:
        left, right = sorted((one.x * STEP, other.x * STEP))
        for column in range(left + 1, right):
            canvas[one.y, column] = ("─", style)
    elif one.x == other.x:
        top, bottom = sorted((one.y, other.y))
        for line in range(top + 1, bottom):
            canvas[line, one.x * STEP] = ("│", style)


def _write_name(canvas: Canvas, box: pb.EvolutionBox) -> None:
    """The name where there is room: above or below its box, or beside it on an upright line."""
    column, middle = box.x * STEP, box.x * STEP - len(box.box) // 2
    places = [
        (line, middle + aside) for line in (box.y - 1, box.y + 1) for aside in (0, 1, -1, 2, -2)
    ]
    if (box.y, column - 1) not in canvas:
        places.insert(0, (box.y, column + 2))
    for line, start in places:
        cells = [(line, start + index) for index in range(len(box.box))]
        around = [(line, start - 1), *cells, (line, start + len(box.box))]
        if not any(cell in canvas for cell in around):
            style = _look(box).style
            canvas |= {cell: (letter, style) for cell, letter in zip(cells, box.box, strict=True)}
            return


def _text(canvas: Mapping[tuple[int, int], tuple[str, str]]) -> Text:
    lines = [line for line, _ in canvas]
    columns = [column for _, column in canvas]
    text = Text(no_wrap=True)
    for line in range(min(lines), max(lines) + 1):
        row = Text()
        for column in range(min(columns), max(columns) + 1):
            sign, style = canvas.get((line, column), (" ", ""))
            row.append(sign, style=style)
        row.rstrip()
        text.append_text(row).append("\n")
    text.rstrip()
    return text
