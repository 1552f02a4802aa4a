"""Trading: KB-156 to KB-163."""

from __future__ import annotations

from random import Random

import pytest

from hutch.engine import kernel
from hutch.engine.refusals import Reason, Refusal
from hutch.games.killer_bunnies import RULES
from hutch.games.killer_bunnies.events.goods import TradeCardsNamed, TradeClosed, TradeOffered
from hutch.games.killer_bunnies.trading import why_not_trade
from tests.games.killer_bunnies.arranging import SEED, Player, Playing, arrange

MINILITH, DANISH, SUIT = 147, 72, 151


def dealing(*players: Player, **more: object) -> Playing:
    """Seat 0, the turn player, opens a deal with seat 1."""
    return arrange(*players, **more).answer(0, "trade")  # type: ignore[arg-type]


@pytest.mark.rule("KB-156")
def test_two_trade_only_in_the_turn_of_one_of_them() -> None:
    game = arrange(Player(dolla=(98,)), Player(), Player())

    assert "turn of one of them" in game.refusal(1, "trade:2")
    assert game.offers(1) == game.offers(2) == ["trade:0"]


@pytest.mark.rule("KB-156")
def test_a_table_without_trades_has_no_chains_and_no_chain_is_without_offers() -> None:
    """O-54."""
    game = arrange(Player(dolla=(98,)), Player(), Player(), trade_chains=0)
    assert "trade" not in game.options(0)
    assert game.live.offers == {}

    refusal = kernel.deal(RULES, seats=2, options={"trade_offers": 0}, seed=SEED, at_ms=0)

    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.BAD_OPTIONS


@pytest.mark.rule("KB-156")
@pytest.mark.rule("KB-157")
def test_either_of_the_two_may_begin_and_anything_goes_over_at_once() -> None:
    game = arrange(
        Player(bunnies=(1,), dolla=(98, 92), carrots=(3,)),
        Player(bunnies=(6, 7), saved=(DANISH,), cabbage=(5,), water=(1,)),
    ).take(1, "trade:0")

    game.answer(
        1,
        "give:bunny:7",
        f"give:saved:{DANISH}",
        ("give:cabbage", 5),
        "give:water",
        ("want:dolla", 7),
        "want:carrot:3",
    )
    game.answer(0, "accept").answer(0, "place:1")

    mine, theirs = game.board.seats
    assert game.circle() == [1, 7, 6]
    assert (mine.saved, mine.cabbage, mine.water) == ([DANISH], [5], [1])
    assert (mine.dolla, sorted(theirs.dolla), theirs.carrots) == ([], [92, 98], [3])


@pytest.mark.rule("KB-158")
def test_hand_cards_go_one_for_one_and_are_shown_to_the_partner_alone() -> None:
    game = dealing(Player(hand=(33, 34)), Player(hand=(1, 2)), Player())
    game.go("player:1")
    assert "may only wish" in game.refusal(0, "want:hand:1")
    game.answer(0, "give:hand:33", "give:hand:34").answer(0, "wish:bunny")
    offered = game.happened(TradeOffered)[-1]
    assert offered.face(1).hand == [33, 34]
    assert offered.face(2).hand == offered.face(None).hand == [0, 0]
    assert offered.wish == "bunny"

    game.answer(1, "accept").answer(1, "hand:1", "hand:2")
    assert game.happened(TradeCardsNamed)[-1].face(2).cards == [0, 0]
    game.answer(0, "yes")

    assert {1, 2} <= set(game.board.seats[0].hand)
    assert {33, 34} <= set(game.board.seats[1].hand)
    assert all(len(seat.hand) == 5 for seat in game.board.seats[:2])


@pytest.mark.rule("KB-158")
@pytest.mark.parametrize("named", [None, (), ("hand:1",)])
def test_who_does_not_name_as_many_hand_cards_as_he_gets_turns_the_deal_down(
    named: tuple[str, ...] | None,
) -> None:
    """O-54: no answer in time is no, and so is naming too few."""
    game = dealing(Player(hand=(33, 34)), Player(hand=(1, 2)))
    game.answer(0, "give:hand:33", "give:hand:34").answer(0, "wish:bunny").answer(1, "accept")

    if named is None:
        game.default()
    else:
        game.answer(1, *named)

    assert game.happened(TradeClosed)[-1].made is False
    assert {1, 2} <= set(game.board.seats[1].hand)
    assert game.topic(0) == "turn.before"


@pytest.mark.rule("KB-158")
def test_the_proposer_may_still_turn_down_the_cards_named() -> None:
    game = dealing(Player(hand=(33,)), Player(hand=(1,)))
    game.answer(0, "give:hand:33").answer(0, "wish:anything").answer(1, "accept").answer(
        1, "hand:1"
    )

    game.answer(0, "no")

    assert 33 in game.board.seats[0].hand
    assert game.happened(TradeClosed)[-1].made is False


@pytest.mark.rule("KB-159")
def test_run_cards_are_never_traded() -> None:
    game = dealing(Player(top=31, bottom=32), Player())

    assert "never be traded" in game.refusal(0, "give:hand:31")
    assert "never be traded" in game.refusal(0, "give:bottom:32")


@pytest.mark.rule("KB-160")
@pytest.mark.rule("KB-157")
def test_a_bunny_saved_card_or_carrot_is_traded_once_in_a_game() -> None:
    game = dealing(Player(bunnies=(1,), carrots=(4,), saved=(DANISH,)), Player())
    game.answer(0, "give:bunny:1", "give:carrot:4", f"give:saved:{DANISH}").answer(1, "accept")
    assert game.board.traded == [106, DANISH, 1]

    game.take(1, "trade:0")

    assert "once in a game" in game.refusal(1, "give:bunny:1")
    assert "once in a game" in game.refusal(1, "give:carrot:4")
    assert "once in a game" in game.refusal(1, f"give:saved:{DANISH}")
    assert "once in a game" in game.refusal(1, "give:carrot:4")


@pytest.mark.rule("KB-161")
def test_what_a_card_moved_may_still_be_traded() -> None:
    game = arrange(Player(bunnies=(1,), top=136), Player(carrots=(2,)), dice=(2,)).go(
        "flip", "play", "yes"
    )
    assert game.board.traded == []

    game.answer(0, "trade")

    assert "give:carrot:2" in game.options(0)


@pytest.mark.rule("KB-162")
def test_a_gift_is_a_deal_too_and_prices_are_free() -> None:
    gift = dealing(Player(dolla=(98,)), Player()).answer(0, ("give:dolla", 5))
    gift.answer(1, "accept")
    assert gift.board.seats[1].dolla == [98]

    dear = dealing(Player(water=(1,)), Player(dolla=(101, 161)))
    dear.answer(0, "give:water", ("want:dolla", 20)).answer(1, "accept")
    assert sorted(dear.board.seats[0].dolla) == [101, 161]


@pytest.mark.rule("KB-163")
@pytest.mark.rule("KB-169")
def test_no_trade_once_the_last_carrot_is_taken() -> None:
    game = arrange(Player(bunnies=(1,), top=16), Player(carrots=range(2, 13)), market=(1,))
    assert why_not_trade(game.live.table, 0, 1) == ""

    game.go("flip", "play", "carrot:1")

    assert game.live.asks == {}
    assert "no more trades" in why_not_trade(game.live.table, 0, 1)


def test_offers_are_answered_declined_and_countered_within_their_bounds() -> None:
    """O-54: four offers a chain, three chains a pair in a turn."""
    game = arrange(Player(dolla=(98,)), Player(dolla=(99,)))
    for _ in range(3):
        game.answer(0, "trade").answer(0, ("give:dolla", 1))
        game.answer(1, "counter").answer(1, ("give:dolla", 1))
        game.answer(0, "counter").answer(0, ("give:dolla", 2))
        game.answer(1, "counter").answer(1, ("give:dolla", 2))
        assert game.options(0) == ["accept", "decline"]
        game.answer(0, "decline")

    assert "trade" not in game.options(0)
    assert "often enough" in game.refusal(0, "trade:1")


def test_no_offer_is_made_by_who_leaves_before_his_wish() -> None:
    """O-54: an offer is one act, and dies with who leaves."""
    game = dealing(Player(bunnies=(1,), hand=(33, SUIT)), Player(), Player())
    game.answer(0, "player:1").answer(0, "give:hand:33", f"give:hand:{SUIT}")
    assert game.offers(0) == []
    game.live.leave(0)
    game.told += game.live.forget_events()

    assert game.happened(TradeOffered) == []
    assert game.happened(TradeClosed)[-1].made is False


def test_a_party_imagines_no_other_hand_cards_in_an_offer_than_those_it_saw() -> None:
    """One of them has been played since."""
    game = dealing(Player(bunnies=(1,), hand=(33, SUIT)), Player())
    game.answer(0, "give:hand:33", f"give:hand:{SUIT}").answer(0, "wish:anything")
    game.take(0, f"play:{SUIT}").answer(0, "bunny:1")
    assert game.options(1) == ["decline", "counter"]

    for seat in (0, 1):
        world = game.live.fork()
        world.imagine(seat, Random(seat))

        assert world.look(seat) == game.live.look(seat)
        assert world.questions(1)[0].ask == game.ask(1)


def test_an_offer_of_nothing_ends_the_talk() -> None:
    game = dealing(Player(dolla=(98,)), Player()).answer(0)

    assert game.topic(0) == "turn.before"
    assert game.board.offer is None


def test_money_between_players_goes_through_the_pile_where_the_cards_do_not_fit() -> None:
    """O-36."""
    game = dealing(Player(dolla=(98,)), Player(water=(1,)), spent_dolla=(92, 93, 87))
    game.answer(0, ("give:dolla", 3), "want:water").answer(1, "accept")

    assert sorted(game.board.seats[1].dolla) == [87, 92]
    assert game.board.seats[0].dolla == [93]
    assert 98 in game.board.spent_dolla


@pytest.mark.rule("KB-151")
@pytest.mark.rule("KB-157")
def test_who_gets_a_bunny_for_his_last_one_keeps_the_minilith() -> None:
    game = dealing(Player(bunnies=(1,), saved=(MINILITH,)), Player(bunnies=(6,)))
    game.answer(0, "give:bunny:1", "want:bunny:6").answer(1, "accept").answer(1, "place:0")

    assert game.owners() == {1: 1, 6: 0}
    assert game.board.seats[0].saved == [MINILITH]


def test_a_minilith_traded_to_a_player_without_a_bunny_is_discarded() -> None:
    game = dealing(Player(bunnies=(1,), saved=(MINILITH,)), Player())
    game.answer(0, f"give:saved:{MINILITH}").answer(1, "accept")

    assert MINILITH in game.board.discards
