"""Heroes whose declared Supreme is used once. Those at 0 HP are in `test_defeat`."""

from __future__ import annotations

from typing import Any

import pytest

from hutch.engine.prompts import Pick, picks
from hutch.games.tale_of_carrot.board import Step
from hutch.games.tale_of_carrot.events import HpChanged, HpSet, VillageFell
from tests.games.tale_of_carrot.arranging import TABLES, Game, everything, seat, zone


def activated(hero: str, *, by: int = 0, **arranged: Any) -> Game:
    """A table at which that Hero's Supreme, declared by that seat, has just been activated."""
    heroes = {**arranged.pop("heroes", {}), by: hero}
    declared = Game(step=Step.DECLARATIONS, heroes=heroes, **arranged)
    declared.until("supreme.declare", of=by).pick("declare", by=by)
    while declared.board.step in (Step.DECLARATIONS, Step.RED_TOKENS):
        declared.default()
    return declared


# Gunslinger


@pytest.mark.rule("TC-070")
@pytest.mark.rule("TC-061")
def test_the_gunslinger_brings_everyone_down_to_his_hp_and_then_deals_one() -> None:
    game = activated("gunslinger", hp={0: 2, 1: 10, 2: 4, 3: 3})
    assert game.told(HpSet)[0].changes == ((1, 2), (2, 2))
    assert game.hp == [2, 1, 1, 2]
    assert game.board.villages[0].spent


@pytest.mark.rule("TC-070")
def test_setting_hp_is_no_damage_so_a_shield_stops_only_the_shot() -> None:
    game = activated("gunslinger", hp={0: 3}, shielded=[1])
    assert game.hp == [3, 3, 2, 2]


# Archer


@pytest.mark.rule("TC-071")
def test_the_archer_fells_everyone_when_all_other_zones_are_taken() -> None:
    game = activated(
        "archer",
        hp={0: 4},
        heroes={2: "champion!"},
        zones={1: ["R01", "golemiglio"], 2: ["R02", "champion"], 3: ["R03", "R04"]},
    )
    assert game.winners == (0,)


@pytest.mark.rule("TC-071")
@pytest.mark.rule("TC-067")
def test_the_arrows_deal_fifteen_and_an_assassin_gives_all_of_them_back() -> None:
    game = activated(
        "archer",
        hp={0: 4},
        heroes={1: "assassin"},
        zones={1: ["R01", "R05"], 2: ["R02", "R06"], 3: ["R03", "R04"]},
    )
    arrows, blow = game.told(HpChanged)
    assert arrows.changes == ((1, 15, 0), (2, 15, 0), (3, 15, 0))
    assert blow.changes == ((0, 15, 0),), "the one player left to choose"
    assert game.winners == (1,)


@pytest.mark.rule("TC-071")
@pytest.mark.parametrize("fallen", [[], [2]])
def test_the_archer_cannot_be_declared_with_a_zone_free(fallen: list[int]) -> None:
    game = Game(
        step=Step.DECLARATIONS,
        heroes={0: "archer"},
        hp={0: 4},
        fallen=fallen,
        zones={1: ["R01", "R05"], 2: ["R02", ""], 3: ["R03", "R04"]},
    )
    assert game.options() == ["pass"]
    refusal = game.attempt("declare")
    assert refusal is not None
    assert refusal.sentence == "What the Archer's Supreme needs is not on the table."


@pytest.mark.rule("TC-071")
def test_the_archers_arrows_are_lost_when_a_red_token_makes_a_gap() -> None:
    game = Game(
        3,
        step=Step.DECLARATIONS,
        heroes={0: "archer", 1: "gunslinger"},
        hp={0: 4},
        zones={1: ["R01", "R05"], 2: ["R02", "R03"]},
    )
    game.pick("declare").pick("pass")
    game.pick("discard_rabbit", by=1).pick(zone(2, 2))
    game.until("rabbit.place", of=1)
    assert game.board.villages[0].spent
    assert game.told(VillageFell) == []


# Huntress


@pytest.mark.rule("TC-072")
def test_ones_are_doubled_too_and_the_clock_takes_a_rabbit_of_the_own_village_last() -> None:
    game = activated("huntress", hp={0: 4}, zones={0: ["R31"], 2: ["R02"]})
    assert game.ask().default == picks(zone(2))
    game.default()
    assert game.told(HpChanged)[0].changes == ((1, 2, 0), (3, 2, 0))
    game = activated("huntress", hp={0: 4}, zones={0: ["R02", "R05"]})
    assert game.ask().default == picks(zone(0)), "there is none elsewhere"


@pytest.mark.rule("TC-072")
def test_the_huntress_doubles_a_rabbits_damage_from_where_it_lies_and_heals_nobody() -> None:
    # R28: 2 to the left, 2 to the right, heals its own Village; it lies with seat 2.
    game = activated("huntress", hp={0: 4, 2: 5}, zones={2: ["R28"], 0: ["R01"]})
    assert game.asked == (0, "huntress.rabbit")
    game.pick(zone(2))
    assert game.told(HpChanged)[0].changes == ((1, 4, 0), (3, 4, 0))
    assert game.cards(2) == ["R28", ""]


@pytest.mark.rule("TC-072")
@pytest.mark.rule("TC-078")
def test_the_huntress_does_not_hurt_a_guardian_with_level_two() -> None:
    game = activated("huntress", hp={0: 4}, heroes={1: "guardian!"}, zones={2: ["R28"]})
    assert game.told(HpChanged)[0].changes == ((3, 4, 0),)


@pytest.mark.rule("TC-072")
def test_the_huntress_takes_a_golemiglio_but_not_the_champion() -> None:
    game = activated(
        "huntress",
        hp={0: 4},
        heroes={3: "champion!"},
        zones={1: ["golemiglio"], 2: ["champion", "R01"]},
    )
    assert game.options() == [zone(1), zone(2, 2)]
    game.pick(zone(1))
    assert game.hp[1] == 2


@pytest.mark.rule("TC-072")
def test_the_huntress_finds_nothing_on_an_empty_table() -> None:
    game = activated("huntress", hp={0: 4})
    assert game.board.villages[0].spent
    assert game.board.active == 1


# Necromancer


@pytest.mark.rule("TC-073")
def test_the_necromancer_places_a_chosen_set_in_any_order_and_may_replace() -> None:
    game = activated("necromancer", hp={0: 4}, discards=["R01", "R02", "R31"], zones={2: ["R05"]})
    game.pick("R01", "R31")
    assert game.board.rabbit_discards == ["R02"]
    assert game.options() == ["R01", "R31"]
    game.pick("R31").pick(zone(2))
    game.pick(zone(2))  # the last one goes on top of R31
    assert game.cards(2) == ["R01", ""]
    assert game.board.rabbit_discards == ["R02", "R05", "R31"]
    assert game.board.raised == []


@pytest.mark.rule("TC-073")
def test_the_necromancer_may_take_none() -> None:
    game = activated("necromancer", hp={0: 4}, discards=["R01"])
    game.pick()
    assert game.board.rabbit_discards == ["R01"]
    assert game.board.villages[0].spent


@pytest.mark.rule("TC-073")
def test_with_an_empty_pile_the_necromancer_is_not_asked() -> None:
    assert activated("necromancer", hp={0: 4}).board.active == 1


@pytest.mark.rule("TC-073")
@pytest.mark.rule("TC-090")
def test_a_shaman_hits_after_each_of_the_necromancers_replacements_and_he_goes_on() -> None:
    # The active player falls by the Shaman, and the Necromancer still places the last Rabbit.
    game = activated(
        "necromancer",
        by=1,
        hp={0: 2, 1: 4},
        heroes={2: "shaman!"},
        discards=["R01", "R02"],
        zones={0: ["R05"]},
    )
    game.pick("R01", "R02").pick("R01").pick(zone(0))
    assert game.board.villages[0].fallen
    assert game.asked == (1, "rabbit.place")
    game.pick(zone(3))
    assert game.cards(3) == ["R02", ""]
    assert game.board.active == 1


@pytest.mark.rule("TC-073")
def test_what_a_falling_necromancer_has_not_placed_goes_back() -> None:
    game = activated(
        "necromancer",
        hp={0: 2},
        heroes={2: "shaman!"},
        discards=["R01", "R02"],
        zones={0: ["R05"]},
    )
    game.pick("R01", "R02").pick("R01").pick(zone(0))
    assert game.board.villages[0].fallen
    assert game.board.raised == []
    assert everything(game.board) == everything(Game().board)


# Adventurer


@pytest.mark.rule("TC-074")
def test_the_adventurer_resolves_five_cards_unhurt() -> None:
    game = activated("adventurer", hp={0: 5}, adventures=["A07", "A09", "A08", "A10", "A06"])
    assert game.board.adventure_discards == ["A07", "A09", "A08", "A10", "A06"]
    assert game.hp[0] == 7


@pytest.mark.rule("TC-074")
def test_the_adventurers_cards_hurt_others_but_not_himself_even_if_named() -> None:
    game = activated("adventurer", hp={0: 5}, adventures=["A19", "A20", "A01", "A02", "A03"])
    game.pick(seat(0)).pick(seat(2))
    assert game.hp == [8, 10, 8, 10]


@pytest.mark.rule("TC-074")
@pytest.mark.rule("TC-090")
def test_a_shaman_hurts_the_adventurer_all_the_same_and_his_fall_ends_the_drawing() -> None:
    game = activated(
        "adventurer",
        hp={0: 2},
        heroes={2: "shaman!"},
        zones={0: ["R05"]},
        adventures=["A11", "A01"],
    )
    game.pick(zone(0))
    assert game.board.villages[0].fallen
    assert game.board.adventure_discards == ["A11"]


@pytest.mark.rule("TC-074")
@pytest.mark.rule("TC-081")
def test_a_pizza_counts_among_the_adventurers_five() -> None:
    game = activated(
        "adventurer",
        hp={0: 5},
        heroes={3: "pizza_maker!"},
        adventures=["A07", "pizza", "A08", "A09", "A10", "A06"],
    )
    assert game.board.adventure_discards == ["A07", "A08", "A09", "A10"]
    assert game.board.villages[3].pizzas == 1


# Evoker


@pytest.mark.rule("TC-076")
@pytest.mark.rule("TC-108")
@pytest.mark.rule("TC-109")
def test_the_evoker_exchanges_every_rabbit_of_the_others_even_in_fallen_villages() -> None:
    game = activated(
        "evoker",
        hp={0: 5},
        fallen=[2],
        heroes={3: "champion!"},
        zones={0: ["R01"], 1: ["R02", "champion"], 2: ["", "R03"]},
    )
    assert game.board.zones == ["R01", "", "golemiglio", "champion", "", "golemiglio", "", ""]
    assert game.board.rabbit_discards == ["R02", "R03"]
    assert game.board.golemiglios == 8


@pytest.mark.rule("TC-076")
@pytest.mark.rule("TC-090")
def test_a_shaman_hits_once_for_each_card_exchanged_in_the_active_village() -> None:
    game = activated(
        "evoker", by=1, hp={1: 5}, heroes={2: "shaman!"}, zones={0: ["R01", "R05"], 3: ["R02"]}
    )
    assert [event.changes for event in game.told(HpChanged)[:2]] == [((0, 2, 0),), ((0, 2, 0),)]


@pytest.mark.rule("TC-077")
@pytest.mark.rule("TC-020")
def test_a_golemiglio_is_replaced_like_any_rabbit_and_goes_to_the_support_cards() -> None:
    game = Game(rabbits=["R01"], zones={1: ["golemiglio"]}, heroes={3: "evoker!"})
    game.pick(zone(1))
    assert game.board.golemiglios == 10
    assert game.board.rabbit_discards == []


@pytest.mark.rule("TC-077")
def test_a_golemiglio_attacks_its_host() -> None:
    assert Game(step=Step.ATTACK, zones={0: ["golemiglio"]}).hp == [6, 10, 10, 10]


# Priestess and Thief


@pytest.mark.rule("TC-086")
def test_the_priestess_takes_four_tokens_of_any_types() -> None:
    game = activated("priestess", hp={0: 6})
    refusal = game.attempt("damage1")
    assert refusal is not None
    assert "at least 4" in refusal.sentence
    number = game.live.ask_numbers[0]
    assert game.live.answer(0, number, (Pick("shield", 3), Pick("heal2"))) is None
    assert game.board.villages[0].reserve == ["shield", "shield", "shield", "heal2"]
    assert game.board.supply["shield"] == TABLES.supply["shield"] - 3


@pytest.mark.rule("TC-086")
def test_the_clock_takes_the_lowest_types_for_the_priestess() -> None:
    game = activated("priestess", hp={0: 6})
    assert game.default().board.villages[0].reserve == [
        "damage1",
        "play_rabbit",
        "adventure",
        "heal2",
    ]


@pytest.mark.rule("TC-086")
def test_the_clock_takes_a_type_twice_where_the_supply_has_no_other() -> None:
    few = dict.fromkeys(TABLES.supply, 0)
    game = activated("priestess", hp={0: 6}, supply={**few, "damage1": 1, "heal2": 1, "shield": 7})
    assert game.ask().default == (Pick("damage1"), Pick("heal2"), Pick("shield", 2))
    assert game.default().board.villages[0].reserve == ["damage1", "heal2", "shield", "shield"]


@pytest.mark.rule("TC-086")
@pytest.mark.parametrize("shields", [2, 3])
def test_what_the_supply_lacks_the_priestess_goes_without_and_takes_all_there_is(
    shields: int,
) -> None:
    few = dict.fromkeys(TABLES.supply, 0)
    game = activated("priestess", hp={0: 6}, supply={**few, "shield": shields, "heal2": 1})
    assert game.asked[1] != "reserve.tokens", "there is nothing to choose"
    assert sorted(game.board.villages[0].reserve) == ["heal2", *["shield"] * shields]


@pytest.mark.rule("TC-091")
def test_the_thief_takes_a_white_and_a_red_token() -> None:
    game = activated("thief", hp={0: 8})
    assert game.options() == ["damage1", "play_rabbit", "adventure"]
    game.pick("adventure")
    assert game.options() == ["heal2", "discard_rabbit", "shield"]
    game.pick("shield")
    assert game.board.villages[0].reserve == ["adventure", "shield"]
    assert everything(game.board) == everything(Game().board)


@pytest.mark.rule("TC-086")
@pytest.mark.rule("TC-091")
@pytest.mark.parametrize(("hero", "taken"), [("thief", ["heal2"]), ("priestess", [])])
def test_nobody_is_asked_for_tokens_that_the_supply_lacks(hero: str, taken: list[str]) -> None:
    none_left = dict.fromkeys(TABLES.supply, 0)
    game = activated(hero, hp={0: 6}, supply={**none_left, "heal2": len(taken)})
    assert game.asked[1] != "reserve.tokens", "the one token left was taken unasked"
    assert game.board.villages[0].reserve == taken
