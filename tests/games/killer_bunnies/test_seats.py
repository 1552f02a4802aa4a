"""Penalties, joining late and leaving early: KB-164 to KB-166."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.board import PLAYING, VACANT, Away, Roamer
from tests.games.killer_bunnies.arranging import Player, Playing, arrange

TROJAN, REUSABLES, SUIT = 46, 81, 151
REST = tuple(range(2, 13))


@pytest.mark.rule("KB-164")
def test_six_cards_are_held_only_while_the_new_bottom_run_is_chosen() -> None:
    game = arrange(Player(top=31, bottom=32), Player(top=33, bottom=34))
    for _ in range(60):
        for seat in range(2):
            held = len(game.board.seats[seat].hand)
            assert held <= 5 or (held == 6 and game.topic(seat) == "run.bottom")
        game.default()


@pytest.mark.rule("KB-165")
def test_a_late_player_sits_left_of_the_first_with_seven_cards_and_no_misfortune() -> None:
    game = arrange(Player(), Player(), Player(full=False), free_seats=[2], pile=(83, 98, 31, 32))
    game.board.order = [0, 1]
    assert game.live.gone == [2]

    game.live.rejoin(2)
    assert game.board.order == [0, 1]
    game.until(2, "run.lay")
    assert len(game.options(2)) == 7
    game.default()

    board = game.board
    assert board.order == [0, 2, 1]
    assert board.active == 2
    assert (len(board.seats[2].hand), board.seats[2].state) == (5, PLAYING)
    assert 83 in board.discards


@pytest.mark.rule("KB-165")
def test_a_late_player_is_dealt_no_more_where_only_misfortunes_are_left() -> None:
    game = arrange(
        Player(bunnies=(1,), top=59),
        Player(),
        Player(full=False),
        free_seats=[2],
        pile=(33, 83, 32),
        empty_pile=True,
    )
    game.board.order = [0, 1]
    game.board.discards[:] = [84, 34]
    game.live.rejoin(2)

    game.go("flip", "discard", "close", "lay:33").until(2, "run.lay")

    assert sorted(game.options(2)) == ["lay:32", "lay:34", "lay:59"]
    assert game.circle() == [1]


@pytest.mark.rule("KB-165")
def test_a_late_player_who_answers_before_he_lays_still_lays_two_of_seven() -> None:
    game = arrange(
        Player(bunnies=(1,)), Player(), Player(full=False), free_seats=[2], pile=(31, SUIT, 32)
    )
    game.board.order = [0, 1]
    game.live.rejoin(2)
    game.until(2, "run.lay")

    game.take(2, f"play:{SUIT}").answer(2, "bunny:1")

    assert len(game.options(2)) == 7
    game.default()
    seat = game.board.seats[2]
    assert (len(seat.hand), seat.top > 0, seat.bottom > 0) == (5, True, True)


@pytest.mark.rule("KB-166")
def test_who_leaves_gives_his_carrots_back_and_everything_else_up() -> None:
    game = arrange(
        Player(),
        Player(
            bunnies=(6,),
            carrots=(3, 4),
            cabbage=(5,),
            water=(2,),
            dolla=(98,),
            saved=(68,),
            top=31,
            bottom=32,
        ),
        Player(bunnies=(11,)),
        roamers=(Roamer(54, 1, 11, 5), Roamer(47, 2, 6, 5)),
        away=Away(7, 1),
    )
    hand = list(game.board.seats[1].hand)
    game.live.leave(1)
    game.end_turn()

    board = game.board
    assert (board.order, board.seats[1].state, board.seats[1].carrots) == ([0, 2], VACANT, [])
    assert board.market == list(range(1, 13))
    assert {6, 7, 31, 32, 47, 54, 68, *hand} <= set(board.discards)
    assert (board.spent_dolla, board.spent_cabbage, board.spent_water) == ([98], [5], [2])
    assert board.active == 2


@pytest.mark.rule("KB-166")
def test_the_turn_player_who_leaves_ends_his_turn_after_the_card_in_resolution() -> None:
    game = arrange(Player(bunnies=(1,), top=45), Player(bunnies=(6,)), Player(), dice=(1,))
    game.go("flip", "play")
    game.live.leave(0)
    game.told += game.live.forget_events()

    assert game.circle() == []
    assert game.board.active == 1
    assert game.board.order == [1, 2]


@pytest.mark.rule("KB-166")
@pytest.mark.rule("KB-168")
def test_who_leaves_while_nothing_is_resolved_is_out_at_once() -> None:
    """His Carrots are in the market before the next one is bought."""
    game = arrange(
        Player(dolla=(101,)), Player(bunnies=(6,)), Player(bunnies=(11,), carrots=REST), market=(1,)
    )
    game.live.leave(2)
    assert (game.board.order, game.circle()) == ([0, 1], [6])
    assert game.board.market == [1, *REST]

    game.answer(0, "buy:carrot:1")

    assert game.live.result is None


@pytest.mark.rule("KB-166")
@pytest.mark.rule("KB-168")
@pytest.mark.parametrize("leaver", [0, 2])
def test_no_carrot_is_the_last_while_who_leaves_has_some_to_give_back(leaver: int) -> None:
    """O-61: he is out after the card in resolution, and plays no part in the end."""
    game = arrange(
        Player(bunnies=(1,), top=16),
        Player(bunnies=(6,)),
        Player(bunnies=(11,), carrots=REST),
        market=(1,),
    ).go("flip", "play")
    game.live.leave(leaver)
    if leaver:
        game.answer(0, "carrot:1")

    assert game.live.result is None
    assert game.board.market == ([1] if leaver == 0 else list(REST))


@pytest.mark.rule("KB-166")
def test_who_leaves_before_the_first_turn_takes_none_of_the_carrots_given_out() -> None:
    game = arrange(Player(), Player(), Player(), stage="lay", starting_carrots=1)
    assert set(game.live.asks) == {0, 1, 2}
    game.live.leave(1)
    for seat in (0, 2):
        game.answer(seat, *game.options(seat)[:2])

    assert game.topic(0) == "carrot.choose"
    assert game.board.order == [0, 2]


@pytest.mark.rule("KB-166")
def test_who_leaves_before_the_run_cards_lie_is_out_at_once_too() -> None:
    game = arrange(Player(), Player(), Player(), stage="lay")
    game.answer(0, *game.options(0)[:2])
    game.live.leave(1)
    assert game.board.order == [0, 2]
    assert set(game.live.asks) == {2}

    game.live.leave(2)

    assert game.live.result is not None
    assert game.live.result.winners == (0,)


@pytest.mark.rule("KB-138")
@pytest.mark.rule("KB-166")
def test_the_bid_of_who_leaves_stands_and_what_it_wins_is_discarded_with_the_rest() -> None:
    """O-61: he is out after the card in resolution."""
    game = arrange(
        Player(bunnies=(1,), top=135), Player(bunnies=(6,), dolla=(98,)), Player(dolla=(99,))
    ).go("flip", "play", "bunny:6")
    game.answer(1, "bid:1").answer(2, "bid:3")
    game.live.leave(2)

    game.answer(1, "pass")

    assert (game.circle(), game.board.order) == ([1], [0, 1])
    assert {6, 135} <= set(game.board.discards)
    assert game.board.spent_dolla == [99]


@pytest.mark.rule("KB-166")
def test_nobody_waits_for_who_left_and_the_last_one_wins() -> None:
    game = arrange(Player(), Player())
    game.live.leave(1)

    assert game.live.result is not None
    assert game.live.result.winners == (0,)
    assert game.board.seats[1].state == VACANT


@pytest.mark.rule("KB-166")
def test_who_leaves_gives_nothing_away_by_an_offer_that_still_lies_there() -> None:
    game = arrange(Player(dolla=(98,), carrots=(4,)), Player(), Player())
    game.answer(0, "trade").answer(0, "player:1").answer(0, "give:dolla", "give:carrot:4")
    game.live.leave(0)

    assert game.options(1) == ["decline", "counter"]
    game.answer(1, "decline")

    assert 4 in game.board.market
    assert game.board.spent_dolla == [98]


@pytest.mark.rule("KB-166")
def test_who_leaves_before_he_confirms_swaps_no_hand_cards() -> None:
    game = arrange(Player(hand=(33,)), Player(hand=(1,)), Player())
    game.answer(0, "trade").answer(0, "player:1").answer(0, "give:hand:33")
    game.answer(0, "wish:anything").answer(1, "accept").answer(1, "hand:1")
    game.live.leave(1)

    game.answer(0, "yes")

    assert 33 in game.board.seats[0].hand
    assert 1 in game.board.discards


@pytest.mark.rule("KB-165")
@pytest.mark.rule("KB-166")
@pytest.mark.parametrize("stays", [True, False])
def test_a_player_about_to_join_keeps_the_game_going_when_another_leaves(stays: bool) -> None:
    """O-60, O-61: only who is left alone at the table wins by it."""
    game = arrange(Player(), Player(), Player(full=False), free_seats=[2])
    game.board.order = [0, 1]
    game.live.rejoin(2)
    game.live.leave(1)
    assert game.topic(0) == "turn.before"

    if stays:
        game.until(2, "run.lay").default()
        assert game.board.order == [0, 2]
    else:
        game.live.leave(2)
        assert game.live.result is not None
        assert game.live.result.winners == (0,)


@pytest.mark.rule("KB-166")
def test_where_all_players_have_left_nobody_may_join_any_more() -> None:
    game = arrange(
        Player(bunnies=(1,), top=45),
        Player(bunnies=(6,)),
        Player(full=False),
        Player(full=False),
        free_seats=[2, 3],
        dice=(12,),
    )
    game.board.order = [0, 1]
    game.go("flip", "play")
    for seat in (2, 3):
        game.live.rejoin(seat)
    for seat in (1, 0):
        game.live.leave(seat)

    assert game.live.result is not None
    assert game.live.result.winners == ()


def left_with_a_trojan(*others: Player) -> Playing:
    """Seat 1 has left; under its bunny lay a Trojan of seat 0, who may have Reusables."""
    game = arrange(Player(bunnies=(1,), saved=(REUSABLES,)), Player(bunnies=(6,)), *others)
    game.board.pile.remove(TROJAN)
    game.bunny(6).trojan, game.bunny(6).trojan_by = TROJAN, 0
    game.live.leave(1)
    return game


@pytest.mark.rule("KB-166")
@pytest.mark.rule("KB-131")
def test_who_left_is_gone_before_anybody_is_asked_about_what_lay_on_his_bunnies() -> None:
    game = left_with_a_trojan(Player(bunnies=(11,)))
    assert game.topic(0) == "weapon.again"
    assert game.board.order == [0, 2]

    game.live.rejoin(1)
    game.answer(0, f"play:{REUSABLES}").answer(0, "bunny:11").until(1, "run.lay")

    assert game.bunny(11).trojan == TROJAN
    assert len(game.board.seats[1].hand) == 7


@pytest.mark.rule("KB-166")
def test_the_last_one_wins_without_being_asked_anything_more() -> None:
    game = left_with_a_trojan()

    assert game.live.result is not None
    assert game.live.result.winners == (0,)


def test_a_seat_that_was_left_may_be_taken_again() -> None:
    game = arrange(Player(), Player(), Player())
    game.live.leave(2)
    game.end_turn()
    game.live.rejoin(2)
    game.until(2, "run.lay")

    assert len(game.board.seats[2].hand) == 7
