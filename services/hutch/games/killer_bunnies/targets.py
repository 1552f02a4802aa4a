"""Targets: which bunnies a card may be put on (O-03, O-46), with the reason where it may not."""

from __future__ import annotations

from hutch.games.killer_bunnies.board import Board, Bunny
from hutch.games.killer_bunnies.circle import cyber_on, find, has_halo, has_suit, is_viable
from hutch.games.killer_bunnies.playable import NO_TARGET, karma_targets, why_not_pink
from hutch.games.killer_bunnies.printed import CARDS, EBOLA, STOPPED_BY_SUIT, TROJAN


def why_not_target(board: Board, seat: int, card: int, bunny: Bunny) -> str:
    """Why a seat may not put that aggressive card on that bunny; "" where it may."""
    printed = CARDS[card]
    name = CARDS[bunny.card].name
    if has_halo(bunny):
        return f"{name} wears the Heavenly Halo: {printed.name} cannot touch it (KB-097)."
    if card in STOPPED_BY_SUIT and has_suit(bunny):
        return f"{name} wears the Containment Suit: {printed.name} cannot touch it (KB-155)."
    if card == EBOLA and bunny.card in board.infected:
        return f"{name} has met Ebola before, and is safe from it (KB-102)."
    if bunny.seat == seat and not printed.any_bunny:
        return f"{printed.name} may only be put on an opponent's bunny (KB-074, KB-083)."
    return ""


def targets_of(board: Board, seat: int, card: int) -> list[int]:
    """The bunnies that the seat may put that card on."""
    return [bunny.card for bunny in board.circle if not why_not_target(board, seat, card, bunny)]


def weapon_targets(
    board: Board, seat: int, card: int, *, again: int = 0
) -> tuple[list[int], list[int]]:
    """What a weapon may be launched at: bunnies, and bunnies with Cyber Bunny to be shot at.

    Bound by Bad Karma, an own bunny only (O-43). Used a second time it may take the same bunny
    `again`, though it be an own one (O-41). Nothing but a shot can be aimed at Cyber Bunny. An own
    bunny is needed up to the launch (KB-044).
    """
    if why_not_pink(board, seat, card):
        return [], []
    if board.seats[seat].karma:
        return karma_targets(board, seat, card), []
    cybers = []
    if card not in (TROJAN, EBOLA):
        cybers = [bunny.card for bunny in board.circle if cyber_on(board, bunny.card)]
    bunnies = targets_of(board, seat, card)
    same = find(board, again)
    if same is not None and again not in bunnies and is_viable(board, card, same):
        bunnies.append(again)
    return bunnies, cybers


def why_not_launch(board: Board, seat: int, card: int) -> str:
    """The guard of every weapon."""
    bunnies, cybers = weapon_targets(board, seat, card)
    if bunnies or cybers:
        return ""
    if board.seats[seat].karma:
        return "Bad Karma asks for an own bunny that this weapon can hit; you have none (KB-108)."
    return NO_TARGET


def why_not_put(board: Board, seat: int, card: int) -> str:
    """The guard of a card that is put on a bunny that the Halo and its owner may shield."""
    return "" if targets_of(board, seat, card) else NO_TARGET
