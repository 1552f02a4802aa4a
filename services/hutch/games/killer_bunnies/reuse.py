"""Rooney's Reusables: the window after a weapon's use (KB-131, O-28, O-38 e, O-41)."""

from __future__ import annotations

from typing import Literal

from hutch.engine import asking
from hutch.engine.prompts import Ask
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import PLAYING, Board, Game, is_over
from hutch.games.killer_bunnies.deciding import REACTION, card_option, card_point, decide
from hutch.games.killer_bunnies.events.piles import CardPlayed, CardReclaimed
from hutch.games.killer_bunnies.piles import HAND, discard, draw_up
from hutch.games.killer_bunnies.playable import why_not_pink
from hutch.games.killer_bunnies.printed import CARDS, REUSABLES
from hutch.games.killer_bunnies.targets import weapon_targets


def is_hidden(board: Board, card: int) -> bool:
    """Whether a card of the game lies where the public cannot see it."""
    return card in board.pile or any(
        card in seat.hand or card in (seat.top, seat.bottom) for seat in board.seats
    )


def may_hold(board: Board, seat: int, card: int) -> bool:
    """Whether the seat, as far as others can tell, can play that card now: saved or unseen."""
    player = board.seats[seat]
    return card in player.saved or (bool(player.hand) and is_hidden(board, card))


#: Where Reusables was played from; "" where it was not.
Source = Literal["", "saved", "hand"]


def is_used_again(table: Game, seat: int, weapon: int, *, last: int = 0) -> Script[Source]:
    """Ask the launcher whether he uses the weapon again; if so, Reusables is being resolved.

    `last` is the bunny that it was aimed at just now.
    """
    board = table.board
    if is_over(board) or board.seats[seat].state != PLAYING:
        return ""
    if why_not_pink(board, seat, REUSABLES) or not may_hold(board, seat, REUSABLES):
        return ""
    if not any(weapon_targets(board, seat, weapon, again=last)):
        return ""

    def build() -> Ask:
        player = board.seats[seat]
        held = REUSABLES in player.saved or REUSABLES in player.hand
        options = [card_option("play", REUSABLES)] if held else []
        return asking.pass_or("weapon.again", options, about=(card_point(weapon),), clock=REACTION)

    reply = yield from decide(table, seat, build, interruptible=False)
    if reply.option == asking.PASS.id:
        return ""
    saved = REUSABLES in board.seats[seat].saved
    table.emit(CardPlayed(seat, REUSABLES, saved))
    return "saved" if saved else "hand"


def finish(table: Game, seat: int, source: Source) -> Script[None]:
    """Reusables is done: discarded, and replaced if it came from the hand (O-02)."""
    discard(table, REUSABLES)
    if source == "hand":
        yield from draw_up(table, seat, HAND)


def may_come_back(table: Game, seat: int, card: int) -> Script[None]:
    """A Trojan or Ebola has just left play: its launcher may launch it afresh (O-28)."""
    if seat < 0 or card not in table.board.discards:
        return
    if source := (yield from is_used_again(table, seat, card)):
        table.emit(CardReclaimed(card))
        again = CARDS[card].again
        assert again is not None
        yield from again(table, seat, card)
        yield from finish(table, seat, source)
