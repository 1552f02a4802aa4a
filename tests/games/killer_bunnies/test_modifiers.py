"""Modifiers and the Black Cat: KB-093 to KB-097, KB-110."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.board import Feed
from hutch.games.killer_bunnies.printed import CARDS
from tests.games.killer_bunnies.arranging import Player, arrange

HALO, CAT, SUIT = 58, 53, 151
SINGLE, DOUBLE, TRIPLE, QUADRUPLE = 61, 62, 63, 141


@pytest.mark.rule("KB-093")
def test_the_modifiers_are_halo_clovers_and_suit() -> None:
    clovers = [CARDS[card].clovers for card in (SINGLE, DOUBLE, TRIPLE, QUADRUPLE)]

    assert clovers == [1, 2, 3, 4]
    kinds = {CARDS[card].kind for card in (HALO, SUIT, SINGLE, DOUBLE, TRIPLE, QUADRUPLE)}
    assert kinds == {"modifier"}
    assert CARDS[SUIT].type == "very_special"


@pytest.mark.rule("KB-094")
@pytest.mark.rule("KB-096")
def test_a_modifier_goes_under_any_bunny_and_several_share_one() -> None:
    game = arrange(Player(bunnies=(1,), top=SINGLE), Player(bunnies=(6,)), under={6: (DOUBLE,)}).go(
        "flip", "play"
    )
    assert game.options(0) == ["bunny:1", "bunny:6"]

    game.go("bunny:6")

    assert game.bunny(6).under == [DOUBLE, SINGLE]


@pytest.mark.rule("KB-095")
def test_without_an_own_bunny_a_modifier_is_discarded_or_put_under_anothers() -> None:
    game = arrange(Player(top=HALO), Player(bunnies=(6,))).go("flip")
    assert game.options(0) == ["play", "discard"]

    game.go("play", "bunny:6")

    assert game.bunny(6).under == [HALO]


@pytest.mark.rule("KB-097")
def test_a_halo_laid_later_takes_feed_cards_off_but_leaves_a_trojan() -> None:
    game = arrange(Player(bunnies=(1,), top=HALO), Player(bunnies=(6,)))
    for card in (24, 46):
        game.board.pile.remove(card)
    game.bunny(1).feeds.append(Feed(24, 9))
    game.bunny(1).trojan, game.bunny(1).trojan_by = 46, 1

    game.go("flip", "play", "bunny:1")

    assert game.bunny(1).feeds == []
    assert game.bunny(1).trojan == 46
    assert 24 in game.board.discards


@pytest.mark.rule("KB-097")
def test_a_halo_bunny_may_defect_and_neither_dies_nor_feeds_in_gambles() -> None:
    players = (Player(bunnies=(1,), top=55), Player(bunnies=(6,)))
    defector = arrange(*players, under={6: (HALO,)}, dice=(9, 3)).go(
        "flip", "play", "bunny:6", "no", "place:0"
    )
    assert defector.owners()[6] == 0
    assert defector.bunny(6).under == [HALO]

    for dice, card in (((4, 4, 4, 1, 2), 66), ((3,), 74), ((5,), 74), ((1, 1, 2, 3, 4), 66)):
        gamble = arrange(
            Player(bunnies=(1,), hand=(card,)), Player(bunnies=(6,)), under={6: (HALO,)}, dice=dice
        ).go(f"hand:{card}", "bunny:6")
        assert gamble.circle() == [1, 6]


@pytest.mark.rule("KB-110")
@pytest.mark.parametrize("roll", [7, 8])
def test_the_black_cat_takes_all_clovers_to_lay_anew_only_on_an_odd_roll(roll: int) -> None:
    game = arrange(
        Player(bunnies=(1,), top=CAT),
        Player(bunnies=(6, 7)),
        under={6: (SINGLE, HALO, TRIPLE)},
        dice=(roll,),
    ).go("flip", "play")
    assert game.options(0) == ["bunny:6"]
    game.go("bunny:6")
    assert game.bunny(6).under == [HALO]

    if roll % 2:
        game.go("bunny:1", "no")
        assert game.bunny(1).under == [SINGLE]
        assert TRIPLE in game.board.discards
    else:
        assert {SINGLE, TRIPLE} <= set(game.board.discards)
    assert CAT in game.board.discards


@pytest.mark.rule("KB-110")
def test_the_black_cat_needs_clovers() -> None:
    game = arrange(Player(bunnies=(1,), top=CAT), Player()).go("flip")

    assert CAT in game.board.discards
