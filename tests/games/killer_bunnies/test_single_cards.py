"""Single cards of both decks: KB-109, KB-114 to KB-122, KB-126 to KB-130, KB-138 to KB-145."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.events.goods import Handed
from hutch.games.killer_bunnies.events.turns import (
    BidMade,
    DieRolled,
    Risked,
    StakeNamed,
    TurnLost,
)
from hutch.games.killer_bunnies.printed import CARDS
from hutch.games.killer_bunnies.purse import has
from tests.games.killer_bunnies.arranging import Player, Playing, arrange

BAKER, DEFECTOR, POKER, ROULETTE, BID, THIEF, ROCK, WEIL = 52, 55, 65, 143, 135, 136, 142, 144
CASINO, BAKERY, SURPRISE, HALO, SUIT = 66, 74, 78, 58, 151
ONES = (87, 88, 89, 90, 91)


def played(card: int, *players: Player, **more: object) -> Playing:
    """Seat 0 flips the card and plays it."""
    first, *rest = players
    first.top = card
    return arrange(first, *rest, **more).go("flip", "play")  # type: ignore[arg-type]


def with_hand(card: int, target: str, *players: Player, **more: object) -> Playing:
    """Seat 0 plays a Special from the hand on that target."""
    first, *rest = players
    first.hand = (card,)
    return arrange(first, *rest, **more).go(f"hand:{card}", target)  # type: ignore[arg-type]


@pytest.mark.rule("KB-109")
def test_baker_street_costs_the_next_turn_even_of_who_has_no_bunny() -> None:
    game = played(BAKER, Player(bunnies=(1,)), Player(), Player())
    game.go("player:1")
    assert game.board.seats[1].lost_turns == [BAKER]

    game.end_turn()

    game.until(2, "turn.before")
    assert game.board.turn == 12
    assert game.happened(TurnLost) == [TurnLost(11, 1, BAKER)]
    assert BAKER in game.board.discards


@pytest.mark.rule("KB-114")
def test_defector_detector_lets_all_roll_with_one_second_try_and_ties_again() -> None:
    game = played(
        DEFECTOR,
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        Player(),
        dice=(2, 9, 9, 9, 4, 11, 7),
    )
    game.go("bunny:6")
    assert game.topic(0) == "contest.again"

    game.go("yes")  # 9 all round, then 4, 11, 7

    assert game.owners() == {1: 0, 6: 1}
    swap = played(
        DEFECTOR, Player(bunnies=(1,)), Player(bunnies=(6,)), Player(), dice=(2, 3, 4)
    ).go("bunny:6", "no")
    assert swap.owners() == {1: 0, 6: 2}


@pytest.mark.rule("KB-115")
@pytest.mark.rule("KB-116")
@pytest.mark.parametrize(
    ("card", "lost", "kept"), [(56, "water", "cabbage"), (64, "cabbage", "water")]
)
def test_drought_and_maggots_take_all_of_one_supply(card: int, lost: str, kept: str) -> None:
    game = played(card, Player(bunnies=(1,)), Player(cabbage=(5, 2), water=(10,)))
    assert game.options(0) == ["player:1"]
    game.go("player:1")

    assert getattr(game.board.seats[1], lost) == []
    assert getattr(game.board.seats[1], kept)


@pytest.mark.rule("KB-117")
def test_a_free_agent_has_no_colour_and_no_kind_of_its_own() -> None:
    assert all(not CARDS[card].colour and not CARDS[card].breed for card in (57, 138))


@pytest.mark.rule("KB-118")
@pytest.mark.rule("KB-119")
@pytest.mark.rule("KB-120")
def test_poverty_poker_takes_in_all_who_own_the_whole_stake() -> None:
    game = played(
        POKER,
        Player(bunnies=(1,), dolla=(92, 87), carrots=(1, 2)),
        Player(dolla=(93, 88), carrots=(3, 4)),
        Player(dolla=(94,)),
        Player(dolla=(95, 96), carrots=(5,)),
        dice=(3, 8, 8, 12, 2, 5),
    )
    game.go("player:1").answer(0, ("dolla", 2), "carrots")
    assert game.happened(StakeNamed) == [StakeNamed(0, 2, 0, 0, 1, 0)]
    assert game.topic(0) == "poker.carrots"
    game.answer(0, "carrot:2").answer(1, "carrot:3")
    assert game.topic(0) == "contest.again"

    game.go("yes")  # 3, 8, 8: the second try gives 12

    assert sorted(game.board.seats[0].carrots) == [1, 2, 3, 5]
    assert has(game.live.table, 0, "dolla") == 7
    assert game.board.seats[2].dolla == [94]


@pytest.mark.rule("KB-120")
def test_the_highest_who_tie_roll_until_it_is_broken() -> None:
    game = played(
        POKER,
        Player(bunnies=(1,), cabbage=(1,)),
        Player(cabbage=(1,)),
        dice=(5, 5, 6, 6, 2, 9),
    ).go("player:1", "cabbage", "no")

    assert game.board.seats[1].cabbage == [1, 1]
    assert game.happened(Handed) == [Handed(0, 1, "cabbage", [1])]


@pytest.mark.rule("KB-121")
@pytest.mark.rule("KB-097")
def test_each_chooses_what_to_risk_but_a_lone_halo_bunny_must_be() -> None:
    game = played(
        POKER,
        Player(bunnies=(1, 2)),
        Player(bunnies=(6,)),
        under={6: (HALO,)},
        dice=(9, 3),
    ).go("player:1", "bunnies", "bunny:2", "no", "place:0")

    assert game.happened(Risked) == [Risked(0, [], [2]), Risked(1, [], [6])]
    assert game.owners() == {1: 0, 2: 0, 6: 0}
    assert game.bunny(6).under == [HALO]


@pytest.mark.rule("KB-119")
@pytest.mark.parametrize("named", [False, True], ids=["before he names it", "after he named it"])
def test_who_loses_what_he_would_risk_does_not_play(named: bool) -> None:
    game = played(
        POKER,
        Player(bunnies=(1, 2)),
        Player(bunnies=(6, 7)),
        Player(bunnies=(11, 12)),
        Player(hand=(SUIT,)),
        pile=(83, 84),
        dice=(3, 9),
    ).go("player:1", "bunnies", "bunny:1")
    if named:
        game.answer(1, "bunny:6")

    game.take(3, f"play:{SUIT}").go((3, "bunny:1"), (3, "bunny:6"), (3, "bunny:7"))
    assert game.topic(2) == "poker.bunnies"
    game.go("bunny:11", "no", "place:0")

    assert [roll.seat for roll in game.happened(DieRolled)] == [0, 2]
    assert game.owners() == {1: 2, 2: 0, 11: 2, 12: 2}


@pytest.mark.rule("KB-118")
def test_a_stake_that_nobody_else_owns_cannot_be_named() -> None:
    game = arrange(Player(bunnies=(1,), top=POKER, dolla=ONES), Player(cabbage=(5,))).go("flip")

    assert POKER in game.board.discards


@pytest.mark.rule("KB-122")
@pytest.mark.parametrize(
    ("dice", "fate"),
    [
        ((1, 1, 2, 3, 4), "dies"),
        ((1, 1, 2, 2, 4), "dies"),
        ((1, 1, 1, 3, 4), "dies"),
        ((1, 1, 1, 1, 1), "dies"),
        ((1, 2, 3, 4, 5), "wins"),
    ],
)
def test_the_casino_pays_or_snuffs_the_owner_of_the_target(
    dice: tuple[int, ...], fate: str
) -> None:
    game = with_hand(
        CASINO,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        dice=dice,
        spent_dolla=(98, 92),
    )
    if fate == "dies":  # with no supplies a feed 1/1 cannot be met
        assert game.circle() == [1]
        return
    assert game.topic(1) == "casino.carrot"
    game.answer(1, "carrot:8")
    assert game.board.seats[1].carrots == [8]
    assert sorted(game.board.seats[1].dolla) == [92, 98]


@pytest.mark.rule("KB-122")
def test_the_casinos_carrot_may_be_declined_and_missing_dolla_are_owed() -> None:
    game = with_hand(CASINO, "bunny:1", Player(bunnies=(1,)), Player(), dice=(5, 4, 3, 2, 1)).go(
        "no"
    )

    assert game.board.seats[0].carrots == []
    assert game.board.debts[0].amount == 7


@pytest.mark.rule("KB-126")
@pytest.mark.rule("KB-127")
@pytest.mark.parametrize("roll", range(1, 13))
def test_the_bakery_table(roll: int) -> None:
    game = with_hand(
        BAKERY,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6, 7), cabbage=(1,), water=(1,)),
        cabbage=(5,),
        water=(10,),
        dice=(roll,),
    )
    if roll >= 10:
        game.answer(1, "carrot:3")
    elif 4 <= roll <= 6 and game.topic(1) == "bunny.feed":
        game.answer(1, "pay")
    seat = game.board.seats[1]
    assert game.circle() == {1: [], 2: [1, 7], 3: [1, 7]}.get(roll, [1, 6, 7])
    assert seat.carrots == ([3] if roll >= 10 else [])
    assert seat.cabbage == ([1, 5] if 7 <= roll <= 9 else [] if 4 <= roll <= 6 else [1])


@pytest.mark.rule("KB-129")
@pytest.mark.rule("KB-130")
def test_the_surprise_gives_what_the_lowest_dice_name() -> None:
    tie = with_hand(
        SURPRISE,
        "revive:7",
        Player(),
        Player(),
        discards=(7, 8),
        spent_dolla=(101, 87),
        cabbage=(5,),
        water=(2,),
        dice=(2, 2, 2, 2, 2),
    ).go("carrot:12")
    seat = tie.board.seats[0]
    assert (tie.circle(), seat.carrots, seat.cabbage, seat.dolla, seat.water) == (
        [7],
        [12],
        [5],
        [101],
        [2],
    )

    lone = arrange(Player(hand=(SURPRISE,)), Player(), dice=(3, 4, 5, 2, 6)).go(f"hand:{SURPRISE}")
    assert lone.board.seats[0].dolla == []
    assert lone.board.debts == [], "nothing is owed"


@pytest.mark.rule("KB-138")
def test_an_auction_rises_in_order_of_play_until_all_others_have_passed() -> None:
    game = played(
        BID,
        Player(bunnies=(1,), dolla=(92,)),
        Player(bunnies=(6,), dolla=(98,)),
        Player(dolla=(99, 87)),
    ).go("bunny:6")
    assert game.options(0) == ["bid:1", "bid:2", "pass"]

    game.answer(0, "bid:1").answer(1, "bid:2").answer(2, "bid:3")
    assert game.topic(1) == "auction.bid", "seat 0 has only 2 Dolla and is out"
    game.answer(1, "pass")

    assert game.owners() == {1: 0, 6: 2}
    assert [(bid.seat, bid.dolla) for bid in game.happened(BidMade)] == [
        (0, 1),
        (1, 2),
        (2, 3),
        (0, 0),
        (1, 0),
    ]
    assert 99 in game.board.spent_dolla


@pytest.mark.rule("KB-138")
def test_nobody_need_bid() -> None:
    game = played(BID, Player(bunnies=(1,), dolla=(92,)), Player(dolla=(98,))).go("bunny:1")

    game.answer(0, "pass").answer(1, "pass")

    assert game.owners() == {1: 0}
    assert game.board.spent_dolla == []


@pytest.mark.rule("KB-139")
@pytest.mark.parametrize(("roll", "market", "other"), [(3, True, False), (8, False, True)])
def test_the_thief_takes_the_carrot_of_the_number_rolled(
    roll: int, market: bool, other: bool
) -> None:
    game = played(THIEF, Player(bunnies=(1,)), Player(carrots=(8, 9)), dice=(roll,), market_card=60)
    assert game.topic(0) == "carrot.steal"

    game.go("yes")

    assert game.board.seats[0].carrots == [roll]
    assert (roll in game.board.market) is False
    assert game.board.seats[1].carrots == ([9] if other else [8, 9])


@pytest.mark.rule("KB-139")
def test_the_thief_may_leave_it_and_gains_nothing_from_an_own_carrot() -> None:
    own = played(THIEF, Player(bunnies=(1,), carrots=(3,)), Player(), dice=(3,))
    assert own.topic(0) == "turn.after"
    left = played(THIEF, Player(bunnies=(1,)), Player(), dice=(3,)).go("no")
    assert left.board.seats[0].carrots == []


@pytest.mark.rule("KB-141")
@pytest.mark.rule("KB-142")
def test_rock_bottom_takes_half_and_leaves_the_odd_unit() -> None:
    game = played(
        ROCK,
        Player(bunnies=(1,), water=(1,)),
        Player(cabbage=(5, 2)),
        Player(cabbage=(5,), water=(10,)),
        spent_cabbage=(1, 1, 1, 2),
    )

    assert sum(game.board.seats[0].cabbage) == 3
    assert sum(game.board.seats[1].cabbage) == 4
    assert game.board.seats[0].water == [1]


@pytest.mark.rule("KB-141")
@pytest.mark.rule("KB-142")
def test_rock_bottom_takes_both_and_lets_the_player_choose_between_equals() -> None:
    game = played(
        ROCK,
        Player(bunnies=(1,)),
        Player(cabbage=(2, 2), water=(2,)),
        Player(cabbage=(2, 2), water=(5, 1)),
    )
    assert game.options(0) == ["player:1", "player:2"]

    game.go("player:2")

    assert sum(game.board.seats[0].cabbage) == 2
    assert sum(game.board.seats[2].cabbage) == 2
    assert (
        sum(game.board.seats[0].water)
        + sum(debt.amount for debt in game.board.debts if debt.seat == 0)
        == 3
    )


@pytest.mark.rule("KB-143")
@pytest.mark.rule("KB-144")
def test_the_lowest_roller_of_the_roulette_loses_the_bunny_he_staked() -> None:
    game = played(
        ROULETTE,
        Player(bunnies=(1, 2)),
        Player(bunnies=(6,)),
        Player(bunnies=(11,)),
        Player(),
        under={11: (HALO,)},
        dice=(2, 5, 5, 3, 7),
    )
    assert game.topic(0) == "roulette.stake"
    assert "without the Halo" in game.refusal(0, "bunny:6")
    game.go("bunny:2", "bunny:6")
    assert game.topic(0) == "contest.again"

    game.go("yes")  # 2 and 5, then 5: a tie; 3 and 7 break it

    assert game.circle() == [1, 6, 11]
    assert [risk.seat for risk in game.happened(Risked)] == [0, 1]


@pytest.mark.rule("KB-143")
def test_a_lone_player_of_the_roulette_loses() -> None:
    game = played(ROULETTE, Player(bunnies=(1,)), Player(), dice=(12,)).go("bunny:1")

    assert game.circle() == []


@pytest.mark.rule("KB-145")
def test_weil_lets_an_opponent_pay_for_the_carrots_he_keeps() -> None:
    game = played(
        WEIL,
        Player(bunnies=(1,)),
        Player(carrots=(1, 2, 3, 4, 5), dolla=(98, 92)),
        market_card=60,
    ).go("player:1")
    assert game.ask(1).most == 3

    game.answer(1, "carrot:1", "carrot:3", "carrot:5")

    assert game.board.seats[1].carrots == [1, 3, 5]
    assert {2, 4} <= set(game.board.market)
    assert has(game.live.table, 1, "dolla") + sum(d.amount for d in game.board.debts) == 1


@pytest.mark.rule("KB-145")
def test_by_default_one_keeps_what_one_can_pay_for() -> None:
    game = played(WEIL, Player(bunnies=(1,)), Player(carrots=(1, 2, 3), dolla=(92, 93)))

    game.go("player:1").default()

    assert game.board.seats[1].carrots == [1, 2]


@pytest.mark.rule("KB-145")
def test_weil_needs_an_opponent_with_carrots() -> None:
    game = arrange(Player(bunnies=(1,), top=WEIL, carrots=(1,)), Player()).go("flip")

    assert WEIL in game.board.discards
