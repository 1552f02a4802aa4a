"""Open moments: what the turn player and the others may do in them (O-33)."""

from __future__ import annotations

from functools import cache

from hutch.engine.prompts import Ask, Option
from hutch.games.killer_bunnies.board import Game
from hutch.games.killer_bunnies.circle import has_triplet
from hutch.games.killer_bunnies.deciding import (
    card_option,
    clock_of,
    only,
    seat_option,
    word_option,
)
from hutch.games.killer_bunnies.feeding import can_flo_serve, feeds_payable, hungry
from hutch.games.killer_bunnies.interrupts import offer_of, offers
from hutch.games.killer_bunnies.market import goods_for_sale
from hutch.games.killer_bunnies.playable import why_not_discard, why_not_from_hand, why_not_saved
from hutch.games.killer_bunnies.printed import CARDS

FLIP = word_option("flip")
NO_PLAY = word_option("no-play")
CLOSE = word_option("close")
END = word_option("end")
TRADE = word_option("trade")


def moment_ask(table: Game, willing: list[int]) -> Ask:
    """What the turn player may do now; by default he gets on with his turn.

    `willing` are the players he may trade with.
    """
    board = table.board
    seat = board.active
    options: list[Option]
    match board.stage:
        case "before":
            options = _plays(table, seat) or [NO_PLAY]
        case "between":
            # KB-061: lost if the triplet is gone when he wants to begin.
            options = [END, *(_plays(table, seat) if has_triplet(board, seat) else ())]
        case _:
            options = [CLOSE]
    default = options[0].id
    options += goods_for_sale(table, seat)
    options += [card_option("feed", card) for card in feeds_payable(table, seat)]
    if can_flo_serve(board, seat):
        options += [card_option("flo", bunny.card) for bunny in hungry(board)]
    for card in board.seats[seat].saved:
        if not why_not_saved(board, seat, card):
            options.append(card_option("saved", card))
    if willing:
        options.append(TRADE)
    return Ask(
        f"turn.{board.stage}", tuple(options), default=only(default), clock=clock_of(board, seat)
    )


def _plays(table: Game, seat: int) -> list[Option]:
    """The ways to use a play; there is no pass (KB-024, KB-025)."""
    board = table.board
    player = board.seats[seat]
    found = [FLIP] if player.top else []
    for card in player.hand:
        printed = CARDS[card]
        if not printed.savable:
            continue  # a Run card can neither be played nor discarded from the hand
        if printed.type == "special" and not why_not_from_hand(board, seat, card):
            found.append(card_option("hand", card))
        if not why_not_discard(board, seat, card):
            found.append(card_option("discard", card))
    return found


def anytime_and_trades(table: Game, willing: list[int]) -> dict[int, Ask]:
    """Beside the turn player's question: any-time cards, and others' wish to trade (O-54)."""
    board = table.board
    found = offers(table)
    for seat in willing:
        if seat in found:
            trade = seat_option("trade", board.active)
            found[seat] = offer_of([*found[seat].options, trade])
        else:
            found[seat] = _offer_to_trade(board.active)
    return found


@cache
def _offer_to_trade(active: int) -> Ask:
    return offer_of([seat_option("trade", active)])
