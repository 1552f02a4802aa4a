"""Games of Tale of Carrot that are told in text."""

from __future__ import annotations

from typing import Final

from hutch.engine.commands import Leave, Rejoin
from tests.playthroughs.playthrough import Playthrough

PLAYTHROUGHS: Final = (
    Playthrough(
        name="six-greedy",
        title="Six who play greedily, to the last one standing",
        ruleset="tale-of-carrot",
        seats=6,
        seed=7,
        by="greedy",
    ),
    Playthrough(
        name="shared-win",
        title="All who are left fall in one attack and share the win",
        ruleset="tale-of-carrot",
        seats=3,
        seed=72,
        by="random",
    ),
    Playthrough(
        name="jester",
        title="The Jester is the second to fall",
        ruleset="tale-of-carrot",
        seats=4,
        seed=261,
        by="random",
    ),
    Playthrough(
        name="many-heroes",
        title="Gondolier, Necromancer, Evoker, Guardian and Pizza Maker at one table",
        ruleset="tale-of-carrot",
        seats=5,
        seed=218,
        by="random",
    ),
    Playthrough(
        name="four-pizzas",
        title="The fourth Pizza is served",
        ruleset="tale-of-carrot",
        seats=6,
        seed=247,
        by="random",
    ),
    Playthrough(
        name="party-and-leavers",
        title="Party timing; one seat is forfeited, another is taken over in time",
        ruleset="tale-of-carrot",
        seats=4,
        seed=3,
        by="random",
        options={"timing": "party", "leaving": "forfeit"},
        meanwhile={9: Leave(1), 20: Leave(2), 22: Rejoin(2)},
    ),
    Playthrough(
        name="clock-alone",
        title="Three who never answer: the clock plays the whole game",
        ruleset="tale-of-carrot",
        seats=3,
        seed=2,
        by="clock",
        limits_ms={"decision": 30_000, "window": 10_000},
    ),
)
