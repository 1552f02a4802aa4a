"""Phase 1: drawing, arranging, discarding."""

from __future__ import annotations

import pytest

from hutch.engine.refusals import Reason
from hutch.games.rabbit_space.board import FACE_DOWN, Step
from hutch.games.rabbit_space.events import CardsDiscarded, CardsDrawn, DrawPileRenewed
from tests.games.rabbit_space.arranging import Game, Seat, at, dealt, refs


def round_over(*others: Seat, pile: str, discard: str = "") -> Game:
    """The round ends, and the next begins with these piles under a card that is set aside."""
    spender = Seat(gold=3, level_1="S1")
    game = at(Step.SPEND_GOLD, spender, *others, pile=f"B80 {pile}", discard=discard)
    return game.answer(0, "ready")


@pytest.mark.rule("RS-010")
@pytest.mark.parametrize("step", [step for step in Step if step is not Step.OVER])
def test_all_players_act_in_each_phase_at_the_same_time(step: Step) -> None:
    game = at(
        step,
        Seat(carrots=9, gold=9, hand="B21", training_center="B01", level_1="S1"),
        Seat(carrots=9, gold=9, hand="B22", training_center="B02", level_1="S2"),
        Seat(carrots=9, gold=9, hand="B23", training_center="B03", level_1="S3"),
    )

    assert game.awaited == (0, 1, 2)


@pytest.mark.rule("RS-010")
def test_a_phase_ends_when_the_last_player_is_ready() -> None:
    game = dealt(3)

    game.answer(2)
    game.answer(0)
    assert game.board.step is Step.ARRANGE
    assert game.awaited == (1,)

    game.answer(1)
    assert game.board.step is not Step.ARRANGE


@pytest.mark.rule("RS-011")
def test_each_player_draws_4_cards_one_at_a_time_in_seat_order() -> None:
    game = round_over(Seat(), pile="B01 B02 B03 B04 B05 B06 B07 B08 B09 B10")

    [drawn] = game.told(CardsDrawn)
    assert [refs(cards) for cards in drawn.cards] == ["B01 B03 B05 B07", "B02 B04 B06 B08"]
    assert refs(game.seat(0).hand) == "B01 B03 B05 B07"
    assert refs(game.board.pile) == "B10 B09"


@pytest.mark.rule("RS-012")
def test_when_the_draw_pile_runs_out_the_discard_pile_becomes_a_new_one_and_drawing_goes_on() -> (
    None
):
    game = round_over(Seat(), pile="B01 B02 B03", discard="B11 B12 B13 B14 B15 B16")

    first, second = game.told(CardsDrawn)
    assert [refs(cards) for cards in first.cards] == ["B01 B03", "B02"]
    assert [len(cards) for cards in second.cards] == [2, 3]
    assert sorted([*second.cards[0], *second.cards[1], *game.board.pile]) == sorted(
        game.told(DrawPileRenewed)[0].pile
    )
    assert game.board.discard == []


@pytest.mark.rule("RS-012")
def test_the_seat_whose_turn_it_was_to_draw_goes_on_from_the_new_pile() -> None:
    game = round_over(
        Seat(), Seat(), pile="B01 B02 B03 B04", discard=" ".join([f"B{n}" for n in range(11, 21)])
    )

    first, second = game.told(CardsDrawn)
    assert [refs(cards) for cards in first.cards] == ["B01 B04", "B02", "B03"]
    [renewed] = game.told(DrawPileRenewed)
    top_first = renewed.pile[::-1]
    assert second.cards == (top_first[2:8:3], top_first[0:8:3], top_first[1:8:3])


@pytest.mark.rule("RS-012")
def test_the_order_of_the_new_pile_is_left_to_chance_and_seen_by_nobody() -> None:
    discard = [f"B{number}" for number in range(10, 60)]
    game = round_over(pile="B01 B02 B03", discard=" ".join(discard))

    [renewed] = game.told(DrawPileRenewed)
    assert list(renewed.pile) != sorted(renewed.pile)
    for seat in (0, None):
        assert renewed.face(seat).pile == (FACE_DOWN,) * 50


@pytest.mark.rule("RS-012")
def test_with_both_piles_empty_players_draw_what_there_is() -> None:
    game = round_over(Seat(), pile="B01", discard="B02 B03")

    assert [len(own.hand) for own in game.board.seats] == [2, 1]
    assert game.board.pile == game.board.discard == []
    assert game.board.step is Step.ARRANGE


@pytest.mark.rule("RS-013")
def test_cards_move_freely_between_hand_and_training_center() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01 B02 B03 B04", training_center="B05"), Seat())

    assert game.options(0) == ["B05", "B01", "B02", "B03", "B04"]
    game.offer(0, "B01", "B02")
    assert refs(game.seat(0).training_center) == "B01 B02"
    assert refs(game.seat(0).hand) == "B05 B03 B04"
    game.offer(0, "B05", "B01")
    assert refs(game.seat(0).training_center) == "B01 B05"
    assert refs(game.seat(0).hand) == "B02 B03 B04"


@pytest.mark.rule("RS-013")
def test_placed_cards_show_their_trainee_side() -> None:
    game = at(Step.ARRANGE, Seat(hand="B17"), Seat(hand="B01")).answer(0, "B17").answer(1)

    assert game.seat(0).carrots == 2  # 3 on the Astronaut side


@pytest.mark.rule("RS-014")
def test_the_training_center_keeps_at_most_as_many_cards_as_there_are_helmets() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01 B02 B03 B04", helmets=3))

    assert game.refusal(0, "B01", "B02", "B03", "B04").reason is Reason.TOO_MANY_PICKS
    game.answer(0, "B01", "B02", "B03")
    assert refs(game.seat(0).training_center) == "B01 B02 B03"


@pytest.mark.rule("RS-014")
def test_fewer_is_allowed() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01 B02", training_center="B03", helmets=3)).answer(0)

    assert game.seat(0).training_center == []
    assert sorted(refs(game.board.discard).split()) == ["B01", "B02", "B03"]


@pytest.mark.rule("RS-014")
def test_what_is_not_placed_is_discarded_when_all_are_ready() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01 B02 B03"), Seat(hand="B11 B12"))

    game.answer(0, "B02")
    assert game.board.discard == []
    game.answer(1, "B11", "B12")

    [discarded] = game.told(CardsDiscarded)
    assert [refs(cards) for cards in discarded.cards] == ["B01 B03", ""]
    assert refs(game.board.discard) == "B01 B03"
    assert [own.hand for own in game.board.seats] == [[], []]


@pytest.mark.rule("RS-014")
def test_when_helmets_fell_the_owner_picks_what_stays() -> None:
    game = at(Step.ARRANGE, Seat(training_center="B01 B02 B03 B04", hand="B05", helmets=2))

    game.answer(0, "B03", "B05")

    assert refs(game.seat(0).training_center) == "B03 B05"


@pytest.mark.rule("RS-014")
def test_levels_1_and_2_lose_no_card() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01", level_1="S1 S5", level_2="B20")).answer(0)

    assert refs(game.seat(0).level_1) == "S1 S5"
    assert refs(game.seat(0).level_2) == "B20"


def test_the_clock_fills_free_places_in_the_order_drawn() -> None:
    game = at(Step.ARRANGE, Seat(training_center="B05", hand="B01 B02 B03", helmets=3))

    assert [pick.option for pick in game.question(0).ask.default] == ["B05", "B01", "B02"]


def test_the_clock_lets_the_cards_placed_last_go() -> None:
    game = at(Step.ARRANGE, Seat(training_center="B05 B06 B07", hand="B01", helmets=2))

    assert [pick.option for pick in game.question(0).ask.default] == ["B05", "B06"]


def test_the_clock_keeps_what_is_laid_out_and_fills_up_in_the_order_drawn() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01 B02 B03 B04", helmets=3), Seat(hand="B11"))

    game.offer(0, "B02", "B04").offer(0, "B04")

    assert [pick.option for pick in game.question(0).ask.default] == ["B04", "B01", "B02"]


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("B99", "There is no card 'B99' in this game."),
        ("B11", "Lop Rootwell (B11) is not in your hand or Training Center."),
    ],
)
def test_a_card_that_cannot_be_placed_is_refused_with_a_reason(option: str, sentence: str) -> None:
    refusal = at(Step.ARRANGE, Seat(hand="B01"), Seat(hand="B11")).refusal(0, option)

    assert refusal.reason is Reason.NOT_AN_OPTION
    assert refusal.sentence == sentence
