"""Decisions a second in one process: each game against RLCard's `uno` environment.

Both are played at random the way their own project does it, choosing included. RLCard's own random
agents choose slowly, so its environment stepped with a bare random choice, made as ours is, is
measured beside them. Processor time counts, and in a round all take turns many times, so that a
busy machine meets them alike.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import islice
from random import Random
from statistics import median

import rlcard
from rlcard.agents import RandomAgent

from bench.figures import Figure, Target, ratios
from bench.measuring import Plan
from hutch.engine import kernel
from hutch.engine.commands import Submit
from hutch.engine.live import Live
from hutch.engine.refusals import Refusal
from hutch.engine.rules import Rules
from hutch.engine.sampling import random_picks
from hutch.games import RULESETS

SECTION = "decisions"
_UNO, _BARE_UNO = "uno", "bare uno"
#: In a round each game takes so many turns of so many steps.
_TURNS = 100
_STEPS = 1000
TARGETS = {
    "rabbit-space": Target("more", 2, 5),
    "killer-bunnies": Target("more", 1, 3),
    "tale-of-carrot": Target("more", 2, 5),
}


def measure(plan: Plan) -> list[Figure]:
    """Every game over `uno`, all in turn."""
    played = {name: _decisions(rules) for name, rules in RULESETS.items()}
    played |= {_UNO: _uno_steps(), _BARE_UNO: _bare_uno_steps()}
    turns = plan.many(_TURNS, 5)
    rates: dict[str, list[float]] = {name: [] for name in played}
    for _ in plan.turns("decisions"):
        for name, rate in _rates(played, turns).items():
            rates[name].append(rate)
    uno_rates, bare_rates = rates.pop(_UNO), rates.pop(_BARE_UNO)
    return [
        Figure(
            section=SECTION,
            title=f"{called(name)}, random play ÷ RLCard uno",
            unit="of uno",
            rounds=ratios(found, uno_rates),
            target=TARGETS.get(name),
            detail=f"{median(found):.0f} against {median(uno_rates):.0f} decisions/s",
        )
        for name, found in rates.items()
    ] + [
        Figure(
            section=SECTION,
            title="RLCard uno, chosen for barely ÷ by its agents",
            unit="of uno",
            rounds=ratios(bare_rates, uno_rates),
            detail=f"{median(bare_rates):.0f} against {median(uno_rates):.0f} steps/s",
        )
    ]


def called(ruleset: str) -> str:
    """What a game is called for short."""
    return ruleset.replace("-", " ").title().replace(" Of ", " of ")


def table_size(rules: Rules) -> int:
    """How many play: 4 where the game allows it."""
    return min(4, rules.seats[-1])


def random_answer(live: Live, random: Random) -> Submit:
    """What a seat picked at random answers at random to what it is asked."""
    seat = random.choice(tuple(live.asks))
    return Submit(seat, live.ask_numbers[seat], random_picks(live.asks[seat], random))


def _decisions(rules: Rules) -> Iterator[None]:
    """Decision after decision, game after game, every seat picking at random."""
    random, seats = Random(1), table_size(rules)
    while True:
        outcome = kernel.deal(
            rules, seats=seats, options={}, seed=random.randbytes(32), at_ms=0, keep=False
        )
        assert not isinstance(outcome, Refusal)
        live = outcome.live
        while live.result is None:
            awaited = tuple(live.asks)
            seat = awaited[int(random.random() * len(awaited))]
            picks = random_picks(live.asks[seat], random)
            refusal = live.answer(seat, live.ask_numbers[seat], picks)
            assert refusal is None
            live.forget_events()
            yield


def _uno_steps() -> Iterator[None]:
    """Step after step of RLCard's environment, as its own random agents play it."""
    environment = rlcard.make("uno", {"seed": 1})
    agents = [RandomAgent(environment.num_actions) for _ in range(environment.num_players)]
    while True:
        state, player = environment.reset()
        while not environment.is_over():
            agent = agents[player]
            action, _ = agent.eval_step(state)
            state, player = environment.step(action, agent.use_raw)
            yield


def _bare_uno_steps() -> Iterator[None]:
    """Step after step of RLCard's environment, with nothing but a random choice in between."""
    random = Random(1)
    environment = rlcard.make("uno", {"seed": 1})
    while True:
        state, _ = environment.reset()
        while not environment.is_over():
            actions = tuple(state["legal_actions"])
            state, _ = environment.step(actions[int(random.random() * len(actions))])
            yield


def _rates(played: Mapping[str, Iterator[None]], turns: int) -> dict[str, float]:
    """Steps that each made in a second of processor time, all in turn."""
    seconds = dict.fromkeys(played, 0.0)
    for _ in range(turns):
        for name, steps in played.items():
            began = time.process_time()
            for _ in islice(steps, _STEPS):
                pass
            seconds[name] += time.process_time() - began
    return {name: turns * _STEPS / took for name, took in seconds.items()}
