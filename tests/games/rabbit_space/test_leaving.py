"""Players who leave, and who come back (house ruling O31)."""

from __future__ import annotations

import pytest

from hutch.engine.commands import Leave
from hutch.engine.kernel import Outcome
from hutch.games.rabbit_space.board import Step
from hutch.games.rabbit_space.events import PlayerLeft, PlayerReturned
from tests.games.rabbit_space.arranging import Seat, at, dealt, refs


def test_nobody_waits_for_a_player_who_left() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01 B02 B03"), Seat(hand="B11", level_1="S5"))

    game.leave(0)
    assert game.told(PlayerLeft) == [PlayerLeft(0)]
    assert game.awaited == (1,)
    assert game.view(1).seats[0].left
    game.answer(1, "B11")

    assert refs(game.seat(0).training_center) == "B01 B02"  # what the clock would have played
    assert refs(game.board.discard) == "B03"


def test_what_the_player_laid_out_before_leaving_counts() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01 B02 B03"), Seat(hand="B11", level_1="S5"))

    game.offer(0, "B03").leave(0).answer(1)

    assert refs(game.seat(0).training_center) == "B03 B01"


@pytest.mark.rule("RS-018")
def test_a_gift_laid_out_before_leaving_is_handed_over() -> None:
    receiver = Seat(carrots=1, training_center="B01")
    game = at(Step.GIVE_CARROTS, Seat(carrots=4), receiver).offer(0, "1:2")

    game.leave(0).answer(1)

    assert game.seat(1).carrots == 3


def test_a_sealed_choice_of_one_who_left_stands() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01 B02 B03"), Seat(hand="B11"), competitive=True)

    game.answer(0, "B03").leave(0).answer(1)

    assert refs(game.seat(0).training_center) == "B03"


def test_a_step_closes_when_only_those_who_left_were_missing() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01"), Seat(hand="B11", level_1="S5")).answer(1, "B11")

    game.leave(0)

    assert game.board.step is not Step.ARRANGE


def test_the_score_of_a_seat_that_was_left_counts_for_the_team() -> None:
    game = at(Step.SPEND_GOLD, Seat(space="B20"), Seat(gold=3, level_1="S1"), turn=7)

    result = game.leave(0).answer(1, "ready").live.result

    assert result is not None
    assert (result.team, result.winners) == (10, (0, 1))


def test_somebody_may_take_the_seat_over_in_the_middle_of_a_step() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01 B02 B03"), Seat(hand="B11"))

    game.leave(0).rejoin(0)

    assert game.told(PlayerReturned) == [PlayerReturned(0)]
    assert game.awaited == (0, 1)
    game.answer(0, "B02")
    assert refs(game.seat(0).training_center) == "B02"


@pytest.mark.parametrize("competitive", [False, True])
def test_whoever_returns_takes_part_in_the_step_that_is_on(competitive: bool) -> None:
    spender = Seat(gold=3, level_1="S1")
    game = at(Step.SPEND_GOLD, Seat(), spender, competitive=competitive)
    game.leave(0).answer(1, "ready")
    assert (game.board.step, game.awaited) == (Step.ARRANGE, (1,))

    game.rejoin(0)

    assert game.awaited == (0, 1)
    game.answer(0).answer(1)
    assert game.seat(0).training_center == []


def test_a_game_that_all_have_left_is_played_to_its_end() -> None:
    game = dealt(2).leave(1).leave(0)

    assert game.live.result is not None


def test_a_table_may_have_bots_play_for_those_who_left() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01 B02 B03"), Seat(hand="B11"), absent="bot")

    game.leave(0)

    assert game.awaited == (0, 1)
    game.answer(0, "B02")
    assert refs(game.seat(0).training_center) == "B02"


@pytest.mark.parametrize("step", [step for step in Step if step is not Step.OVER])
def test_a_player_may_leave_in_any_step(step: Step) -> None:
    able = Seat(carrots=9, gold=9, hand="B21", training_center="B01", level_1="S1")
    for competitive in (False, True):
        game = at(step, able, Seat(carrots=9, gold=9, hand="B22"), competitive=competitive)

        outcome = game.tried(Leave(0))

        assert isinstance(outcome, Outcome)
        assert 0 not in outcome.live.awaited()
