"""Evolutions: the decks and sets that join the game (RS-035 to RS-041)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hutch.games.rabbit_space.board import Evolution, SeatBoard
from hutch.games.rabbit_space.cards import RABBITS, Deck, Kind

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
