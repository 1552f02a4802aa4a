"""Kaballa's Market, money and change: KB-064 to KB-073, KB-123, KB-125, KB-140, KB-148."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies import RULES
from hutch.games.killer_bunnies.board import Debt
from hutch.games.killer_bunnies.events.goods import Handed, Paid, Received
from hutch.games.killer_bunnies.look import tell
from hutch.games.killer_bunnies.purse import covering, has, within
from hutch.killer_bunnies.v1 import events_pb2
from tests.games.killer_bunnies.arranging import Player, arrange

CLOSED, HIGH, LOW, COUPON, DOUBLE = 60, 59, 139, 71, 137
ONES = (87, 88, 89, 90, 91)
TWOS = (92, 93, 94)
FIVES = (98, 99, 100)
TEN = 101


def dolla(game: object, seat: int) -> list[int]:
    return sorted(game.board.seats[seat].dolla)  # type: ignore[attr-defined]


@pytest.mark.rule("KB-064")
def test_one_buys_in_ones_own_turn_only_and_needs_no_bunny() -> None:
    game = arrange(Player(), Player(dolla=FIVES))

    assert "own turn" in game.refusal(1, "buy:cabbage")


@pytest.mark.rule("KB-065")
@pytest.mark.rule("KB-066")
def test_cabbage_and_water_come_from_the_top_and_carrots_by_choice() -> None:
    game = arrange(
        Player(dolla=(TEN, *FIVES)), Player(), cabbage=(10, 1, 1), water=(2, 1), market_card=LOW
    )

    game.go("buy:cabbage", "buy:cabbage", "buy:water", "buy:carrot:9")

    seat = game.board.seats[0]
    assert (seat.cabbage, seat.water, seat.carrots) == ([10, 1], [2], [9])


@pytest.mark.rule("KB-065")
def test_what_the_market_has_none_of_cannot_be_bought() -> None:
    game = arrange(Player(dolla=(TEN,)), Player(carrots=(4,)), cabbage=())

    assert "none of that left" in game.refusal(0, "buy:cabbage")
    assert "none of that left" in game.refusal(0, "buy:carrot:4")
    assert "sells Cabbage Cards" in game.refusal(0, "buy:bunny")
    assert "costs 3 Dolla, and you have 0" in arrange(Player(), Player()).refusal(0, "buy:water")


@pytest.mark.rule("KB-067")
@pytest.mark.parametrize(
    ("card", "prices"), [(HIGH, (4, 5, 10)), (LOW, (2, 1, 10)), (CLOSED, (0, 0, 0))]
)
def test_the_newest_market_card_rules(card: int, prices: tuple[int, int, int]) -> None:
    game = arrange(Player(top=card), Player()).go("flip", "play")

    market = RULES.look(game.live.table, None).market  # type: ignore[attr-defined]
    assert (market.cabbage_price, market.water_price, market.carrot_price) == prices
    assert market.open == (card != CLOSED)
    assert 102 in game.board.aside
    game.board.seats[1].top = 140
    game.board.pile.remove(140)
    game.end_turn().go("flip", "play")
    assert card in game.board.discards


@pytest.mark.rule("KB-068")
def test_a_closed_market_sells_nothing_and_gives_nothing_away() -> None:
    game = arrange(Player(dolla=FIVES, saved=(68, 69, 146)), Player(), market_card=CLOSED)

    assert "closed" in game.refusal(0, "buy:cabbage")
    for card in (68, 69, 146):
        assert "closed" in game.refusal(0, f"saved:{card}")
    flipped = arrange(Player(top=68), Player(), market_card=CLOSED).go("flip")
    assert flipped.options(0) == ["save", "discard"]


@pytest.mark.rule("KB-068")
def test_casino_and_surprise_still_give_dolla_and_bunnies_at_a_closed_market() -> None:
    casino = arrange(
        Player(bunnies=(1,), hand=(66,)),
        Player(),
        market_card=CLOSED,
        spent_dolla=(*FIVES, *TWOS),
        dice=(1, 2, 3, 4, 5),
    ).go("hand:66", "bunny:1")
    assert dolla(casino, 0) == [92, 98]
    assert casino.board.seats[0].carrots == []

    surprise = arrange(
        Player(hand=(78,)),
        Player(),
        market_card=CLOSED,
        discards=(6,),
        spent_dolla=(TEN,),
        dice=(2, 2, 2, 2, 2),
    ).go("hand:78", "revive:6")
    assert (surprise.circle(), dolla(surprise, 0)) == ([6], [TEN])
    assert (surprise.board.seats[0].cabbage, surprise.board.seats[0].water) == ([], [])


@pytest.mark.rule("KB-069")
def test_carrots_are_chosen_and_returned_at_a_closed_market_too() -> None:
    choose = arrange(Player(bunnies=(1,), top=16), Player(), market_card=CLOSED)
    choose.go("flip", "play", "carrot:3")
    assert choose.board.seats[0].carrots == [3]

    returned = arrange(
        Player(bunnies=(1,), top=144), Player(carrots=(5, 6)), market_card=CLOSED
    ).go("flip", "play", "player:1")
    returned.answer(1)
    assert {5, 6} <= set(returned.board.market)


@pytest.mark.rule("KB-071")
def test_change_comes_from_the_discard_pile() -> None:
    game = arrange(Player(dolla=(98,)), Player(), spent_dolla=(92, 93))

    game.go("buy:cabbage")

    assert dolla(game, 0) == [92]
    assert 98 in game.board.spent_dolla


@pytest.mark.rule("KB-004")
@pytest.mark.rule("KB-070")
def test_cabbage_and_water_cards_are_told_by_their_units_and_dolla_by_their_cards() -> None:
    paid, handed, received = (
        tell(event)
        for event in (
            Paid(0, "cabbage", [5, 10]),
            Handed(0, 1, "water", [1]),
            Received(0, "dolla", [98]),
        )
    )

    assert paid == events_pb2.Paid(seat=0, supply="cabbage", units=[5, 10])
    assert handed == events_pb2.Handed(seat=0, to=1, supply="water", units=[1])
    assert received == events_pb2.Received(seat=0, supply="dolla", cards=["0098"])


@pytest.mark.rule("KB-072")
def test_what_change_is_missing_is_owed_and_paid_as_soon_as_it_can_be() -> None:
    game = arrange(Player(dolla=(98, 99)), Player(dolla=(92, 87, 88)), spent_dolla=()).go(
        "buy:cabbage"
    )
    assert [(debt.seat, debt.amount) for debt in game.board.debts] == [(0, 2)]

    game.go("no-play", "close").default().answer(1, "buy:water")

    assert game.board.debts == []
    assert 92 in dolla(game, 0)


@pytest.mark.rule("KB-072")
def test_what_is_owed_to_a_player_is_one_sum_and_paid_with_any_card_that_fits() -> None:
    game = arrange(Player(dolla=(92, 93)), Player(), market_card=139)
    game.go("buy:water")
    assert [(debt.seat, debt.amount) for debt in game.board.debts] == [(0, 1)]

    game.go("buy:water")  # another 1 is owed, and a card of 2 lies there

    assert game.board.debts == []
    assert (dolla(game, 0), game.board.spent_dolla) == ([92], [93])


@pytest.mark.rule("KB-072")
@pytest.mark.rule("KB-140")
def test_an_income_that_adds_to_what_is_owed_may_be_what_makes_a_card_fit() -> None:
    game = arrange(Player(dolla=(87,), top=DOUBLE), Player(dolla=(98,)), spent_dolla=(92,))
    game.board.debts.append(Debt(0, "dolla", 1))

    game.go("flip", "play")

    assert game.board.debts == []
    assert dolla(game, 0) == [87, 92]


@pytest.mark.rule("KB-072")
def test_each_kind_and_each_player_is_owed_apart_and_the_oldest_first() -> None:
    game = arrange(Player(dolla=(92, 93)), Player(), market_card=139)
    game.board.debts += [Debt(1, "dolla", 2), Debt(0, "cabbage", 1)]

    game.go("buy:water")

    assert dolla(game, 1) == [92]
    assert game.board.debts == [Debt(0, "cabbage", 1), Debt(0, "dolla", 1)]


@pytest.mark.rule("KB-070")
@pytest.mark.rule("KB-073")
def test_spent_supplies_lie_open_and_only_come_back_as_change() -> None:
    game = arrange(
        Player(bunnies=(1,), cabbage=(5,), water=(1,), top=24),
        Player(bunnies=(6,)),
        spent_cabbage=(2, 2),
    ).go("flip", "play", "bunny:6", "feed:24")

    assert game.board.seats[0].cabbage == [2, 2]
    assert game.board.spent_cabbage == [5]
    assert game.board.spent_water == [1]


@pytest.mark.rule("KB-071")
@pytest.mark.parametrize(
    ("cards", "amount", "least", "most"),
    [
        ((1, 2, 2, 5), 4, (2, 2), (2, 2)),
        ((2, 5, 10), 3, (5,), (2,)),
        ((1, 1, 1, 2), 3, (2, 1), (2, 1)),
        ((5, 5), 7, (5, 5), (5,)),
        ((1, 5, 2, 2, 2), 6, (5, 1), (5, 1)),
        ((5, 2, 2, 2), 6, (2, 2, 2), (2, 2, 2)),
    ],
)
def test_one_pays_the_least_sum_that_covers_with_the_fewest_cards(
    cards: tuple[int, ...], amount: int, least: tuple[int, ...], most: tuple[int, ...]
) -> None:
    assert tuple(covering("water", cards, amount)) == least
    assert tuple(within("water", cards, amount)) == most


@pytest.mark.rule("KB-123")
@pytest.mark.rule("KB-148")
@pytest.mark.parametrize(
    ("card", "cabbage", "water"), [(68, [7, 8], []), (69, [], [3, 4]), (146, [7], [3])]
)
def test_free_supplies(card: int, cabbage: list[int], water: list[int]) -> None:
    game = arrange(Player(hand=(card,)), Player(), cabbage=(7, 8), water=(3, 4)).go(f"hand:{card}")

    assert (game.board.seats[0].cabbage, game.board.seats[0].water) == (cabbage, water)


@pytest.mark.rule("KB-125")
def test_the_coupon_halves_a_whole_purchase_and_rounds_it_up() -> None:
    game = arrange(
        Player(dolla=(*ONES, TWOS[0]), saved=(COUPON,)), Player(), cabbage=(1, 1, 1), water=(1,)
    ).go(f"saved:{COUPON}")

    game.go("buy:cabbage", "buy:cabbage", "buy:cabbage", "pay")  # 9 halved is 4.5

    assert len(game.board.seats[0].cabbage) == 3
    assert has(game.live.table, 0, "dolla") == 2
    game.go("no-play", "close").default()
    assert not game.board.half_price


@pytest.mark.rule("KB-140")
@pytest.mark.rule("KB-072")
def test_double_no_trouble_doubles_from_the_discards_and_notes_the_rest() -> None:
    game = arrange(
        Player(dolla=(98, 92), top=DOUBLE), Player(dolla=FIVES[1:]), spent_dolla=(87, 93)
    ).go("flip", "play")

    assert dolla(game, 0) == [87, 92, 93, 98]
    assert [(debt.seat, debt.amount) for debt in game.board.debts] == [(0, 4)]
    assert dolla(game, 1) == [99, 100]


@pytest.mark.rule("KB-140")
def test_there_must_be_something_to_double() -> None:
    game = arrange(Player(top=DOUBLE), Player()).go("flip")

    assert DOUBLE in game.board.discards
