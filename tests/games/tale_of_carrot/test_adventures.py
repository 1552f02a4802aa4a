"""Adventure cards: each effect of the legend, and drawing."""

from __future__ import annotations

import pytest

from hutch.games.tale_of_carrot.board import Step
from hutch.games.tale_of_carrot.card_events import DeckShuffled
from hutch.games.tale_of_carrot.cards.adventures import EFFECTS
from tests.games.tale_of_carrot.arranging import TABLES, Game, seat, zone


def drawn(*cards: str, **arranged: object) -> Game:
    """A table whose active player has just gone on an adventure and drawn the first card."""
    return Game(step=Step.ADVENTURE, going=True, adventures=cards, **arranged)  # type: ignore[arg-type]


@pytest.mark.rule("TC-112")
@pytest.mark.parametrize(("card", "hp"), [("A01", 6), ("A04", 7)])
def test_the_drawer_recovers(card: str, hp: int) -> None:
    assert drawn(card, hp={0: 5}).hp[0] == hp


@pytest.mark.rule("TC-113")
@pytest.mark.parametrize(("card", "hp"), [("A07", 4), ("A09", 3)])
def test_the_drawer_suffers(card: str, hp: int) -> None:
    assert drawn(card, hp={0: 5}).hp[0] == hp


@pytest.mark.rule("TC-113")
def test_lost_hp_is_damage_which_a_shield_prevents() -> None:
    assert drawn("A09", hp={0: 5}, shielded=[0]).hp[0] == 5


@pytest.mark.rule("TC-114")
def test_a_rabbit_from_the_deck_goes_into_any_village() -> None:
    game = drawn("A11", rabbits=["R33"])
    game.pick(zone(2))
    assert game.cards(2) == ["R33", ""]


@pytest.mark.rule("TC-115")
@pytest.mark.parametrize("cards", [["R01", "R02"], ["", "R02"], ["", ""]])
def test_the_drawers_village_is_cleared_as_far_as_it_goes(cards: list[str]) -> None:
    game = drawn("A13", zones={0: cards, 1: ["R05"]})
    assert game.cards(0) == ["", ""]
    assert game.board.rabbit_discards == [card for card in cards if card]
    assert game.cards(1) == ["R05", ""]


@pytest.mark.rule("TC-115")
@pytest.mark.rule("TC-084")
def test_the_champion_stays_when_the_village_is_cleared() -> None:
    game = drawn("A13", zones={0: ["champion", "R02"]}, heroes={1: "champion!"})
    assert game.cards(0) == ["champion", ""]


@pytest.mark.rule("TC-116")
def test_a_chosen_player_recovers_two() -> None:
    game = drawn("A14", hp={2: 4})
    game.pick(seat(2))
    assert game.hp[2] == 6


@pytest.mark.rule("TC-117")
def test_a_rabbit_of_any_village_is_discarded() -> None:
    game = drawn("A15", zones={1: ["R01"], 3: ["R02"]})
    game.pick(zone(3))
    assert game.board.rabbit_discards == ["R02"]


@pytest.mark.rule("TC-117")
def test_an_effect_without_anything_to_act_on_is_skipped() -> None:
    game = drawn("A27")
    assert game.asked == (0, "player.damage"), "the card's second effect"


@pytest.mark.rule("TC-118")
@pytest.mark.parametrize(("card", "hp"), [("A17", 9), ("A19", 8)])
def test_a_chosen_player_suffers(card: str, hp: int) -> None:
    game = drawn(card)
    assert seat(0) in game.options(), "oneself may be chosen"
    game.pick(seat(3))
    assert game.hp[3] == hp


@pytest.mark.rule("TC-022")
@pytest.mark.rule("TC-025")
def test_effects_run_from_top_to_bottom_and_then_the_card_is_discarded() -> None:
    game = drawn("A21", hp={0: 5})
    assert game.hp[0] == 4
    assert game.board.adventure == "A21"
    game.pick(seat(1))
    assert game.hp[1] == 8
    assert game.board.adventure_discards == ["A21"]


@pytest.mark.rule("TC-022")
@pytest.mark.rule("TC-050")
def test_a_drawer_who_falls_part_way_drops_the_rest_of_the_card() -> None:
    game = drawn("A21", hp={0: 1})
    assert game.board.villages[0].fallen
    assert game.board.adventure_discards == ["A21"]
    assert game.asked == (1, "rabbit.place")


@pytest.mark.rule("TC-013")
@pytest.mark.rule("TC-022")
def test_an_empty_adventure_deck_is_renewed_from_its_own_discards() -> None:
    game = Game(
        step=Step.ADVENTURE, going=True, adventure_deck=[], adventure_discards=["A01"], hp={0: 5}
    )
    assert game.told(DeckShuffled) == [DeckShuffled("adventures", ("A01",))]
    assert game.hp[0] == 6


@pytest.mark.rule("TC-021")
def test_without_any_adventure_left_nobody_is_asked_to_go() -> None:
    game = Game(adventure_deck=[])
    game.pick(zone(0))
    assert game.asked == (0, "tokens")


@pytest.mark.rule("TC-004")
@pytest.mark.rule("TC-110")
def test_every_effect_of_the_tables_is_one_of_the_legend() -> None:
    used = {code for card in TABLES.adventures.values() for code, _ in card.effects}
    assert used == set(EFFECTS)
    assert len(TABLES.adventures) == 30
