"""What is printed on the cards: one registry, filled by the modules of `cards`.

A card is named by its identification number (1 to 165 in the base game; later decks go on).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from hutch.engine.rules import Script
from hutch.engine.table import Table

Type = Literal[
    "run",
    "roaming_red_run",
    "special",
    "very_special",
    "play_immediately",
    "kaballa_dolla",
    "starter",
    "carrot",
]

#: What a card does: the table, the seat that plays it, the card's number.
Play = Callable[[Table[Any], int, int], Script[None]]
#: Why a seat may not play a card now: a sentence, or "" where it may. Asked with the card's number.
Guard = Callable[[Any, int, int], str]

#: The numbers of each deck's large cards.
DECKS: Final = {"blue": range(1, 111), "yellow": range(111, 166)}


def always(board: Any, seat: int, card: int) -> str:
    """The guard of a card that may always be played."""
    return ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Card:
    """One large card. Fields that its kind does not have keep their defaults."""

    number: int
    name: str
    type: Type
    kind: str
    text: str
    #: The pink box: an own bunny in the circle is needed (KB-044).
    pink: bool = False
    #: KB-046: all pink boxes but the Choose Carrot cards.
    aggressive: bool = False
    play: Play | None = None
    guard: Guard = always
    #: For weapons: the level, how many spaces it reaches, what each space takes off the level.
    level: int = 0
    reach: int = 0
    falloff: int = 0
    #: O-03: may be put on own bunnies as well.
    any_bunny: bool = False
    #: For weapons: the second use of Rooney's Reusables, and what happens where it lands.
    again: Play | None = None
    clovers: int = 0
    cabbage: int = 0
    water: int = 0
    dolla: int = 0
    carrot: int = 0
    colour: str = ""
    breed: str = ""
    #: For market cards: Dolla for a Cabbage Card, a Water Card and a Carrot; none while closed.
    prices: tuple[int, int, int] | None = None
    #: The name that options, views and the catalogue use.
    ref: str
    #: Whether the run cycle can save it (KB-035, KB-039).
    savable: bool


CARDS: Final[dict[int, Card]] = {}

# Cards that other rules speak of by name.
TROJAN: Final = 46
EBOLA: Final = 47
CYBER: Final = 54
HALO: Final = 58
SPATULA: Final = 80
REUSABLES: Final = 81
SUNNY_DAY: Final = 82
STARTER: Final = 102
BUG_OFF: Final = 145
MINILITH: Final = 147
NOAHS_FLOOD: Final = 148
TOP_RUN_ROTATE: Final = 150
SUIT: Final = 151
REVERSAL: Final = 152
DANISHES: Final = (72, 73)
#: KB-155: what the Containment Suit keeps off, Fluorine Gas and Ebola.
STOPPED_BY_SUIT: Final = (44, EBOLA)
#: What the Dolla cards are worth.
DOLLA: Final = {
    **dict.fromkeys((*range(87, 92), *range(155, 158)), 1),
    **dict.fromkeys((*range(92, 98), 158, 159), 2),
    **dict.fromkeys((98, 99, 100, 160), 5),
    **dict.fromkeys((101, 161), 10),
}
#: The Carrot that feeds once (KB-080).
FLO: Final = 4
#: Carrot number -> the number of its large card.
CARROT_CARDS: Final = {
    carrot: 102 + carrot if carrot < 9 else 153 + carrot for carrot in range(1, 13)
}


def print_card(numbers: int | Iterable[int], **facts: Any) -> None:
    """Put a card into the registry, once for each of its copies."""
    for number in (numbers,) if isinstance(numbers, int) else tuple(numbers):
        if number in CARDS:
            raise ValueError(f"card {number} is printed twice")
        CARDS[number] = Card(
            number=number,
            ref=f"{number:04d}",
            savable=facts["type"] in ("special", "very_special"),
            **{"aggressive": facts.get("pink", False), **facts},
        )


def printed(
    name: str, numbers: int | Iterable[int], *, type: Type = "run", text: str, **facts: Any
) -> Callable[[Play], Play]:
    """Declare a card above the script that says what it does."""

    def declare(play: Play) -> Play:
        print_card(numbers, name=name, type=type, text=text, play=play, **facts)
        return play

    return declare
