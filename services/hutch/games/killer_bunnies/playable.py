"""Guards: why a card may not be played, saved or discarded now. "" says that it may.

The options of every question are built from these, and so is the reason of every refusal.
"""

from __future__ import annotations

from hutch.games.killer_bunnies.board import Board
from hutch.games.killer_bunnies.circle import bunnies_of, has_bunny, has_fighter, is_viable
from hutch.games.killer_bunnies.printed import CARDS, MINILITH

NO_TARGET = "There is no bunny or player that this card may be used on now."


def why_not_pink(board: Board, seat: int, card: int) -> str:
    """KB-044 to KB-048: what the pink box asks for."""
    printed = CARDS[card]
    if not printed.pink:
        return ""
    if not has_bunny(board, seat):
        if board.away is not None and board.away.seat == seat:
            return f"{printed.name} needs a bunny in the circle; yours is abducted (KB-048)."
        return f"{printed.name} has a pink box: you need a bunny in the circle (KB-044)."
    if printed.aggressive and not has_fighter(board, seat):
        return (
            f"{printed.name} is aggressive, and your only bunny wears the Heavenly Halo (KB-047)."
        )
    return ""


def why_not_play(board: Board, seat: int, card: int) -> str:
    """Why a flipped or saved card, or one from the hand, may not be played for its effect."""
    return why_not_pink(board, seat, card) or CARDS[card].guard(board, seat, card)


def why_not_from_hand(board: Board, seat: int, card: int) -> str:
    """Why a hand card may not be played as the turn (KB-036 to KB-039)."""
    printed = CARDS[card]
    if printed.type == "very_special":
        return f"{printed.name} is Very Special: playing it from the hand is no turn (KB-039)."
    if printed.type != "special":
        return f"{printed.name} is a Run card: it must go through the run cycle (KB-034)."
    return why_not_play(board, seat, card)


def why_not_saved(board: Board, seat: int, card: int) -> str:
    """Why a saved card may not be played by its owner in an open moment of his turn."""
    printed = CARDS[card]
    if printed.type != "special":
        return f"{printed.name} is Very Special: play it as an any-time card (KB-039)."
    return why_not_play(board, seat, card)


def why_not_save(board: Board, seat: int, card: int) -> str:
    """Why a flipped card may not be saved (KB-034, KB-035, KB-151)."""
    printed = CARDS[card]
    if not printed.savable:
        return f"{printed.name} is a Run card, and Run cards are never saved (KB-034)."
    if card == MINILITH and not has_bunny(board, seat):
        return "The Minilith can be saved only with a bunny of your own in the circle (KB-151)."
    return ""


def why_not_decline(board: Board, seat: int, card: int) -> str:
    """Why a flipped card may not be discarded: Bad Karma binds weapons (KB-108)."""
    weapon = CARDS[card].kind == "weapon"
    if weapon and board.seats[seat].karma and karma_targets(board, seat, card):
        return "Bad Karma: you must launch this weapon at one of your own bunnies (KB-108)."
    return ""


def why_not_discard(board: Board, seat: int, card: int) -> str:
    """Why a hand card may not be discarded as the turn (KB-025, KB-037)."""
    if CARDS[card].savable:
        return ""
    return "Only a Special or Very Special may be discarded from the hand as a turn (KB-025)."


def karma_targets(board: Board, seat: int, card: int) -> list[int]:
    """The own bunnies that this weapon may take under Bad Karma (O-43)."""
    return [bunny.card for bunny in bunnies_of(board, seat) if is_viable(board, card, bunny)]
