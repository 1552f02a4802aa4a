"""What the properties of every game need to know of this one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hutch.engine.table import Table
from hutch.games.killer_bunnies.board import PLAYING, Board
from hutch.games.killer_bunnies.events.goods import TradeCardsNamed, TradeOffered
from hutch.games.killer_bunnies.events.piles import (
    HandCardsSwapped,
    TopRunsRotated,
    WeaponsShown,
)
from hutch.games.killer_bunnies.printed import CARROT_CARDS
from tests.properties.profile import Profile


def large_cards(board: Board) -> Iterator[int]:
    """Every large card, wherever it lies."""
    yield board.market_card
    for zone in (board.pile, board.discards, board.spent_dolla, board.resolving, board.aside):
        yield from zone
    for seat in board.seats:
        for zone in (seat.hand, seat.saved, seat.dolla, seat.karma, seat.lost_turns):
            yield from zone
        yield from [card for card in (seat.top, seat.bottom) if card]
        yield from [CARROT_CARDS[carrot] for carrot in seat.carrots]
    yield from [CARROT_CARDS[carrot] for carrot in board.market]
    for bunny in board.circle:
        yield from (bunny.card, *bunny.under)
        yield from [feed.card for feed in bunny.feeds]
        if bunny.trojan:
            yield bunny.trojan
    yield from [roamer.card for roamer in board.roamers]
    if board.away is not None:
        yield board.away.card


def everything(table: Table[Board]) -> object:
    """All large cards, all units of both supplies, all small Carrots."""
    board = table.board
    cabbage = [*board.cabbage, *board.spent_cabbage]
    water = [*board.water, *board.spent_water]
    for seat in board.seats:
        cabbage += seat.cabbage
        water += seat.water
    small = [*board.small_carrots, *board.turned]
    return sorted(large_cards(board)), sorted(cabbage), sorted(water), sorted(small)


def hidden(table: Table[Board], seat: int | None) -> dict[str, object]:
    """The decks, and the hands and run cards of others."""
    board = table.board
    unseen: dict[str, object] = {
        "pile": tuple(board.pile),
        "cabbage": tuple(board.cabbage),
        "water": tuple(board.water),
        "small carrots": tuple(board.small_carrots),
    }
    for other, player in enumerate(board.seats):
        if other != seat and player.state == PLAYING:
            unseen[f"hand {other}"] = tuple(player.hand)
            unseen[f"run cards {other}"] = (player.top, player.bottom)
    return unseen


PROFILE: Final = Profile(
    options=({}, {"starting_carrots": 1}, {"decks": ["blue"]}, {"free_seats": [1]}),
    decisions=20_000,
    conserved=everything,
    hidden=hidden,
    drawn=True,
    peeks=frozenset(
        {TradeOffered, TradeCardsNamed, HandCardsSwapped, TopRunsRotated, WeaponsShown}
    ),
)
