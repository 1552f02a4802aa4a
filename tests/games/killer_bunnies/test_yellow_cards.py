"""Yellow cards clause by clause: what the first test of their rules leaves out."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.board import Away, Feed, Roamer
from hutch.games.killer_bunnies.events.turns import DieRolled, Launched
from tests.games.killer_bunnies.arranging import Player, Playing, arrange, launched

DEFECTOR, POKER, AREA, BID, THIEF, ROULETTE, WEIL = 55, 65, 134, 135, 136, 143, 144
ROACHES, TROJAN, EBOLA, KARMA, CYBER, HALO, SINGLE, QUADRUPLE = 37, 46, 47, 51, 54, 58, 61, 141
REUSABLES, MISFORTUNE, SEA_WHIZ, ASTEROID, BUG_OFF = 81, 83, 131, 133, 145
MINILITH, EXCHANGE, ROTATE, SUIT, REVERSAL = 147, 149, 150, 151, 152


def reversed_to(bunny: int, game: Playing) -> Playing:
    """Seat 1 sends what was launched on to that bunny."""
    return game.answer(1, f"play:{REVERSAL}").answer(1, f"bunny:{bunny}")


@pytest.mark.rule("KB-137")
@pytest.mark.rule("KB-112")
def test_an_asteroid_at_cyber_bunny_hits_the_bunny_below_as_well() -> None:
    game = launched(
        ASTEROID,
        "cyber:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        under={6: (QUADRUPLE,)},
        roamers=(Roamer(CYBER, 0, 6, 5),),
        dice=(9,),
    )

    assert game.board.roamers == []
    assert game.circle() == [6], "four Clovers leave level 8"


@pytest.mark.rule("KB-105")
@pytest.mark.rule("KB-106")
def test_an_abducted_bunny_comes_back_to_its_owner_without_what_lay_on_it() -> None:
    game = arrange(
        Player(bunnies=(1,), top=AREA, bottom=49),
        Player(bunnies=(6, 7)),
        Player(bunnies=(11,)),
        under={6: (SINGLE,)},
    )
    game.board.pile.remove(24)
    game.bunny(6).feeds.append(Feed(24, 9))
    game.go("flip", "play", "bunny:6")
    assert {SINGLE, 24} <= set(game.board.discards)

    game.end_turn().until(0, "turn.before").go("flip", "play", "bunny:11")
    assert game.options(1) == ["place:0", "place:1"]
    game.go("place:1")

    assert game.owners() == {1: 0, 7: 1, 6: 1}
    assert (game.bunny(6).under, game.bunny(6).feeds) == ([], [])
    assert game.board.away == Away(11, 2)


@pytest.mark.rule("KB-138")
@pytest.mark.rule("KB-097")
def test_a_bunny_bought_in_an_auction_keeps_its_halo_and_its_clovers() -> None:
    game = arrange(
        Player(bunnies=(1,), top=BID, dolla=(98,)),
        Player(bunnies=(6,)),
        under={6: (HALO, SINGLE)},
    ).go("flip", "play", "bunny:6", "bid:1", "place:0")

    assert game.owners() == {1: 0, 6: 0}
    assert game.bunny(6).under == [HALO, SINGLE]
    assert game.board.spent_dolla == [98]
    assert game.board.debts[0].amount == 4


@pytest.mark.rule("KB-138")
def test_who_auctions_his_own_bunny_may_bid_for_it_and_pays() -> None:
    """O-23."""
    game = arrange(Player(bunnies=(1,), top=BID, dolla=(87, 88)), Player(dolla=(89,))).go(
        "flip", "play", "bunny:1", "bid:2"
    )

    assert game.owners() == {1: 0}
    assert game.board.spent_dolla == [87, 88]


@pytest.mark.rule("KB-151")
@pytest.mark.parametrize("card", [AREA, BID, DEFECTOR, ROULETTE, POKER])
def test_the_minilith_goes_with_the_last_bunny_however_it_leaves(card: int) -> None:
    steps = {
        AREA: ("bunny:6",),
        BID: ("bunny:6", "bid:1", "place:0"),
        DEFECTOR: ("bunny:6", "no", "place:0"),
        ROULETTE: ("bunny:1", "bunny:6", "no"),
        POKER: ("player:1", "bunnies", "no", "place:0"),
    }
    game = arrange(
        Player(bunnies=(1,), top=card, dolla=(87,)),
        Player(bunnies=(6,), saved=(MINILITH,)),
        dice=(9, 3),
    ).go("flip", "play", *steps[card])

    assert game.board.seats[1].saved == []
    assert MINILITH in game.board.discards


@pytest.mark.rule("KB-149")
@pytest.mark.rule("KB-151")
def test_a_weapon_stays_doubled_though_the_minilith_goes_while_others_answer() -> None:
    """O-69: what counts is whether it lies saved at the launch."""
    game = launched(
        32,
        "bunny:6",
        Player(bunnies=(1,), saved=(MINILITH,)),
        Player(bunnies=(6,)),
        Player(bunnies=(11, 12), hand=(SUIT,)),
        pile=(MISFORTUNE,),
        under={11: (HALO,), 12: (HALO,)},
        dice=(4,),
    )
    assert game.happened(Launched)[0].level == 4

    game.answer(2, f"play:{SUIT}").go((2, "bunny:6"), (2, "bunny:1"))

    assert MINILITH in game.board.discards
    assert game.happened(DieRolled) == [DieRolled(1, "black", 4, 6, 4)]
    assert game.circle() == [11, 12]


@pytest.mark.rule("KB-151")
def test_a_lone_halo_bunny_is_enough_to_save_the_minilith() -> None:
    """O-69: saving is no play."""
    game = arrange(Player(bunnies=(1,), top=MINILITH), Player(), under={1: (HALO,)}).go("flip")
    assert game.options(0) == ["save", "discard"]

    assert game.go("save").board.seats[0].saved == [MINILITH]


@pytest.mark.rule("KB-139")
@pytest.mark.rule("KB-168")
def test_the_thief_ends_the_game_with_the_last_carrot_of_the_market() -> None:
    game = arrange(
        Player(bunnies=(1,), top=THIEF),
        Player(bunnies=(6,), carrots=range(1, 12)),
        dice=(12,),
    ).go("flip", "play", "yes")

    assert game.live.result is not None
    assert game.board.seats[0].carrots == [12]


@pytest.mark.rule("KB-145")
@pytest.mark.rule("KB-080")
def test_flo_who_was_given_back_unused_feeds_for_her_next_owner() -> None:
    game = arrange(Player(bunnies=(1,), top=WEIL, bottom=16), Player(carrots=(4,), dolla=(98,))).go(
        "flip", "play", "player:1"
    )
    game.answer(1)
    assert game.board.seats[1].dolla == [98], "nobody need keep what he could pay for"
    game.end_turn().until(0, "turn.before")
    game.board.pile.remove(24)
    game.bunny(1).feeds.append(Feed(24, 11))

    game.go("flip", "play", "carrot:4", "flo:1")

    assert game.bunny(1).feeds == []
    assert game.board.flo_used


@pytest.mark.rule("KB-146")
@pytest.mark.rule("KB-108")
def test_bug_off_answers_the_roaches_of_its_own_owner_too() -> None:
    """O-71: as Bad Karma may ask for them."""
    game = arrange(
        Player(bunnies=(1,), top=ROACHES, saved=(BUG_OFF,), karma=(KARMA,)), Player(bunnies=(6,))
    ).go("flip", "bunny:1", f"play:{BUG_OFF}")

    assert game.circle() == [1, 6]
    assert {ROACHES, BUG_OFF, KARMA} <= set(game.board.discards)


@pytest.mark.rule("KB-146")
@pytest.mark.rule("KB-131")
@pytest.mark.parametrize("second", [False, True], ids=["at once", "in the second use"])
def test_roaches_that_bug_off_eliminated_are_not_used_again(second: bool) -> None:
    """O-41."""
    game = launched(
        ROACHES,
        "bunny:6",
        Player(bunnies=(1,), saved=(REUSABLES,)),
        Player(bunnies=(6, 7), saved=(BUG_OFF,)),
        dice=(2,) if second else (),
    )
    if second:
        game.answer(1, "pass").go(f"play:{REUSABLES}", "bunny:7")

    game.answer(1, f"play:{BUG_OFF}")

    assert game.topic(0) == "turn.after"
    assert game.circle() == ([1, 7] if second else [1, 6, 7])
    assert (REUSABLES in game.board.seats[0].saved) is not second


@pytest.mark.rule("KB-152")
def test_a_saved_exchange_is_no_play_and_nothing_need_be_exchanged() -> None:
    game = arrange(
        Player(bunnies=(1,), saved=(EXCHANGE,), hand=(33,), top=31), Player(hand=(45,))
    ).go(f"saved:{EXCHANGE}", "player:1", "no")

    assert game.topic(0) == "turn.before"
    assert 33 in game.board.seats[0].hand
    assert EXCHANGE in game.board.discards


@pytest.mark.rule("KB-154")
def test_two_players_swap_their_top_run_cards() -> None:
    game = arrange(Player(hand=(ROTATE,), top=31, bottom=33), Player(top=34)).go(f"hand:{ROTATE}")

    assert [seat.top for seat in game.board.seats] == [34, 31]


@pytest.mark.rule("KB-155")
@pytest.mark.rule("KB-095")
def test_a_flipped_suit_needs_no_own_bunny_and_may_be_saved() -> None:
    game = arrange(Player(top=SUIT), Player(bunnies=(6,))).go("flip")
    assert game.options(0) == ["play", "save", "discard"]

    assert game.go("play", "bunny:6").bunny(6).under == [SUIT]


@pytest.mark.rule("KB-153")
@pytest.mark.rule("KB-135")
def test_a_range_weapon_is_centred_anew_though_it_be_on_its_launchers_bunny() -> None:
    """O-22."""
    game = reversed_to(
        2,
        launched(
            SEA_WHIZ,
            "bunny:6",
            Player(bunnies=(1, 2)),
            Player(bunnies=(6,), saved=(REVERSAL,)),
            Player(bunnies=(11,)),
            dice=(12, 9, 12),
        ),
    )

    assert [(roll.bunny, roll.beat) for roll in game.happened(DieRolled)] == [
        (2, 10),
        (6, 9),
        (1, 9),
    ]
    assert game.circle() == [1, 2, 11]


@pytest.mark.rule("KB-153")
def test_a_trojan_and_ebola_are_sent_on_as_they_are_launched() -> None:
    """O-40."""
    players = (Player(bunnies=(1,)), Player(bunnies=(6,), saved=(REVERSAL,)))
    trojan = reversed_to(1, launched(TROJAN, "bunny:6", *players))
    assert (trojan.bunny(1).trojan, trojan.bunny(1).trojan_by) == (TROJAN, 0)

    ebola = reversed_to(1, launched(EBOLA, "bunny:6", *players, dice=(3,)))
    assert ebola.circle() == [6]
    assert ebola.board.roamers == [Roamer(EBOLA, 0, 6, 10)]


@pytest.mark.rule("KB-117")
@pytest.mark.rule("KB-059")
def test_two_free_agents_make_a_triplet_with_any_bunny() -> None:
    game = arrange(Player(bunnies=(57, 138), top=3), Player()).go("flip", "play", "place:0")

    assert game.go("close").default().topic(0) == "turn.between"
