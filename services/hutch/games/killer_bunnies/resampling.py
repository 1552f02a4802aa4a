"""Resampling: everything a seat cannot see, dealt anew (for worlds that bots imagine)."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from hutch.games.killer_bunnies.board import Board, Game
from hutch.games.killer_bunnies.printed import CARDS

if TYPE_CHECKING:
    from random import Random


def resample(table: Game, seat: int | None, rng: Random) -> None:
    """Shuffle all that is hidden from `seat`: hands, run cards, piles, small Carrots.

    Hand cards that the seat was shown in the deal or exchange of this moment stay where they are.
    """
    board = table.board
    known = _shown_to(board, seat)
    others = [player for index, player in enumerate(board.seats) if index != seat]
    places = [
        (player.hand, at)
        for player in others
        for at, card in enumerate(player.hand)
        if card not in known
    ]
    slots = [
        (player, slot) for player in others for slot in ("top", "bottom") if getattr(player, slot)
    ]
    in_hands = [hand[at] for hand, at in places]
    held = in_hands + [getattr(player, slot) for player, slot in slots]
    telling = _agrees_with_what_is_shown(board, seat)
    while True:
        dealt = _dealt(board, held, rng)
        for (hand, at), card in zip(places, dealt, strict=False):
            hand[at] = card
        if not telling or _agrees_with_what_is_shown(board, seat):
            break
    for (player, slot), card in zip(slots, dealt[len(places) :], strict=True):
        setattr(player, slot, card)
    given = set(dealt)
    board.pile = [card for card in held + board.pile if card not in given]
    for deck in (board.pile, board.cabbage, board.water, board.small_carrots):
        rng.shuffle(deck)
    _rename_shown(board, known)
    offer = board.offer
    if offer is not None and seat not in (offer.by, offer.to):
        # Only the two know the hand cards offered, those too that have been played meanwhile.
        instead = dict(zip(in_hands, dealt, strict=False))
        for cards in (offer.hand, offer.named):
            cards[:] = [instead.get(card, card) for card in cards]


def _dealt(board: Board, held: list[int], rng: Random) -> list[int]:
    """A card in place of each one held, of those that came into the Draw Pile together with it.

    Hands and run slots never hold Dolla or misfortunes, so those stay in the Draw Pile.
    """
    batch = board.batch
    fit = [card for card in board.pile if CARDS[card].savable or "run" in CARDS[card].type]
    together = defaultdict[int, list[int]](list)
    for card in held + fit:
        together[batch.get(card, 0)].append(card)
    for cards in together.values():
        rng.shuffle(cards)
    return [together[batch.get(card, 0)].pop() for card in held]


def _shown_to(board: Board, seat: int | None) -> set[int]:
    """Hand cards of others that the seat has before its eyes."""
    shown, offer = board.shown, board.offer
    if shown is not None and shown.to == seat:
        return set(shown.cards) & set(board.seats[shown.seat].hand)
    if offer is not None and offer.to == seat:
        return set(offer.hand) & set(board.seats[offer.by].hand)
    if offer is not None and offer.by == seat:
        return set(offer.named) & set(board.seats[offer.to].hand)
    return set()


def _agrees_with_what_is_shown(board: Board, seat: int | None) -> bool:
    """Whether the hands are such as the seat knows while weapons are shown (KB-152).

    Who sees them sees all that there are in that hand, and he holds one himself, as all know.
    """
    shown = board.shown
    if shown is None:
        return True
    if shown.to == seat:
        return set(shown.cards).issuperset(_weapons_in(board.seats[shown.seat].hand))
    return bool(_weapons_in(board.seats[shown.to].hand))


def _weapons_in(hand: list[int]) -> list[int]:
    return [card for card in hand if CARDS[card].kind == "weapon"]


def _rename_shown(board: Board, known: set[int]) -> None:
    """Weapons that others show each other lie in a hand, and so have changed with it."""
    shown = board.shown
    if shown is not None and not known.issuperset(shown.cards):
        hand = board.seats[shown.seat].hand
        if any(card not in hand for card in shown.cards):
            shown.cards = _weapons_in(hand)
