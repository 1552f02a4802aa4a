"""Clauses of weapons and roamers that no other test of a rule shows (Blue deck)."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.board import Away, Roamer
from hutch.games.killer_bunnies.events.bunnies import RoamerAttacked
from hutch.games.killer_bunnies.events.turns import DieRolled
from tests.games.killer_bunnies.arranging import Player, Playing, arrange, launched

WHISK, TROJAN, EBOLA, WARHEAD, AREA, KARMA = 31, 46, 47, 48, 49, 51
CYBER, DEFECTOR, HALO, SINGLE, TRIPLE = 54, 55, 58, 61, 63
SPATULA, REUSABLES, SUNNY, SUIT, REVERSAL = 80, 81, 82, 151, 152


def with_trojan(game: Playing, bunny: int, launcher: int) -> Playing:
    """That player's Trojan lies under that bunny."""
    game.board.pile.remove(TROJAN)
    game.bunny(bunny).trojan, game.bunny(bunny).trojan_by = TROJAN, launcher
    return game


@pytest.mark.rule("KB-108")
@pytest.mark.parametrize("card", [TROJAN, EBOLA, WARHEAD])
def test_bad_karma_binds_a_weapon_of_any_sort(card: int) -> None:
    game = arrange(
        Player(bunnies=(1, 2), top=card, karma=(KARMA,)),
        Player(bunnies=(6,)),
        roamers=[Roamer(CYBER, 1, 6, 9)],
        dice=(12,),
    ).go("flip")
    assert game.options(0) == ["bunny:1", "bunny:2"], "nor may it be discarded"

    game.go("bunny:1")

    assert game.board.seats[0].karma == []
    assert KARMA in game.board.discards


# The Trojan


@pytest.mark.rule("KB-098")
@pytest.mark.rule("KB-097")
@pytest.mark.rule("KB-084")
def test_an_explosion_spares_the_halo_bunny_and_weakens_by_clovers() -> None:
    game = with_trojan(
        arrange(
            Player(bunnies=(1, 2), top=WHISK),
            Player(bunnies=(6, 7)),
            under={1: (HALO,), 2: (TRIPLE,)},
            dice=(5, 8, 10),
        ),
        1,
        launcher=1,
    ).go("flip", "play", "bunny:6")

    assert [(roll.bunny, roll.beat) for roll in game.happened(DieRolled)] == [
        (6, 1),
        (2, 7),
        (7, 10),
    ]
    assert game.circle() == [1, 2, 6]


@pytest.mark.rule("KB-098")
@pytest.mark.rule("KB-112")
@pytest.mark.parametrize("roll", [10, 11])
def test_cyber_bunny_on_one_of_the_three_rolls_before_it(roll: int) -> None:
    game = with_trojan(
        arrange(
            Player(bunnies=(1,), top=WHISK),
            Player(bunnies=(6,)),
            roamers=[Roamer(CYBER, 1, 6, 5)],
            dice=(5, 12, roll, 12),
        ),
        1,
        launcher=1,
    ).go("flip", "play", "bunny:6")

    assert [roll.bunny for roll in game.happened(DieRolled)] == [6, 1, CYBER, 6]
    assert bool(game.board.roamers) is (roll == 11)


@pytest.mark.rule("KB-098")
def test_a_trojan_goes_over_with_its_bunny_and_off_for_its_new_owner() -> None:
    game = with_trojan(
        arrange(
            Player(bunnies=(1,), top=DEFECTOR, bottom=WHISK),
            Player(bunnies=(6, 7), top=32),
            dice=(9, 3, 12, 12, 2, 2, 12),
        ),
        6,
        launcher=1,
    ).go("flip", "play", "bunny:6", "no", "place:1")
    assert game.bunny(6).trojan == TROJAN

    game.end_turn().go("flip", "play", "bunny:1")
    assert game.bunny(6).trojan == TROJAN, "it is not his any more"
    game.end_turn().go("flip", "play", "bunny:7")

    assert TROJAN in game.board.discards
    assert game.circle() == [1]


@pytest.mark.rule("KB-112")
@pytest.mark.parametrize("card", [TROJAN, EBOLA])
def test_only_a_shot_is_aimed_at_cyber_bunny(card: int) -> None:
    game = arrange(
        Player(bunnies=(1,), top=card), Player(bunnies=(6,)), roamers=[Roamer(CYBER, 0, 6, 9)]
    ).go("flip", "play")

    assert game.options(0) == ["bunny:1", "bunny:6"]


@pytest.mark.rule("KB-112")
@pytest.mark.rule("KB-104")
def test_a_range_weapon_aimed_at_cyber_bunny_hits_the_bunny_below_as_well() -> None:
    game = launched(
        WARHEAD,
        "cyber:7",
        Player(bunnies=(1, 2)),
        Player(bunnies=(6, 7, 8, 9)),
        roamers=[Roamer(CYBER, 1, 7, 5)],
        under={7: (SINGLE,)},
        dice=(12,),
    )

    # Level 12 leaves Cyber Bunny no roll; the Clover gives its bunny one against 11.
    assert [(roll.bunny, roll.beat) for roll in game.happened(DieRolled)] == [(7, 11)]
    assert game.circle() == [1, 7]
    assert game.board.roamers == []


@pytest.mark.rule("KB-153")
@pytest.mark.parametrize(
    ("card", "target"),
    [(WHISK, "cyber:6"), (AREA, "bunny:6"), (DEFECTOR, "bunny:6"), (CYBER, "bunny:6")],
)
def test_nothing_but_a_weapon_at_a_bunny_can_be_sent_elsewhere(card: int, target: str) -> None:
    game = launched(
        card,
        target,
        Player(bunnies=(1,)),
        Player(bunnies=(6, 7), saved=(REVERSAL,)),
        roamers=[] if card == CYBER else [Roamer(CYBER, 0, 6, 10)],
        dice=(12, 3),
    )

    assert not any(ask.topic == "window.launch" for ask in game.live.asks.values())
    assert game.board.seats[1].saved == [REVERSAL]


# Rooney's Reusables


@pytest.mark.rule("KB-131")
@pytest.mark.rule("KB-153")
def test_a_weapon_sent_elsewhere_may_take_the_bunny_it_landed_on_again() -> None:
    game = launched(
        WHISK,
        "bunny:6",
        Player(bunnies=(1, 2), saved=(REUSABLES,)),
        Player(bunnies=(6,), saved=(REVERSAL,)),
        dice=(12, 12),
    )
    game.answer(1, f"play:{REVERSAL}").answer(1, "bunny:1").go(f"play:{REUSABLES}")

    assert game.options(0) == ["bunny:6", "bunny:1"]


@pytest.mark.rule("KB-131")
@pytest.mark.rule("KB-112")
def test_a_shot_at_cyber_bunny_is_no_leave_to_shoot_the_own_bunny_below() -> None:
    game = launched(
        WHISK,
        "cyber:1",
        Player(bunnies=(1,), saved=(REUSABLES,)),
        Player(bunnies=(6,)),
        roamers=[Roamer(CYBER, 1, 1, 9)],
        dice=(12,),
    ).go(f"play:{REUSABLES}")

    assert game.options(0) == ["bunny:6", "cyber:1"]


@pytest.mark.rule("KB-131")
@pytest.mark.rule("KB-133")
@pytest.mark.parametrize("card", [TROJAN, EBOLA])
def test_a_trojan_or_ebola_cancelled_at_its_launch_may_be_launched_afresh(card: int) -> None:
    game = launched(
        card,
        "bunny:6",
        Player(bunnies=(1,), saved=(REUSABLES,)),
        Player(bunnies=(6, 7), saved=(SPATULA,)),
        dice=(12,),
    )
    game.answer(1, f"play:{SPATULA}").go(f"play:{REUSABLES}", "bunny:6")

    assert game.bunny(6).trojan == TROJAN if card == TROJAN else game.board.roamers
    assert REUSABLES in game.board.discards


@pytest.mark.rule("KB-131")
@pytest.mark.rule("KB-092")
@pytest.mark.rule("KB-102")
def test_ebola_out_of_targets_is_launched_afresh_at_a_bunny_that_died_of_it_and_came_back() -> None:
    game = arrange(
        Player(bunnies=(1,), top=EBOLA, saved=(REUSABLES,)), Player(bunnies=(6,)), dice=(12, 3)
    )
    game.board.infected, game.board.felled = [6], [6]
    game.go("flip", "play")
    assert game.options(0) == ["bunny:1"]

    game.go("bunny:1", f"play:{REUSABLES}")
    assert game.options(0) == ["bunny:6"], "bunny 1 outlived it"
    game.go("bunny:6")

    assert game.circle() == [1]
    assert EBOLA in game.board.discards


@pytest.mark.rule("KB-131")
@pytest.mark.rule("KB-044")
@pytest.mark.rule("KB-047")
@pytest.mark.parametrize("halo", [1, 9])
def test_nothing_is_used_again_by_who_has_no_bunny_without_halo_any_more(halo: int) -> None:
    game = launched(
        WARHEAD,
        "bunny:6",
        Player(bunnies=(1, 2), saved=(REUSABLES,)),
        Player(bunnies=(6, 7, 8, 9)),
        under={halo: (HALO,)},
    )

    assert game.topic(0) == "turn.after"
    assert game.circle() == ([1, 9] if halo == 1 else [9])
    assert game.board.seats[0].saved == [REUSABLES]


@pytest.mark.rule("KB-131")
@pytest.mark.rule("KB-103")
def test_ebola_gone_with_its_carrier_may_be_launched_afresh_in_anothers_turn() -> None:
    game = arrange(
        Player(bunnies=(1,), top=33),
        Player(bunnies=(6, 7), saved=(REUSABLES,)),
        roamers=[Roamer(EBOLA, 1, 7, 9)],
        dice=(2, 12),
    ).go("flip", "play", "bunny:7")
    assert game.topic(1) == "weapon.again"

    game.answer(1, f"play:{REUSABLES}").answer(1, "bunny:1")

    assert game.circle() == [1, 6]
    assert [(one.card, one.seat, one.bunny) for one in game.board.roamers] == [(EBOLA, 1, 6)]
    game.end_turn()
    assert len(game.happened(RoamerAttacked)) == 1, "it waits for its launcher's next turn"


@pytest.mark.rule("KB-131")
@pytest.mark.rule("KB-108")
@pytest.mark.parametrize("own", [(6, 7), (7,)])
def test_bad_karma_binds_a_weapon_launched_afresh_if_it_is_the_next(own: tuple[int, ...]) -> None:
    game = arrange(
        Player(bunnies=(1,), top=33),
        Player(bunnies=own, saved=(REUSABLES,), karma=(KARMA,)),
        Player(bunnies=(11,)),
        roamers=[Roamer(EBOLA, 1, 11, 9)],
        under={7: (SUIT,)},
        dice=(2, 3),
    ).go("flip", "play", "bunny:11")
    if own == (7,):
        assert game.topic(0) == "turn.after", "Ebola may take none of his own"
        assert game.board.seats[1].karma == [KARMA]
        return

    game.answer(1, f"play:{REUSABLES}")
    assert game.options(1) == ["bunny:6"]
    game.answer(1, "bunny:6")

    assert game.circle() == [1, 7]
    assert KARMA in game.board.discards


@pytest.mark.rule("KB-131")
@pytest.mark.rule("KB-106")
@pytest.mark.parametrize("card", [TROJAN, EBOLA])
def test_what_left_play_with_an_abducted_bunny_may_be_launched_afresh(card: int) -> None:
    game = arrange(
        Player(bunnies=(1,), top=AREA),
        Player(bunnies=(6, 7), saved=(REUSABLES,)),
        roamers=[Roamer(EBOLA, 1, 7, 9)] if card == EBOLA else [],
        away=Away(11, 0),
        dice=(3,) if card == EBOLA else (),
    )
    if card == TROJAN:
        with_trojan(game, 7, launcher=1)
    game.go("flip", "play", "bunny:7", (1, f"play:{REUSABLES}"), (1, "bunny:1"))
    game.until(0, "turn.after")

    assert game.board.away == Away(7, 1)
    assert game.circle() == ([11, 6] if card == EBOLA else [11, 1, 6])


@pytest.mark.rule("KB-131")
@pytest.mark.rule("KB-098")
def test_ebola_launched_afresh_sets_its_launchers_trojan_off() -> None:
    game = with_trojan(
        arrange(
            Player(bunnies=(1,), saved=(SUNNY,)),
            Player(bunnies=(6, 7, 8), saved=(REUSABLES,)),
            roamers=[Roamer(EBOLA, 1, 7, 9)],
            dice=(12, 12, 3, 12),
        ),
        7,
        launcher=0,
    ).take(0, f"play:{SUNNY}")

    game.answer(1, f"play:{REUSABLES}").answer(1, "bunny:1")

    assert [roll.bunny for roll in game.happened(DieRolled)] == [1, 7, 8, 6]
    assert game.circle() == [1, 6, 7]
    assert TROJAN in game.board.discards


# Ebola


@pytest.mark.rule("KB-097")
@pytest.mark.rule("KB-133")
def test_a_halo_drives_no_roamer_on_that_was_cancelled_while_another_was_launched_afresh() -> None:
    game = arrange(
        Player(bunnies=(1,), top=HALO),
        Player(bunnies=(6, 7), saved=(REUSABLES,)),
        Player(bunnies=(11,), saved=(SPATULA,)),
        roamers=[Roamer(EBOLA, 1, 6, 9), Roamer(CYBER, 0, 6, 9)],
        dice=(12,),
    )
    game.board.infected, game.board.felled = [1, 7, 11], [11]
    game.go("flip", "play", "bunny:6", (1, f"play:{REUSABLES}"), (1, "bunny:11"))

    game.answer(2, f"play:{SPATULA}").answer(2, f"cancel:{CYBER}")

    assert game.topic(0) == "turn.after"
    assert game.board.roamers == []


@pytest.mark.rule("KB-155")
@pytest.mark.rule("KB-090")
def test_a_suit_in_time_sends_ebola_on_without_a_roll_and_without_an_infection() -> None:
    game = launched(
        EBOLA,
        "bunny:6",
        Player(bunnies=(1,)),
        Player(bunnies=(6, 7), saved=(SUIT,)),
    )
    game.answer(1, f"play:{SUIT}").answer(1, "bunny:6")

    assert game.happened(DieRolled) == []
    assert [one.bunny for one in game.board.roamers] == [1]
    assert game.board.infected == []
