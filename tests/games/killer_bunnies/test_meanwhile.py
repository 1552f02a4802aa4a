"""What becomes of a card while it waits for somebody: an any-time card is played in between.

The Suit out of a hand brings a draw, and the misfortune that is drawn takes a bunny.
"""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.board import Away
from hutch.games.killer_bunnies.events.turns import DieRolled, Risked
from tests.games.killer_bunnies.arranging import Player, Playing, arrange, launched

POKER, ROULETTE, ROCK, AREA, SUIT, MISFORTUNE = 65, 143, 142, 134, 151, 83


def strike(game: Playing, by: int, dressed: int, victim: int) -> Playing:
    """That player dresses a bunny, and draws a misfortune that kills another."""
    return game.take(by, f"play:{SUIT}").go((by, f"bunny:{dressed}"), (by, f"bunny:{victim}"))


@pytest.mark.rule("KB-143")
def test_whose_staked_bunny_dies_before_the_rolls_stakes_another_of_his() -> None:
    game = arrange(
        Player(bunnies=(1,), top=ROULETTE),
        Player(bunnies=(6, 7)),
        Player(bunnies=(11,)),
        Player(hand=(SUIT,)),
        pile=(MISFORTUNE,),
        dice=(9, 2, 7),
    ).go("flip", "play", "bunny:1", "bunny:6")

    strike(game, 3, 1, 6).answer(2, "bunny:11")
    assert game.topic(1) == "roulette.stake"
    game.go("bunny:7", "no")

    assert game.happened(Risked)[-1] == Risked(1, [], [7])
    assert [roll.seat for roll in game.happened(DieRolled)] == [0, 1, 2]
    assert game.circle() == [1, 11]


@pytest.mark.rule("KB-143")
def test_who_has_no_other_bunny_to_stake_is_out_of_the_roulette() -> None:
    game = arrange(
        Player(bunnies=(1,), top=ROULETTE),
        Player(bunnies=(6,)),
        Player(bunnies=(11,)),
        Player(hand=(SUIT,)),
        pile=(MISFORTUNE,),
        dice=(9, 7),
    ).go("flip", "play", "bunny:1", "bunny:6")

    strike(game, 3, 1, 6).answer(2, "bunny:11").go("no")

    assert [roll.seat for roll in game.happened(DieRolled)] == [0, 2]
    assert game.circle() == [1]


@pytest.mark.rule("KB-119")
@pytest.mark.rule("KB-121")
def test_whose_risked_bunny_dies_before_the_rolls_must_play_if_he_has_the_stake_still() -> None:
    game = arrange(
        Player(bunnies=(1, 2), top=POKER),
        Player(bunnies=(6, 7, 8), carrots=(3, 4)),
        Player(bunnies=(11, 12)),
        Player(hand=(SUIT,)),
        pile=(MISFORTUNE,),
        dice=(3, 9, 5),
    ).go("flip", "play", "player:1", "bunnies", "bunny:1", "bunny:6")

    strike(game, 3, 2, 6).answer(2, "bunny:11")
    assert game.topic(1) == "poker.bunnies"
    assert game.options(1) == ["bunny:7", "bunny:8"]
    game.go("bunny:8", "no", "place:0", "place:0")

    assert game.owners() == {1: 1, 2: 0, 7: 1, 8: 1, 11: 1, 12: 2}


@pytest.mark.rule("KB-119")
def test_the_carrots_that_he_named_stand_where_only_the_bunny_died() -> None:
    game = arrange(
        Player(bunnies=(1, 2), carrots=(1, 2), top=POKER),
        Player(bunnies=(6, 7), carrots=(3, 4)),
        Player(bunnies=(11, 12), carrots=(5, 6)),
        Player(hand=(SUIT,)),
        pile=(MISFORTUNE,),
        dice=(9, 3, 5),
    ).go("flip", "play", "player:1")
    game.answer(0, "carrots", "bunnies").go("carrot:1", "bunny:1", "carrot:4", "bunny:6")

    strike(game, 3, 2, 6).go((2, "carrot:5"), (2, "bunny:11"))

    assert game.happened(Risked)[1:] == [
        Risked(1, [4], [6]),
        Risked(2, [5], [11]),
        Risked(1, [4], [7]),
    ], "one bunny is left to him, and leaves no choice"


@pytest.mark.rule("KB-141")
@pytest.mark.rule("KB-044")
def test_who_loses_his_last_bunny_over_the_cabbage_gets_no_water_either() -> None:
    game = arrange(
        Player(bunnies=(1,), top=ROCK),
        Player(cabbage=(2, 2), water=(5, 5)),
        Player(cabbage=(2, 2), hand=(SUIT,)),
        pile=(MISFORTUNE,),
    ).go("flip", "play")
    assert game.topic(0) == "rock-bottom.cabbage"

    strike(game, 2, 1, 1).default()

    assert (game.board.seats[0].cabbage, game.board.seats[0].water) == ([], [])
    assert ROCK in game.board.discards


@pytest.mark.rule("KB-105")
def test_a_bunny_that_dies_before_it_is_abducted_brings_nobody_back() -> None:
    """O-47."""
    game = launched(
        AREA,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        Player(hand=(SUIT,)),
        away=Away(7, 1),
        pile=(MISFORTUNE,),
    )
    game.answer(2, f"play:{SUIT}").go((2, "bunny:1"), (2, "bunny:6"))

    assert game.topic(0) == "turn.after"
    assert game.board.away == Away(7, 1)
    assert {AREA, 6} <= set(game.board.discards)
