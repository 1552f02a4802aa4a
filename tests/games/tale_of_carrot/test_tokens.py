"""The six Ability tokens, and the windows they are used in."""

from __future__ import annotations

import pytest

from hutch.engine.prompts import number
from hutch.games.tale_of_carrot.board import Step
from hutch.games.tale_of_carrot.card_events import RabbitPlaced
from hutch.games.tale_of_carrot.events import TokenLaid
from tests.games.tale_of_carrot.arranging import TABLES, Game, seat, zone


@pytest.mark.rule("TC-101")
def test_token_one_deals_one_damage_to_anybody() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "gunslinger"})
    assert game.pick("damage1").ask().about == (number(1),)
    game.pick(seat(2))
    assert game.hp == [10, 10, 9, 10]


@pytest.mark.rule("TC-102")
def test_token_two_places_a_rabbit_from_the_deck() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "huntress"}, rabbits=["R40"])
    game.pick("play_rabbit").pick(zone(3, 2))
    assert game.cards(3) == ["", "R40"]
    assert game.told(RabbitPlaced) == [RabbitPlaced(0, "R40", 7)], "which is no Invasion"


@pytest.mark.rule("TC-103")
def test_token_three_resolves_an_adventure_beside_the_turns_own() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "gunslinger"}, adventures=["A07", "A08"], going=True)
    game.pick("adventure")
    assert game.hp[0] == 9
    assert game.board.adventure_discards == ["A07"]
    game.until("rabbit.place", of=1)
    assert game.board.adventure_discards == ["A07", "A08"]


@pytest.mark.rule("TC-103")
@pytest.mark.rule("TC-033")
def test_token_three_is_not_the_turns_adventure_and_opens_no_second_window() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "gunslinger"}, adventures=["A01"])
    game.pick("adventure")
    assert not game.board.went
    for _ in range(4):
        game.pick("pass")
    assert game.asked == (1, "rabbit.place")


@pytest.mark.rule("TC-104")
def test_token_four_heals_two() -> None:
    game = Game(step=Step.TOKENS, active=3, heroes={0: "priestess"}, hp={1: 4})
    assert game.pick("pass", by=3).pick("heal2", by=0).ask().about == (number(2),)
    game.pick(seat(1))
    assert game.hp[1] == 6


@pytest.mark.rule("TC-105")
def test_token_five_discards_a_rabbit_from_any_zone() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "gunslinger"}, zones={2: ["R31"]})
    game.pick("discard_rabbit")
    assert game.board.rabbit_discards == ["R31"], "the only Rabbit needs no choice"


@pytest.mark.rule("TC-105")
def test_token_five_needs_a_rabbit_and_the_champion_is_none() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "gunslinger", 1: "champion!"}, zones={2: ["champion"]})
    refusal = game.attempt("discard_rabbit")
    assert refusal is not None
    assert refusal.sentence == "There is nothing on the table for Scare to act on."


@pytest.mark.rule("TC-106")
def test_token_six_lasts_to_the_end_of_the_turn_and_no_longer() -> None:
    game = Game(
        step=Step.TOKENS, heroes={0: "thief"}, zones={0: ["R23"], 1: ["", "R11"]}, rabbits=["R08"]
    )
    game.pick("shield").pick(seat(0))
    game.until("rabbit.place", of=1)
    assert game.hp[0] == 10
    game.until("rabbit.place", of=2)
    assert game.hp[0] == 8, "R11 of the next turn hits"


@pytest.mark.rule("TC-097")
@pytest.mark.rule("TC-065")
@pytest.mark.rule("TC-093")
def test_a_used_token_leaves_the_supply_for_a_slot() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "gunslinger"})
    game.pick("damage1")
    assert game.board.in_use is not None
    assert game.board.supply["damage1"] == 6
    game.pick(seat(2))
    assert game.board.in_use is None
    assert game.board.villages[0].slots == ["damage1"]
    assert game.board.supply["damage1"] == 6


@pytest.mark.rule("TC-097")
def test_a_token_whose_user_falls_by_it_returns_to_the_supply() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "gunslinger"}, hp={0: 1})
    game.pick("damage1").pick(seat(0))
    assert game.board.supply == TABLES.supply
    assert game.told(TokenLaid) == []


@pytest.mark.rule("TC-064")
@pytest.mark.rule("TC-098")
def test_each_icon_serves_once() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "priestess"}, hp={0: 5})
    game.pick("heal2").pick(seat(0)).pick("pass").pick("pass").pick("pass")
    game.pick("heal2").pick(seat(0)).pick("pass").pick("pass").pick("pass")
    assert game.hp[0] == 9
    refusal = game.attempt("heal2")
    assert refusal is not None
    assert "used up" in refusal.sentence


@pytest.mark.rule("TC-098")
def test_a_token_needs_its_icon_and_one_left_in_the_supply() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "gunslinger"}, supply={"damage1": 0})
    assert game.options() == ["adventure", "pass"]
    for token, why in (("damage1", "left in the supply"), ("shield", "no Shield icon")):
        refusal = game.attempt(token)
        assert refusal is not None
        assert why in refusal.sentence


@pytest.mark.rule("TC-099")
@pytest.mark.rule("TC-107")
@pytest.mark.rule("TC-023")
def test_white_tokens_are_for_the_active_player_alone() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "gunslinger", 1: "gunslinger"}, zones={0: ["R01"]})
    assert game.options() == ["damage1", "adventure", "discard_rabbit", "pass"]
    game.pick("pass")
    assert game.options() == ["discard_rabbit", "pass"]
    refusal = game.attempt("damage1")
    assert refusal is not None
    assert "white border" in refusal.sentence


@pytest.mark.rule("TC-100")
@pytest.mark.rule("TC-024")
@pytest.mark.rule("TC-096")
def test_red_tokens_may_be_used_in_anybodys_adventure_phase() -> None:
    game = Game(step=Step.TOKENS, heroes={2: "priestess"}, hp={2: 5})
    game.pick("pass").pick("pass").pick("heal2", by=2).pick(seat(2))
    assert game.hp[2] == 7


@pytest.mark.rule("TC-029")
@pytest.mark.rule("TC-035")
@pytest.mark.rule("TC-100")
def test_after_a_declaration_red_tokens_may_be_used_before_any_supreme_acts() -> None:
    game = Game(step=Step.DECLARATIONS, heroes={0: "thief", 1: "priestess"}, hp={0: 8})
    game.pick("declare")
    assert game.asked == (0, "tokens.red")
    game.pick("pass")
    assert game.options() == ["heal2", "pass"]
    game.pick("heal2").pick(seat(0))
    assert game.hp[0] == 10
    game.pick("pass").pick("pass").pick("pass").pick("pass")
    assert game.board.villages[0].spent, "healed above the number, the Supreme still acts"


@pytest.mark.rule("TC-029")
@pytest.mark.rule("TC-099")
def test_after_a_declaration_nobody_may_use_a_white_token_not_even_the_active_player() -> None:
    game = Game(
        step=Step.DECLARATIONS,
        heroes={0: "priestess!", 1: "thief"},
        hp={1: 8},
        reserve={0: ["play_rabbit", "shield"]},
    )
    game.pick("declare")
    assert game.asked == (0, "tokens.red")
    assert game.options() == ["heal2", "reserve:shield", "pass"]
    for token in ("damage1", "reserve:play_rabbit"):
        refusal = game.attempt(token)
        assert refusal is not None
        assert "this window is for red tokens" in refusal.sentence


@pytest.mark.rule("TC-032")
def test_the_window_goes_clockwise_from_the_active_player_until_all_declined_in_a_row() -> None:
    game = Game(step=Step.TOKENS, active=2, heroes={0: "priestess"}, hp={0: 5})
    for expected in (2, 3):
        assert game.asked == (expected, "tokens")
        game.pick("pass")
    game.pick("heal2", by=0).pick(seat(0))
    for expected in (1, 2, 3, 0):
        assert game.asked == (expected, "tokens"), "a use opens a round for everybody"
        game.pick("pass")
    assert game.board.step is Step.DECLARATIONS


@pytest.mark.rule("TC-033")
@pytest.mark.rule("TC-021")
def test_the_window_opens_again_after_an_adventure_and_only_then() -> None:
    game = Game(step=Step.CALL, adventures=["A01"])
    game.pick("yes")
    for _ in range(4):
        game.pick("pass")
    assert game.board.adventure_discards == ["A01"]
    assert game.board.step is Step.TOKENS_AGAIN
    game = Game(step=Step.CALL)
    game.pick("no")
    for _ in range(4):
        game.pick("pass")
    assert game.board.step is Step.INVASION


@pytest.mark.rule("TC-033")
@pytest.mark.rule("TC-035")
def test_every_window_begins_with_the_active_player_whoever_used_the_last_token() -> None:
    game = Game(
        step=Step.TOKENS,
        going=True,
        adventures=["A01"],
        heroes={0: "thief", 1: "priestess"},
        hp={0: 7, 1: 5},
    )
    game.pick("pass").pick("heal2", by=1).pick(seat(1))
    for _ in range(4):
        game.pick("pass")
    assert game.board.step is Step.TOKENS_AGAIN
    assert game.asked == (0, "tokens")
    game.pick("pass").pick("heal2", by=1).pick(seat(1))
    game.until("supreme.declare", of=0).pick("declare").until("tokens.red")
    assert game.asked == (0, "tokens.red")


def test_in_party_timing_anybody_may_be_first_and_a_use_opens_it_for_all_again() -> None:
    game = Game(step=Step.TOKENS, heroes={3: "priestess"}, hp={3: 5}, options={"timing": "party"})
    assert sorted(game.live.asks) == [0, 1, 2, 3]
    game.pick("pass", by=1)
    assert sorted(game.live.asks) == [0, 2, 3]
    game.pick("heal2", by=3).pick(seat(3))
    assert sorted(game.live.asks) == [0, 1, 2, 3]
    for index in (3, 1, 0, 2):
        game.pick("pass", by=index)
    assert game.board.step is Step.DECLARATIONS


def test_a_seat_with_full_slots_and_no_reserve_is_left_out_for_all_to_see() -> None:
    used = {1: ["damage1", "heal2", "heal2"], 2: ["damage1", "heal2", "heal2"]}
    game = Game(
        step=Step.TOKENS,
        heroes={1: "priestess", 2: "priestess!"},
        slots=used,
        reserve={2: ["shield"]},
    )
    game.pick("pass")
    assert game.asked == (2, "tokens")


@pytest.mark.rule("TC-086")
@pytest.mark.rule("TC-091")
def test_a_reserve_token_returns_to_the_supply_and_takes_no_slot() -> None:
    game = Game(
        step=Step.TOKENS,
        heroes={0: "priestess!"},
        reserve={0: ["shield", "damage1"]},
        supply={"shield": 0},
    )
    assert "reserve:shield" in game.options(), "a reserve token needs none left in the supply"
    game.pick("reserve:shield").pick(seat(0))
    village = game.board.villages[0]
    assert (village.slots, village.reserve) == ([], ["damage1"])
    assert game.board.supply["shield"] == 1


@pytest.mark.rule("TC-086")
def test_a_white_reserve_token_keeps_to_its_border() -> None:
    game = Game(step=Step.TOKENS, heroes={1: "priestess!"}, reserve={1: ["adventure", "shield"]})
    game.pick("pass")
    assert game.options() == ["heal2", "reserve:shield", "pass"]
    game.until_turn(1).until("tokens")
    assert "reserve:adventure" in game.options()


@pytest.mark.rule("TC-086")
def test_a_reserve_token_too_needs_something_to_act_on() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "priestess!"}, reserve={0: ["discard_rabbit"]})
    assert "reserve:discard_rabbit" not in game.options()


def test_without_a_card_left_tokens_two_and_three_cannot_be_used() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "huntress"}, deck=[])
    assert game.options() == ["damage1", "shield", "pass"]
    game = Game(step=Step.TOKENS, heroes={0: "pizza_maker"}, adventure_deck=[])
    assert game.options() == ["shield", "pass"]
