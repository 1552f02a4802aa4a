"""The turn: KB-024 to KB-033."""

from __future__ import annotations

import pytest

from hutch.engine.refusals import Reason, Refusal
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


@pytest.mark.rule("KB-032")
def test_what_was_laid_down_cannot_be_taken_back() -> None:
    game = arrange(Player(top=31, bottom=32), Player()).go("flip")

    refusal = game.live.undo(0)

    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.NOT_UNDOABLE


@pytest.mark.rule("KB-032")
@pytest.mark.parametrize(
    ("card", "steps"), [(45, ("bunny:6",)), (49, ("bunny:6",)), (64, ("player:1",))]
)
def test_a_card_on_its_target_cannot_be_taken_back_while_others_may_answer(
    card: int, steps: tuple[str, ...]
) -> None:
    other = Player(bunnies=(6,), saved=(80, 145), cabbage=(5,))
    game = arrange(Player(bunnies=(1,), top=card), other).go("flip", "play", *steps)
    assert game.topic(1).startswith("window.")

    refusal = game.live.undo(0)

    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.NOT_UNDOABLE


@pytest.mark.rule("KB-032")
def test_a_saved_suit_cannot_be_taken_back_from_its_bunny() -> None:
    game = arrange(Player(bunnies=(1,), top=45), Player(bunnies=(6,), saved=(151, 80)))
    game.go("flip", "play", "bunny:6").answer(1, "play:151").answer(1, "bunny:6")
    assert game.topic(1) == "window.launch"

    assert isinstance(game.live.undo(1), Refusal)


@pytest.mark.rule("KB-032")
def test_a_bunny_in_its_place_stays_there_while_the_next_is_revived() -> None:
    game = arrange(
        Player(bunnies=(1,), hand=(76,)), Player(), discards=(2, 3), dice=(4, 4, 1, 2, 3)
    )
    game.go("hand:76", "number:4", "revive:2", "place:1")
    assert game.topic(0) == "bunny.revive"

    assert isinstance(game.live.undo(0), Refusal)


@pytest.mark.rule("KB-032")
def test_a_clover_that_black_cat_laid_stays_while_the_next_is_laid() -> None:
    game = arrange(
        Player(bunnies=(1,), top=53), Player(bunnies=(6,)), under={6: (61, 62)}, dice=(3,)
    )
    game.go("flip", "play", "bunny:6", "bunny:1")
    assert game.topic(0) == "clovers.lay"

    assert isinstance(game.live.undo(0), Refusal)


@pytest.mark.rule("KB-032")
@pytest.mark.rule("KB-151")
def test_the_minilith_that_was_thrown_away_stays_so() -> None:
    game = arrange(Player(bunnies=(1,), top=45, saved=(147,)), Player(bunnies=(6,)))
    game.go("flip", "play").take(0, "drop:147")
    assert game.topic(0) == "weapon.target"

    assert isinstance(game.live.undo(0), Refusal)


@pytest.mark.rule("KB-032")
@pytest.mark.rule("KB-156")
def test_a_trade_that_was_made_stays_made_while_its_bunnies_find_their_places() -> None:
    game = arrange(Player(bunnies=(1,), dolla=(98,)), Player(bunnies=(6,)))
    game.answer(0, "trade").answer(0, "give:dolla", "want:bunny:6").answer(1, "accept")
    assert game.topic(0) == "bunny.place"

    assert isinstance(game.live.undo(1), Refusal)


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
