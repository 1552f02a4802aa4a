"""Trust: what a strategy must have done before it thinks in the worker, and how that is lost."""

from __future__ import annotations

from hutch.workers.trust import Trust

GREEDY = ("rabbit-space", "greedy")


def test_trust_is_earned_by_answers_in_a_row() -> None:
    trust = Trust(3)
    for _ in range(2):
        trust.answered(GREEDY)
        assert not trust.is_earned(GREEDY)
    trust.answered(GREEDY)
    assert trust.is_earned(GREEDY)


def test_a_failure_takes_all_of_it_and_is_held_against_the_strategy_until_it_answers() -> None:
    trust = Trust(2)
    for _ in range(9):
        trust.answered(GREEDY)
    trust.failed(GREEDY)
    assert not trust.is_earned(GREEDY)
    assert trust.is_lost(GREEDY)
    trust.answered(GREEDY)
    assert not trust.is_lost(GREEDY)
    assert not trust.is_earned(GREEDY)


def test_strategies_of_one_name_earn_trust_each_for_itself() -> None:
    trust = Trust(1)
    trust.answered(GREEDY)
    assert not trust.is_earned(("tale-of-carrot", "greedy"))


def test_without_a_probation_everybody_is_trusted_until_a_failure() -> None:
    trust = Trust(0)
    assert trust.is_earned(GREEDY)
    trust.failed(GREEDY)
    assert trust.is_lost(GREEDY)
