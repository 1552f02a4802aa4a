"""The cards: what is printed on each, read from tables that an owner of the game can replace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources.abc import Traversable
from typing import Final, Literal, cast, get_args
from zlib import crc32

from msgspec import Struct
from msgspec.msgpack import encode

from hutch.engine.prompts import Option, Pick, card, place, word
from hutch.games.rabbit_space.tables import (
    OURS,
    CardTableError,
    Column,
    matching,
    misfit,
    number,
    one_of,
    only,
    rows,
)

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


#: RS-043 to RS-048: what the catalogue calls the missions' cards. They are in no table.
MISSION_REFS: Final = ("CC1", "WH1", "MO1", "EV1", "SS1", "SS2", "SS3", "SS4")


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
    taken = dict.fromkeys(MISSION_REFS, "a card of the missions")
    for name, wanted in (TABLES | EVOLUTION_TABLES).items():
        ours = name in EVOLUTION_TABLES and not folder.joinpath(name).is_file()
        listed: dict[Kind, int] = dict.fromkeys(wanted, 0)
        for row, cells in rows(OURS if ours else folder, name, tuple(COLUMNS), NOTES):
            one = _card(name, row, cells)
            if one.ref in taken:
                raise CardTableError(
                    f"{name}, row {row}, column 'id': {one.ref!r} is taken by {taken[one.ref]}."
                )
            taken[one.ref] = f"{name}, row {row}"
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


# Reading a card

#: The columns of a table and what each may hold.
COLUMNS: Final[Mapping[str, Column]] = {
    "id": matching(r"[A-Z]{1,3}[0-9]{1,3}", "1 to 3 capitals and 1 to 3 digits, such as B07"),
    "kind": one_of(*get_args(Kind)),
    "name": matching(r"\S.{0,38}\S", "2 to 40 characters"),
    "cost": number(1, 20),
    "color": one_of(*COLOURS),
    "t_helmet": number(0, 9),
    "t_carrot": number(0, 9),
    "t_gold": number(0, 9),
    "a_helmet": number(0, 9),
    "a_carrot": number(0, 9),
    "a_gold": number(0, 9),
    "bonus_resource": one_of("", *RESOURCES),
    "bonus_amount": number(0, 9),
    "value": number(0, 99),
}

#: Columns for the reader of a table, which the game does not read.
NOTES: Final = ("special", "confidence")

_NO_ASTRONAUT: Final = dict.fromkeys(("a_helmet", "a_carrot", "a_gold"), only(0))
#: What is otherwise with cards of a kind.
_OF_KIND: Final[Mapping[str, Mapping[str, Column]]] = {
    "start": {"cost": only(*STARTING_COSTS)},
    "satellite": _NO_ASTRONAUT,  # RS-041
    # O19: a Mission is never in front and never moves.
    "mission": {"cost": only(0), "bonus_resource": one_of(""), **_NO_ASTRONAUT, "value": only(0)},
}


def _card(name: str, row: int, cells: Mapping[str, str]) -> Card:
    kinds = one_of(*(TABLES | EVOLUTION_TABLES)[name])
    columns = {**COLUMNS, **_OF_KIND.get(cells["kind"], {}), "kind": kinds}
    read: dict[str, object] = {}
    for column, text in cells.items():
        allowed, parse = columns[column]
        try:
            read[column] = parse(text)
        except ValueError:
            raise misfit(name, row, column, text, allowed) from None
    number_of = cast("dict[str, int]", read)
    word_of = cast("dict[str, str]", read)
    bonus, amount = None, number_of["bonus_amount"]
    if word_of["bonus_resource"]:
        if not amount:
            allowed = "1 to 9 where 'bonus_resource' is set"
            raise misfit(name, row, "bonus_amount", "0", allowed)
        bonus = Bonus(cast("Resource", read["bonus_resource"]), amount)
    elif amount:
        allowed = "0 where 'bonus_resource' is empty"
        raise misfit(name, row, "bonus_amount", str(amount), allowed)
    return Card(
        ref=word_of["id"],
        kind=cast("Kind", read["kind"]),
        name=word_of["name"],
        cost=number_of["cost"],
        colour=cast("Colour", read["color"]),
        trainee=Icons(number_of["t_carrot"], number_of["t_gold"], number_of["t_helmet"]),
        astronaut=Icons(number_of["a_carrot"], number_of["a_gold"], number_of["a_helmet"]),
        bonus=bonus,
        value=number_of["value"],
    )


#: The tables beside the code. Their values are ours; only the costs 3 and 7 are the publisher's.
HOUSE: Final = load(OURS)
