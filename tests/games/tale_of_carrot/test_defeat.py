"""Defeat, the Supremes that prevent it, fallen Villages, and how the game ends."""

from __future__ import annotations

import pytest

from hutch.games.tale_of_carrot.board import Step
from hutch.games.tale_of_carrot.events import (
    CloakEnded,
    CloakPulled,
    GameWon,
    HeroRevealed,
    SupremeActivated,
    VillageFell,
)
from tests.games.tale_of_carrot.arranging import (
    TABLES,
    Game,
    everything,
    rules_with,
    seat,
    zone,
)

# The steps of a defeat


@pytest.mark.rule("TC-044")
@pytest.mark.rule("TC-046")
@pytest.mark.rule("TC-059")
def test_at_zero_hp_the_village_falls_and_the_hero_is_shown_without_acting() -> None:
    game = Game(step=Step.ATTACK, zones={0: ["R31"]}, hp={1: 2}, heroes={1: "gunslinger"})
    assert game.board.villages[1].fallen
    assert game.told(HeroRevealed) == [HeroRevealed(1, "gunslinger")]
    assert game.told(SupremeActivated) == []


@pytest.mark.rule("TC-046")
def test_a_hero_that_lies_face_up_is_not_revealed_again() -> None:
    game = Game(step=Step.ATTACK, zones={0: ["R31"]}, hp={1: 2}, heroes={1: "priestess!"})
    assert game.board.villages[1].fallen
    assert game.told(HeroRevealed) == []


@pytest.mark.rule("TC-047")
def test_the_fallen_villages_rabbits_are_discarded_a_golemiglio_to_the_support_cards() -> None:
    game = Game(step=Step.ATTACK, zones={0: ["R31"], 1: ["R02", "golemiglio"]}, hp={1: 2}, seats=4)
    assert game.cards(1) == ["", ""]
    assert game.board.rabbit_discards == ["R02"]
    assert game.board.golemiglios == 10


@pytest.mark.rule("TC-048")
def test_the_fallen_players_tokens_return_to_the_supply() -> None:
    game = Game(
        step=Step.ATTACK,
        zones={0: ["R31"]},
        hp={1: 2},
        heroes={1: "priestess!"},
        slots={1: ["heal2", "damage1"]},
        reserve={1: ["shield"]},
    )
    village = game.board.villages[1]
    assert (village.slots, village.reserve) == ([], [])
    assert game.board.supply == TABLES.supply


@pytest.mark.rule("TC-048")
def test_a_fallen_player_is_asked_for_no_tokens_any_more() -> None:
    game = Game(step=Step.TOKENS, fallen=[1], active=0)
    game.pick("pass")
    assert game.asked == (2, "tokens")


@pytest.mark.rule("TC-049")
@pytest.mark.rule("TC-095")
@pytest.mark.rule("TC-092")
def test_a_fallen_village_has_two_zones_and_no_slots_in_use() -> None:
    game = Game(seats=3, step=Step.ATTACK, zones={0: ["R31"]}, hp={1: 1})
    village = game.board.villages[1]
    assert village.fallen
    assert village.slots == []
    assert len(game.cards(1)) == 2


@pytest.mark.rule("TC-050")
def test_the_active_players_fall_ends_their_turn_at_once() -> None:
    # Token 1 on oneself: no Adventure, no second window, no attack of R31.
    game = Game(
        step=Step.TOKENS, going=True, heroes={0: "gunslinger"}, hp={0: 1}, zones={0: ["R31", ""]}
    )
    game.pick("damage1").pick(seat(0))
    assert game.board.villages[0].fallen
    assert (game.board.active, game.board.step) == (1, Step.INVASION)
    assert game.hp == [0, 10, 10, 10]
    assert game.board.adventure_discards == []


@pytest.mark.rule("TC-050")
def test_the_fall_of_another_player_ends_neither_the_window_nor_the_turn() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "gunslinger"}, hp={2: 1}, zones={0: ["R31"]})
    game.pick("damage1").pick(seat(2))
    assert game.board.villages[2].fallen
    assert game.asked == (1, "tokens")
    game.until("rabbit.place", of=1)
    assert game.hp == [8, 8, 0, 8], "the attack came"


@pytest.mark.rule("TC-050")
@pytest.mark.rule("TC-028")
def test_declared_supremes_still_act_when_the_active_player_falls_in_the_red_window() -> None:
    game = Game(
        step=Step.DECLARATIONS,
        heroes={0: "thief", 1: "gunslinger", 2: "huntress"},
        hp={0: 1, 1: 3},
        zones={0: ["R31"]},
        rules=rules_with("ability_tokens.csv", "damage1,white", "damage1,red"),
    )
    game.pick("pass").pick("declare").pick("pass").pick("pass")
    assert game.board.step is Step.RED_TOKENS
    game.until("tokens.red", of=2).pick("damage1").pick(seat(0))
    assert game.board.villages[0].fallen
    assert game.told(SupremeActivated) == [SupremeActivated(1, "gunslinger")]
    assert game.hp == [0, 3, 2, 2], "no attack of R31 followed"
    assert game.asked == (1, "rabbit.place")


@pytest.mark.rule("TC-051")
def test_rabbits_may_be_played_in_a_fallen_village() -> None:
    game = Game(rabbits=["R01"], fallen=[2])
    game.pick(zone(2))
    assert game.cards(2) == ["R01", ""]


@pytest.mark.rule("TC-053")
@pytest.mark.rule("TC-054")
def test_a_fallen_player_invades_living_villages_only() -> None:
    game = Game(fallen=[0, 2], rabbits=["R01"], zones={1: ["R02"]})
    assert game.options() == [zone(1, 1), zone(1, 2), zone(3, 1), zone(3, 2)]
    refusal = game.attempt(zone(2))
    assert refusal is not None
    assert "living Villages only" in refusal.sentence
    game.pick(zone(1, 1))
    assert game.board.rabbit_discards == ["R02"]


@pytest.mark.rule("TC-055")
def test_a_fallen_player_goes_on_no_adventure_but_others_may_use_red_tokens() -> None:
    game = Game(fallen=[0], rabbits=["R01"], heroes={1: "priestess"})
    game.pick(zone(1))
    assert game.asked == (1, "tokens")
    assert game.options() == ["heal2", "pass"]


@pytest.mark.rule("TC-056")
def test_a_fallen_player_is_not_asked_to_declare_but_others_are() -> None:
    game = Game(fallen=[0], step=Step.TOKENS, hp={2: 8}, heroes={2: "thief"})
    game.until("supreme.declare")
    assert game.asked == (2, "supreme.declare")


# Supremes at 0 HP


@pytest.mark.rule("TC-045")
@pytest.mark.rule("TC-066")
@pytest.mark.rule("TC-067")
def test_the_assassin_returns_to_three_and_strikes_back_with_the_whole_damage() -> None:
    # R32 deals 3 to the right: more than the 1 HP that was left.
    game = Game(step=Step.ATTACK, zones={0: ["R32"]}, heroes={3: "assassin"}, hp={3: 1})
    assert game.asked == (3, "assassin.target")
    assert game.options() == [seat(0), seat(1), seat(2)]
    game.pick(seat(2))
    assert game.hp == [8, 8, 7, 3]
    assert not game.board.villages[3].fallen


@pytest.mark.rule("TC-060")
@pytest.mark.rule("TC-067")
def test_the_assassin_is_saved_once() -> None:
    game = Game(step=Step.ATTACK, zones={0: ["R32"]}, heroes={3: "assassin!"}, hp={3: 1})
    assert game.board.villages[3].fallen


@pytest.mark.rule("TC-067")
def test_the_assassins_blow_can_be_escaped_by_a_berserker() -> None:
    game = Game(
        step=Step.ATTACK,
        zones={0: ["R32"]},
        heroes={3: "assassin", 2: "berserker!"},
        hp={3: 1, 2: 5},
        rabbits=["R15"],
    )
    game.pick(seat(2))
    assert game.asked == (2, "berserker.draw")
    game.pick("yes")
    assert game.hp[2] == 5


@pytest.mark.rule("TC-069")
def test_the_paladin_discards_every_rabbit_that_can_hurt_and_recovers() -> None:
    # Own Village with self > 0, the left neighbour's with right > 0, the right's with left > 0.
    game = Game(
        step=Step.ATTACK,
        heroes={0: "paladin"},
        hp={0: 3},
        zones={
            0: ["R23", "golemiglio"],
            1: ["R11", "R10"],  # to the right 2: a threat; to the left 2: none
            3: ["R05", "champion"],  # to the left 1: a threat
            2: ["R31"],
        },
    )
    assert game.board.villages[0].hp == 1 + 4
    assert game.board.zones == ["", "", "", "R10", "R31", "", "", "champion"]
    assert game.board.rabbit_discards == ["R23", "R11", "R05"]
    assert game.board.golemiglios == 10


@pytest.mark.rule("TC-069")
def test_the_paladin_keeps_the_rabbits_that_heal_and_those_that_point_elsewhere() -> None:
    # R30 heals to the right, R29 to the left, R40 its own Village; R07 hurts its own alone.
    game = Game(
        step=Step.ADVENTURE,
        going=True,
        adventures=["A07"],
        heroes={0: "paladin"},
        hp={0: 1},
        zones={0: ["R40"], 1: ["R30", "R07"], 3: ["R29", "R08"]},
    )
    assert game.told(SupremeActivated) == [SupremeActivated(0, "paladin")]
    assert game.board.rabbit_discards == []
    assert game.hp[0] == 1


@pytest.mark.rule("TC-045")
def test_a_prevented_defeat_lets_the_active_players_turn_go_on() -> None:
    game = Game(
        step=Step.ADVENTURE, going=True, heroes={0: "paladin"}, hp={0: 1}, adventures=["A07"]
    )
    assert game.board.active == 0
    assert game.board.step is Step.TOKENS_AGAIN
    assert game.told(VillageFell) == []


@pytest.mark.rule("TC-045")
def test_two_supremes_prevent_two_defeats_of_one_batch() -> None:
    game = Game(
        step=Step.ATTACK,
        zones={0: ["R31"]},
        heroes={1: "paladin", 3: "assassin"},
        hp={1: 1, 3: 2},
    )
    game.pick(seat(2))
    assert game.told(SupremeActivated) == [
        SupremeActivated(1, "paladin"),
        SupremeActivated(3, "assassin"),
    ]
    # The Paladin throws R31 away: it points at seat 1.
    assert game.hp == [8, 2, 8, 3]


# The Jester


@pytest.mark.rule("TC-068")
def test_the_jester_wins_by_being_the_second_to_fall() -> None:
    game = Game(step=Step.ATTACK, zones={0: ["R31"]}, heroes={1: "jester"}, hp={1: 2}, fallen=[2])
    assert game.winners == (1,)
    assert game.told(GameWon) == [GameWon((1,), "jester")]


@pytest.mark.rule("TC-068")
def test_the_jester_wins_alone_when_falling_with_another_after_exactly_one() -> None:
    game = Game(
        step=Step.ATTACK, zones={0: ["R31"]}, heroes={1: "jester"}, hp={1: 2, 3: 1}, fallen=[2]
    )
    assert game.winners == (1,)


@pytest.mark.rule("TC-068")
@pytest.mark.parametrize(("seats", "fallen"), [(4, []), (5, [2, 3])])
def test_the_jester_who_falls_first_or_third_just_falls(seats: int, fallen: list[int]) -> None:
    game = Game(
        seats, step=Step.ATTACK, zones={0: ["R31"]}, heroes={1: "jester"}, hp={1: 2}, fallen=fallen
    )
    assert game.winners == ()
    assert game.board.villages[1].fallen


@pytest.mark.rule("TC-068")
def test_the_jester_who_falls_with_another_before_anybody_else_does_not_win() -> None:
    game = Game(5, step=Step.ATTACK, zones={0: ["R31"]}, heroes={1: "jester"}, hp={1: 2, 0: 1})
    assert game.winners == ()


@pytest.mark.rule("TC-068")
def test_a_jester_last_standing_wins_like_anybody() -> None:
    game = Game(
        3, step=Step.ATTACK, zones={0: ["R31"]}, heroes={1: "jester"}, hp={0: 1, 2: 1}, fallen=[]
    )
    assert game.winners == (1,)


# The Cloak


@pytest.mark.rule("TC-089")
def test_the_cloak_holder_falls_with_the_princess() -> None:
    game = Game(
        5,
        step=Step.ATTACK,
        zones={0: ["R31"]},
        heroes={1: "princess!"},
        hp={1: 2},
        cloak=(1, 3),
        shielded=[3],
    )
    assert game.told(CloakPulled) == [CloakPulled(3)]
    assert [village.fallen for village in game.board.villages] == [False, True, False, True, False]


@pytest.mark.rule("TC-089")
def test_the_princess_does_not_fall_with_the_cloak_holder() -> None:
    game = Game(
        step=Step.ATTACK, zones={0: ["R31"]}, heroes={2: "princess!"}, hp={1: 2}, cloak=(2, 1)
    )
    assert not game.board.villages[2].fallen
    assert game.board.cloak is None


@pytest.mark.rule("TC-089")
def test_a_holder_who_would_be_the_only_one_left_is_spared_and_wins() -> None:
    game = Game(
        3,
        step=Step.ATTACK,
        zones={0: ["R31"]},
        heroes={1: "princess!"},
        hp={0: 1, 1: 2},
        cloak=(1, 2),
    )
    assert game.winners == (2,)
    assert game.hp[2] == 8
    assert game.told(CloakEnded) == [CloakEnded(2)]


@pytest.mark.rule("TC-089")
def test_the_cloak_pulls_nobody_who_is_at_zero_already() -> None:
    game = Game(
        5,
        step=Step.ATTACK,
        zones={0: ["R31"]},
        heroes={1: "princess!"},
        hp={1: 2, 4: 2},
        cloak=(1, 4),
    )
    assert [event.seat for event in game.told(VillageFell)] == [1, 4]
    assert game.told(CloakPulled) == []
    assert game.board.cloak is None


@pytest.mark.rule("TC-089")
@pytest.mark.rule("TC-067")
def test_an_assassin_pulled_down_by_the_cloak_is_saved_and_strikes_with_earlier_damage() -> None:
    game = Game(
        5,
        step=Step.ATTACK,
        zones={0: ["R31"]},
        heroes={1: "princess!", 3: "assassin"},
        hp={1: 2},
        suffered={3: 4},
        cloak=(1, 3),
    )
    assert game.asked == (3, "assassin.target")
    game.pick(seat(2))
    assert game.hp == [8, 0, 6, 3, 8]
    assert game.board.cloak is None


@pytest.mark.rule("TC-089")
@pytest.mark.rule("TC-060")
def test_an_assassin_saved_in_the_princesss_batch_is_pulled_down_by_her_unsaved() -> None:
    # Both are at 0 HP. The Assassin's Supreme is used up before the Cloak pulls.
    game = Game(
        5,
        step=Step.ATTACK,
        zones={0: ["R31"]},
        heroes={1: "princess!", 4: "assassin"},
        hp={1: 2, 4: 2},
        cloak=(1, 4),
    )
    assert game.told(SupremeActivated) == [SupremeActivated(4, "assassin")]
    assert [event.seat for event in game.told(VillageFell)] == [1, 4]
    assert game.asked[1] == "rabbit.place", "who is down strikes at nobody"


@pytest.mark.rule("TC-089")
@pytest.mark.rule("TC-069")
def test_a_paladin_pulled_down_by_the_cloak_is_saved() -> None:
    game = Game(
        5,
        step=Step.ATTACK,
        zones={0: ["R31"], 3: ["R23", "R09"]},
        heroes={1: "princess!", 3: "paladin"},
        hp={1: 2},
        cloak=(1, 3),
    )
    assert game.hp[3] == 3
    assert not game.board.villages[3].fallen


@pytest.mark.rule("TC-089")
def test_a_jester_pulled_down_by_the_cloak_falls_together_with_the_princess() -> None:
    game = Game(
        5,
        step=Step.ATTACK,
        zones={0: ["R31"]},
        heroes={1: "princess!", 3: "jester"},
        hp={1: 2},
        fallen=[2],
        cloak=(1, 3),
    )
    assert game.winners == (3,)


# The end


@pytest.mark.rule("TC-053")
def test_the_last_one_standing_wins() -> None:
    game = Game(3, step=Step.ATTACK, zones={0: ["R31"]}, hp={1: 2}, fallen=[2])
    assert game.winners == (0,)
    assert game.live.result is not None
    assert game.live.result.scores == (1, 0, 0)


@pytest.mark.rule("TC-053")
def test_where_all_fall_in_one_check_those_share_the_win() -> None:
    game = Game(3, step=Step.ATTACK, zones={0: ["R31"]}, hp={0: 1, 1: 2}, fallen=[2])
    assert game.winners == (0, 1)


def test_several_who_fall_do_so_clockwise_from_the_active_player() -> None:
    game = Game(
        5,
        step=Step.ATTACK,
        active=3,
        zones={3: ["R31"], 4: ["R01"], 2: ["R02"]},
        hp={3: 1, 4: 1, 2: 1},
    )
    assert [event.seat for event in game.told(VillageFell)] == [3, 4, 2]
    assert game.board.rabbit_discards == ["R31", "R01", "R02"]


@pytest.mark.rule("TC-067")
@pytest.mark.rule("TC-089")
def test_the_assassins_blow_may_end_the_game_by_the_cloak() -> None:
    # Seat 0 falls, seat 3 is saved and strikes the Princess for 3; her holder goes with her, but
    # for the Assassin nobody would be left.
    game = Game(
        step=Step.ATTACK,
        zones={0: ["R32"]},
        heroes={3: "assassin", 1: "princess!"},
        hp={0: 1, 3: 1, 1: 5, 2: 9},
        cloak=(1, 2),
    )
    game.pick(seat(1))
    assert game.winners == (3,)
    assert everything(game.board) == everything(Game().board)


@pytest.mark.rule("TC-067")
@pytest.mark.rule("TC-068")
def test_a_jester_felled_by_the_assassins_blow_counts_who_fell_in_the_assassins_batch() -> None:
    game = Game(
        5,
        step=Step.ATTACK,
        zones={0: ["R31"]},
        heroes={4: "assassin", 2: "jester"},
        hp={1: 1, 4: 2, 2: 2},
    )
    game.pick(seat(2))
    assert game.winners == (2,)


def test_after_three_hundred_turns_the_living_share_the_win() -> None:
    game = Game(step=Step.ATTACK, turn=300, fallen=[1])
    assert game.winners == (0, 2, 3)
    assert game.told(GameWon)[0].cause == "last-turn"
