"""Bots: strategies for every game, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hutch.bots import killer_bunnies, rabbit_space, random_play, tale_of_carrot
from hutch.bots.strategy import Move, Sight, Strategy
from hutch.games import RULESETS

__all__ = ["STRATEGIES", "Move", "Sight", "Strategy"]

#: What each game has beyond random play. Adding a strategy is adding its line.
_OWN: Final[Mapping[str, Mapping[str, Strategy]]] = {
    "killer-bunnies": {"greedy": killer_bunnies.greedy},
    "rabbit-space": {"greedy": rabbit_space.greedy},
    "tale-of-carrot": {"greedy": tale_of_carrot.greedy},
}

#: Strategies by the name of the game, then by their own.
STRATEGIES: Final[Mapping[str, Mapping[str, Strategy]]] = {
    name: {"random": random_play.play, **_OWN.get(name, {})} for name in RULESETS
}
