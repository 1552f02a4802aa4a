"""The golden games of Killer Bunnies."""

from __future__ import annotations

from functools import partial
from typing import Final

from hutch.engine.commands import Leave, Rejoin
from tests.playthroughs.playthrough import Playthrough

killer_bunnies = partial(Playthrough, ruleset="killer-bunnies")

PLAYTHROUGHS: Final = (
    killer_bunnies(
        name="four-greedy",
        title="Four who want Carrots",
        seats=4,
        seed=3,
        by="greedy",
    ),
    killer_bunnies(
        name="greedy-against-chance",
        title="One who wants Carrots against one who plays at random",
        seats=2,
        seed=5,
        by=("greedy", "random"),
        options={"trade_chains": 1},
    ),
    killer_bunnies(
        name="eight-players",
        title="Eight at a table",
        seats=8,
        seed=8,
        by="greedy",
    ),
    killer_bunnies(
        name="clock-alone",
        title="Two who never answer: the clock plays the whole game",
        seats=2,
        seed=2,
        by="clock",
        limits_ms={"turn": 60_000, "reaction": 10_000, "decision": 30_000},
    ),
    killer_bunnies(
        name="late-and-early",
        title="A free seat is taken late, and a player leaves early",
        seats=3,
        seed=4,
        by="greedy",
        options={"free_seats": [2], "first_seat": 1},
        meanwhile={12: Rejoin(2), 90: Leave(0)},
    ),
    killer_bunnies(
        name="short-game-at-random",
        title="A shorter game with the Blue Starter alone, at random",
        seats=3,
        seed=7,
        by="random",
        options={"decks": ["blue"], "starting_carrots": 2, "trade_chains": 1},
    ),
)
