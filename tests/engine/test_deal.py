"""The deal: what a table can be made of, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from hutch.engine import kernel
from hutch.engine.kernel import Outcome
from hutch.engine.prompts import Prompt
from hutch.engine.refusals import Reason, Refusal
from hutch.engine.rules import Script
from tests.engine import toy
from tests.engine.arranging import choice, dealt, reopened, scripted
from tests.engine.toy import GAME, SEED, Dealt, RoundBegan, Tabled


def deal(**changes: Any) -> Outcome | Refusal:
    """The toy game dealt for two, with these arguments changed."""
    arguments: dict[str, Any] = {"seats": 2, "options": {}, "seed": SEED, "at_ms": 0} | changes
    return kernel.deal(GAME, **arguments)


def refused(**changes: Any) -> Refusal:
    """The refusal of such a deal."""
    outcome = deal(**changes)
    assert isinstance(outcome, Refusal)
    return outcome


def test_a_deal_tells_the_setup_and_all_that_follows_up_to_the_first_question() -> None:
    events = dealt(GAME).events
    assert [type(event) for event in events] == [Dealt, RoundBegan]


def test_a_deal_is_told_once() -> None:
    game = dealt(GAME)
    assert game.live.forget_events() == []
    assert reopened(GAME, game.live).forget_events() == []


@pytest.mark.parametrize("seats", [0, 5, -1])
def test_a_game_for_1_to_4_refuses_other_numbers_of_seats(seats: int) -> None:
    refusal = refused(seats=seats)
    assert refusal.reason is Reason.BAD_SEAT_COUNT
    assert refusal.sentence == f"Toy is for 1 to 4 players, not {seats}."


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"cards": "many"}, "$.cards"),
        ({"shouting": 3}, "$.shouting"),
        ({"colour": "red"}, "colour"),
        (["cards"], "object"),
    ],
)
def test_options_that_do_not_fit_are_refused_and_named(options: Any, names: str) -> None:
    refusal = refused(options=options)
    assert refusal.reason is Reason.BAD_OPTIONS
    assert names in refusal.sentence


def test_options_that_do_not_go_with_the_players_are_refused_by_the_game() -> None:
    refusal = refused(seats=4, options={"cards": 11})
    assert refusal.reason is Reason.BAD_OPTIONS
    assert refusal.sentence == "11 cards are too few for 4 players."


def test_options_are_kept_with_the_record() -> None:
    game = deal(options={"cards": 12})
    assert isinstance(game, Outcome)
    assert reopened(GAME, game.live).table.options == toy.Options(cards=12)


def test_a_limit_for_a_clock_that_the_game_has_not_is_refused() -> None:
    refusal = refused(limits_ms={"decission": 5_000})
    assert refusal.reason is Reason.BAD_OPTIONS
    assert refusal.sentence == "Toy has no clock 'decission'; its clocks are decision, phase."


@pytest.mark.parametrize("limit_ms", [0, -5])
def test_a_clock_needs_time_to_run(limit_ms: int) -> None:
    refusal = refused(limits_ms={"phase": limit_ms})
    assert refusal.reason is Reason.BAD_OPTIONS
    assert "at least 1 millisecond" in refusal.sentence


def test_a_time_bank_without_any_limit_is_refused() -> None:
    refusal = refused(time_bank_ms=60_000)
    assert refusal.reason is Reason.BAD_OPTIONS
    assert "no clock has one" in refusal.sentence


def test_a_time_bank_holds_no_less_than_nothing() -> None:
    refusal = refused(time_bank_ms=-1, limits_ms={"phase": 1_000})
    assert refusal.reason is Reason.BAD_OPTIONS
    assert "0 milliseconds or more" in refusal.sentence


def test_a_seed_has_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 are needed"):
        deal(seed=b"short")


def test_the_same_seed_deals_the_same_game_and_another_another() -> None:
    games = [deal(seed=seed) for seed in (SEED, SEED, b"x" * 32)]
    boards = [game.record.board for game in games if isinstance(game, Outcome)]
    assert boards[0] == boards[1] != boards[2]


def test_a_game_may_be_over_when_it_is_dealt() -> None:
    def play(table: Tabled) -> Script[None]:
        yield from table.checkpoint()

    game = dealt(scripted(play), decision=5)
    assert game.live.result is not None
    assert game.live.next_due_ms() is None


def test_a_script_that_ends_without_a_result_is_at_fault() -> None:
    with pytest.raises(RuntimeError, match="without a result"):
        dealt(toy.rules(play=lambda table: _asks_once(table)))


def _asks_once(table: Tabled) -> Script[Any]:
    if table.board.round:
        yield Prompt({0: choice("go", "on")})
