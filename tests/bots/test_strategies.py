"""Strategies: what a bot may see, and how well it plays."""

from __future__ import annotations

from random import Random
from statistics import mean

import pytest

from hutch.bots import STRATEGIES, Sight, Strategy, random_play
from hutch.bots.rabbit_space import NOTHING, Way, greedy, plans
from hutch.engine.kernel import Outcome, deal
from hutch.engine.live import Live
from hutch.engine.refusals import Refusal
from hutch.engine.rules import Rules
from hutch.games import RULESETS

SPACE = RULESETS["rabbit-space"]


def dealt(rules: Rules, seats: int, rng: Random, **options: object) -> Live:
    outcome = deal(rules, seats=seats, options=options, seed=rng.randbytes(32), at_ms=0)
    assert isinstance(outcome, Outcome)
    return outcome.live


def played(live: Live, strategies: list[Strategy], rng: Random) -> Live:
    """The game, played to its end: seat after seat by its strategy."""
    while live.result is None:
        seat = live.awaited()[0]
        number, picks = strategies[seat % len(strategies)](Sight(live, seat), rng)
        fault = live.answer(seat, number, picks)
        assert not isinstance(fault, Refusal), fault.sentence
    return live


def team_score(seats: int, strategy: Strategy, seed: int) -> int:
    print(f"seed {seed}")
    rng = Random(seed)
    live = played(dealt(SPACE, seats, rng), [strategy], rng)
    assert live.result is not None
    assert live.result.team is not None
    return live.result.team


@pytest.mark.parametrize("name", RULESETS)
def test_every_game_has_a_random_strategy_that_finishes_games(name: str) -> None:
    rules = RULESETS[name]
    for seats in rules.seats:
        rng = Random(seats)
        assert (
            played(dealt(rules, seats, rng), [STRATEGIES[name]["random"]], rng).result is not None
        )


def test_random_play_now_and_then_takes_an_offer() -> None:
    rng = Random(1)
    live = dealt(SPACE, 4, rng)
    offer = live.questions(0)[1]

    numbers = [random_play.play(Sight(live, 0), rng)[0] for _ in range(300)]

    assert 0 < numbers.count(offer.number) < 60


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_greedy_scores_far_more_than_random_in_a_team(seats: int) -> None:
    greedy_mean = mean([team_score(seats, greedy, seed) for seed in range(4)])
    random_mean = mean([team_score(seats, random_play.play, seed) for seed in range(4)])

    assert greedy_mean > 20 * seats
    assert greedy_mean > 4 * random_mean


def test_greedy_partners_help_each_other() -> None:
    alone = mean([team_score(1, greedy, seed) for seed in range(8)])
    together = mean([team_score(2, greedy, seed) for seed in range(8)])

    assert together / 2 > alone


def test_greedy_beats_random_rivals() -> None:
    for seed in range(4):
        rng = Random(seed)
        live = dealt(SPACE, 4, rng, competitive=True)

        played(live, [random_play.play, greedy, random_play.play, random_play.play], rng)

        assert live.result is not None
        assert live.result.winners == (1,)


def test_greedy_decides_by_what_its_seat_sees_alone() -> None:
    rng = Random(5)
    live = dealt(SPACE, 3, rng, competitive=True)
    while live.result is None:
        seat = live.awaited()[0]
        move = greedy(Sight(live, seat), Random(0))
        for _ in range(2):
            world = Sight(live, seat).world(rng)
            assert greedy(Sight(world, seat), Random(0)) == move
        live.answer(seat, *move)


def test_the_game_itself_is_out_of_a_strategys_reach() -> None:
    sight = Sight(dealt(SPACE, 2, Random(1)), 0)

    public = [name for name in vars(Sight) | vars(sight) if not name.startswith("_")]

    assert set(public) == {"seat", "rules", "questions", "view", "world"}


def test_a_plan_is_the_best_that_each_amount_buys() -> None:
    small, large = Way(4, 3.0, ("B06",)), Way(6, 4.0, ("B12",))

    best = plans([[small], [large, Way(2, -1.0, ("B12",))]])

    assert best[3] == NOTHING
    assert best[5].picks == ("B06",)
    assert best[9].picks == ("B12",)
    assert best[10].picks == ("B06", "B12")
    assert best[10].worth == 7.0


def test_a_plan_takes_one_way_a_card() -> None:
    certify, both = Way(3, 1.0, ("S1",)), Way(6, 3.0, ("S1", "S1"))

    best = plans([[certify, both]])

    assert best[5].picks == ("S1",)
    assert best[20].picks == ("S1", "S1")
