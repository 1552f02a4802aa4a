"""Seating: leaving early and joining late (KB-165, KB-166, O-60, O-61)."""

from __future__ import annotations

from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import JOINING, LEAVING, PLAYING, VACANT, Game, is_deserted
from hutch.games.killer_bunnies.cards.bunnies import lose_abductee
from hutch.games.killer_bunnies.circle import bunnies_of
from hutch.games.killer_bunnies.deaths import Removed, bury, may_return
from hutch.games.killer_bunnies.events.bunnies import RoamerGone
from hutch.games.killer_bunnies.events.turns import SeatCleared, SeatJoined, SeatLeft, SeatTaken
from hutch.games.killer_bunnies.piles import HAND, deal
from hutch.games.killer_bunnies.purse import settle
from hutch.games.killer_bunnies.setup import RUN_CARDS, lay_run_cards


def leave(table: Game, seat: int) -> None:
    """A player leaves: noted now, carried out after the card in resolution."""
    if table.board.seats[seat].state in (PLAYING, JOINING):
        table.emit(SeatLeft(seat))


def rejoin(table: Game, seat: int) -> None:
    """Somebody takes a free seat: he joins between turns."""
    if table.board.seats[seat].state in (VACANT, LEAVING):
        table.emit(SeatTaken(seat))


def clear_seats(table: Game) -> Script[None]:
    """Take away what players who left still have (KB-166, O-61).

    Nobody is asked anything before they are out, so that nobody comes back to half a seat.
    """
    board = table.board
    removed: Removed = []
    for seat, player in enumerate(board.seats):
        if player.state != LEAVING:
            continue
        removed += bury(table, [bunny.card for bunny in bunnies_of(board, seat)])
        lose_abductee(table, seat)
        for roamer in [one.card for one in board.roamers if one.seat == seat]:
            table.emit(RoamerGone(roamer))
        cards = [*player.hand, *player.saved, *player.karma, *player.lost_turns]
        cards += [card for card in (player.top, player.bottom) if card]
        table.emit(SeatCleared(seat, cards))
        settle(table)
    if not is_deserted(board):
        yield from may_return(table, removed)


def seat_newcomers(table: Game) -> Script[None]:
    """Late players sit down left of the first seat, with seven cards (KB-165)."""
    for seat, player in enumerate(table.board.seats):
        if player.state == JOINING:
            table.emit(SeatJoined(seat))
            deal(table, seat, HAND + RUN_CARDS)
            yield from lay_run_cards(table, [seat])
