"""The turn: KB-024 to KB-031, and what is seen of it: KB-033."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies import RULES
from tests.games.killer_bunnies.arranging import Player, arrange

WHISK, CABBAGE_CARD, COUPON = 31, 68, 71


@pytest.mark.rule("KB-024")
def test_a_play_is_a_flip_and_play_or_discard_or_save_or_a_special_from_the_hand() -> None:
    flip = arrange(Player(bunnies=(1,), top=CABBAGE_CARD, hand=(69,)), Player())
    assert {"flip", "hand:69", "discard:69"} <= set(flip.options(0))
    flip.go("flip")
    assert flip.options(0) == ["play", "save", "discard"]
    assert "one act" in flip.refusal(0, "buy:cabbage")

    flip.go("save")

    assert flip.board.seats[0].saved == [CABBAGE_CARD]
    assert flip.topic(0) == "turn.after"
    assert "play of this turn is made" in flip.refusal(0, "flip")


@pytest.mark.rule("KB-024")
def test_a_special_from_the_hand_leaves_the_run_cards_in_place() -> None:
    game = arrange(Player(hand=(69,), top=31, bottom=32), Player()).go("hand:69", "close")

    seat = game.board.seats[0]
    assert (seat.top, seat.bottom) == (31, 32)
    assert len(seat.hand) == 5
    assert len(seat.water) == 2
    assert game.board.active == 1


@pytest.mark.rule("KB-025")
def test_there_is_no_pass_but_a_special_may_be_discarded_as_the_turn() -> None:
    game = arrange(Player(hand=(69, 80), top=31), Player(), discards=(81, 82))
    assert "no pass" in game.refusal(0, "pass")
    assert {"discard:69", "discard:80"} <= set(game.options(0))
    assert "Only a Special" in game.refusal(0, f"discard:{game.board.seats[0].hand[-1]}")

    game.go("discard:80")

    assert 80 in game.board.discards
    assert game.topic(0) == "turn.after"


@pytest.mark.rule("KB-026")
def test_after_a_flip_the_bottom_card_slides_up_and_a_new_one_is_laid() -> None:
    game = arrange(Player(top=31, bottom=32), Player(), pile=(33,)).go("flip", "close")
    assert game.board.seats[0].top == 32
    assert len(game.options(0)) == 6

    game.go("lay:33")

    seat = game.board.seats[0]
    assert (seat.top, seat.bottom) == (32, 33)
    assert len(seat.hand) == 5


@pytest.mark.rule("KB-027")
@pytest.mark.rule("KB-028")
def test_the_turn_ends_with_five_cards_in_hand_and_two_laid() -> None:
    game = arrange(Player(hand=(71,), top=31, bottom=32), Player(), pile=(34,)).go(
        "hand:71", "close"
    )

    seat = game.board.seats[0]
    assert game.board.active == 1
    assert 71 not in seat.hand
    assert 34 in seat.hand
    assert (len(seat.hand), seat.top > 0, seat.bottom > 0) == (5, True, True)
    assert not game.board.half_price


@pytest.mark.rule("KB-029")
@pytest.mark.rule("KB-064")
def test_buying_and_saved_specials_come_before_the_play_or_after_it() -> None:
    game = arrange(Player(dolla=(98, 99), saved=(68, 69), top=31), Player())
    game.go("buy:cabbage", "saved:68")
    assert game.topic(0) == "turn.before"

    game.go("flip", "buy:water", "saved:69")

    assert game.topic(0) == "turn.after"
    assert (len(game.board.seats[0].cabbage), len(game.board.seats[0].water)) == (3, 3)


@pytest.mark.rule("KB-030")
def test_any_number_of_saved_specials_goes_on_top_of_the_play() -> None:
    game = arrange(Player(saved=(68, 69, 71), top=31), Player())

    game.go("saved:68", "saved:69", "saved:71", "flip")

    assert game.board.seats[0].saved == []
    assert game.board.plays == 1


@pytest.mark.rule("KB-031")
def test_a_round_is_complete_when_everybody_has_had_a_turn() -> None:
    game = arrange(Player(), Player(), Player())
    seats = []
    for _ in range(3):
        seats.append(game.board.active)
        game.end_turn()

    assert seats == [0, 1, 2]
    assert game.board.active == 0


@pytest.mark.rule("KB-033")
def test_saved_cards_are_seen_by_all_hands_and_run_cards_by_nobody_else() -> None:
    game = arrange(
        Player(hand=(69,), top=31, bottom=32, saved=(68,), dolla=(98,), carrots=(4,), cabbage=(5,)),
        Player(),
    )
    own, other = (RULES.look(game.live.table, seat).seats[0] for seat in (0, 1))  # type: ignore[attr-defined]

    assert "0069" in own.hand
    assert (own.top_run, own.bottom_run) == ("0031", "0032")
    assert (list(other.hand), other.top_run, other.bottom_run) == ([], "", "")
    assert other.hand_count == 5
    assert (list(other.saved), list(other.dolla_cards), list(other.carrots)) == (
        ["0068"],
        ["0098"],
        [4],
    )
    assert list(other.cabbage) == [5]
