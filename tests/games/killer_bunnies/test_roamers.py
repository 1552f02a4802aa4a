"""Roaming Red Run cards: KB-089 to KB-092, KB-101 to KB-103, KB-111 to KB-113."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.board import Bunny, Roamer
from hutch.games.killer_bunnies.circle import is_viable
from hutch.games.killer_bunnies.events.turns import DieRolled
from tests.games.killer_bunnies.arranging import Player, arrange, launched

EBOLA, CYBER, HALO, SUIT, SEA_WHIZ, SUNNY, REUSABLES, SPATULA = 47, 54, 58, 151, 131, 82, 81, 80


@pytest.mark.rule("KB-089")
@pytest.mark.rule("KB-090")
@pytest.mark.rule("KB-111")
def test_cyber_bunny_attacks_at_once_with_the_violet_die_and_moves_on_clockwise() -> None:
    game = launched(
        CYBER,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        Player(bunnies=(11,)),
        under={6: (141,)},
        dice=(9,),
    )

    assert game.happened(DieRolled) == [DieRolled(1, "violet", 9, 6, 9)]
    assert game.circle() == [1, 11]
    assert game.board.roamers == [Roamer(CYBER, 0, 11, 10)]


@pytest.mark.rule("KB-089")
def test_a_roamer_may_be_put_on_an_own_bunny_but_not_on_a_halo_bunny() -> None:
    game = arrange(Player(bunnies=(1,), top=CYBER), Player(bunnies=(6,)), under={6: (HALO,)}).go(
        "flip", "play"
    )

    assert game.options(0) == ["bunny:1"]
    assert "Heavenly Halo" in game.refusal(0, "bunny:6")


@pytest.mark.rule("KB-090")
@pytest.mark.rule("KB-091")
def test_it_attacks_once_a_round_at_the_end_of_its_launchers_turn() -> None:
    game = launched(
        CYBER,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        dice=(10, 10, 10),
    )
    assert game.board.roamers[0].bunny == 1
    game.end_turn()
    assert game.board.roamers[0].bunny == 1, "not in the turn it was launched in"
    game.end_turn()
    assert game.board.roamers[0].bunny == 1, "not in anybody else's turn"

    game.end_turn()

    assert game.happened(DieRolled)[-1] == DieRolled(0, "violet", 10, 1, 9)
    assert game.board.roamers[0].bunny == 6
    game.end_turn().end_turn()
    assert game.board.roamers[0].bunny == 1, "the same bunny may be hit again"


@pytest.mark.rule("KB-092")
def test_with_no_viable_bunny_left_it_is_discarded() -> None:
    game = launched(
        CYBER,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        under={1: ()},
        dice=(1,),
    )
    game.bunny(1).under.append(HALO)
    game.board.pile.remove(HALO)
    assert game.board.roamers[0].bunny == 1
    lone = launched(CYBER, "bunny:1", Player(bunnies=(1,)), Player(), dice=(2,))
    assert lone.board.roamers == []
    assert CYBER in lone.board.discards


@pytest.mark.rule("KB-092")
@pytest.mark.rule("KB-097")
def test_a_halo_laid_below_a_roamer_drives_it_on() -> None:
    game = arrange(
        Player(bunnies=(1,), top=HALO),
        Player(bunnies=(6,)),
        roamers=(Roamer(CYBER, 0, 1, 5), Roamer(EBOLA, 1, 1, 5)),
    ).go("flip", "play", "bunny:1")

    assert [roamer.bunny for roamer in game.board.roamers] == [6, 6]


@pytest.mark.rule("KB-101")
@pytest.mark.rule("KB-102")
def test_ebola_roams_counter_clockwise_and_visits_nobody_twice() -> None:
    game = launched(
        EBOLA,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        Player(bunnies=(11,)),
        dice=(12, 12, 12),
    )
    assert game.board.roamers[0].bunny == 1

    game.end_turn().end_turn().end_turn().end_turn()
    assert game.board.roamers[0].bunny == 11
    game.end_turn().end_turn().end_turn()

    assert game.board.roamers == []
    assert game.board.infected == [6, 1, 11]
    assert EBOLA in game.board.discards
    assert game.circle() == [1, 6, 11]


@pytest.mark.rule("KB-102")
def test_a_survivor_is_never_a_target_of_ebola_again() -> None:
    game = arrange(Player(bunnies=(1,), top=EBOLA), Player(bunnies=(6,)))
    game.board.infected.append(6)

    game.go("flip", "play")

    assert game.options(0) == ["bunny:1"]
    assert "met Ebola before" in game.refusal(0, "bunny:6")


@pytest.mark.rule("KB-102")
def test_a_bunny_that_died_of_ebola_and_came_back_may_meet_it_once_it_was_out_of_play() -> None:
    game = launched(
        EBOLA,
        "bunny:6",
        Player(bunnies=(1,), saved=(SUNNY,)),
        Player(bunnies=(6,)),
        Player(bunnies=(11,)),
        dice=(11, 12),
    )
    game.all_pass().end_turn().end_turn().end_turn().end_turn()
    assert game.circle() == [1, 11]
    game.board.discards.remove(6)
    game.board.circle.insert(1, Bunny(6, 1))
    assert not is_viable(game.board, EBOLA, game.bunny(6)), "it is the same Ebola still"

    game.take(0, f"play:{SUNNY}")

    assert is_viable(game.board, EBOLA, game.bunny(6))
    assert not is_viable(game.board, EBOLA, game.bunny(1)), "a survivor is safe for ever"


@pytest.mark.rule("KB-101")
def test_clovers_help_against_ebola() -> None:
    game = launched(
        EBOLA,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        under={6: (63,)},
        dice=(9,),
    )

    assert game.circle() == [1, 6]


@pytest.mark.rule("KB-103")
def test_ebola_is_gone_with_a_carrier_that_dies_otherwise() -> None:
    game = launched(
        45,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        roamers=(Roamer(EBOLA, 1, 6, 5), Roamer(CYBER, 1, 6, 5)),
        dice=(3,),
    )

    assert game.board.roamers == [Roamer(CYBER, 1, 1, 5)]
    assert EBOLA in game.board.discards


@pytest.mark.rule("KB-103")
def test_its_own_victim_does_not_end_ebola() -> None:
    game = launched(EBOLA, "bunny:6", Player(bunnies=(1,)), Player(bunnies=(6,)), dice=(11,))

    assert game.circle() == [1]
    assert game.board.roamers == [Roamer(EBOLA, 0, 1, 10)]


@pytest.mark.rule("KB-112")
def test_a_range_weapon_hits_cyber_bunny_and_the_bunny_below() -> None:
    game = launched(
        SEA_WHIZ,
        "bunny:1",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        roamers=(Roamer(CYBER, 1, 6, 5),),
        dice=(12, 9, 12),
    )

    assert [(roll.bunny, roll.beat) for roll in game.happened(DieRolled)] == [
        (1, 10),
        (CYBER, 9),
        (6, 9),
    ]
    assert game.board.roamers == []
    assert game.circle() == [1, 6]


@pytest.mark.rule("KB-112")
def test_against_ebola_cyber_bunny_rolls_first() -> None:
    game = launched(
        EBOLA,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        roamers=(Roamer(CYBER, 0, 6, 5),),
        dice=(11, 12),
    )

    assert [roll.bunny for roll in game.happened(DieRolled)] == [CYBER, 6]
    assert [roamer.card for roamer in game.board.roamers] == [EBOLA]


@pytest.mark.rule("KB-112")
def test_cyber_bunny_on_an_own_bunny_may_be_shot_at() -> None:
    game = arrange(
        Player(bunnies=(1,), top=45), Player(bunnies=(6,)), roamers=(Roamer(CYBER, 0, 1, 5),)
    ).go("flip", "play")

    assert game.options(0) == ["bunny:6", "cyber:1"]


@pytest.mark.rule("KB-113")
def test_cyber_bunny_is_no_bunny_and_no_weapon() -> None:
    game = arrange(Player(top=49, saved=(REUSABLES,)), Player(), roamers=()).go("flip")
    assert 49 in game.board.discards

    roaming = launched(
        CYBER,
        "bunny:6",
        Player(bunnies=(1,), saved=(REUSABLES,)),
        Player(bunnies=(6,)),
        dice=(12,),
    )
    assert roaming.topic(0) == "turn.after"


def test_an_attack_averted_by_the_suit_leaves_the_roamer_waiting() -> None:
    game = (
        arrange(
            Player(bunnies=(1,), hand=(33, 34, SUIT), top=59),
            Player(bunnies=(6,)),
            roamers=(Roamer(EBOLA, 0, 1, 5),),
        )
        .go("flip", "discard", "close")
        .default()
    )
    assert game.topic(0) == "window.attack"

    game.answer(0, f"play:{SUIT}").answer(0, "bunny:1").all_pass()

    assert game.board.roamers == [Roamer(EBOLA, 0, 6, 10)]
    assert game.board.infected == []


@pytest.mark.rule("KB-090")
@pytest.mark.rule("KB-131")
def test_ebola_launched_afresh_while_it_was_about_to_attack_does_not_attack_again() -> None:
    game = arrange(
        Player(bunnies=(1,), top=59, saved=(REUSABLES,)),
        Player(bunnies=(6,), saved=(SPATULA,)),
        Player(bunnies=(11,)),
        roamers=(Roamer(EBOLA, 0, 6, 5),),
        dice=(12,),
    ).go("flip", "discard", "close")
    game.default()
    assert game.topic(1) == "window.attack"

    game.answer(1, f"play:{SPATULA}").answer(0, f"play:{REUSABLES}").answer(0, "bunny:11")

    assert game.board.infected == [11]
    assert game.board.roamers == [Roamer(EBOLA, 0, 6, 10)]


def test_two_plays_do_not_mean_two_attacks() -> None:
    game = arrange(
        Player(bunnies=(1, 2, 3), top=59, bottom=60),
        Player(bunnies=(6,)),
        roamers=(Roamer(CYBER, 0, 6, 5),),
        dice=(12,),
    )

    game.go("flip", "play", "close").default().go("flip", "play", "close").default()

    assert len(game.happened(DieRolled)) == 1


def test_sunny_day_before_ebolas_roll_means_no_roll() -> None:
    game = launched(EBOLA, "bunny:6", Player(bunnies=(1,)), Player(bunnies=(6,), saved=(SUNNY,)))

    game.answer(1, f"play:{SUNNY}")

    assert not game.happened(DieRolled)
    assert {EBOLA, SUNNY} <= set(game.board.discards)
