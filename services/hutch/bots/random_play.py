"""Random play: any game, any question, a legal answer."""

from __future__ import annotations

from random import Random
from typing import Final

from hutch.bots.strategy import Move, Sight
from hutch.engine.sampling import random_picks

#: How often an offer is taken while an ask is open too. Rarely: what is only offered need not
#: bring the game on.
OFFER_CHANCE: Final = 0.05


def play(sight: Sight, rng: Random) -> Move:
    """An answer at random: to the seat's ask, and now and then to its offer instead."""
    questions = sight.questions
    chosen = questions[0]
    if len(questions) > 1 and rng.random() < OFFER_CHANCE:
        chosen = questions[1]
    return chosen.number, random_picks(chosen.ask, rng)
