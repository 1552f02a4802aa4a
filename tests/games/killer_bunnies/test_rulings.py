"""House rulings that no numbered rule's test shows already."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies import RULES
from hutch.games.killer_bunnies.board import Away, Feed, Roamer
from hutch.games.killer_bunnies.events.bunnies import RoamerAttacked
from hutch.games.killer_bunnies.events.turns import DieRolled, TurnBegan
from tests.games.killer_bunnies.arranging import Player, Playing, arrange, launched

WHISK, TROJAN, EBOLA, CYBER, KARMA, AREA = 31, 46, 47, 54, 51, 49
SPATULA, REUSABLES, SUNNY, SUIT, HALO = 80, 81, 82, 151, 58


def with_trojan(game: Playing, bunny: int) -> Playing:
    """A Trojan of seat 1 lies under that bunny."""
    game.board.pile.remove(TROJAN)
    game.bunny(bunny).trojan, game.bunny(bunny).trojan_by = TROJAN, 1
    return game


def test_a_cancelled_launch_still_sets_the_trojan_off() -> None:
    """O-42."""
    game = with_trojan(
        arrange(
            Player(bunnies=(1,), top=WHISK),
            Player(bunnies=(6,), saved=(SPATULA,)),
            dice=(11, 4),
        ),
        1,
    ).go("flip", "play", "bunny:6")

    game.answer(1, f"play:{SPATULA}").answer(1, f"cancel:{WHISK}")

    assert [roll.bunny for roll in game.happened(DieRolled)] == [1, 6]
    assert game.circle() == [1]
    assert TROJAN in game.board.discards


def test_a_trojan_is_not_set_off_by_its_own_laying() -> None:
    """O-42."""
    game = launched(TROJAN, "bunny:1", Player(bunnies=(1,)), Player(bunnies=(6,)))

    assert game.bunny(1).trojan == TROJAN


def test_the_spatula_takes_a_dormant_trojan_and_its_launcher_may_lay_it_again() -> None:
    """O-28, O-40."""
    game = with_trojan(
        arrange(
            Player(bunnies=(1,), top=33, saved=(SPATULA,)),
            Player(bunnies=(6,), saved=(REUSABLES,)),
        ),
        1,
    )

    game.go("flip", "discard").take(0, f"play:{SPATULA}")
    assert game.topic(1) == "weapon.again"
    game.answer(1, f"play:{REUSABLES}").answer(1, "bunny:1")

    assert game.bunny(1).trojan == TROJAN
    assert game.topic(0) == "turn.after"


def test_a_trojan_laid_again_where_it_was_cancelled_does_not_go_off() -> None:
    """O-28, O-40: it is a fresh launch, and waits."""
    game = with_trojan(
        arrange(
            Player(bunnies=(1,), top=WHISK, saved=(SPATULA,)),
            Player(bunnies=(6,), saved=(REUSABLES,)),
            dice=(12,),
        ),
        1,
    ).go("flip", "play", "bunny:6")
    game.answer(0, "pass")
    assert game.topic(0) == "window.explosion"

    game.answer(0, f"play:{SPATULA}").answer(1, f"play:{REUSABLES}").answer(1, "bunny:1")

    assert game.topic(0) == "turn.after"
    assert game.bunny(1).trojan == TROJAN


def test_a_trojan_that_went_off_after_a_second_use_and_is_laid_again_waits() -> None:
    """O-42: two launches set it off once. Its launcher draws Reusables after the reshuffle."""
    game = with_trojan(
        arrange(
            Player(bunnies=(1,), top=WHISK, saved=(REUSABLES, SPATULA, SUNNY, 152)),
            Player(bunnies=(6,), hand=(SUIT,)),
            dice=(12, 12, 12, 12),
            discards=(140, 60, 139),
            pile=(TROJAN,),
            empty_pile=True,
        ),
        1,
    ).go("flip", "play", "bunny:6")
    game.until(0, "weapon.again").go(f"play:{REUSABLES}", "bunny:6").until(1, "window.explosion")

    game.go((1, f"play:{SUIT}"), (1, "bunny:6")).until(1, "weapon.again")
    game.go(f"play:{REUSABLES}", "bunny:1").until(0, "turn.after")

    assert game.bunny(1).trojan == TROJAN


@pytest.mark.parametrize("aimed", [True, False])
def test_a_launch_sets_off_the_trojan_that_lies_there_when_it_is_made(aimed: bool) -> None:
    """O-42: cancelled and laid again before the aim is taken it goes off, after it waits."""
    game = with_trojan(
        arrange(
            Player(bunnies=(1, 2), top=WHISK, saved=(SPATULA,)),
            Player(bunnies=(6,), saved=(REUSABLES,)),
            dice=(12, 12, 12, 12),
        ),
        1,
    ).go("flip", "play")

    if aimed:
        game.go("bunny:6").answer(0, f"play:{SPATULA}").answer(0, f"cancel:{TROJAN}")
        game.answer(1, f"play:{REUSABLES}").answer(1, "bunny:1")
        assert game.bunny(1).trojan == TROJAN
    else:
        game.take(0, f"play:{SPATULA}")
        game.answer(1, f"play:{REUSABLES}").answer(1, "bunny:2").answer(0, "bunny:6")
        assert TROJAN in game.board.discards
    assert game.topic(0) == "turn.after"


def test_bad_karma_is_fulfilled_by_the_launch_though_the_weapon_is_cancelled() -> None:
    """O-43."""
    game = arrange(
        Player(bunnies=(1,), top=WHISK, karma=(KARMA,)),
        Player(bunnies=(6,), saved=(SPATULA,)),
    ).go("flip", "bunny:1")

    game.answer(1, f"play:{SPATULA}")

    assert game.board.seats[0].karma == []
    assert game.circle() == [1, 6]


def test_under_bad_karma_specials_may_be_played_meanwhile() -> None:
    """O-43: he need not flip."""
    game = arrange(Player(bunnies=(1,), top=WHISK, karma=(KARMA,), hand=(68,)), Player())

    game.go("hand:68")

    assert game.board.seats[0].karma == [KARMA]


def test_no_any_time_card_between_a_roll_and_its_result() -> None:
    """O-38."""
    game = launched(
        55,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,), saved=(SUIT,)),
        dice=(5, 9),
    ).all_pass()

    assert game.topic(0) == "contest.again"
    assert game.live.offers == {}


def test_a_halo_bunny_in_a_range_is_skipped_but_counts_as_a_space() -> None:
    """O-46."""
    game = launched(
        48,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6, 7, 8, 9, 10)),
        under={7: (HALO,)},
    )

    assert game.circle() == [7, 9]


def test_roamers_act_in_order_of_launch() -> None:
    """O-34, O-44: and Ebola is gone with a carrier that Cyber Bunny killed."""
    game = arrange(
        Player(bunnies=(1,), top=59),
        Player(bunnies=(6,)),
        Player(bunnies=(11,)),
        roamers=(Roamer(CYBER, 0, 6, 5), Roamer(EBOLA, 0, 6, 6)),
        dice=(3,),
    )

    game.go("flip", "play", "close").default()

    assert [event.card for event in game.happened(RoamerAttacked)] == [CYBER]
    assert EBOLA in game.board.discards
    assert game.board.roamers == [Roamer(CYBER, 0, 11, 10)]


def test_hunger_comes_before_roamers() -> None:
    """O-08."""
    game = arrange(
        Player(bunnies=(1,), top=59),
        Player(bunnies=(6,)),
        roamers=(Roamer(CYBER, 0, 1, 5),),
        dice=(12,),
    )
    game.board.pile.remove(24)
    game.bunny(1).feeds.append(Feed(24, 9))

    game.go("flip", "play", "close").default()

    assert game.circle() == [6]
    assert [roll.bunny for roll in game.happened(DieRolled)] == [6]


def test_roamers_act_where_a_lost_turn_would_end() -> None:
    """O-07."""
    game = arrange(
        Player(top=59),
        Player(bunnies=(6,), lost_turns=(52,)),
        roamers=(Roamer(CYBER, 1, 6, 5),),
        dice=(12,),
    )

    game.go("flip", "play", "close").default()

    assert game.happened(TurnBegan)[-1].turn == 12
    assert len(game.happened(RoamerAttacked)) == 1


def test_in_a_lost_turn_no_play_is_made_and_no_dice_of_the_turn_before_lie_there() -> None:
    """O-07."""
    game = arrange(
        Player(bunnies=(1,), top=45),
        Player(bunnies=(6,), lost_turns=(52,)),
        Player(saved=(SPATULA,)),
        roamers=(Roamer(CYBER, 1, 6, 5),),
        dice=(12,),
    ).go("flip", "play", "bunny:6")
    game.answer(2, "pass").go("close").default()

    assert game.topic(2) == "window.attack"
    view = RULES.look(game.live.table, 2)
    assert (view.active_seat, view.plays, view.HasField("roll")) == (1, 0, False)  # type: ignore[attr-defined]


def test_an_abductee_whose_owner_has_left_is_discarded() -> None:
    """O-57."""
    game = arrange(Player(bunnies=(1,), top=AREA), Player(bunnies=(6,)), Player(), away=Away(7, 2))
    game.live.leave(2)
    game.go("flip", "play", "bunny:6")

    assert 7 in game.board.discards
    assert game.board.away == Away(6, 1)


def test_a_very_special_from_the_hand_needs_no_turn_and_keeps_the_hand_at_five() -> None:
    """O-02: a Dolla drawn for it is laid down."""
    game = arrange(
        Player(bunnies=(1,), top=33),
        Player(bunnies=(6,), hand=(SUIT,)),
        pile=(98, 34),
    )

    game.take(1, f"play:{SUIT}").answer(1, "bunny:6")

    assert game.board.seats[1].dolla == [98]
    assert 34 in game.board.seats[1].hand
    assert len(game.board.seats[1].hand) == 5


def test_cyber_bunny_stays_where_its_carrier_is_the_only_viable_bunny() -> None:
    """O-44."""
    game = launched(CYBER, "bunny:1", Player(bunnies=(1,)), Player(), dice=(12,))

    assert game.board.roamers == [Roamer(CYBER, 0, 1, 10)]


def test_who_left_is_asked_nothing_and_decides_by_default() -> None:
    """O-61: a target whose owner has just left is dealt with all the same."""
    game = arrange(
        Player(bunnies=(1,), top=144), Player(bunnies=(6,), carrots=(2, 3), dolla=(92,)), Player()
    ).go("flip", "play")
    game.live.leave(1)

    game.answer(0, "player:1")

    assert game.board.market == list(range(1, 13))
    assert game.board.order == [0, 2]


def test_nobody_bids_for_a_bunny_that_is_gone() -> None:
    """O-47, O-53: a misfortune drawn for a card played beside the bidding took it."""
    game = arrange(
        Player(bunnies=(1,), top=135, dolla=(92,)),
        Player(hand=(SUIT,), dolla=(98,)),
        Player(bunnies=(11,), dolla=(99,)),
        pile=(83, 33),
    ).go("flip", "play", "bunny:11", "bid:1")

    game.take(1, f"play:{SUIT}").answer(1, "bunny:1").answer(1, "bunny:11")

    assert game.options(1) == ["pass"]
    assert game.go("pass").topic(0) == "turn.after"
    assert game.board.seats[0].dolla == [92]
