"""Weapons, Trojan, Bad Karma, Area 51 and The Minilith: KB-083 to KB-088, KB-098 to KB-108, KB-124,
KB-134 to KB-137, KB-149 to KB-152, KB-154."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.board import Away, Roamer
from hutch.games.killer_bunnies.events.piles import WeaponsShown
from hutch.games.killer_bunnies.events.turns import DieRolled, Launched
from tests.games.killer_bunnies.arranging import Player, arrange, launched

WHISK, ROACHES, FLAME_THROWER, FLUORINE, TROJAN, EBOLA = 31, 37, 42, 44, 46, 47
WARHEAD, SEA_WHIZ, BLACK_HOLE, ASTEROID = 48, 131, 132, 133
KARMA, AREA, SPATULA, REUSABLES, REVERSAL, SUIT, SUNNY = 51, 49, 80, 81, 152, 151, 82
MINILITH, BUG_OFF, FLOOD, GENEVA, EXCHANGE, CYBER, HALO = 147, 145, 148, 70, 149, 54, 58


@pytest.mark.rule("KB-083")
@pytest.mark.rule("KB-087")
@pytest.mark.parametrize(("roll", "ring"), [(9, [1]), (10, [1, 6])])
def test_the_owner_rolls_the_black_die_and_must_beat_the_level(roll: int, ring: list[int]) -> None:
    game = launched(45, "bunny:6", Player(bunnies=(1,)), Player(bunnies=(6,)), dice=(roll,))

    assert game.circle() == ring
    assert game.happened(DieRolled) == [DieRolled(1, "black", roll, 6, 9)]
    assert 45 in game.board.discards


@pytest.mark.rule("KB-083")
def test_only_an_opponents_bunny_is_a_target_of_an_ordinary_weapon() -> None:
    game = arrange(Player(bunnies=(1,), top=WHISK), Player(bunnies=(6, 7)), under={7: (HALO,)}).go(
        "flip", "play"
    )

    assert game.options(0) == ["bunny:6"]
    assert "opponent's bunny" in game.refusal(0, "bunny:1")
    assert "Heavenly Halo" in game.refusal(0, "bunny:7")


@pytest.mark.rule("KB-084")
@pytest.mark.rule("KB-088")
@pytest.mark.rule("KB-096")
@pytest.mark.parametrize(("roll", "lives"), [(7, False), (8, True)])
def test_clovers_under_a_bunny_add_up_and_come_off_the_level(roll: int, lives: bool) -> None:
    game = launched(
        FLUORINE,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        under={6: (62,)},
        dice=(roll,),
    )
    assert (6 in game.circle()) == lives


@pytest.mark.rule("KB-084")
def test_a_level_below_one_is_survived_without_a_roll() -> None:
    game = launched(33, "bunny:6", Player(bunnies=(1,)), Player(bunnies=(6,)), under={6: (61, 62)})

    assert game.circle() == [1, 6]


@pytest.mark.rule("KB-085")
@pytest.mark.rule("KB-104")
def test_a_warhead_kills_all_within_two_spaces_but_clovers_give_a_roll() -> None:
    game = launched(
        WARHEAD,
        "bunny:6",
        Player(bunnies=(1, 2)),
        Player(bunnies=(6, 7, 8, 9)),
        under={7: (63,)},
        dice=(10,),
    )

    # The ring: 1 2 6 7 8 9. Within two spaces of 6 lie 2 and 1, 7 and 8.
    assert game.circle() == [7, 9]


@pytest.mark.rule("KB-086")
@pytest.mark.rule("KB-135")
def test_sea_whiz_mount_rolls_for_each_bunny_by_its_owner() -> None:
    game = launched(
        SEA_WHIZ,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        Player(bunnies=(11,)),
        Player(bunnies=(12,)),
        dice=(10, 10, 9),
    )

    assert [(roll.seat, roll.bunny, roll.beat) for roll in game.happened(DieRolled)] == [
        (1, 6, 10),
        (2, 11, 9),
        (0, 1, 9),
    ]
    assert game.circle() == [11, 12]


@pytest.mark.rule("KB-136")
def test_a_black_hole_weakens_with_each_space_round_the_circle() -> None:
    game = launched(
        BLACK_HOLE,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6, 7, 8)),
        dice=(12, 11, 10, 9),
    )

    rolls = game.happened(DieRolled)
    assert [(roll.bunny, roll.beat) for roll in rolls] == [(6, 11), (7, 10), (1, 10), (8, 9)]
    assert game.circle() == [6, 7]


@pytest.mark.rule("KB-137")
def test_a_stray_asteroid_kills_within_three_spaces() -> None:
    bunnies = (6, 7, 8, 9, 10, 11)
    game = launched(ASTEROID, "bunny:1", Player(bunnies=(1, 2)), Player(bunnies=bunnies))

    # The ring: 1 2 6 7 8 9 10 11. Within three of 1 lie 2, 6, 7 and 11, 10, 9.
    assert game.circle() == [8]


@pytest.mark.rule("KB-098")
def test_a_trojan_waits_until_its_bunnys_owner_launches_a_weapon() -> None:
    game = launched(
        TROJAN,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,), top=WHISK),
        Player(bunnies=(11,)),
        dice=(2, 11, 10, 12),
    ).end_turn()
    assert game.bunny(6).trojan == TROJAN

    game.go("flip", "play", "bunny:11")

    # 11 beats the Whisk; then 6 beats the Trojan, its neighbour 11 does not, 1 does.
    assert game.circle() == [1, 6]
    assert game.bunny(6).trojan == 0
    assert {TROJAN, WHISK} <= set(game.board.discards)


@pytest.mark.rule("KB-099")
def test_a_weapon_flipped_and_discarded_does_not_set_the_trojan_off() -> None:
    game = launched(
        TROJAN, "bunny:6", Player(bunnies=(1,)), Player(bunnies=(6,), top=WHISK)
    ).end_turn()

    game.go("flip", "discard")

    assert game.bunny(6).trojan == TROJAN


@pytest.mark.rule("KB-100")
@pytest.mark.parametrize("card", [45, AREA])
def test_a_trojan_is_discarded_with_its_bunny(card: int) -> None:
    game = launched(
        TROJAN, "bunny:6", Player(bunnies=(1,), bottom=card), Player(bunnies=(6,)), dice=(1,)
    )
    game.end_turn().end_turn()

    game.go("flip", "play", "bunny:6")

    assert 6 not in game.circle()
    assert TROJAN in game.board.discards


@pytest.mark.rule("KB-105")
def test_area_51_takes_any_bunny_and_gives_the_one_before_back() -> None:
    game = launched(AREA, "bunny:1", Player(bunnies=(1,)), Player(bunnies=(6,)), away=Away(7, 1))
    assert game.topic(1) == "bunny.place"

    game.answer(1, "place:1")

    assert game.board.away == Away(1, 0)
    assert game.circle() == [6, 7]
    assert AREA in game.board.discards


@pytest.mark.rule("KB-106")
def test_what_lies_on_an_abducted_bunny_is_discarded_and_cyber_bunny_moves_on() -> None:
    game = launched(
        AREA,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        Player(bunnies=(11,)),
        under={6: (61, SUIT)},
        roamers=(Roamer(CYBER, 0, 6, 5), Roamer(EBOLA, 2, 6, 5)),
    )

    assert game.board.roamers == [Roamer(CYBER, 0, 11, 5)]
    assert {61, SUIT, EBOLA} <= set(game.board.discards)


@pytest.mark.rule("KB-107")
def test_a_player_with_only_an_abducted_bunny_can_still_win() -> None:
    game = arrange(
        Player(bunnies=(1,), top=16),
        Player(carrots=range(2, 13)),
        market=(1,),
        away=Away(6, 1),
        small_carrots=(5, *(c for c in range(1, 13) if c != 5)),
    ).go("flip", "play", "carrot:1")

    assert game.live.result is not None
    assert game.live.result.winners == (1,)


@pytest.mark.rule("KB-108")
def test_bad_karma_turns_the_next_weapon_on_an_own_bunny() -> None:
    game = arrange(
        Player(bunnies=(1, 2), top=WHISK, karma=(KARMA,)),
        Player(bunnies=(6,)),
        under={2: (HALO,)},
        dice=(1,),
    ).go("flip")
    assert game.options(0) == ["bunny:1"]
    assert "Bad Karma" in game.refusal(0, "bunny:6")

    game.go("bunny:1")

    assert game.circle() == [2, 6]
    assert game.board.seats[0].karma == []
    assert KARMA in game.board.discards


@pytest.mark.rule("KB-108")
def test_bad_karma_stays_where_no_own_bunny_can_be_hit() -> None:
    game = arrange(Player(top=WHISK, karma=(KARMA,)), Player(bunnies=(6,))).go("flip")

    assert WHISK in game.board.discards
    assert game.board.seats[0].karma == [KARMA]


@pytest.mark.rule("KB-108")
@pytest.mark.rule("KB-155")
@pytest.mark.parametrize("weapon", [FLUORINE, EBOLA])
def test_bad_karma_is_not_served_by_a_bunny_that_the_suit_protects(weapon: int) -> None:
    suit = {1: (SUIT,)}
    alone = arrange(
        Player(bunnies=(1,), top=weapon, karma=(KARMA,)), Player(bunnies=(6,)), under=suit
    ).go("flip")
    assert weapon in alone.board.discards
    assert alone.board.seats[0].karma == [KARMA]

    game = arrange(
        Player(bunnies=(1, 2), top=weapon, karma=(KARMA,)), Player(bunnies=(6,)), under=suit
    ).go("flip")

    assert game.options(0) == ["bunny:2"]
    assert "Containment Suit" in game.refusal(0, "bunny:1")


@pytest.mark.rule("KB-108")
@pytest.mark.rule("KB-102")
def test_bad_karma_is_not_served_by_a_bunny_that_ebola_has_met() -> None:
    game = arrange(Player(bunnies=(1,), top=EBOLA, karma=(KARMA,)), Player(bunnies=(6,)))
    game.board.infected.append(1)

    game.go("flip")

    assert EBOLA in game.board.discards
    assert game.board.seats[0].karma == [KARMA]


@pytest.mark.rule("KB-108")
def test_bad_karma_may_be_given_to_anybody() -> None:
    game = arrange(Player(bunnies=(1,), top=KARMA), Player(), Player()).go("flip", "play")
    assert game.options(0) == ["player:0", "player:1", "player:2"]

    game.go("player:2")

    assert game.board.seats[2].karma == [KARMA]


@pytest.mark.rule("KB-124")
def test_the_geneva_convention_takes_all_weapons_out_of_a_hand_but_not_the_run_slots() -> None:
    game = arrange(
        Player(bunnies=(1,), hand=(GENEVA,)),
        Player(hand=(33, 34, TROJAN, CYBER, 1), top=35, bottom=36),
        pile=(2, 3, 5),
    ).go(f"hand:{GENEVA}", "player:1")

    seat = game.board.seats[1]
    assert {33, 34, TROJAN} <= set(game.board.discards)
    assert sorted(seat.hand) == [1, 2, 3, 5, CYBER]
    assert (seat.top, seat.bottom) == (35, 36)


@pytest.mark.rule("KB-134")
def test_choose_2_carrots_takes_two_or_the_last_one() -> None:
    two = arrange(Player(bunnies=(1,), top=21), Player()).go("flip", "play")
    two.answer(0, "carrot:3", "carrot:8")
    assert two.board.seats[0].carrots == [3, 8]

    last = arrange(Player(bunnies=(1,), top=21), Player(carrots=range(2, 13)), market=(1,)).go(
        "flip", "play", "carrot:1"
    )
    assert last.live.result is not None


@pytest.mark.rule("KB-149")
@pytest.mark.rule("KB-150")
@pytest.mark.rule("KB-084")
def test_the_minilith_doubles_before_clovers_and_reaches_the_neighbours() -> None:
    game = launched(
        FLAME_THROWER,
        "bunny:6",
        Player(bunnies=(1,), saved=(MINILITH,)),
        Player(bunnies=(6,)),
        Player(bunnies=(11,)),
        under={6: (63, 141)},
        dice=(10,),
    )

    # 8 doubled is 16: seven Clovers leave 9, which 10 beats; the others cannot live.
    assert game.circle() == [6]
    assert game.happened(Launched)[0].level == 16


@pytest.mark.rule("KB-149")
def test_the_minilith_leaves_weapons_of_ten_and_more_alone() -> None:
    game = launched(
        SEA_WHIZ,
        "bunny:6",
        Player(bunnies=(1,), saved=(MINILITH,)),
        Player(bunnies=(6,)),
        dice=(11, 10),
    )

    assert game.happened(Launched)[0].level == 10


@pytest.mark.rule("KB-151")
def test_the_minilith_needs_a_bunny_to_be_saved_and_to_stay() -> None:
    flipped = arrange(Player(top=MINILITH), Player(bunnies=(6,))).go("flip")
    assert MINILITH in flipped.board.discards
    saved = arrange(Player(bunnies=(1,), top=MINILITH), Player()).go("flip", "save")
    assert saved.board.seats[0].saved == [MINILITH]

    game = launched(
        45, "bunny:6", Player(bunnies=(1,)), Player(bunnies=(6,), saved=(MINILITH,)), dice=(1,)
    )
    assert MINILITH in game.board.discards


@pytest.mark.rule("KB-151")
@pytest.mark.rule("KB-150")
def test_its_owner_may_throw_the_minilith_away_between_flip_and_target() -> None:
    game = arrange(
        Player(bunnies=(1,), saved=(MINILITH,), top=WHISK),
        Player(bunnies=(6, 7)),
        dice=(2,),
    ).go("flip", "play")
    assert game.offers(0) == [f"drop:{MINILITH}"]

    game.take(0, f"drop:{MINILITH}").answer(0, "bunny:6")

    assert game.circle() == [1, 6, 7]
    assert game.happened(Launched)[0].level == 1


@pytest.mark.rule("KB-152")
def test_the_exchange_shows_weapons_to_the_player_alone() -> None:
    game = arrange(
        Player(bunnies=(1,), hand=(EXCHANGE, 33)),
        Player(hand=(48, 16, 45)),
        Player(bunnies=(11,)),
    ).go(f"hand:{EXCHANGE}", "player:1")
    (shown,) = game.happened(WeaponsShown)
    assert sorted(shown.cards) == [45, 48]
    assert shown.face(2) == WeaponsShown(1, 0, [])
    assert game.options(0) == ["take:48", "take:45", "no"]

    game.go("take:48", "give:33")

    assert 48 in game.board.seats[0].hand
    assert 33 in game.board.seats[1].hand


@pytest.mark.rule("KB-152")
def test_the_exchange_needs_a_weapon_in_the_hand() -> None:
    game = arrange(Player(bunnies=(1,), hand=(EXCHANGE,), top=33), Player())
    assert "weapon in your five-card hand" in game.refusal(0, f"hand:{EXCHANGE}")

    without = arrange(Player(bunnies=(1,), hand=(EXCHANGE, 33)), Player()).go(
        f"hand:{EXCHANGE}", "player:1"
    )
    assert without.options(0) == ["no"]
    without.go("no")
    assert EXCHANGE in without.board.discards


@pytest.mark.rule("KB-154")
@pytest.mark.parametrize("place", ["hand", "saved"])
def test_top_run_rotate_from_elsewhere_leaves_the_bottom_run_where_it_is(place: str) -> None:
    """O-56: the Bottom Run card slides up only for a Top Run card that was just flipped."""
    me = Player(bottom=33, hand=(150,)) if place == "hand" else Player(bottom=33, saved=(150,))
    game = arrange(me, Player(top=34), Player(top=35)).go(f"{place}:150")

    assert [seat.top for seat in game.board.seats] == [34, 35, 0]
    assert game.board.seats[0].bottom == 33


@pytest.mark.rule("KB-154")
def test_top_run_rotate_passes_every_top_card_to_the_right() -> None:
    game = arrange(Player(top=150, bottom=33), Player(top=34), Player(), Player(top=35)).go(
        "flip", "play"
    )

    assert [seat.top for seat in game.board.seats] == [34, 0, 35, 33]
    game.go("close")
    assert game.topic(0) == "run.bottom"


def test_a_single_weapon_hits_cyber_bunny_or_the_bunny_below() -> None:
    game = launched(
        45,
        "cyber:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        Player(),
        roamers=(Roamer(CYBER, 2, 6, 5),),
        dice=(9,),
    )

    assert game.board.roamers == []
    assert game.circle() == [1, 6]
    assert game.happened(DieRolled) == [DieRolled(2, "black", 9, CYBER, 9)]
