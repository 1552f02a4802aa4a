"""Components and set-up: KB-001 to KB-018, and the variants of KB-167."""

from __future__ import annotations

from collections import Counter

import pytest

from hutch.engine import kernel
from hutch.engine.kernel import Outcome
from hutch.engine.live import Live
from hutch.engine.prompts import picks
from hutch.engine.refusals import Reason, Refusal
from hutch.games.killer_bunnies import RULES
from hutch.games.killer_bunnies.cards.bunnies import BREEDS, FREE_AGENTS
from hutch.games.killer_bunnies.events.turns import FIVE, DieRolled
from hutch.games.killer_bunnies.printed import CARDS, CARROT_CARDS, DECKS, STARTER
from hutch.games.killer_bunnies.setup import UNITS
from tests.games.killer_bunnies.arranging import SEED


def dealt(seats: int = 4, seed: bytes = SEED, **options: object) -> Live:
    outcome = kernel.deal(RULES, seats=seats, options=options, seed=seed, at_ms=0)
    assert isinstance(outcome, Outcome), outcome
    return outcome.live


def refused(seats: int, **options: object) -> str:
    refusal = kernel.deal(RULES, seats=seats, options=options, seed=SEED, at_ms=0)
    assert isinstance(refusal, Refusal)
    return refusal.sentence


def lay_first_two(live: Live) -> None:
    while live.asks and next(iter(live.asks.values())).topic == "run.lay":
        live.play_default(min(live.asks))


@pytest.mark.rule("KB-001")
def test_there_are_165_large_cards_in_two_decks() -> None:
    assert sorted(CARDS) == list(range(1, 166))
    assert len(DECKS["blue"]) == 110
    assert len(DECKS["yellow"]) == 55
    assert sum(card.type == "carrot" for card in CARDS.values()) == 12
    assert [card.number for card in CARDS.values() if card.type == "starter"] == [STARTER]


@pytest.mark.rule("KB-002")
def test_the_draw_pile_holds_152_cards_by_type() -> None:
    types = Counter(card.type for card in CARDS.values())

    assert types["run"] == 97
    assert types["roaming_red_run"] == 2
    assert types["special"] == 20
    assert types["very_special"] == 5
    assert types["play_immediately"] == 6
    assert types["kaballa_dolla"] == 22


@pytest.mark.rule("KB-003")
def test_27_bunnies_of_five_kinds_in_five_colours_and_two_free_agents() -> None:
    bunnies = [card for card in CARDS.values() if card.kind == "bunny"]

    assert len(bunnies) == 27
    assert len({(card.colour, card.breed) for card in bunnies if card.breed}) == 25
    assert {card.breed for card in bunnies if card.breed} == set(BREEDS)
    assert {card.number for card in bunnies if not card.breed} == set(FREE_AGENTS)


@pytest.mark.rule("KB-004")
def test_33_units_of_each_supply_on_twelve_cards() -> None:
    assert Counter(UNITS) == {1: 5, 2: 4, 5: 2, 10: 1}
    assert sum(UNITS) == 33


@pytest.mark.rule("KB-005")
def test_one_small_carrot_for_each_large_one() -> None:
    board = dealt().table.board

    assert sorted(board.small_carrots) == sorted(CARROT_CARDS) == list(range(1, 13))


@pytest.mark.rule("KB-006")
def test_six_dice_of_twelve_sides() -> None:
    colours = {"black", *FIVE}

    assert colours == {"black", "violet", "orange", "green", "yellow", "blue"}
    live = dealt()
    rolls = {live.table.chance.roll("dice", 12) for _ in range(500)}
    assert rolls == set(range(1, 13))
    assert "die" in DieRolled.__struct_fields__


@pytest.mark.rule("KB-007")
def test_two_to_eight_players() -> None:
    assert list(RULES.seats) == [2, 3, 4, 5, 6, 7, 8]
    for seats in (1, 9):
        refusal = kernel.deal(RULES, seats=seats, options={}, seed=SEED, at_ms=0)
        assert isinstance(refusal, Refusal)
        assert refusal.reason is Reason.BAD_SEAT_COUNT


@pytest.mark.rule("KB-008")
@pytest.mark.rule("KB-011")
def test_every_deck_is_shuffled_and_lies_face_down() -> None:
    one, other = dealt(), dealt(seed=bytes(32))

    for deck in ("pile", "cabbage", "water", "small_carrots"):
        assert getattr(one.table.board, deck) != getattr(other.table.board, deck)
    view = one.look(0)
    assert view.piles.cabbage_count == view.piles.water_count == 12  # type: ignore[attr-defined]
    assert not list(view.piles.turned_carrots)  # type: ignore[attr-defined]
    blue = [card for card in one.table.board.pile if card in DECKS["blue"]]
    assert 0 < len(blue) < len(one.table.board.pile)


@pytest.mark.rule("KB-009")
@pytest.mark.rule("KB-010")
def test_the_market_opens_with_all_carrots_at_3_3_and_10() -> None:
    market = dealt().look(None).market  # type: ignore[attr-defined]

    assert market.card == CARDS[STARTER].ref
    assert market.open
    assert list(market.carrots) == list(range(1, 13))
    assert (market.cabbage_price, market.water_price, market.carrot_price) == (3, 3, 10)


@pytest.mark.rule("KB-012")
@pytest.mark.rule("KB-013")
@pytest.mark.rule("KB-014")
@pytest.mark.rule("KB-015")
def test_seven_cards_each_with_dolla_laid_down_and_misfortunes_thrown_away() -> None:
    laid = thrown = 0
    for number in range(20):
        board = dealt(8, seed=bytes([number]) * 32).table.board
        for seat in board.seats:
            assert len(seat.hand) == 7
            assert all(
                CARDS[card].type in ("run", "roaming_red_run") or CARDS[card].savable
                for card in seat.hand
            )
            assert all(CARDS[card].dolla for card in seat.dolla)
            laid += len(seat.dolla)
        assert all(CARDS[card].type == "play_immediately" for card in board.discards)
        assert board.circle == []
        thrown += len(board.discards)
    assert laid
    assert thrown


@pytest.mark.rule("KB-016")
def test_each_lays_two_of_the_seven_all_at_once() -> None:
    live = dealt(3)
    assert set(live.asks) == {0, 1, 2}
    first, second, *_ = live.table.board.seats[1].hand

    live.answer(1, live.ask_numbers[1], picks(f"lay:{second}", f"lay:{first}"))

    seat = live.table.board.seats[1]
    assert (seat.top, seat.bottom) == (second, first)
    assert len(seat.hand) == 5


@pytest.mark.rule("KB-017")
def test_nobody_starts_with_bunnies_carrots_or_supplies() -> None:
    live = dealt(5)
    lay_first_two(live)

    assert live.table.board.circle == []
    for seat in live.table.board.seats:
        assert [*seat.carrots, *seat.cabbage, *seat.water, *seat.saved] == []


@pytest.mark.rule("KB-018")
def test_turns_go_clockwise_from_the_first_seat() -> None:
    live = dealt(3, first_seat=1)
    lay_first_two(live)
    seen: list[int] = []
    while len(seen) < 6:
        active = live.table.board.active
        if not seen or seen[-1] != active:
            seen.append(active)
        live.play_default(min(live.asks))

    assert seen == [1, 2, 0, 1, 2, 0]


@pytest.mark.rule("KB-167")
def test_a_shorter_game_starts_with_carrots_chosen_one_at_a_time() -> None:
    live = dealt(2, starting_carrots=2)
    lay_first_two(live)

    for seat, carrot in ((0, 12), (1, 4), (0, 1), (1, 2)):
        assert live.asks[seat].topic == "carrot.choose"
        live.answer(seat, live.ask_numbers[seat], picks(f"carrot:{carrot}"))

    board = live.table.board
    assert board.stage == "before"
    assert [seat.carrots for seat in board.seats] == [[12, 1], [4, 2]]
    assert "market" in refused(6, starting_carrots=2)


@pytest.mark.rule("KB-167")
def test_a_longer_game_has_fewer_choose_carrot_cards() -> None:
    board = dealt(2, fewer_carrot_cards=6).table.board

    assert len(board.aside) == 6
    assert all(CARDS[card].kind == "carrot_choice" for card in board.aside)
    cards = [*board.pile, *board.discards, *board.aside]
    for seat in board.seats:
        cards += [*seat.hand, *seat.dolla]
    assert len(cards) == 152


def test_the_decks_in_play_are_an_option() -> None:
    board = dealt(2, decks=["blue"]).table.board

    assert all(card in DECKS["blue"] for card in board.pile)
    assert board.market == list(range(1, 9))
    assert "There is no deck 'red' yet" in refused(2, decks=["blue", "red"])
    assert "Blue Starter" in refused(2, decks=["yellow"])


def test_options_that_do_not_fit_are_refused_in_a_sentence() -> None:
    assert "free seat" in refused(3, free_seats=[3])
    assert "two players" in refused(3, free_seats=[1, 2])
    assert "first seat" in refused(3, first_seat=5)
