"""The greedy strategy: how much better than chance it plays."""

from __future__ import annotations

from random import Random

import pytest

from hutch.bots import STRATEGIES, Sight
from hutch.engine.kernel import Outcome, deal
from hutch.engine.records import Result
from hutch.games.killer_bunnies import RULES

GREEDY = STRATEGIES[RULES.name]["greedy"]
RANDOM = STRATEGIES[RULES.name]["random"]


def played(seats: int, seed: int) -> tuple[int, Result]:
    """A game of one greedy player among random ones: its seat, and the result."""
    rng = Random(seed)
    dealt = deal(RULES, seats=seats, options={}, seed=rng.randbytes(32), at_ms=0)
    assert isinstance(dealt, Outcome)
    live, greedy = dealt.live, seed % seats
    while live.result is None:
        seat = live.awaited()[0]
        number, picks = (GREEDY if seat == greedy else RANDOM)(Sight(live, seat), rng)
        assert live.answer(seat, number, picks) is None
    return greedy, live.result


@pytest.mark.parametrize(("seats", "games", "wins_at_least"), [(2, 12, 9), (4, 12, 7)])
def test_greedy_clearly_beats_random(seats: int, games: int, wins_at_least: int) -> None:
    wins = mine = others = 0
    for seed in range(games):
        seat, result = played(seats, seed)
        wins += seat in result.winners
        mine += result.scores[seat]
        others += sum(result.scores) - result.scores[seat]

    print(
        f"{seats} players, {games} games from seed 0: greedy won {wins} "
        f"(by chance: {games / seats:.0f}), with {mine / games:.1f} Carrots against "
        f"{others / games / (seats - 1):.1f}"
    )
    assert wins >= wins_at_least
    assert mine * (seats - 1) > 2 * others


def test_greedy_bots_finish_games_of_any_size() -> None:
    for seats in RULES.seats:
        rng = Random(seats)
        dealt = deal(RULES, seats=seats, options={}, seed=rng.randbytes(32), at_ms=0)
        assert isinstance(dealt, Outcome)
        live = dealt.live
        while live.result is None:
            seat = live.awaited()[0]
            number, picks = GREEDY(Sight(live, seat), rng)
            assert live.answer(seat, number, picks) is None
