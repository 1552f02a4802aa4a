"""Phase 3: counting Gold, giving it, certifying and sending into Space."""

from __future__ import annotations

import pytest

from hutch.games.rabbit_space.board import Step
from hutch.games.rabbit_space.events import Certified, Counted, Given, SentIntoSpace
from hutch.rabbit_space.v1 import rabbit_space_pb2 as pb
from tests.games.rabbit_space.arranging import Game, Seat, at, refs


def counted(*seats: Seat) -> Game:
    """Nobody promotes anything: the Gold is counted."""
    return at(Step.SPEND_CARROTS, *seats, Seat(carrots=2, training_center="B80 B61")).defaults()


@pytest.mark.rule("RS-020")
def test_gold_is_counted_on_the_visible_sides_of_the_cards_in_front() -> None:
    # 1 (B21, Trainee) + 2 (S5, Trainee) + 3 (B37, Astronaut)
    game = counted(Seat(training_center="B21", level_1="S5", level_2="B37"))

    assert game.seat(0).gold == 6


@pytest.mark.rule("RS-020")
def test_gold_is_counted_after_the_moves_of_phase_2() -> None:
    game = at(Step.SPEND_CARROTS, Seat(carrots=2, training_center="B21"), Seat())

    game.answer(0, "B21")

    assert refs(game.seat(0).level_1) == "B21"
    assert game.told(Counted)[0] == Counted("gold", (1, 0), (0, 0))


@pytest.mark.rule("RS-020", "RS-017")
def test_a_gold_bonus_is_paid_beside_another_card_of_its_colour() -> None:
    assert counted(Seat(training_center="B22", level_1="B28")).seat(0).gold == 1 + 2
    assert counted(Seat(training_center="B22", level_1="B01")).seat(0).gold == 0


@pytest.mark.rule("RS-021")
def test_gold_above_20_is_lost() -> None:
    game = counted(Seat(level_2="B25 B26 B28 B29 B31 B32 B34 B35 B37 B39"))

    assert game.seat(0).gold == 20
    assert game.told(Counted)[0].lost == (2, 0)


@pytest.mark.rule("RS-022")
def test_a_player_may_give_up_to_4_gold_to_one_other_player() -> None:
    game = at(Step.GIVE_GOLD, Seat(gold=9, level_1="S1"), Seat(gold=2), Seat())

    game.answer(1, "2:2").answer(0, "1:4")

    assert [own.gold for own in game.board.seats] == [5, 4, 2]
    assert game.told(Given) == [Given(0, 1, "gold", 4, 0), Given(1, 2, "gold", 2, 0)]


@pytest.mark.rule("RS-022")
def test_a_gift_is_made_of_what_the_giver_had_before() -> None:
    game = at(Step.GIVE_GOLD, Seat(gold=4), Seat(gold=1), Seat())

    assert game.options(1) == ["0:1", "2:1"]


@pytest.mark.rule("RS-018", "RS-022")
def test_a_gift_of_carrots_is_not_given_in_gold_again() -> None:
    giver = Seat(carrots=4, training_center="B01", level_1="S5 B61")
    game = at(Step.GIVE_CARROTS, giver, Seat(level_1="S6 B34")).answer(0, "1:4")

    game.until(Step.GIVE_GOLD)
    assert game.question(0).ask.default == ()
    game.answer(0).answer(1)

    assert [own.gold for own in game.board.seats] == [2, 4]


@pytest.mark.rule("RS-023", "RS-024", "RS-025")
def test_both_actions_may_be_done_any_number_of_times_in_any_order() -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=19, level_1="S1 B01 B12", level_2="B03"), Seat())

    game.answer(0, "B01").answer(0, "B03").answer(0, "S1").answer(0, "B01").answer(0, "B12")

    assert refs(game.seat(0).space) == "B03 B01"
    assert refs(game.seat(0).level_2) == "S1 B12"


@pytest.mark.rule("RS-024")
def test_certifying_pays_gold_turns_the_card_and_moves_it_to_level_2() -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=8, level_1="B12"), Seat(gold=2, level_1="B01"))

    game.answer(0, "B12")

    assert game.told(Certified) == [Certified(0, game.seat(0).level_2[0], 6)]
    assert game.seat(0).gold == 2
    [placed] = game.view(None).seats[0].level_2
    assert (placed.card, placed.side) == ("B12", pb.SIDE_ASTRONAUT)


@pytest.mark.rule("RS-024")
def test_the_astronaut_side_counts_from_the_next_count_on() -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=4, level_1="B25"), Seat())

    assert game.answer(0, "B25").seat(0).gold == 0  # the step is over and the tracks are reset
    assert game.until(Step.SPEND_GOLD).seat(0).gold >= 2


@pytest.mark.rule("RS-025")
def test_sending_pays_gold_and_moves_a_card_from_level_2_to_space() -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=9, level_2="B12 B03"), Seat())

    game.answer(0, "B12")

    assert game.told(SentIntoSpace)[0].cost == 6
    assert game.seat(0).gold == 3
    assert refs(game.seat(0).space) == "B12"
    assert refs(game.seat(0).level_2) == "B03"


@pytest.mark.rule("RS-025")
def test_the_same_card_may_be_certified_and_sent_in_one_phase_for_twice_its_cost() -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=7, level_1="B03 B21"), Seat())

    game.answer(0, "B03").answer(0, "B03")

    assert refs(game.seat(0).space) == "B03"


@pytest.mark.rule("RS-026")
def test_a_card_in_space_produces_nothing_and_helps_no_bonus() -> None:
    game = counted(Seat(training_center="B22", space="B37"))

    assert game.seat(0).gold == 0


@pytest.mark.rule("RS-026")
def test_a_card_in_space_stays_there() -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=9, level_1="B01", space="B12"))

    refusal = game.refusal(0, "B12")

    assert refusal.sentence == "Fizz Rootwell (B12) is in Space already."


@pytest.mark.rule("RS-023")
@pytest.mark.parametrize(
    ("card", "sentence"),
    [
        ("B12", "Fizz Rootwell (B12) costs 6 Gold and you have 3."),
        ("B21", "Pip Goldear (B21) is not on your Level 1 or Level 2."),
    ],
)
def test_an_impossible_action_is_refused_with_a_reason(card: str, sentence: str) -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=3, level_1="B01 B12", training_center="B21"))

    assert game.refusal(0, card).sentence == sentence


@pytest.mark.rule("RS-023")
def test_a_player_may_do_nothing() -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=9, level_1="S1"), Seat(gold=3, level_1="S2"))

    game.answer(0, "ready")

    assert refs(game.seat(0).level_1) == "S1"
    assert game.awaited == (1,)
