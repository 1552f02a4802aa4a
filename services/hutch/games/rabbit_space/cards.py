"""The cards: what is printed on each, read from tables that an owner of the game can replace."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, Literal, cast, get_args
from zlib import crc32

from msgspec import Struct
from msgspec.msgpack import encode

from hutch.engine.prompts import Option, Pick, card, place, word

Resource = Literal["carrot", "gold", "helmet"]
Colour = Literal["orange", "yellow", "blue", "green"]
Kind = Literal[
    "rabbit",
    "start",
    "robot",
    "rocket",
    "scientist",
    "satellite",
    "billionaire",
    "mission",
    "experiment",
]

RESOURCES: Final[tuple[Resource, ...]] = ("carrot", "gold", "helmet")

COLOURS: Final[tuple[Colour, ...]] = ("orange", "yellow", "blue", "green")

#: The tables, and how many cards of each kind they list (RS-001, RS-002).
TABLES: Final[dict[str, dict[Kind, int]]] = {
    "rabbit_cards.csv": {"rabbit": 80},
    "starting_cards.csv": {"start": 8},
}
#: The tables of Evolutions (RS-035 to RS-041). A folder without them is played with ours.
EVOLUTION_TABLES: Final[dict[str, dict[Kind, int]]] = {
    "evolution_decks.csv": {"robot": 8, "rocket": 8, "scientist": 8, "satellite": 8},
    "four_card_sets.csv": {"billionaire": 4, "mission": 4, "experiment": 4},
}

#: O17: what a Robot may promote.
RABBITS: Final[frozenset[Kind]] = frozenset({"rabbit", "start", "billionaire", "experiment"})

#: RS-047: how much less a card costs in the round of its colour.
DISCOUNT: Final = 2

#: RS-007: every player starts with a card of each of these costs, and there are four of each.
STARTING_COSTS: Final = (3, 7)
STARTING_CARDS_OF_A_COST: Final = 4


_OURS: Final = files("hutch.games.rabbit_space") / "data"


class CardTableError(ValueError):
    """A card table that cannot be used: which file, row and column, and what is allowed there."""


class Icons(Struct, frozen=True):
    """The icons on one side of a card."""

    carrot: int
    gold: int
    helmet: int


class Bonus(Struct, frozen=True):
    """What a card gives beside its icons while another card of its colour is in front (RS-017)."""

    resource: Resource
    amount: int


class Card(Struct, frozen=True):
    """What is printed on a card (RS-005). `value` is what it scores in Space (O01)."""

    ref: str
    kind: Kind
    name: str
    cost: int
    colour: Colour
    trainee: Icons
    astronaut: Icons
    bonus: Bonus | None
    value: int


class Deck:
    """All cards of the game. On the board a card is its index in `cards`.

    What is asked of a card at every move stands beside, by the same index: `trainee` and
    `astronaut` give a card's icons of a resource, `bonuses` are the cards with a bonus in it.
    """

    def __init__(self, cards: tuple[Card, ...]) -> None:
        self.cards = cards
        self.index = {one.ref: index for index, one in enumerate(cards)}
        self.refs = [one.ref for one in cards]
        self.costs = [one.cost for one in cards]
        self.values = [one.value for one in cards]
        self.colours = [one.colour for one in cards]
        self.kinds = [one.kind for one in cards]
        self._of_kind: dict[Kind, list[int]] = {
            kind: [index for index, one in enumerate(cards) if one.kind == kind]
            for kind in get_args(Kind)
        }
        self._starting = {
            cost: [index for index in self._of_kind["start"] if cards[index].cost == cost]
            for cost in STARTING_COSTS
        }
        self.discounted: dict[str, list[int]] = {
            colour: [
                max(0, one.cost - DISCOUNT) if one.colour == colour else one.cost for one in cards
            ]
            for colour in COLOURS
        }
        self.trainee: dict[Resource, Callable[[int], int]] = {
            resource: [getattr(one.trainee, resource) for one in cards].__getitem__
            for resource in RESOURCES
        }
        self.astronaut: dict[Resource, Callable[[int], int]] = {
            resource: [getattr(one.astronaut, resource) for one in cards].__getitem__
            for resource in RESOURCES
        }
        self.bonus = [0 if one.bonus is None else one.bonus.amount for one in cards]
        self.bonuses: dict[Resource, frozenset[int]] = {
            resource: frozenset(
                [
                    index
                    for index, one in enumerate(cards)
                    if one.bonus is not None and one.bonus.resource == resource
                ]
            )
            for resource in RESOURCES
        }
        # Options and picks are the same in every question: made once.
        self.picks = [Pick(ref) for ref in self.refs]
        self.place = [Option(ref, (card(ref), place("training-center"))) for ref in self.refs]
        self.promote = [_act(ref, "promote", "level-1") for ref in self.refs]
        self.certify = [_act(ref, "certify", "level-2") for ref in self.refs]
        self.send = [_act(ref, "send", "space") for ref in self.refs]
        self.station = [_act(ref, "station", "command-center") for ref in self.refs]
        self.land = [_act(ref, "land", "moon") for ref in self.refs]

    @property
    def digest(self) -> int:
        """A number that tells this deck from one with other values."""
        return crc32(encode(self.cards))

    @property
    def rabbits(self) -> list[int]:
        """The rabbit cards, in the order of their table."""
        return self.of_kind("rabbit")

    def of_kind(self, kind: Kind) -> list[int]:
        """The cards of that kind, in the order of their table."""
        return self._of_kind[kind]

    def starting_at(self, cost: int) -> list[int]:
        """The starting cards of that cost, in the order of their table."""
        return self._starting[cost]


def load(folder: Traversable) -> Deck:
    """The deck of the tables in that folder. Raises `CardTableError` for the first thing wrong."""
    cards: list[Card] = []
    rows: dict[str, str] = {}
    for name, wanted in (TABLES | EVOLUTION_TABLES).items():
        ours = name in EVOLUTION_TABLES and not folder.joinpath(name).is_file()
        listed: dict[Kind, int] = dict.fromkeys(wanted, 0)
        for row, one in _read(_OURS if ours else folder, name, _columns(name)):
            where = f"{name}, row {row}"
            if one.kind not in wanted:
                raise _fault(where, "kind", one.kind, " or ".join([repr(kind) for kind in wanted]))
            if one.ref in rows:
                raise CardTableError(
                    f"{where}, column 'id': {one.ref!r} is taken by {rows[one.ref]}."
                )
            rows[one.ref] = where
            cards.append(one)
            listed[one.kind] += 1
        for kind, needed in wanted.items():
            if listed[kind] != needed:
                what = "cards" if len(wanted) == 1 else f"{kind} cards"
                raise CardTableError(
                    f"{name}: it lists {listed[kind]} {what}; {needed} are needed."
                )
    for cost in STARTING_COSTS:
        found = sum([one.kind == "start" and one.cost == cost for one in cards])
        if found != STARTING_CARDS_OF_A_COST:
            raise CardTableError(
                f"starting_cards.csv, column 'cost': {found} cards cost {cost}; "
                f"{STARTING_CARDS_OF_A_COST} are needed (the others cost "
                f"{' or '.join([str(other) for other in STARTING_COSTS if other != cost])})."
            )
    return Deck(tuple(cards))


def _act(ref: str, doing: str, to: str) -> Option:
    return Option(ref, (word(doing), card(ref), place(to)))


# Reading a table

_Cell = Callable[[str], object]


def _number(least: int, most: int) -> tuple[str, _Cell]:
    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,3}", text) or not least <= int(text) <= most:
            raise ValueError
        return int(text)

    return f"a whole number from {least} to {most}", read


def _one_of(*words: str) -> tuple[str, _Cell]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return " or ".join([repr(one) for one in words]), read


def _matching(pattern: str, allowed: str) -> tuple[str, _Cell]:
    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError
        return text

    return allowed, read


#: Each column of a table: what it may hold, in words, and how a cell is read.
COLUMNS: Final[dict[str, tuple[str, _Cell]]] = {
    "id": _matching(r"[A-Z]{1,3}[0-9]{1,3}", "1 to 3 capitals and 1 to 3 digits, such as B07"),
    "kind": _one_of("rabbit", "start"),
    "name": _matching(r"\S.{0,38}\S", "2 to 40 characters"),
    "cost": _number(1, 20),
    "color": _one_of("orange", "yellow", "blue", "green"),
    "t_helmet": _number(0, 9),
    "t_carrot": _number(0, 9),
    "t_gold": _number(0, 9),
    "a_helmet": _number(0, 9),
    "a_carrot": _number(0, 9),
    "a_gold": _number(0, 9),
    "bonus_resource": _one_of("", "carrot", "gold", "helmet"),
    "bonus_amount": _number(0, 9),
    "value": _number(0, 99),
}

#: Columns for the reader of a table, which the game does not read.
NOTES: Final = ("special", "confidence")


_Columns = Mapping[str, tuple[str, _Cell]]


def _columns(name: str) -> _Columns:
    """The columns of a table. Evolutions have kinds of their own, and a Mission costs nothing."""
    if name in TABLES:
        return COLUMNS
    kinds = EVOLUTION_TABLES[name]
    cost = _number(0, 20) if "mission" in kinds else COLUMNS["cost"]
    return {**COLUMNS, "kind": _one_of(*kinds), "cost": cost}


def _read(folder: Traversable, name: str, columns: _Columns) -> Iterator[tuple[int, Card]]:
    """The cards of one table, each with its row in the file (the header is row 1)."""
    try:
        text = folder.joinpath(name).read_text("utf-8")
    except FileNotFoundError:
        raise CardTableError(
            f"{name}: there is no such file in the folder of card tables."
        ) from None
    except UnicodeDecodeError:
        raise CardTableError(f"{name}: it is not UTF-8 text.") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        _check_header(name, header)
        for cells in reader:
            if cells:
                yield (
                    reader.line_num,
                    _card(f"{name}, row {reader.line_num}", header, cells, columns),
                )
    except csv.Error as fault:
        raise CardTableError(f"{name}, row {reader.line_num}: {fault}.") from None


def _check_header(name: str, header: list[str]) -> None:
    columns = ", ".join(COLUMNS)
    for column in COLUMNS:
        if header.count(column) != 1:
            raise CardTableError(
                f"{name}, row 1, column {column!r}: it is there {header.count(column)} times; "
                f"each of these is needed once: {columns}."
            )
    for column in header:
        if column not in COLUMNS and column not in NOTES:
            raise CardTableError(
                f"{name}, row 1, column {column!r}: it is unknown; the columns are {columns}, "
                f"and for notes {' and '.join(NOTES)}."
            )


def _card(where: str, header: list[str], cells: list[str], columns: _Columns) -> Card:
    if len(cells) != len(header):
        raise CardTableError(f"{where}: it has {len(cells)} cells; the header has {len(header)}.")
    read: dict[str, object] = {}
    for column, text in zip(header, cells, strict=True):
        if column in NOTES:
            continue
        allowed, parse = columns[column]
        try:
            read[column] = parse(text.strip())
        except ValueError:
            raise _fault(where, column, text, allowed) from None
    number = cast("dict[str, int]", read)
    word_of = cast("dict[str, str]", read)
    bonus = None
    if word_of["bonus_resource"]:
        if not number["bonus_amount"]:
            raise _fault(where, "bonus_amount", "0", "1 to 9 where 'bonus_resource' is set")
        bonus = Bonus(cast("Resource", read["bonus_resource"]), number["bonus_amount"])
    elif number["bonus_amount"]:
        allowed = "0 where 'bonus_resource' is empty"
        raise _fault(where, "bonus_amount", str(number["bonus_amount"]), allowed)
    return Card(
        ref=word_of["id"],
        kind=cast("Kind", read["kind"]),
        name=word_of["name"],
        cost=number["cost"],
        colour=cast("Colour", read["color"]),
        trainee=Icons(number["t_carrot"], number["t_gold"], number["t_helmet"]),
        astronaut=Icons(number["a_carrot"], number["a_gold"], number["a_helmet"]),
        bonus=bonus,
        value=number["value"],
    )


def _fault(where: str, column: str, text: str, allowed: str) -> CardTableError:
    return CardTableError(f"{where}, column {column!r}: {text!r} does not fit; allowed: {allowed}.")


#: The tables beside the code. Their values are ours; only the costs 3 and 7 are the publisher's.
HOUSE: Final = load(_OURS)
