"""Resampling: everything a seat cannot see, dealt anew (for worlds that bots imagine)."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal, NamedTuple

from hutch.games.killer_bunnies.board import Board, Game, Seat
from hutch.games.killer_bunnies.printed import CARDS

if TYPE_CHECKING:
    from random import Random


class Place(NamedTuple):
    """Where a hidden card lies: in a hand, or face down as a run card."""

    owner: Seat
    slot: Literal["hand", "top", "bottom"]
    card: int
    at: int = 0

    def put(self, card: int) -> None:
        """Let another card lie there."""
        match self.slot:
            case "hand":
                self.owner.hand[self.at] = card
            case "top":
                self.owner.top = card
            case "bottom":
                self.owner.bottom = card

    def takes(self, batch: int) -> bool:
        """Whether a card of that batch may lie there: a run card is no newer than its laying."""
        match self.slot:
            case "hand":
                return True
            case "top":
                return batch <= self.owner.top_batch
            case "bottom":
                return batch <= self.owner.bottom_batch


def resample(table: Game, seat: int | None, rng: Random) -> None:
    """Shuffle all that is hidden from `seat`: hands, run cards, piles, small Carrots.

    Hand cards that the seat was shown in the deal or exchange of this moment stay where they are,
    and so do Top Run cards that it passed on.
    """
    board = table.board
    known = _shown_to(board, seat)
    hidden = [
        _places_of(player, known, seat) for index, player in enumerate(board.seats) if index != seat
    ]
    places = [place for own in hidden for place in own]
    telling = _agrees_with_what_is_shown(board, seat)
    while True:
        batches = [batch for own in hidden for batch in _batches(board, own, rng)]
        dealt = _dealt(board, places, batches, rng)
        for place, card in zip(places, dealt, strict=True):
            place.put(card)
        if not telling or _agrees_with_what_is_shown(board, seat):
            break
    instead = {place.card: card for place, card in zip(places, dealt, strict=True)}
    given = set(dealt)
    board.pile = [card for card in [*instead, *board.pile] if card not in given]
    for deck in (board.pile, board.cabbage, board.water, board.small_carrots):
        rng.shuffle(deck)
    _rename_shown(board, known)
    offer = board.offer
    if offer is not None and seat not in (offer.by, offer.to):
        # Only the two know the hand cards offered, those too that have been played meanwhile.
        for cards in (offer.hand, offer.named):
            cards[:] = [instead.get(card, card) for card in cards]


def _places_of(player: Seat, known: set[int], seat: int | None) -> list[Place]:
    """All places of a player where the seat does not know the card."""
    places = [
        Place(player, "hand", card, at) for at, card in enumerate(player.hand) if card not in known
    ]
    if player.top and seat not in player.top_known:
        places.append(Place(player, "top", player.top))
    if player.bottom:
        places.append(Place(player, "bottom", player.bottom))
    return places


def _batches(board: Board, places: list[Place], rng: Random) -> list[int]:
    """Of which batch the card in each of a player's places is.

    Others saw which his cards can be, but not which of them he laid as run cards.
    """
    batches = [board.batch.get(place.card, 0) for place in places]
    if len(set(batches)) > 1:
        while True:
            rng.shuffle(batches)
            if all(place.takes(batch) for place, batch in zip(places, batches, strict=True)):
                break
    return batches


def _dealt(board: Board, places: list[Place], batches: list[int], rng: Random) -> list[int]:
    """A card of its batch for each place: of those that came into the Draw Pile together.

    Hands and run slots never hold Dolla or misfortunes, so those stay in the Draw Pile.
    """
    fit = [card for card in board.pile if CARDS[card].savable or "run" in CARDS[card].type]
    together = defaultdict[int, list[int]](list)
    for card in [place.card for place in places] + fit:
        together[board.batch.get(card, 0)].append(card)
    for cards in together.values():
        rng.shuffle(cards)
    return [together[batch].pop() for batch in batches]


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
