"""Resampling: everything a seat cannot see, dealt anew (for worlds that bots imagine)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hutch.games.killer_bunnies.board import Board, Game
from hutch.games.killer_bunnies.printed import CARDS

if TYPE_CHECKING:
    from random import Random


def resample(table: Game, seat: int | None, rng: Random) -> None:
    """Shuffle all that is hidden from `seat`: hands, run cards, piles, small Carrots.

    Hands and run slots never hold Dolla or misfortunes, so those stay in the Draw Pile. Hand cards
    that the seat was shown in the deal or exchange of this moment stay where they are.
    """
    board = table.board
    known = _shown_to(board, seat)
    places: list[tuple[list[int], int]] = []
    slots: list[tuple[int, str]] = []
    pool: list[int] = []
    for index, player in enumerate(board.seats):
        if index == seat:
            continue
        for at, card in enumerate(player.hand):
            if card not in known:
                places.append((player.hand, at))
                pool.append(card)
        for slot in ("top", "bottom"):
            card = getattr(player, slot)
            if card:
                slots.append((index, slot))
                pool.append(card)
    pool += board.pile
    rng.shuffle(pool)
    held = len(places) + len(slots)
    fit = [card for card in pool if CARDS[card].savable or "run" in CARDS[card].type]
    dealt = fit[:held]
    instead: dict[int, int] = {}
    for (hand, at), card in zip(places, dealt, strict=False):
        instead[hand[at]] = card
        hand[at] = card
    for (index, slot), card in zip(slots, dealt[len(places) :], strict=True):
        setattr(board.seats[index], slot, card)
    given = set(dealt)
    board.pile = [card for card in pool if card not in given]
    for deck in (board.cabbage, board.water, board.small_carrots):
        rng.shuffle(deck)
    _rename_shown(board, seat, known, rng)
    offer = board.offer
    if offer is not None and seat not in (offer.by, offer.to):
        # Only the two know the hand cards offered, those too that have been played meanwhile.
        for cards in (offer.hand, offer.named):
            cards[:] = [instead.get(card, card) for card in cards]


def _shown_to(board: Board, seat: int | None) -> set[int]:
    """Hand cards of others that the seat has before its eyes."""
    known: set[int] = set()
    if board.shown is not None and board.shown.to == seat:
        known.update(board.shown.cards)
    offer = board.offer
    if offer is not None and seat in (offer.by, offer.to):
        known.update(offer.hand if seat == offer.to else offer.named)
    return known


def _keep_a_weapon(board: Board, seat: int, rng: Random) -> None:
    """Who has weapons shown to him holds one himself, as everybody knows (KB-152)."""
    hand = board.seats[seat].hand
    weapons = [at for at, card in enumerate(board.pile) if CARDS[card].kind == "weapon"]
    if hand and weapons and not any(CARDS[card].kind == "weapon" for card in hand):
        at, place = rng.choice(weapons), rng.randrange(len(hand))
        hand[place], board.pile[at] = board.pile[at], hand[place]


def _rename_shown(board: Board, seat: int | None, known: set[int], rng: Random) -> None:
    """Weapons that others show each other lie in a hand, and so have changed with it."""
    shown = board.shown
    if shown is not None and shown.to != seat:
        _keep_a_weapon(board, shown.to, rng)
    if shown is not None and not known.issuperset(shown.cards):
        hand = board.seats[shown.seat].hand
        if any(card not in hand for card in shown.cards):
            shown.cards = [card for card in hand if CARDS[card].kind == "weapon"]
