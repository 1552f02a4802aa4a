"""Sampling and legality agree on every question that can be put."""

from __future__ import annotations

from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from hutch.engine.legality import fault_in
from hutch.engine.prompts import Ask, Option, Pick
from hutch.engine.sampling import random_picks
from tests.properties.play import is_answerable

OPTIONS = st.lists(st.integers(1, 3), max_size=5).map(
    lambda counts: tuple([Option(f"option-{at}", most=most) for at, most in enumerate(counts)])
)
ASKS = st.builds(
    lambda options, least, more: Ask("any", options, least=least, most=least + more),
    OPTIONS,
    st.integers(0, 4),
    st.integers(0, 4),
)


@given(ASKS, st.integers())
def test_a_random_answer_is_legal(ask: Ask, seed: int) -> None:
    assume(is_answerable(ask))
    assert fault_in(ask, random_picks(ask, Random(seed))) is None


@given(ASKS)
def test_every_option_may_be_picked_at_random_and_every_number_of_picks(ask: Ask) -> None:
    assume(is_answerable(ask))
    rng = Random(1)
    answers = [random_picks(ask, rng) for _ in range(400)]
    if ask.most:
        picked = {pick.option for answer in answers for pick in answer}
        assert picked == {option.id for option in ask.options}
    numbers = {sum([pick.count for pick in answer]) for answer in answers}
    most = min(ask.most, sum([option.most for option in ask.options]))
    assert numbers == set(range(ask.least, most + 1))


@given(
    ASKS,
    st.lists(
        st.builds(Pick, st.sampled_from([f"option-{at}" for at in range(6)]), st.integers(-1, 4)),
        max_size=4,
    ),
)
def test_legality_is_what_the_question_says(ask: Ask, picks: list[Pick]) -> None:
    """Told once more, without regard to reasons or speed."""
    most = {option.id: option.most for option in ask.options}
    legal = (
        all(pick.option in most and 1 <= pick.count <= most[pick.option] for pick in picks)
        and len({pick.option for pick in picks}) == len(picks)
        and ask.least <= sum([pick.count for pick in picks]) <= ask.most
    )
    assert (fault_in(ask, tuple(picks)) is None) == legal
