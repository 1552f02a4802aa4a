"""Seats that are left: where that is a forfeit the Village falls, elsewhere they are played on."""

from __future__ import annotations

import pytest

from hutch.games.tale_of_carrot.board import Step
from hutch.games.tale_of_carrot.events import GameWon, SeatForfeited, SupremeActivated, VillageFell
from tests.games.tale_of_carrot.arranging import Game


def test_a_seat_that_is_left_plays_on_where_leaving_is_no_forfeit() -> None:
    game = Game(step=Step.TOKENS)
    game.live.leave(2)
    game.until("rabbit.place", of=1)
    assert not game.board.villages[2].fallen
    game.live.rejoin(2)
    assert game.told(SeatForfeited) == [], "there is nothing to tell"


def test_a_forfeited_seat_falls_at_the_end_of_the_turn_uncounted_and_unsaved() -> None:
    game = Game(
        step=Step.TOKENS,
        heroes={2: "assassin", 3: "jester"},
        options={"leaving": "forfeit"},
    )
    game.live.leave(2)
    assert not game.board.villages[2].fallen
    game.until("rabbit.place", of=1)
    assert game.board.villages[2].fallen
    assert game.board.falls == 0
    assert game.told(SupremeActivated) == []


@pytest.mark.rule("TC-028")
def test_whoever_forfeits_while_asked_to_declare_declares_nothing() -> None:
    game = Game(
        step=Step.DECLARATIONS, heroes={0: "thief"}, hp={0: 8}, options={"leaving": "forfeit"}
    )
    game.live.leave(0)
    assert game.board.villages[0].fallen
    assert game.told(SupremeActivated) == []
    assert game.asked == (1, "rabbit.place")


def test_a_forfeited_princess_pulls_nobody_down() -> None:
    game = Game(
        step=Step.TOKENS, heroes={2: "princess!"}, cloak=(2, 1), options={"leaving": "forfeit"}
    )
    game.live.leave(2)
    game.until("rabbit.place", of=1)
    assert [village.fallen for village in game.board.villages] == [False, False, True, False]


def test_the_turns_of_a_forfeited_seat_run_on_defaults_until_somebody_takes_it_over() -> None:
    game = Game(seats=4, step=Step.ATTACK, options={"leaving": "forfeit"})
    game.live.leave(1)
    game.until_turn(0)
    assert game.board.villages[1].fallen
    taken = {event.seat for event in game.told(VillageFell)}
    assert taken == {1}
    game.live.rejoin(1)
    game.until("rabbit.place", of=1)


def test_when_all_but_one_forfeit_the_last_one_wins_at_the_end_of_the_turn() -> None:
    game = Game(3, step=Step.TOKENS, options={"leaving": "forfeit"})
    game.live.leave(1)
    game.live.leave(2)
    assert game.winners == ()
    game.pick("pass")
    assert game.told(GameWon) == [GameWon((0,), "last-standing")]


@pytest.mark.rule("TC-053")
def test_when_all_who_are_living_forfeit_at_once_nobody_wins() -> None:
    game = Game(4, step=Step.TOKENS, fallen=[2, 3], options={"leaving": "forfeit"})
    game.live.leave(0)
    assert game.live.result is None
    game.live.leave(1)
    assert game.live.result is not None
    assert game.winners == (), "leaving is no way to win, not even a share"
    assert game.told(GameWon)[0].cause == "all-left"
