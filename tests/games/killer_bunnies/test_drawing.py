"""Drawing: KB-019 to KB-023."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.board import Away
from tests.games.killer_bunnies.arranging import Player, arrange

WHISK, TROJAN, REUSABLES = 31, 46, 81


@pytest.mark.rule("KB-019")
@pytest.mark.rule("KB-041")
def test_a_dolla_drawn_is_laid_down_and_another_card_drawn() -> None:
    game = arrange(Player(top=WHISK), Player(), pile=(98, 101, 33)).go("flip", "close")

    assert game.board.seats[0].dolla == [98, 101]
    assert "lay:33" in game.options(0)
    assert len(game.board.seats[0].hand) == 6


@pytest.mark.rule("KB-020")
@pytest.mark.rule("KB-022")
@pytest.mark.rule("KB-042")
def test_a_misfortune_drawn_kills_an_own_bunny_but_never_the_halo_bunny() -> None:
    game = arrange(
        Player(bunnies=(1, 2, 3), top=59),
        Player(bunnies=(6,)),
        pile=(83, 33),
        under={2: (58,)},
    ).go("flip", "discard", "close")

    assert game.topic(0) == "misfortune.victim"
    assert game.options(0) == ["bunny:1", "bunny:3"]
    assert "safe from misfortune" in game.refusal(0, "bunny:2")
    assert "of your own" in game.refusal(0, "bunny:6")
    game.go("bunny:3")

    assert game.circle() == [1, 2, 6]
    assert 83 in game.board.discards
    assert "lay:33" in game.options(0)


@pytest.mark.rule("KB-021")
@pytest.mark.parametrize("under", [{}, {1: (58,)}])
def test_without_a_bunny_to_lose_an_opponents_dies(under: dict[int, tuple[int, ...]]) -> None:
    own = (1,) if under else ()
    game = arrange(
        Player(bunnies=own, top=59), Player(bunnies=(6, 7)), pile=(153,), under=under
    ).go("flip", "discard", "close")

    assert game.options(0) == ["bunny:6", "bunny:7"]
    game.go("bunny:7")

    assert game.circle() == [*own, 6]


@pytest.mark.rule("KB-021")
def test_an_abducted_bunny_is_none_to_lose_and_a_misfortune_without_victim_is_void() -> None:
    game = arrange(
        Player(top=59), Player(bunnies=(6,)), pile=(84, 33), under={6: (58,)}, away=Away(1, 0)
    ).go("flip", "discard", "close")

    assert game.topic(0) == "run.bottom"
    assert 84 in game.board.discards
    assert game.circle() == [6]


@pytest.mark.rule("KB-023")
@pytest.mark.rule("KB-070")
def test_an_empty_pile_is_reshuffled_from_discards_and_spent_dolla() -> None:
    game = arrange(
        Player(top=WHISK),
        Player(),
        discards=(33, 34),
        spent_dolla=(87,),
        spent_cabbage=(1, 2),
        empty_pile=True,
    ).go("flip", "close")

    board = game.board
    everything = {*board.pile, *board.seats[0].hand, *board.seats[0].dolla}
    assert {31, 33, 34, 87} <= everything
    assert board.discards == []
    assert board.spent_dolla == []
    assert board.spent_cabbage == [1, 2]


@pytest.mark.rule("KB-023")
def test_with_nothing_to_draw_one_plays_on_with_what_one_has() -> None:
    hands = [Player(hand=(16, 17), full=False), Player(hand=(18,), full=False)]
    game = arrange(*hands, empty_pile=True)
    game.board.discards.clear()
    assert game.options(0)[0] == "no-play"

    game.go("no-play", "close", "lay:16")

    assert game.board.active == 1
    assert game.board.seats[0].hand == [17]
    assert game.board.seats[0].bottom == 16


@pytest.mark.rule("KB-022")
@pytest.mark.rule("KB-023")
def test_a_draw_ends_where_nothing_but_misfortunes_without_a_victim_is_left() -> None:
    game = arrange(
        Player(hand=(16, 17), full=False),
        Player(bunnies=(6,)),
        pile=(85,),
        under={6: (58,)},
        empty_pile=True,
    )
    game.board.discards[:] = [83, 84]

    game.go("no-play", "close", "lay:16")

    assert game.board.active == 1
    assert game.board.seats[0].hand == [17]
    assert game.board.pile == []
    assert sorted(game.board.discards) == [83, 84, 85]


@pytest.mark.rule("KB-021")
@pytest.mark.rule("KB-023")
def test_misfortunes_are_reshuffled_as_long_as_they_have_a_victim() -> None:
    game = arrange(Player(hand=(16, 17), full=False), Player(bunnies=(6,)), empty_pile=True)
    game.board.discards[:] = [83, 84]

    game.go("no-play", "close", "bunny:6")

    assert game.circle() == []
    assert game.board.seats[0].hand == [16, 17, 6]
    assert game.topic(0) == "run.bottom"


@pytest.mark.rule("KB-022")
@pytest.mark.rule("KB-027")
@pytest.mark.rule("KB-164")
def test_reusables_played_in_the_middle_of_a_draw_leave_no_sixth_card() -> None:
    game = arrange(
        Player(bunnies=(1, 2), hand=(68, REUSABLES, 16, 17, 18), top=31, bottom=32),
        Player(bunnies=(6,)),
        pile=(83, 33, 34, 35),
    )
    game.board.pile.remove(TROJAN)
    game.bunny(1).trojan, game.bunny(1).trojan_by = TROJAN, 0
    game.go("hand:68", "close", "bunny:1")
    assert game.topic(0) == "weapon.again"

    game.go(f"play:{REUSABLES}", "bunny:6")

    assert game.bunny(6).trojan == TROJAN
    assert sorted(game.board.seats[0].hand) == [16, 17, 18, 33, 34]
    assert game.board.active == 1
