"""Cards that answer: KB-131 to KB-133, KB-146, KB-147, KB-153, KB-155, and their windows."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.board import Feed, Roamer
from hutch.games.killer_bunnies.events.turns import Cancelled, DieRolled, Launched
from tests.games.killer_bunnies.arranging import Player, arrange, launched

WHISK, ROACHES, FLAME_THROWER, FLUORINE, TROJAN, EBOLA = 31, 37, 42, 44, 46, 47
WARHEAD, SEA_WHIZ, BLACK_HOLE, ASTEROID = 48, 131, 132, 133
KARMA, AREA, SPATULA, REUSABLES, REVERSAL, SUIT, SUNNY = 51, 49, 80, 81, 152, 151, 82
MINILITH, BUG_OFF, FLOOD, GENEVA, EXCHANGE, CYBER, HALO = 147, 145, 148, 70, 149, 54, 58


@pytest.mark.rule("KB-131")
def test_reusables_use_a_weapon_a_second_time_on_another_target() -> None:
    game = launched(
        45,
        "bunny:6",
        Player(bunnies=(1,), saved=(REUSABLES,)),
        Player(bunnies=(6, 7)),
        dice=(12, 1),
    )
    assert game.topic(0) == "weapon.again"

    game.answer(0, f"play:{REUSABLES}").answer(0, "bunny:7")

    assert game.circle() == [1, 6]
    assert {45, REUSABLES} <= set(game.board.discards)
    assert len(game.happened(Launched)) == 2


@pytest.mark.rule("KB-131")
@pytest.mark.rule("KB-108")
def test_the_second_use_may_take_the_same_bunny_though_it_be_an_own_one() -> None:
    game = arrange(
        Player(bunnies=(1, 2), top=45, karma=(KARMA,), saved=(REUSABLES,)),
        Player(bunnies=(6,)),
        dice=(12, 1),
    ).go("flip", "bunny:1")

    game.answer(0, f"play:{REUSABLES}")
    assert game.options(0) == ["bunny:6", "bunny:1"]
    game.answer(0, "bunny:1")

    assert game.circle() == [2, 6]


@pytest.mark.rule("KB-131")
def test_a_trojan_comes_back_at_once_even_in_anothers_turn() -> None:
    game = launched(
        TROJAN,
        "bunny:6",
        Player(bunnies=(1,), saved=(REUSABLES,)),
        Player(bunnies=(6, 7), top=WHISK),
        dice=(2, 12, 12, 12),
    ).end_turn()
    game.go("flip", "play", "bunny:1")
    assert game.board.active == 1
    assert game.topic(0) == "weapon.again"

    game.answer(0, f"play:{REUSABLES}").answer(0, "bunny:7")

    assert game.bunny(7).trojan == TROJAN
    assert game.bunny(6).trojan == 0


@pytest.mark.rule("KB-131")
def test_reusables_need_a_weapon_that_was_just_used() -> None:
    game = arrange(Player(bunnies=(1,), top=REUSABLES), Player()).go("flip")

    assert game.options(0) == ["save", "discard"]
    assert "No weapon of yours" in game.refusal(0, "play")


@pytest.mark.rule("KB-132")
def test_sunny_day_removes_all_feed_cards_and_ebola() -> None:
    game = arrange(
        Player(top=33),
        Player(bunnies=(6,), saved=(SUNNY,)),
        roamers=(Roamer(EBOLA, 0, 6, 5), Roamer(CYBER, 0, 6, 5)),
    )

    game.take(1, f"play:{SUNNY}")

    assert [roamer.card for roamer in game.board.roamers] == [CYBER]
    assert EBOLA in game.board.discards
    assert "nothing for Sunny Day" in arrange(Player(top=33), Player(saved=(SUNNY,))).refusal(
        1, f"play:{SUNNY}"
    )


@pytest.mark.rule("KB-133")
@pytest.mark.rule("KB-040")
@pytest.mark.parametrize("card", [WHISK, AREA, CYBER, 55, TROJAN, EBOLA])
def test_the_spatula_cancels_what_lies_on_its_target_before_any_roll(card: int) -> None:
    game = launched(
        card, "bunny:6", Player(bunnies=(1,)), Player(bunnies=(6,)), Player(saved=(SPATULA,))
    )
    assert game.topic(2) == "window.launch"

    game.answer(2, f"play:{SPATULA}")

    assert game.circle() == [1, 6]
    assert {card, SPATULA} <= set(game.board.discards)
    assert not game.happened(DieRolled)
    assert game.board.roamers == []


@pytest.mark.rule("KB-146")
def test_bug_off_saved_stops_roaches_for_its_owner_alone() -> None:
    game = launched(
        ROACHES,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,), saved=(BUG_OFF,)),
        Player(bunnies=(11,)),
    )
    assert set(game.live.asks) == {1}

    game.answer(1, f"play:{BUG_OFF}")

    assert game.circle() == [1, 6, 11]
    assert {ROACHES, BUG_OFF} <= set(game.board.discards)
    other = launched(
        ROACHES,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        Player(bunnies=(11,), saved=(BUG_OFF,)),
        dice=(5,),
    )
    assert other.circle() == [1, 11]


@pytest.mark.rule("KB-147")
def test_noahs_flood_in_range_of_the_minilith_spares_only_its_owner() -> None:
    game = launched(
        FLAME_THROWER,
        "bunny:6",
        Player(bunnies=(1,), saved=(MINILITH,)),
        Player(bunnies=(6,), saved=(FLOOD,)),
        Player(bunnies=(11,)),
    )

    game.answer(1, f"play:{FLOOD}")

    assert game.circle() == [6]
    assert FLOOD in game.board.discards


@pytest.mark.rule("KB-146")
@pytest.mark.rule("KB-147")
@pytest.mark.rule("KB-153")
@pytest.mark.parametrize(
    ("weapon", "counter"), [(ROACHES, BUG_OFF), (FLAME_THROWER, FLOOD)], ids=["bug off", "flood"]
)
def test_a_weapon_that_has_nobody_left_in_its_range_is_discarded_before_it_can_be_sent_on(
    weapon: int, counter: int
) -> None:
    """O-71: a doubled weapon whose whole range is the answering player's."""
    game = launched(
        weapon,
        "bunny:7",
        Player(bunnies=(1,), saved=(MINILITH, REUSABLES)),
        Player(bunnies=(6, 7, 8), saved=(counter,)),
        Player(bunnies=(11,), saved=(REVERSAL,)),
    )
    assert set(game.live.asks) == {1, 2}

    game.answer(1, f"play:{counter}")

    assert game.topic(0) == "turn.after"
    assert game.circle() == [1, 6, 7, 8, 11]
    assert {weapon, counter} <= set(game.board.discards)


@pytest.mark.rule("KB-146")
@pytest.mark.rule("KB-153")
def test_a_weapon_sent_on_to_where_it_spares_everybody_is_discarded() -> None:
    """O-71."""
    game = launched(
        ROACHES,
        "bunny:11",
        Player(bunnies=(1,), saved=(MINILITH,)),
        Player(bunnies=(6, 7, 8), saved=(BUG_OFF,)),
        Player(bunnies=(11,), saved=(REVERSAL, SPATULA)),
    ).go((1, f"play:{BUG_OFF}"), (2, f"play:{REVERSAL}"), (2, "bunny:7"))

    assert game.topic(0) == "turn.after"
    assert game.circle() == [1, 6, 7, 8, 11]


@pytest.mark.rule("KB-146")
@pytest.mark.rule("KB-112")
def test_cyber_bunny_in_its_range_is_still_there_to_be_hit() -> None:
    """O-71: a bunny that is spared does not shield who sits on it."""
    game = launched(
        ROACHES,
        "bunny:7",
        Player(bunnies=(1,), saved=(MINILITH,)),
        Player(bunnies=(6, 7, 8), saved=(BUG_OFF,)),
        roamers=(Roamer(CYBER, 0, 8, 5),),
        dice=(10,),
    ).go((1, f"play:{BUG_OFF}"))

    assert game.board.roamers == []
    assert game.circle() == [1, 6, 7, 8]


@pytest.mark.rule("KB-146")
@pytest.mark.rule("KB-147")
@pytest.mark.parametrize(
    ("loss", "counter", "supply"), [(64, BUG_OFF, "cabbage"), (56, FLOOD, "water")]
)
def test_maggots_and_drought_are_stopped_before_the_loss(
    loss: int, counter: int, supply: str
) -> None:
    victim = Player(saved=(counter,), cabbage=(5,), water=(5,))
    game = arrange(Player(bunnies=(1,), top=loss), victim).go("flip", "play", "player:1")
    assert game.topic(1) == "window.loss"

    game.answer(1, f"play:{counter}")

    assert getattr(game.board.seats[1], supply) == [5]
    assert {loss, counter} <= set(game.board.discards)


@pytest.mark.rule("KB-153")
def test_reversal_sends_a_weapon_to_any_other_bunny() -> None:
    game = launched(
        45,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6, 7), saved=(REVERSAL,)),
        under={7: (HALO,)},
        dice=(1,),
    )
    game.answer(1, f"play:{REVERSAL}")
    assert game.options(1) == ["bunny:1"]

    game.answer(1, "bunny:1")

    assert game.circle() == [6, 7]
    assert {45, REVERSAL} <= set(game.board.discards)


@pytest.mark.rule("KB-153")
@pytest.mark.rule("KB-044")
def test_reversal_is_pink_and_needs_a_bunny() -> None:
    game = launched(
        45,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,)),
        Player(saved=(REVERSAL,)),
        dice=(12,),
    )

    assert game.topic(0) == "turn.after"


@pytest.mark.rule("KB-155")
def test_the_suit_is_put_on_in_time_against_fluorine_gas() -> None:
    game = launched(FLUORINE, "bunny:6", Player(bunnies=(1,)), Player(bunnies=(6,), hand=(SUIT,)))
    game.answer(1, f"play:{SUIT}").answer(1, "bunny:6").all_pass()

    assert game.circle() == [1, 6]
    assert game.bunny(6).under == [SUIT]
    assert not game.happened(DieRolled)


@pytest.mark.rule("KB-131")
@pytest.mark.rule("KB-155")
def test_a_weapon_that_met_a_suit_was_used_and_may_be_used_again() -> None:
    """O-41: a Suit saves its bunny; it eliminates nothing."""
    game = launched(
        FLUORINE,
        "bunny:6",
        Player(bunnies=(1,), saved=(REUSABLES,)),
        Player(bunnies=(6, 7), saved=(SUIT,)),
        dice=(1,),
    )
    game.answer(1, f"play:{SUIT}").answer(1, "bunny:6")
    assert game.topic(0) == "weapon.again"

    game.answer(0, f"play:{REUSABLES}")
    assert game.options(0) == ["bunny:7"]
    game.answer(0, "bunny:7")

    assert game.circle() == [1, 6]


@pytest.mark.rule("KB-155")
def test_a_suit_bunny_is_no_target_of_ebola_and_fluorine_gas() -> None:
    game = arrange(Player(bunnies=(1,), top=EBOLA), Player(bunnies=(6,)), under={6: (SUIT,)}).go(
        "flip", "play"
    )

    assert game.options(0) == ["bunny:1"]
    assert "Containment Suit" in game.refusal(0, "bunny:6")


def test_the_window_gives_nothing_away() -> None:
    """O-39: everybody with hidden cards is asked while a hidden card could answer."""
    holder = launched(
        WHISK, "bunny:6", Player(bunnies=(1,)), Player(bunnies=(6,), hand=(SPATULA,)), Player()
    )
    other = launched(
        WHISK, "bunny:6", Player(bunnies=(1,)), Player(bunnies=(6,)), Player(hand=(SPATULA,))
    )

    assert set(holder.live.asks) == set(other.live.asks) == {0, 1, 2}
    assert holder.options(2) == other.options(1) == ["pass"]


def test_a_counter_after_a_counter_is_in_order() -> None:
    """O-39: after Reversal anybody may still use the Spatula, and nothing is left after it."""
    game = launched(
        45,
        "bunny:6",
        Player(bunnies=(1,), saved=(SPATULA,)),
        Player(bunnies=(6,), saved=(REVERSAL,)),
        Player(bunnies=(11,)),
    )
    game.answer(1, f"play:{REVERSAL}").answer(1, "bunny:1")
    assert set(game.live.asks) == {0}

    game.answer(0, f"play:{SPATULA}")

    assert game.circle() == [1, 6, 11]
    assert [one.card for one in game.happened(Cancelled)] == [45]


@pytest.mark.rule("KB-146")
@pytest.mark.rule("KB-112")
def test_with_cyber_bunny_cancelled_nothing_is_left_to_answer_of_the_weapon_at_it() -> None:
    """O-47: the target is gone, range included."""
    game = launched(
        ROACHES,
        "cyber:6",
        Player(bunnies=(1,), saved=(MINILITH,)),
        Player(bunnies=(6,), saved=(BUG_OFF, SPATULA)),
        roamers=(Roamer(CYBER, 1, 6, 5),),
    )
    game.answer(1, f"play:{SPATULA}").answer(1, f"cancel:{CYBER}")

    assert game.topic(0) == "turn.after"
    assert game.board.seats[1].saved == [BUG_OFF]
    assert not game.happened(DieRolled)


@pytest.mark.rule("KB-132")
@pytest.mark.rule("KB-155")
@pytest.mark.parametrize("steps", [(f"play:{SUNNY}",), (f"play:{SUIT}", "bunny:6")])
def test_with_ebola_off_its_bunny_nothing_is_left_to_answer_of_its_attack(
    steps: tuple[str, ...],
) -> None:
    """O-39: the window opens again on what is left, and that is nothing."""
    game = arrange(
        Player(bunnies=(1,), top=59),
        Player(bunnies=(6,), saved=(SUNNY, SUIT)),
        Player(hand=(SPATULA,)),
        roamers=(Roamer(EBOLA, 0, 6, 5),),
    )
    game.go("flip", "play", "close").default()
    assert game.topic(2) == "window.attack"

    for step in steps:
        game.answer(1, step)

    assert game.topic(1) == "turn.before"
    assert not game.happened(DieRolled)


@pytest.mark.rule("KB-132")
def test_with_nothing_due_any_more_the_window_before_starvation_closes() -> None:
    """O-39."""
    game = arrange(
        Player(bunnies=(1,), top=59), Player(bunnies=(6,), saved=(SUNNY,)), Player(hand=(SUIT,))
    )
    game.board.pile.remove(24)
    game.bunny(1).feeds.append(Feed(24, 9))
    game.go("flip", "play", "close").default()
    assert game.topic(2) == "window.end"

    game.answer(1, f"play:{SUNNY}")

    assert game.topic(1) == "turn.before"
    assert game.circle() == [1, 6]


def test_a_very_special_from_the_hand_is_replaced_before_the_matter_goes_on() -> None:
    """O-02: and a misfortune so drawn may take the target away (O-47)."""
    game = launched(
        45,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6,), hand=(SUIT,)),
        pile=(83, 33),
    )
    game.answer(1, f"play:{SUIT}").answer(1, "bunny:6").answer(1, "bunny:6")

    assert game.circle() == [1]
    assert 33 in game.board.seats[1].hand
    assert 45 in game.board.discards
    assert not game.happened(DieRolled)
