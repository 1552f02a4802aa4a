"""The printed numbers: Rabbits, Heroes, Adventures, Ability tokens and Support cards, as tables.

The tables lie as CSV files in `data/`. Files of the same columns may stand in for them (more
columns are ignored); a fault is told with its file, row and column.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import StringIO
from typing import Final, TypeVar
from zlib import crc32

T = TypeVar("T")

FILES: Final = (
    "rabbits.csv",
    "heroes.csv",
    "adventures.csv",
    "ability_tokens.csv",
    "support_cards.csv",
)

DANGERS: Final = ("I", "II", "III")
WHITE: Final = "white"
RED: Final = "red"

#: The tokens in the rule book's order, which is also the order of their types (TC-101 to TC-106).
TOKENS: Final = ("damage1", "play_rabbit", "adventure", "heal2", "discard_rabbit", "shield")

HEROES: Final = (
    "assassin",
    "jester",
    "paladin",
    "gunslinger",
    "archer",
    "huntress",
    "necromancer",
    "adventurer",
    "berserker",
    "evoker",
    "guardian",
    "mage",
    "pizza_maker",
    "champion",
    "priestess",
    "gondolier",
    "princess",
    "shaman",
    "thief",
)

#: Heroes with a skull: their Supremes act by themselves at 0 HP (TC-066); no other's can.
SKULLS: Final = ("assassin", "jester", "paladin")

#: The effects of Adventure cards and the amounts that the legend knows (TC-112 to TC-118).
EFFECTS: Final[Mapping[str, tuple[int, ...]]] = {
    "HEAL_SELF": (1, 2),
    "LOSE_SELF": (1, 2),
    "PLAY_RABBIT": (1,),
    "DISCARD_OWN": (2,),
    "HEAL_CHOSEN": (2,),
    "DISCARD_ANY": (1,),
    "DAMAGE_CHOSEN": (1, 2),
}

GOLEMIGLIO: Final = "golemiglio"
CHAMPION: Final = "champion"
PIZZA: Final = "pizza"
SUPPORT: Final = (GOLEMIGLIO, CHAMPION, PIZZA, "holy_grail", "knights_cloak", "thiefs_bag")

#: Names that no Rabbit and no Adventure may bear: views and the catalogue tell cards by them.
TAKEN: Final = frozenset({*TOKENS, *HEROES, *SUPPORT})


class TableError(ValueError):
    """A table that cannot be used: the file, the row (the heading is row 1), the column and why."""


@dataclass(frozen=True, slots=True)
class Attacker:
    """A card that attacks from a Zone. Numbers below 0 heal; the Champion has no danger level."""

    ref: str
    name: str
    danger: str
    left: int
    own: int
    right: int


@dataclass(frozen=True, slots=True)
class HeroRow:
    """The numbers of a Hero: the most HP to declare with, and its three icons."""

    ref: str
    name: str
    hp_to_declare: int
    once: bool
    icons: tuple[str, ...]
    first_game: bool
    #: The types of its icons, and those of them with a red border.
    kinds: tuple[str, ...]
    red_kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AdventureRow:
    """An Adventure card: its effects with their amounts, top to bottom."""

    ref: str
    name: str
    effects: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """All numbers a game is played with."""

    rabbits: Mapping[str, Attacker]
    heroes: Mapping[str, HeroRow]
    adventures: Mapping[str, AdventureRow]
    #: What attacks from a Zone: the Rabbits, the Golemiglio and the Champion card.
    attackers: Mapping[str, Attacker]
    borders: Mapping[str, str]
    supply: Mapping[str, int]
    support: Mapping[str, int]
    support_names: Mapping[str, str]
    #: Tells sets of tables apart: CRC-32 of their texts.
    digest: int


def printed() -> Tables:
    """The tables that come with the game."""
    return load(files(__package__) / "data")


def load(folder: Traversable) -> Tables:
    """The tables in that folder. Raises `TableError` at the first fault."""
    return read({name: _text(folder, name) for name in FILES if (folder / name).is_file()})


def _text(folder: Traversable, name: str) -> str:
    try:
        # Spreadsheets put a mark before the heading that is no part of it.
        return (folder / name).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TableError(f"{name}: it is not UTF-8 text.") from None


def read(texts: Mapping[str, str]) -> Tables:
    """The tables in those CSV texts, by file name. Raises `TableError` at the first fault."""
    for name in FILES:
        if name not in texts:
            raise TableError(f"{name}: there is no such file in the folder of tables.")
    rabbits = _by_ref(texts, "rabbits.csv", _rabbit)
    support_rows = _by_ref(texts, "support_cards.csv", _support, known=SUPPORT)
    tokens = _by_ref(texts, "ability_tokens.csv", _token, key="code", known=TOKENS)
    borders = {ref: tokens[ref][0] for ref in TOKENS}
    support = {ref: count for ref, (count, _, _) in support_rows.items()}
    fighting = {ref: card for ref, (_, _, card) in support_rows.items() if card is not None}
    return Tables(
        rabbits=rabbits,
        heroes=_by_ref(texts, "heroes.csv", partial(_hero, borders), known=HEROES),
        adventures=_by_ref(texts, "adventures.csv", partial(_adventure, TAKEN | rabbits.keys())),
        attackers={**rabbits, **fighting},
        borders=borders,
        supply={ref: tokens[ref][1] for ref in TOKENS},
        support=support,
        support_names={ref: name for ref, (_, name, _) in support_rows.items()},
        digest=crc32("\0".join([texts[name] for name in FILES]).encode()),
    )


class _Row:
    """A row being read: knows where it stands, for faults."""

    def __init__(self, file: str, number: int, cells: dict[str, str]) -> None:
        self.file, self.number, self.cells = file, number, cells

    def fault(self, column: str, why: str) -> TableError:
        return TableError(f"{self.file}, row {self.number}, column {column!r}: {why}.")

    def text(self, column: str) -> str:
        cell = self.cells.get(column)
        if cell is None:
            raise self.fault(column, "the column is missing")
        if not cell.strip():
            raise self.fault(column, "the cell is empty")
        return cell.strip()

    def whole(self, column: str, least: int, most: int) -> int:
        cell = self.text(column)
        try:
            value = int(cell)
        except ValueError:
            raise self.fault(column, f"{cell!r} is no whole number") from None
        if not least <= value <= most:
            raise self.fault(column, f"{value} is not within {least} to {most}")
        return value

    def word(self, column: str, known: tuple[str, ...]) -> str:
        cell = self.text(column)
        if cell not in known:
            raise self.fault(column, f"{cell!r} is none of {', '.join(known)}")
        return cell


def _rows(file: str, text: str) -> Iterator[_Row]:
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    try:
        heading = next(reader, [])
        for column in heading:
            if heading.count(column) > 1:
                raise TableError(f"{file}, row 1, column {column!r}: it stands here twice.")
        for cells in reader:
            if not any(cells):
                continue  # as spreadsheets leave them below a table
            if len(cells) != len(heading):
                raise TableError(
                    f"{file}, row {reader.line_num}: it has {len(cells)} cells; the heading has "
                    f"{len(heading)}."
                )
            yield _Row(file, reader.line_num, dict(zip(heading, cells, strict=True)))
    except csv.Error as fault:
        raise TableError(f"{file}, row {reader.line_num}: {fault}.") from None


def _by_ref(
    texts: Mapping[str, str],
    file: str,
    make: Callable[[_Row], T],
    *,
    key: str = "id",
    known: tuple[str, ...] | None = None,
) -> dict[str, T]:
    found: dict[str, T] = {}
    for row in _rows(file, texts[file]):
        ref = row.word(key, known) if known is not None else row.text(key)
        if ref in found:
            raise row.fault(key, f"{ref!r} stands here twice")
        found[ref] = make(row)
    for ref in known or ():
        if ref not in found:
            raise TableError(f"{file}, column {key!r}: the row of {ref!r} is missing.")
    if not found:
        raise TableError(f"{file}: the table is empty.")
    return found


def _attacker(row: _Row, danger: str) -> Attacker:
    left, own, right = (row.whole(column, -9, 9) for column in ("left", "self", "right"))
    return Attacker(row.text("id"), row.text("name"), danger, left, own, right)


def _rabbit(row: _Row) -> Attacker:
    _is_no_other(row, TAKEN)
    return _attacker(row, row.word("danger", DANGERS))


def _is_no_other(row: _Row, taken: Container[str]) -> None:
    """A Rabbit or an Adventure must not pass for another of the cards it is played with."""
    if row.text("id") in taken:
        raise row.fault("id", f"{row.text('id')!r} is the name of another card")


def _support(row: _Row) -> tuple[int, str, Attacker | None]:
    ref = row.text("id")
    attacker = None
    if ref == GOLEMIGLIO:
        attacker = _attacker(row, row.word("danger", DANGERS))
    elif ref == CHAMPION:
        attacker = _attacker(row, "")
    return row.whole("count", 0, 99), row.text("name"), attacker


def _token(row: _Row) -> tuple[str, int]:
    return row.word("border", (WHITE, RED)), row.whole("count", 0, 99)


def _hero(borders: Mapping[str, str], row: _Row) -> HeroRow:
    ref = row.text("id")
    icons = tuple([row.word(column, TOKENS) for column in ("icon1", "icon2", "icon3")])
    kinds = tuple(dict.fromkeys(icons))
    least, most = (0, 0) if ref in SKULLS else (1, 10)
    return HeroRow(
        ref=ref,
        name=row.text("name"),
        hp_to_declare=row.whole("hp_to_declare", least, most),
        once=row.word("supreme_use", ("once", "continuous")) == "once",
        icons=icons,
        first_game=row.whole("first_game", 0, 1) == 1,
        kinds=kinds,
        red_kinds=tuple([token for token in kinds if borders[token] == RED]),
    )


def _adventure(taken: Container[str], row: _Row) -> AdventureRow:
    _is_no_other(row, taken)
    column = "effects_top_to_bottom"
    effects: list[tuple[str, int]] = []
    for part in row.text(column).split("|"):
        code, _, amount = part.strip().partition(":")
        if code not in EFFECTS:
            raise row.fault(column, f"{code!r} is none of {', '.join(EFFECTS)}")
        if amount not in [str(allowed) for allowed in EFFECTS[code]]:
            raise row.fault(column, f"{part!r}: the legend has no such amount")
        effects.append((code, int(amount)))
    return AdventureRow(row.text("id"), row.text("name"), tuple(effects))
