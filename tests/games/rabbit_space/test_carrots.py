"""Phase 2: counting Carrots, giving them, promoting."""

from __future__ import annotations

import pytest

from hutch.engine.refusals import Reason
from hutch.games.rabbit_space.board import Step
from hutch.games.rabbit_space.events import Counted, Given, Promoted
from tests.games.rabbit_space.arranging import Game, Seat, at, refs


def counted(*seats: Seat) -> Game:
    """Nobody draws or places anything: the Carrots are counted."""
    return at(Step.ARRANGE, *seats, Seat(hand="B80")).defaults()


@pytest.mark.rule("RS-015")
def test_carrots_are_counted_on_the_visible_sides_of_the_cards_in_front() -> None:
    # 1 (B01, Trainee) + 1 (S1, Trainee) + 3 (B17, Astronaut)
    game = counted(Seat(training_center="B01", level_1="S1", level_2="B17"))

    assert game.seat(0).carrots == 5


@pytest.mark.rule("RS-015")
def test_the_track_is_set_anew_whatever_it_showed() -> None:
    game = counted(Seat(training_center="B01", carrots=7))

    assert game.seat(0).carrots == 1


@pytest.mark.rule("RS-016")
def test_carrots_above_20_are_lost() -> None:
    game = counted(Seat(level_2="B05 B06 B08 B09 B11 B12 B14 B17 B19"))

    assert game.seat(0).carrots == 20
    assert game.told(Counted)[0].lost == (0, 0)
    game = counted(Seat(level_2="B05 B06 B08 B09 B11 B12 B14 B17 B19 B15"))
    assert game.seat(0).carrots == 20
    assert game.told(Counted)[0].lost == (2, 0)


@pytest.mark.rule("RS-017", "RS-050")
def test_a_colour_bonus_is_paid_when_another_card_of_the_colour_is_in_front() -> None:
    assert counted(Seat(training_center="B02 B01")).seat(0).carrots == 1 + 2
    assert counted(Seat(training_center="B02", level_1="S1")).seat(0).carrots == 1 + 2


@pytest.mark.rule("RS-017")
def test_a_bonus_card_alone_pays_nothing() -> None:
    assert counted(Seat(training_center="B02 B21")).seat(0).carrots == 0


@pytest.mark.rule("RS-017")
def test_more_cards_of_the_colour_do_not_raise_the_bonus() -> None:
    game = counted(Seat(training_center="B02 B01", level_1="S1 B03", helmets=3))

    assert game.seat(0).carrots == 1 + 1 + 1 + 2


@pytest.mark.rule("RS-017")
def test_two_bonus_cards_serve_each_other_and_each_pays_once() -> None:
    assert counted(Seat(training_center="B02 B04")).seat(0).carrots == 2 + 2


@pytest.mark.rule("RS-017")
def test_cards_of_other_players_and_in_space_do_not_help_a_bonus() -> None:
    game = counted(Seat(training_center="B02", space="B03"), Seat(training_center="B01"))

    assert game.seat(0).carrots == 0


@pytest.mark.rule("RS-017")
def test_a_bonus_is_paid_in_the_resource_printed_on_it_and_on_both_sides() -> None:
    gold_bonus = Seat(training_center="B01", level_2="B07")  # 1 + 1 Carrots, 1 + 2 Gold
    game = counted(gold_bonus)

    assert game.seat(0).carrots == 2
    assert game.until(Step.GIVE_GOLD).seat(0).gold == 3


@pytest.mark.rule("RS-018")
def test_a_player_may_give_up_to_4_carrots_to_one_other_player() -> None:
    game = at(Step.GIVE_CARROTS, Seat(carrots=6, training_center="B01"), Seat(), Seat(carrots=3))

    assert game.options(0) == ["1:1", "1:2", "1:3", "1:4", "2:1", "2:2", "2:3", "2:4"]
    assert game.options(2) == ["0:1", "0:2", "0:3", "1:1", "1:2", "1:3"]
    game.answer(0, "1:4").answer(2)

    assert [own.carrots for own in game.board.seats] == [2, 4, 3]


@pytest.mark.rule("RS-018")
def test_a_gift_goes_to_a_single_player() -> None:
    game = at(Step.GIVE_CARROTS, Seat(carrots=6), Seat(), Seat(carrots=3))

    assert game.refusal(0, "1:1", "2:1").reason is Reason.TOO_MANY_PICKS


@pytest.mark.rule("RS-018")
def test_gifts_are_handed_over_when_all_are_ready() -> None:
    game = at(Step.GIVE_CARROTS, Seat(carrots=6, training_center="B01"), Seat(carrots=1))

    game.answer(0, "1:3")
    assert [own.carrots for own in game.board.seats] == [6, 1]
    game.answer(1, "0:1")

    assert [own.carrots for own in game.board.seats] == [4, 3]


@pytest.mark.rule("RS-018", "RS-016")
def test_what_the_receiver_has_no_room_for_stays_with_the_giver() -> None:
    giver, receiver = Seat(carrots=6, training_center="B01"), Seat(carrots=18)
    game = at(Step.GIVE_CARROTS, giver, receiver).answer(0, "1:4").answer(1)

    assert [own.carrots for own in game.board.seats] == [4, 20]
    assert game.told(Given) == [Given(0, 1, "carrot", 2, 2)]


@pytest.mark.rule("RS-018")
def test_gifts_are_handed_over_in_seat_order() -> None:
    full = Seat(carrots=20, training_center="B01")
    game = at(Step.GIVE_CARROTS, full, Seat(carrots=20), Seat(carrots=4))

    game.answer(0, "1:4").answer(1, "2:4").answer(2, "0:4")

    # Seat 1 was still full when seat 0 gave; then it gave itself; then seat 0 was still full.
    assert [own.carrots for own in game.board.seats] == [20, 16, 8]


@pytest.mark.rule("RS-018")
@pytest.mark.parametrize(
    ("gift", "sentence"),
    [
        ("0:1", "A gift goes to another player, not to yourself."),
        ("2:1", "There is no seat 2; the seats are 0 to 1."),
        ("1:5", "At most 4 Carrots may be given in a round, not 5."),
        ("1:4", "You have 3 Carrots and cannot give 4."),
        ("1:0", "A gift is at least 1 Carrots; to give nothing, pick nothing."),
        ("all", "'all' is no gift; write it as seat and amount, such as '1:4'."),
        ("1:03", "'1:03' is no gift; write it as seat and amount, such as '1:4'."),
    ],
)
def test_an_impossible_gift_is_refused_with_a_reason(gift: str, sentence: str) -> None:
    game = at(Step.GIVE_CARROTS, Seat(carrots=3), Seat())

    assert game.refusal(0, gift).sentence == sentence


@pytest.mark.rule("RS-018")
def test_a_player_without_carrots_is_not_asked_for_a_gift() -> None:
    assert at(Step.GIVE_CARROTS, Seat(carrots=3), Seat()).awaited == (0,)


@pytest.mark.rule("RS-018")
def test_alone_there_is_nobody_to_give_to() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01", level_1="S1")).answer(0, "B01")

    assert game.board.step is Step.SPEND_CARROTS


@pytest.mark.rule("RS-019")
def test_a_card_moves_from_training_center_to_level_1_for_its_cost_in_carrots() -> None:
    game = at(Step.SPEND_CARROTS, Seat(carrots=9, training_center="B01 B12", level_1="S1"), Seat())

    game.answer(0, "B12")

    assert game.told(Promoted)[0].cost == 6
    assert game.seat(0).carrots == 3
    assert refs(game.seat(0).training_center) == "B01"
    assert refs(game.seat(0).level_1) == "S1 B12"


@pytest.mark.rule("RS-019")
def test_any_number_of_cards_may_move_as_long_as_they_can_be_paid() -> None:
    game = at(Step.SPEND_CARROTS, Seat(carrots=12, training_center="B01 B12 B03 B21"), Seat())

    game.answer(0, "B01").answer(0, "B12")
    assert game.options(0) == ["B03", "B21", "ready"]
    game.answer(0, "B03")

    assert refs(game.seat(0).level_1) == "B01 B12 B03"
    assert game.board.step is not Step.SPEND_CARROTS  # 1 Carrot buys nothing more


@pytest.mark.rule("RS-019")
def test_level_1_has_no_limit() -> None:
    crowd = " ".join([f"B{number}" for number in range(30, 60)])
    game = at(Step.SPEND_CARROTS, Seat(carrots=2, training_center="B01", level_1=crowd), Seat())

    game.answer(0, "B01")

    assert len(game.seat(0).level_1) == 31


@pytest.mark.rule("RS-019")
def test_carrots_already_counted_are_not_recounted_after_a_move() -> None:
    game = at(Step.SPEND_CARROTS, Seat(carrots=5, training_center="B01 B03"), Seat())

    assert game.answer(0, "B01").seat(0).carrots == 3


@pytest.mark.rule("RS-019")
@pytest.mark.parametrize(
    ("card", "sentence"),
    [
        ("B12", "Fizz Rootwell (B12) costs 6 Carrots and you have 3."),
        (
            "S1",
            "Cadet Rootwell (S1) is not in your Training Center; "
            "only from there it gets to Level 1.",
        ),
    ],
)
def test_a_card_that_cannot_be_promoted_is_refused_with_a_reason(card: str, sentence: str) -> None:
    game = at(Step.SPEND_CARROTS, Seat(carrots=3, training_center="B01 B12", level_1="S1"))

    assert game.refusal(0, card).sentence == sentence
