"""Every card is played: each one in a test of its own, and all of them in random games."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.board import Feed, Roamer
from hutch.games.killer_bunnies.printed import CARDS, CARROT_CARDS, REUSABLES, REVERSAL, Card
from tests.games.killer_bunnies.arranging import ANSWERS, Player, Playing, arrange
from tests.games.killer_bunnies.card_report import played_at_random

DRAWN = ("kaballa_dolla", "play_immediately")
#: Cards that work otherwise than by being flipped and played.
WAITING = (REUSABLES, REVERSAL, 145, 147, 148)


def lively(top: int = 0, pile: tuple[int, ...] = (), saved: tuple[int, ...] = ()) -> Playing:
    """A table where every card has an occasion, and every roll is a 6."""
    free = [card for card in (1, 2, 6, 7, 11, 12) if card != top]
    spare = [card for card in (88, 94, 99, 157) if card not in pile]
    game = arrange(
        Player(bunnies=free[:2], top=top, saved=saved, dolla=spare[:1]),
        Player(
            bunnies=free[2:4],
            top=33 if top != 33 else 34,
            carrots=(6, 7),
            cabbage=(5, 2),
            water=(5, 2),
            dolla=spare[1:3],
        ),
        pile=pile,
        under={free[3]: [61 if top != 61 else 62]},
        discards=[card for card in (13, 14) if card != top],
        roamers=[Roamer(54 if top != 54 else 47, 1, free[1], 5)],
        dice=[6, 6, 6, 6, 6, 5, 7, 6, 5, 7] * 4,
    )
    hungry, feed = game.bunny(free[2]), 24 if top != 24 else 25
    if feed in game.board.pile:
        game.board.pile.remove(feed)
        hungry.feeds.append(Feed(feed, 9))
    return game


@pytest.mark.parametrize(
    "card",
    [
        card
        for card in CARDS.values()
        if card.type not in (*DRAWN, "carrot", "starter") and card.number not in WAITING
    ],
    ids=lambda card: f"{card.ref}-{card.name}",
)
def test_it_is_flipped_and_played(card: Card) -> None:
    number = card.number
    game = lively(top=number)
    if number == 149:
        game.board.seats[0].hand[0] = 35
        game.board.pile.remove(35)
    game.go("flip")
    assert "play" in game.options(0)

    game.go("play")
    for _ in range(40):
        if game.topic(0) == "turn.after" or game.live.result is not None:
            break
        game.default()

    assert game.topic(0) == "turn.after"
    assert number not in game.board.resolving
    lies = [*game.board.discards, *game.circle(), game.board.market_card]
    for bunny in game.board.circle:
        lies += [*bunny.under, *[feed.card for feed in bunny.feeds], bunny.trojan]
    for seat in game.board.seats:
        lies += [*seat.karma, *seat.lost_turns]
    lies += [roamer.card for roamer in game.board.roamers]
    assert number in lies


@pytest.mark.parametrize(
    "card",
    [card for card in CARDS.values() if card.type in DRAWN],
    ids=lambda card: f"{card.ref}-{card.name}",
)
def test_it_is_drawn_and_takes_effect(card: Card) -> None:
    number = card.number
    game = lively(top=59, pile=(number,)).go("flip", "play", "close")
    while game.topic(0) == "misfortune.victim":
        game.default()

    assert number in (*game.board.seats[0].dolla, *game.board.discards)
    assert len(game.circle()) == (3 if number in game.board.discards else 4)


@pytest.mark.parametrize("carrot", CARROT_CARDS)
def test_every_carrot_can_be_taken(carrot: int) -> None:
    game = arrange(Player(bunnies=(1,), top=16), Player()).go("flip", "play", f"carrot:{carrot}")

    assert game.board.seats[0].carrots == [carrot]


@pytest.mark.parametrize("card", [80, 82, 151])
def test_any_time_cards_are_played_from_the_table_too(card: int) -> None:
    game = lively(top=46, saved=(card,)).go("flip", "play")
    game.default()
    if game.topic(0).startswith("window."):
        game.answer(0, f"play:{card}").all_pass()

    assert card not in game.board.seats[0].saved
    assert card in ANSWERS


def test_all_cards_turn_up_in_random_games() -> None:
    played = played_at_random()

    never = [card.name for card in CARDS.values() if not played[card.number]]
    assert never == []
