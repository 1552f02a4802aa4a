"""Collaborative missions: what they let players do, and what they score (RS-042 to RS-048)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hutch.engine.prompts import Option, number, word
from hutch.games.rabbit_space.board import NONE, SLOTS, TRACK_END, Board, SeatBoard
from hutch.games.rabbit_space.cards import COLOURS, Colour, Deck

#: The planets, and what the mission's cards do, in our own words.
TEXTS: Final[dict[str, tuple[str, str, str]]] = {
    "ceres": (
        "CC1",
        "Command Center",
        "3 slots: a Level 1 card goes there for its cost in Carrots and produces for everybody.",
    ),
    "jupiter": (
        "WH1",
        "Warehouse",
        "Carrots put here are never spent again; 10, 20 or 30 of them score 5, 10 or 15 points.",
    ),
    "moon": (
        "MO1",
        "Moon",
        "A card in Space moves here for its cost in Carrots and scores 5 points more.",
    ),
    "pluto": (
        "EV1",
        "Event",
        "Each round one is turned up: cards of its colour cost 2 less this round.",
    ),
}

STATIONS: Final = 4
SIDES: Final = ("A", "B")
#: RS-046: what a card on the Moon scores beside its value.
MOON_POINTS: Final = 5
#: RS-045: Carrots in a Warehouse, and what a stock of so many scores, the best first.
STOCKS: Final = ((30, 15), (20, 10), (10, 5))

#: RS-047: the 8 Events, two of each colour.
EVENTS: Final[tuple[Colour, ...]] = COLOURS * 2

#: Jupiter: putting that many Carrots into the Warehouse.
STORE: Final = {
    f"warehouse:{amount}": Option(f"warehouse:{amount}", (word("warehouse"), number(amount)))
    for amount in range(1, TRACK_END + 1)
}

Points = Callable[[Deck, SeatBoard], int]

#: The sides of the Space Stations: what they score, in words and in points (O27).
SIDES_OF: Final[dict[tuple[int, str], tuple[str, Points]]] = {}


def station_ref(station: int) -> str:
    """What the catalogue calls that Space Station."""
    return f"SS{station}"


def is_storing(option: str) -> bool:
    """Whether that reads like an option to put Carrots into the Warehouse."""
    return option.startswith("warehouse:")


def stored(option: str) -> int:
    """How many Carrots that option puts into the Warehouse."""
    return int(option.partition(":")[2])


def doable(deck: Deck, board: Board, own: SeatBoard, costs: list[int]) -> list[Option]:
    """What the mission lets a player pay for in the Carrot phase."""
    carrots = own.carrots
    match board.mission:
        case "ceres" if len(board.command_center) < SLOTS:
            # O23: any kind but a Satellite, which has no Astronaut side.
            return [
                deck.station[card]
                for card in own.level_1
                if costs[card] <= carrots and deck.kinds[card] != "satellite"
            ]
        case "jupiter":
            return list(STORE.values())[:carrots]
        case "moon":
            return [deck.land[card] for card in own.space if costs[card] <= carrots]
    return []


def points(deck: Deck, own: SeatBoard) -> int:
    """What the mission's cards score for a player at the end."""
    total = sum([deck.values[card] + MOON_POINTS for card in own.moon])
    total += next((score for stock, score in STOCKS if own.warehouse >= stock), 0)
    if own.station != NONE and own.side:
        total += SIDES_OF[own.station, own.side][1](deck, own)
    return total


def _side(station: int, side: str, text: str) -> Callable[[Points], Points]:
    def register(score: Points) -> Points:
        SIDES_OF[station, side] = (text, score)
        return score

    return register


def _colours(deck: Deck, own: SeatBoard) -> list[Colour]:
    return [deck.colours[card] for card in own.space]


@_side(1, "A", "2 points for each colour among your cards in Space.")
def _each_colour(deck: Deck, own: SeatBoard) -> int:
    return 2 * len(set(_colours(deck, own)))


@_side(1, "B", "4 points for 4 cards or more in Space.")
def _four_cards(deck: Deck, own: SeatBoard) -> int:
    return 4 if len(own.space) >= 4 else 0


@_side(2, "A", "2 points for each card in Space that costs 7 or more.")
def _dear_cards(deck: Deck, own: SeatBoard) -> int:
    return 2 * sum([deck.costs[card] >= 7 for card in own.space])


@_side(2, "B", "1 point for each card in Space that costs 4 or less.")
def _cheap_cards(deck: Deck, own: SeatBoard) -> int:
    return sum([deck.costs[card] <= 4 for card in own.space])


@_side(3, "A", "3 points for each pair of one colour in Space.")
def _pairs(deck: Deck, own: SeatBoard) -> int:
    colours = _colours(deck, own)
    return 3 * sum([colours.count(colour) // 2 for colour in COLOURS])


@_side(3, "B", "1 point for each card left on Level 2.")
def _on_level_2(deck: Deck, own: SeatBoard) -> int:
    return len(own.level_2)


@_side(4, "A", "6 points for all 4 colours in Space.")
def _all_colours(deck: Deck, own: SeatBoard) -> int:
    return 6 if len(set(_colours(deck, own))) == len(COLOURS) else 0


@_side(4, "B", "1 point for each Helmet icon in front of you, 6 at most.")
def _helmets(deck: Deck, own: SeatBoard) -> int:
    trainees = sum([deck.trainee["helmet"](card) for card in own.training_center + own.level_1])
    return min(6, trainees + sum([deck.astronaut["helmet"](card) for card in own.level_2]))
