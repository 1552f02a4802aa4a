"""The deal: what is in the box, and how a game begins."""

from __future__ import annotations

from collections import Counter

import pytest

from hutch.engine.kernel import deal
from hutch.engine.refusals import Reason, Refusal
from hutch.games.rabbit_space import RULES
from hutch.games.rabbit_space.board import Step
from hutch.games.rabbit_space.cards import HOUSE
from hutch.games.rabbit_space.events import CardsDealt
from tests.games.rabbit_space.arranging import SEED, dealt, refs


@pytest.mark.rule("RS-001")
def test_there_are_80_rabbit_cards() -> None:
    assert len(HOUSE.rabbits) == 80


@pytest.mark.rule("RS-002")
def test_there_are_8_starting_cards() -> None:
    assert Counter([card.cost for card in HOUSE.cards if card.kind == "start"]) == {3: 4, 7: 4}


@pytest.mark.rule("RS-003")
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_every_player_has_a_board_and_up_to_4_can_play(players: int) -> None:
    assert len(dealt(players).board.seats) == players


@pytest.mark.rule("RS-003")
@pytest.mark.parametrize("players", [0, 5])
def test_no_other_number_can_play(players: int) -> None:
    outcome = deal(RULES, seats=players, options={}, seed=SEED, at_ms=0)

    assert isinstance(outcome, Refusal)
    assert outcome.reason is Reason.BAD_SEAT_COUNT


@pytest.mark.rule("RS-004", "RS-006")
def test_the_three_tracks_of_a_board_start_at_0_carrots_0_gold_and_2_helmets() -> None:
    for own in RULES.new_board(4, None).seats:
        assert (own.carrots, own.gold, own.helmets) == (0, 0, 2)


@pytest.mark.rule("RS-005")
def test_a_card_shows_a_cost_a_colour_and_icons_on_two_sides() -> None:
    card = HOUSE.cards[HOUSE.index["B12"]]

    assert (card.cost, card.colour, card.value) == (6, "orange", 6)
    assert (card.trainee.helmet, card.trainee.carrot, card.trainee.gold) == (1, 1, 0)
    assert (card.astronaut.helmet, card.astronaut.carrot, card.astronaut.gold) == (1, 2, 0)


@pytest.mark.rule("RS-005")
def test_the_catalogue_tells_all_of_that_in_facts_and_in_a_sentence() -> None:
    entry = next(one for one in RULES.catalogue() if one.ref == "B07")

    assert entry.facts["cost"] == "4"
    assert entry.facts["colour"] == "orange"
    assert entry.facts["astronaut_gold"] == "1"
    assert entry.text == (
        "Trainee: nothing. Astronaut: 1 Carrot, 1 Gold. "
        "2 Gold more beside another orange card in front of you."
    )


@pytest.mark.rule("RS-007")
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_each_player_starts_with_a_card_of_cost_3_and_one_of_cost_7_on_level_1(
    players: int,
) -> None:
    board = dealt(players).board

    for own in board.seats:
        assert [HOUSE.cards[card].kind for card in own.level_1] == ["start", "start"]
        assert [HOUSE.costs[card] for card in own.level_1] == [3, 7]
    given = [card for own in board.seats for card in own.level_1]
    assert len(set(given)) == len(given)


@pytest.mark.rule("RS-007")
def test_who_gets_which_starting_card_is_left_to_chance() -> None:
    deals = {refs(dealt(2, seed=bytes([n] * 32)).seat(0).level_1) for n in range(30)}

    assert len(deals) > 5


@pytest.mark.rule("RS-008")
@pytest.mark.parametrize(("players", "pile"), [(1, 86), (2, 84), (3, 82), (4, 80)])
def test_all_other_cards_are_the_draw_pile_and_nothing_is_discarded(
    players: int, pile: int
) -> None:
    [deal_of_cards] = dealt(players).told(CardsDealt)

    assert len(set(deal_of_cards.pile)) == pile
    assert not set(deal_of_cards.pile) & {card for two in deal_of_cards.starting for card in two}
    assert dealt(players).board.discard == []


@pytest.mark.rule("RS-008")
def test_the_draw_pile_is_shuffled() -> None:
    piles = [dealt(4, seed=bytes([n] * 32)).board.pile for n in range(2)]

    assert piles[0] != piles[1]
    assert piles[0] != sorted(piles[0])


def test_a_game_begins_in_round_1_with_everybody_arranging() -> None:
    game = dealt(3)

    assert (game.board.round, game.board.step) == (1, Step.ARRANGE)
    assert game.awaited == (0, 1, 2)
