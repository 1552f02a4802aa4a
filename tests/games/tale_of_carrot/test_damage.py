"""The attack, and damage as a batch: everything of one moment lands at once."""

from __future__ import annotations

import pytest

from hutch.games.tale_of_carrot.board import Step
from hutch.games.tale_of_carrot.events import HpChanged
from tests.games.tale_of_carrot.arranging import Game, seat, zone


@pytest.mark.rule("TC-036")
@pytest.mark.rule("TC-040")
def test_a_rabbit_hits_the_left_the_right_and_its_own_village_and_no_other_rabbit_does() -> None:
    # R39 deals 1 to the left, 1 to its own Village, 3 to the right; R31 lies with seat 2.
    game = Game(step=Step.ATTACK, active=0, zones={0: ["R39"], 2: ["R31"]})
    assert game.hp == [9, 9, 10, 7]


@pytest.mark.rule("TC-037")
def test_damage_lowers_hp_by_its_amount() -> None:
    assert Game(step=Step.ATTACK, active=1, zones={1: ["R23"]}).hp == [10, 7, 10, 10]


@pytest.mark.rule("TC-038")
@pytest.mark.rule("TC-043")
def test_numbers_of_two_rabbits_that_point_the_same_way_are_added() -> None:
    # The rule book's example: left 2, right 3 + 2, self 2 + 2.
    game = Game(step=Step.ATTACK, active=0, zones={0: ["R32", "R25"]})
    assert game.told(HpChanged)[0].changes == ((0, 4, 0), (1, 2, 0), (3, 5, 0))


@pytest.mark.rule("TC-039")
def test_attacking_rabbits_stay_where_they_are() -> None:
    assert Game(step=Step.ATTACK, active=0, zones={0: ["R32", "R25"]}).cards(0) == ["R32", "R25"]


@pytest.mark.rule("TC-041")
def test_all_numbers_apply_at_one_moment_so_that_two_may_fall_together() -> None:
    game = Game(step=Step.ATTACK, zones={0: ["R32"]}, hp={0: 2, 1: 1, 2: 9, 3: 3})
    assert game.winners == (2,)
    assert game.hp == [0, 0, 9, 0]


@pytest.mark.rule("TC-042")
def test_a_green_number_heals_and_healing_counts_against_damage_of_the_same_moment() -> None:
    # R28 heals its own Village by 2, R23 hurts it by 3.
    game = Game(step=Step.ATTACK, zones={0: ["R28", "R23"]}, hp={0: 2})
    assert game.hp == [1, 8, 10, 8]


@pytest.mark.rule("TC-042")
def test_healing_never_goes_above_ten() -> None:
    assert Game(step=Step.ATTACK, zones={0: ["R28"]}, hp={0: 9}).hp[0] == 10


@pytest.mark.rule("TC-042")
@pytest.mark.rule("TC-106")
def test_healing_counts_where_the_damage_is_prevented() -> None:
    game = Game(step=Step.ATTACK, zones={0: ["R28", "R23"]}, hp={0: 5}, shielded=[0])
    assert game.hp[0] == 7


@pytest.mark.rule("TC-052")
def test_damage_aimed_at_a_fallen_village_stops_there() -> None:
    game = Game(step=Step.ATTACK, active=0, zones={0: ["R31"]}, fallen=[1])
    assert game.hp == [8, 0, 10, 8]


@pytest.mark.rule("TC-057")
def test_rabbits_in_a_fallen_village_attack_its_living_neighbours() -> None:
    game = Game(step=Step.ATTACK, active=0, zones={0: ["R31"]}, fallen=[0])
    assert game.hp == [0, 8, 10, 8]


@pytest.mark.rule("TC-078")
def test_the_guardian_drops_level_two_card_by_card() -> None:
    # R32 is level III and deals 2 to itself, R25 is level II and would deal 2 more.
    game = Game(step=Step.ATTACK, heroes={0: "guardian!"}, zones={0: ["R32", "R25"]})
    assert game.hp[0] == 8


@pytest.mark.rule("TC-078")
def test_the_guardian_is_healed_by_a_level_two_rabbit() -> None:
    game = Game(step=Step.ATTACK, heroes={0: "guardian!"}, zones={0: ["R28"]}, hp={0: 4})
    assert game.hp[0] == 6


@pytest.mark.rule("TC-078")
def test_the_guardian_is_hurt_before_the_supreme_is_activated() -> None:
    game = Game(step=Step.ATTACK, heroes={0: "guardian"}, zones={0: ["R25"]})
    assert game.hp[0] == 8


@pytest.mark.rule("TC-085")
def test_the_guardian_is_hurt_by_the_champion_who_has_no_level() -> None:
    game = Game(
        step=Step.ATTACK,
        heroes={1: "guardian!", 2: "champion!"},
        zones={0: ["champion"]},
    )
    assert game.hp == [10, 8, 10, 8]


@pytest.mark.rule("TC-075")
@pytest.mark.parametrize(("shown", "hp"), [("R15", 10), ("R01", 6), ("R31", 6)])
def test_the_berserker_escapes_all_damage_of_a_batch_with_level_two(shown: str, hp: int) -> None:
    game = Game(
        step=Step.ATTACK, heroes={0: "berserker!"}, zones={0: ["R32", "R25"]}, rabbits=[shown]
    )
    assert game.asked == (0, "berserker.draw")
    assert game.hp == [10] * 4, "nothing lands before the draw"
    game.pick("yes")
    assert game.hp == [hp, 8, 10, 5]
    assert game.board.rabbit_discards == [shown]


@pytest.mark.rule("TC-075")
def test_the_berserker_keeps_the_healing_of_a_batch_that_was_escaped() -> None:
    game = Game(
        step=Step.ATTACK,
        heroes={0: "berserker!"},
        zones={0: ["R28", "R23"]},
        hp={0: 5},
        rabbits=["R15"],
    )
    assert game.pick("yes").hp[0] == 7


@pytest.mark.rule("TC-075")
def test_the_berserker_may_decline_to_draw() -> None:
    game = Game(step=Step.ATTACK, heroes={0: "berserker!"}, zones={0: ["R25"]}, rabbits=["R15"])
    game.pick("no")
    assert game.hp[0] == 8
    assert game.board.rabbit_discards == []


@pytest.mark.rule("TC-075")
def test_the_berserker_is_not_asked_where_a_shield_leaves_no_damage() -> None:
    game = Game(
        step=Step.ATTACK, heroes={0: "berserker!"}, zones={0: ["R25"]}, shielded=[0], hp={0: 5}
    )
    assert game.asked[1] != "berserker.draw"
    assert game.hp[0] == 5


@pytest.mark.rule("TC-075")
def test_without_any_rabbit_left_the_berserker_suffers_unasked() -> None:
    game = Game(
        step=Step.ATTACK, heroes={0: "berserker!"}, zones={0: ["R25"]}, deck=[], discards=[]
    )
    assert game.hp[0] == 8


@pytest.mark.rule("TC-075")
def test_an_empty_deck_takes_in_its_discards_before_the_berserker_draws() -> None:
    game = Game(
        step=Step.ATTACK, heroes={0: "berserker!"}, zones={0: ["R25"]}, deck=[], discards=["R15"]
    )
    game.pick("yes")
    assert game.hp[0] == 10
    assert game.board.held == "R15", "the next player drew it from the new deck in turn"


@pytest.mark.rule("TC-037")
@pytest.mark.rule("TC-104")
def test_only_the_living_can_be_chosen_for_harm_and_help() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "priestess"}, fallen=[2])
    game.pick("heal2")
    assert game.options() == [seat(1), seat(3), seat(0)]
    refusal = game.attempt(seat(2))
    assert refusal is not None
    assert refusal.sentence == "Seat 2 is defeated, and can be neither hurt nor helped."


@pytest.mark.rule("TC-020")
def test_a_zone_holds_one_card() -> None:
    game = Game(rabbits=["R01"], zones={1: ["R02"]})
    game.pick(zone(1))
    assert game.cards(1) == ["R01", ""]
    assert game.board.rabbit_discards == ["R02"]
