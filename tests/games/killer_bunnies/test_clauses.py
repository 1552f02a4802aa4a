"""Clauses of other single cards that no other test of a rule shows (Blue deck)."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.board import Debt, Feed, Roamer
from hutch.games.killer_bunnies.events.turns import DiceRolled, DieRolled, TurnLost
from tests.games.killer_bunnies.arranging import Player, arrange

BAKER, CAT, CYBER, DEFECTOR, DROUGHT = 52, 53, 54, 55, 56
HALO, SINGLE, TRIPLE, MAGGOTS, POKER, CASINO = 58, 61, 63, 64, 65, 66
GENEVA, COUPON, DANISHES, BAKERY, FOUNTAIN, SURPRISE, FIAT = 70, 71, (72, 73), 74, 76, 78, 83
SPATULA, SUNNY, BUG_OFF, SUIT = 80, 82, 145, 151


# Gambles


@pytest.mark.rule("KB-122")
@pytest.mark.rule("KB-126")
@pytest.mark.parametrize(("card", "dice"), [(CASINO, (1, 2, 3, 4, 5)), (BAKERY, (8,))])
def test_the_owner_of_the_bunny_rolls_not_who_played_the_card(
    card: int, dice: tuple[int, ...]
) -> None:
    game = arrange(
        Player(bunnies=(1,), hand=(card,)), Player(), Player(bunnies=(6,)), dice=dice
    ).go(f"hand:{card}", "bunny:6")

    rolls = game.happened(DiceRolled) + game.happened(DieRolled)
    assert [roll.seat for roll in rolls] == [2]


@pytest.mark.rule("KB-127")
@pytest.mark.rule("KB-097")
@pytest.mark.parametrize(("haloed", "left"), [(6, 6), (7, 7), (2, 2)])
def test_a_one_at_the_bakery_spares_the_halo_bunny_alone(haloed: int, left: int) -> None:
    game = arrange(
        Player(bunnies=(1, 2), hand=(BAKERY,)),
        Player(bunnies=(6, 7)),
        under={haloed: (HALO,)},
        dice=(1,),
    ).go(f"hand:{BAKERY}", "bunny:6")

    # 2 and 7 sit beside 6, and 1 beyond them.
    assert game.circle() == sorted({1, left})


@pytest.mark.rule("KB-056")
@pytest.mark.rule("KB-127")
def test_cyber_bunny_passes_over_all_who_die_together_with_its_carrier() -> None:
    game = arrange(
        Player(bunnies=(1, 2), hand=(BAKERY,)),
        Player(bunnies=(6, 7, 8)),
        roamers=[Roamer(CYBER, 1, 6, 5)],
        dice=(1,),
    ).go(f"hand:{BAKERY}", "bunny:6")

    assert game.circle() == [1, 8]
    assert [one.bunny for one in game.board.roamers] == [8]


@pytest.mark.rule("KB-130")
def test_the_surprises_bunny_may_stay_where_it_is() -> None:
    game = arrange(Player(hand=(SURPRISE,)), Player(), discards=(7,), dice=(1, 2, 3, 4, 5)).go(
        f"hand:{SURPRISE}", "no"
    )

    assert game.circle() == []
    assert 7 in game.board.discards


@pytest.mark.rule("KB-128")
def test_who_turns_one_hit_of_the_fountain_down_is_asked_no_more() -> None:
    game = arrange(Player(hand=(FOUNTAIN,)), Player(), discards=(6, 7), dice=(4, 4, 4, 1, 2)).go(
        f"hand:{FOUNTAIN}", "number:4", "revive:7", "no"
    )

    assert game.topic(0) == "turn.after"
    assert game.circle() == [7]


@pytest.mark.rule("KB-128")
@pytest.mark.rule("KB-057")
def test_more_hits_than_bunnies_revive_all_there_are() -> None:
    game = arrange(Player(hand=(FOUNTAIN,)), Player(), discards=(57,), dice=(4, 4, 4, 1, 2)).go(
        f"hand:{FOUNTAIN}", "number:4", "revive:57"
    )

    assert game.topic(0) == "turn.after"
    assert game.circle() == [57]


@pytest.mark.rule("KB-119")
def test_who_owns_a_part_of_the_stake_does_not_play() -> None:
    game = arrange(
        Player(bunnies=(1,), top=POKER, dolla=(92,), cabbage=(2,)),
        Player(dolla=(93,), cabbage=(2,)),
        Player(dolla=(94,)),
        dice=(5, 9),
    ).go("flip", "play", "player:1")
    game.answer(0, ("dolla", 2), ("cabbage", 1)).go("no")

    assert [roll.seat for roll in game.happened(DieRolled)] == [0, 1]
    assert game.board.seats[2].dolla == [94]


# Cards given to a player: oneself included (O-66)


@pytest.mark.rule("KB-109")
def test_who_takes_baker_street_himself_loses_his_next_turn_not_this_one() -> None:
    game = arrange(Player(bunnies=(1,), top=BAKER), Player(bunnies=(6,))).go(
        "flip", "play", "player:0"
    )
    assert game.topic(0) == "turn.after"

    game.end_turn()
    assert game.topic(1) == "turn.before"
    game.end_turn()

    assert [lost.seat for lost in game.happened(TurnLost)] == [0]
    assert game.board.active == 1
    assert BAKER in game.board.discards


@pytest.mark.rule("KB-124")
def test_the_geneva_convention_may_be_turned_on_oneself() -> None:
    game = arrange(Player(bunnies=(1,), hand=(GENEVA, 33, 16, 17, 18)), Player(), pile=(19, 20)).go(
        f"hand:{GENEVA}", "player:0"
    )

    assert 33 in game.board.discards
    assert game.board.seats[0].hand == [16, 17, 18, 19, 20]


@pytest.mark.rule("KB-124")
@pytest.mark.rule("KB-020")
def test_a_misfortune_drawn_after_the_geneva_convention_strikes_who_drew_it() -> None:
    game = arrange(
        Player(bunnies=(1,), hand=(GENEVA,)), Player(bunnies=(6,), hand=(33,)), pile=(FIAT,)
    ).go(f"hand:{GENEVA}", "player:1")
    assert game.options(1) == ["bunny:6"]

    game.answer(1, "bunny:6")

    assert game.circle() == [1]
    assert len(game.board.seats[1].hand) == 5


@pytest.mark.rule("KB-115")
@pytest.mark.rule("KB-116")
@pytest.mark.parametrize("card", [DROUGHT, MAGGOTS])
def test_drought_and_maggots_may_be_laid_before_oneself(card: int) -> None:
    game = arrange(
        Player(bunnies=(1,), top=card, cabbage=(1,), water=(1,)),
        Player(cabbage=(2,), water=(2,)),
        Player(),
    ).go("flip", "play")

    assert game.options(0) == ["player:0", "player:1"]


@pytest.mark.rule("KB-116")
@pytest.mark.rule("KB-146")
def test_before_the_loss_nothing_but_the_victims_bug_off_answers() -> None:
    game = arrange(
        Player(bunnies=(1,), top=MAGGOTS, saved=(SPATULA,)),
        Player(bunnies=(6,), cabbage=(5,), saved=(SUNNY, SUIT, BUG_OFF)),
        roamers=[Roamer(CYBER, 0, 6, 10)],
    )
    game.bunny(6).feeds.append(Feed(24, 10))
    game.go("flip", "play", "player:1")

    assert list(game.live.asks) == [1]
    assert game.options(1) == [f"play:{BUG_OFF}", "pass"]


@pytest.mark.rule("KB-115")
@pytest.mark.rule("KB-072")
def test_units_lost_to_drought_pay_what_the_game_owes_another() -> None:
    game = arrange(Player(bunnies=(1,), top=DROUGHT), Player(bunnies=(6,), water=(1, 5)), Player())
    game.board.debts.append(Debt(2, "water", 1))
    game.go("flip", "play", "player:1")

    seats = game.board.seats
    assert (seats[1].water, seats[2].water) == ([], [1])
    assert game.board.spent_water == [5]
    assert game.board.debts == []


# Bunnies chosen


@pytest.mark.rule("KB-114")
def test_an_own_bunny_may_be_put_at_stake_by_defector_detector() -> None:
    game = arrange(Player(bunnies=(1,), top=DEFECTOR), Player(bunnies=(6,)), dice=(9, 3)).go(
        "flip", "play", "bunny:1", "no"
    )

    assert game.topic(0) == "turn.after", "it stays where it lies"
    assert game.owners() == {1: 0, 6: 1}


@pytest.mark.rule("KB-114")
@pytest.mark.rule("KB-051")
@pytest.mark.parametrize(
    ("place", "ring"),
    [(0, [2, 1, 6, 7, 11]), (1, [2, 6, 1, 7, 11]), (2, [2, 6, 7, 1, 11])],
)
def test_a_bunny_won_goes_where_its_new_owner_likes_among_his_own(
    place: int, ring: list[int]
) -> None:
    game = arrange(
        Player(bunnies=(1, 2), top=DEFECTOR),
        Player(bunnies=(6, 7)),
        Player(bunnies=(11,)),
        dice=(3, 9, 4),
    ).go("flip", "play", "bunny:1", "no", f"place:{place}")

    assert game.circle() == ring
    assert game.owners()[1] == 1


@pytest.mark.rule("KB-110")
def test_clovers_off_an_own_bunny_go_under_any_bunny_of_anybody() -> None:
    game = arrange(
        Player(bunnies=(1,), top=CAT),
        Player(bunnies=(6, 7)),
        under={1: (SINGLE, TRIPLE)},
        dice=(3,),
    ).go("flip", "play", "bunny:1")
    assert game.options(0) == ["bunny:1", "bunny:6", "bunny:7", "no"]

    game.go("bunny:7", "bunny:1")

    assert game.bunny(7).under == [SINGLE]
    assert game.bunny(1).under == [TRIPLE]


# Supplies


@pytest.mark.rule("KB-074")
@pytest.mark.parametrize("short", ["cabbage", "water"])
def test_a_feed_card_wants_both_its_cabbage_and_its_water(short: str) -> None:
    units = {"cabbage": (2,), "water": (2,), short: ()}
    game = arrange(Player(bunnies=(1,), top=33, **units), Player())  # type: ignore[arg-type]
    game.bunny(1).feeds.append(Feed(24, 5))

    assert "1 Cabbage and 1 Water" in game.refusal(0, "feed:24")


@pytest.mark.rule("KB-074")
@pytest.mark.rule("KB-097")
def test_a_feed_card_without_a_bunny_to_put_it_on_is_discarded() -> None:
    game = arrange(Player(bunnies=(1,), top=24), Player(bunnies=(6,)), under={6: (HALO,)}).go(
        "flip"
    )

    assert game.topic(0) == "turn.after"
    assert 24 in game.board.discards


@pytest.mark.rule("KB-074")
def test_a_bunny_does_not_starve_in_the_turn_of_another_than_its_owner() -> None:
    game = arrange(Player(bunnies=(1,)), Player(bunnies=(6,)), Player(bunnies=(11,)))
    game.bunny(11).feeds.append(Feed(24, 9))

    game.end_turn().end_turn()
    assert game.circle() == [1, 6, 11]

    game.end_turn()
    assert game.circle() == [1, 6]


@pytest.mark.rule("KB-081")
def test_the_turn_player_who_has_the_units_pays_unless_he_plays_a_danish() -> None:
    table = Player(bunnies=(1,), hand=(BAKERY,), dolla=(92, 93), cabbage=(1,), water=(1,))
    alone = arrange(table, Player(), dice=(4,)).go(f"hand:{BAKERY}", "bunny:1")
    assert alone.topic(0) == "turn.after"
    assert alone.board.spent_water == [1]

    table.saved = DANISHES
    choosing = arrange(table, Player(), dice=(4,)).go(f"hand:{BAKERY}", "bunny:1")
    assert choosing.options(0) == ["pay", "play:72", "play:73"]
    choosing.go("play:73")
    assert choosing.board.seats[0].saved == [72]
    assert choosing.board.spent_water == []


@pytest.mark.rule("KB-134")
def test_choose_2_carrots_takes_neither_more_nor_less() -> None:
    game = arrange(Player(bunnies=(1,), top=21), Player()).go("flip", "play")

    assert (game.ask(0).least, game.ask(0).most) == (2, 2)


@pytest.mark.rule("KB-125")
def test_a_second_coupon_waits_for_another_turn() -> None:
    game = arrange(Player(saved=(COUPON,)), Player())
    game.go(f"saved:{COUPON}")
    game.board.discards.remove(COUPON)
    game.board.seats[0].saved.append(COUPON)

    assert "half price already" in game.refusal(0, f"saved:{COUPON}")


@pytest.mark.rule("KB-123")
def test_free_cabbage_takes_what_is_left_and_waits_where_nothing_is() -> None:
    last = arrange(Player(hand=(68,)), Player(), cabbage=(5,)).go("hand:68")
    assert last.board.seats[0].cabbage == [5]

    none = arrange(Player(hand=(68,)), Player(), cabbage=())
    assert "none of that left" in none.refusal(0, "hand:68")
