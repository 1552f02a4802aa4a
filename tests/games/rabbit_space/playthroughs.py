"""The golden games of Rabbit Space."""

from __future__ import annotations

from functools import partial
from typing import Final

from hutch.engine.commands import Leave, Rejoin
from tests.playthroughs.playthrough import Playthrough

rabbit_space = partial(Playthrough, ruleset="rabbit-space")

PLAYTHROUGHS: Final = (
    rabbit_space(
        name="team-of-four",
        title="Four who play together, greedily",
        seats=4,
        seed=4,
        by="greedy",
    ),
    rabbit_space(
        name="three-rivals",
        title="Three rivals: one greedy, two at random",
        seats=3,
        seed=3,
        by=("greedy", "random", "random"),
        options={"competitive": True},
    ),
    rabbit_space(
        name="clock-alone",
        title="Two who never answer: the clock plays the whole game",
        seats=2,
        seed=2,
        by="clock",
        limits_ms={"phase": 60_000},
    ),
    rabbit_space(
        name="away-and-back",
        title="Two in a team, at random; one is away from the fourth to the fortieth step",
        seats=2,
        seed=1,
        by="random",
        meanwhile={4: Leave(1), 40: Rejoin(1)},
    ),
    rabbit_space(
        name="all-evolutions",
        title="Four with every Evolution, and Space Stations",
        seats=4,
        seed=31,
        by="greedy",
        options={
            "evolutions": ["mars", "mercury", "neptune", "saturn", "titan", "uranus", "vesta"],
            "mission": "venus",
        },
    ),
    rabbit_space(
        name="moon",
        title="Three at random, landing on the Moon",
        seats=3,
        seed=17,
        by="random",
        options={"mission": "moon"},
    ),
    rabbit_space(
        name="rivals-under-events",
        title="Two rivals, greedy against random, under Pluto's Events",
        seats=2,
        seed=6,
        by=("greedy", "random"),
        options={"competitive": True, "mission": "pluto", "evolutions": ["vesta"]},
    ),
    rabbit_space(
        name="command-center",
        title="Two in a team, at random, with the Command Center",
        seats=2,
        seed=3,
        by="random",
        options={"mission": "ceres"},
    ),
)
