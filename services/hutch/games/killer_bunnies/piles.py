"""Piles: drawing, discarding, and the reshuffle (KB-019 to KB-023)."""

from __future__ import annotations

from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Game, is_over
from hutch.games.killer_bunnies.circle import has_halo
from hutch.games.killer_bunnies.events.piles import (
    CardDiscarded,
    CardDrawn,
    DollaDrawn,
    MisfortuneDrawn,
    Reshuffled,
)
from hutch.games.killer_bunnies.printed import CARDS

HAND = 5


def turn_up(table: Game, *, dealt: bool = False) -> int:
    """The top card of the Draw Pile, reshuffled if empty; 0 where there is none (O-25).

    Misfortunes that can strike nobody are not reshuffled alone, for they would be drawn for ever;
    where cards are `dealt` none strikes.
    """
    board = table.board
    if not board.pile:
        cards = sorted(board.discards + board.spent_dolla)
        strikes = not dealt and any(not has_halo(bunny) for bunny in board.circle)
        if not any(strikes or CARDS[card].type != "play_immediately" for card in cards):
            return 0
        table.emit(Reshuffled(table.chance.shuffled("draw", cards)))
    return board.pile[-1]


def draw_up(table: Game, seat: int, size: int = HAND) -> Script[None]:
    """Draw until the hand holds that many, as far as there are cards.

    One card at a time: Dolla is laid down, and a misfortune resolved before the next (O-65); what
    that brings about may itself have filled the hand.
    """
    hand = table.board.seats[seat].hand
    while len(hand) < size and not is_over(table.board) and (card := turn_up(table)):
        match CARDS[card].type:
            case "kaballa_dolla":
                table.emit(DollaDrawn(seat, card))
            case "play_immediately":
                table.emit(MisfortuneDrawn(seat, card))
                yield from perform(table, seat, card)
            case _:
                table.emit(CardDrawn(seat, card))


def deal(table: Game, seat: int, size: int) -> None:
    """Cards dealt outside of play: misfortunes are discarded unused (KB-013, KB-014)."""
    hand = table.board.seats[seat].hand
    while len(hand) < size and (card := turn_up(table, dealt=True)):
        match CARDS[card].type:
            case "kaballa_dolla":
                table.emit(DollaDrawn(seat, card))
            case "play_immediately":
                table.emit(MisfortuneDrawn(seat, card))
                table.emit(CardDiscarded(card))
            case _:
                table.emit(CardDrawn(seat, card))


def perform(table: Game, seat: int, card: int) -> Script[None]:
    """Do what a card says, and discard it unless it went elsewhere."""
    play = CARDS[card].play
    assert play is not None
    yield from play(table, seat, card)
    discard(table, card)


def discard(table: Game, card: int) -> None:
    """Discard a card that was being resolved, if it still is."""
    if card in table.board.resolving:
        table.emit(CardDiscarded(card))
