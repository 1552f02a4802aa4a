"""The end: KB-168 to KB-173."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.board import Away
from hutch.games.killer_bunnies.events.turns import (
    CarrotsForfeited,
    HandsCompared,
    SmallCarrotTurned,
)
from tests.games.killer_bunnies.arranging import Player, Playing, arrange

REST = tuple(range(2, 13))


def magic(carrot: int) -> tuple[int, ...]:
    """A small Carrot deck with that card at the bottom."""
    return (carrot, *(other for other in range(1, 13) if other != carrot))


def over(*players: Player, **more: object) -> Playing:
    """Seat 0 chooses the last Carrot, which is number 1."""
    first, *rest = players
    first.top = 16
    game = arrange(first, *rest, market=(1,), **more)  # type: ignore[arg-type]
    return game.go("flip", "play", "carrot:1")


@pytest.mark.rule("KB-168")
@pytest.mark.rule("KB-169")
def test_the_game_ends_with_the_last_carrot_and_no_card_is_drawn() -> None:
    game = over(Player(bunnies=(1,)), Player(bunnies=(6,), carrots=REST))

    assert game.live.result is not None
    assert game.board.seats[0].top == 0
    assert len(game.board.seats[0].hand) == 5


@pytest.mark.rule("KB-168")
def test_buying_the_last_carrot_ends_it_too() -> None:
    game = arrange(Player(dolla=(101,)), Player(bunnies=(6,), carrots=REST), market=(1,)).go(
        "buy:carrot:1"
    )

    assert game.live.result is not None


@pytest.mark.rule("KB-168")
def test_the_card_that_gave_it_is_finished_for_the_same_player() -> None:
    game = arrange(
        Player(bunnies=(1,), hand=(66,)),
        Player(bunnies=(6,), carrots=REST),
        market=(1,),
        spent_dolla=(98, 92),
        dice=(1, 2, 3, 4, 5),
    ).go("hand:66", "bunny:1", "carrot:1")

    assert sorted(game.board.seats[0].dolla) == [92, 98]
    assert game.live.result is not None


@pytest.mark.rule("KB-170")
def test_who_has_no_bunny_gives_all_carrots_to_the_richest_with_one() -> None:
    game = over(
        Player(bunnies=(1,), dolla=(98,)),
        Player(carrots=REST, dolla=(101,)),
        Player(bunnies=(6,), dolla=(99, 87)),
        small_carrots=magic(7),
    )

    assert game.happened(CarrotsForfeited) == [CarrotsForfeited(1, 2, list(REST))]
    assert game.live.result is not None
    assert game.live.result.winners == (2,)
    assert game.live.result.scores == (1, 0, 11)


@pytest.mark.rule("KB-171")
def test_a_tie_in_dolla_is_broken_by_the_highest_card_in_hand() -> None:
    game = over(
        Player(bunnies=(1,), dolla=(98,), hand=(12, 13, 14)),
        Player(carrots=REST),
        Player(bunnies=(6,), dolla=(99,), hand=(150,)),
        small_carrots=magic(1),
    )

    assert game.happened(HandsCompared) == [HandsCompared(2, 150)]
    assert game.happened(CarrotsForfeited)[0].to == 2
    assert game.live.result is not None
    assert game.live.result.winners == (0,)


@pytest.mark.rule("KB-172")
def test_an_abducted_bunny_keeps_its_owners_carrots() -> None:
    game = over(Player(bunnies=(1,)), Player(carrots=REST), away=Away(6, 1), small_carrots=magic(9))

    assert game.happened(CarrotsForfeited) == []
    assert game.live.result is not None
    assert game.live.result.winners == (1,)


@pytest.mark.rule("KB-173")
def test_the_bottom_small_carrot_is_the_magic_one() -> None:
    game = over(Player(bunnies=(1,)), Player(bunnies=(6,), carrots=REST), small_carrots=magic(1))

    turned = [event.carrot for event in game.happened(SmallCarrotTurned)]
    assert len(turned) == 12
    assert turned[-1] == 1
    assert game.live.result is not None
    assert game.live.result.winners == (0,)


def test_nobody_wins_where_nobody_has_a_bunny() -> None:
    """O-06."""
    game = arrange(Player(dolla=(101,)), Player(carrots=REST), market=(1,)).go("buy:carrot:1")

    assert game.live.result is not None
    assert game.live.result.winners == ()
