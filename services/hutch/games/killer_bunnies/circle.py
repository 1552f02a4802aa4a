"""The Bunny Circle: who sits where, and what a bunny has under it."""

from __future__ import annotations

from hutch.games.killer_bunnies.board import Board, Bunny, Roamer, seats_from
from hutch.games.killer_bunnies.printed import CARDS, CYBER, EBOLA, HALO, STOPPED_BY_SUIT, SUIT


def find(board: Board, card: int) -> Bunny | None:
    """The bunny of that card, if it is in the circle."""
    for bunny in board.circle:
        if bunny.card == card:
            return bunny
    return None


def bunnies_of(board: Board, seat: int) -> list[Bunny]:
    """A seat's bunnies, from its right to its left."""
    return [bunny for bunny in board.circle if bunny.seat == seat]


def has_bunny(board: Board, seat: int) -> bool:
    """Whether the seat has a bunny in the circle; an abducted one is not in it."""
    return any(bunny.seat == seat for bunny in board.circle)


def has_fighter(board: Board, seat: int) -> bool:
    """Whether the seat has a bunny without Halo, so that it may be aggressive (KB-044, KB-047)."""
    return any(bunny.seat == seat and HALO not in bunny.under for bunny in board.circle)


def has_halo(bunny: Bunny) -> bool:
    """Whether The Heavenly Halo lies under it."""
    return HALO in bunny.under


def has_suit(bunny: Bunny) -> bool:
    """Whether the Containment Suit lies under it."""
    return SUIT in bunny.under


def clovers_under(bunny: Bunny) -> int:
    """The Clovers under it, added up (KB-096)."""
    return sum([CARDS[card].clovers for card in bunny.under])


def neighbours(board: Board, card: int) -> list[Bunny]:
    """The bunnies directly left and right, clockwise side first, whoever owns them (KB-054)."""
    return [bunny for bunny, distance in spread(board, card, 1) if distance]


def spread(board: Board, card: int, reach: int) -> list[tuple[Bunny, int]]:
    """Every bunny within `reach` spaces with its distance, the bunny itself first.

    Each is listed once, at its smallest distance, the clockwise side first (O-18, O-48).
    """
    circle = board.circle
    size = len(circle)
    middle = next(place for place, bunny in enumerate(circle) if bunny.card == card)
    found = [(circle[middle], 0)]
    for distance in range(1, min(reach, size // 2) + 1):
        found.append((circle[(middle + distance) % size], distance))
        if 2 * distance != size:
            found.append((circle[(middle - distance) % size], distance))
    return found


def roamer_on(board: Board, card: int, roamer: int) -> Roamer | None:
    """That Roaming Red Run card, if it sits on that bunny."""
    for one in board.roamers:
        if one.bunny == card and one.card == roamer:
            return one
    return None


def cyber_on(board: Board, card: int) -> Roamer | None:
    """Cyber Bunny, if it sits on that bunny."""
    return roamer_on(board, card, CYBER)


def is_viable(board: Board, card: int, bunny: Bunny) -> bool:
    """Whether a weapon or a Roaming Red Run card may attack that bunny (O-44, O-46)."""
    if HALO in bunny.under or (card in STOPPED_BY_SUIT and SUIT in bunny.under):
        return False
    return card != EBOLA or bunny.card not in board.infected


def next_viable(board: Board, roamer: int, card: int, without: list[int]) -> int:
    """Where a roamer goes from that bunny's place: a bunny's card, or 0. Its own place comes last.

    Cyber Bunny goes clockwise, Ebola the other way (KB-101, KB-111).
    """
    circle = board.circle
    size = len(circle)
    start = next(place for place, bunny in enumerate(circle) if bunny.card == card)
    step = -1 if roamer == EBOLA else 1
    for steps in range(1, size + 1):
        bunny = circle[(start + step * steps) % size]
        if bunny.card not in without and is_viable(board, roamer, bunny):
            return bunny.card
    return 0


def segment_start(board: Board, seat: int) -> int:
    """The ring index at which the seat's own segment begins (O-37)."""
    ahead = set(board.order[: board.order.index(seat)])
    return sum(1 for bunny in board.circle if bunny.seat in ahead)


def has_triplet(board: Board, seat: int) -> bool:
    """Three own bunnies of one colour or one kind, Free Agents counting as any (KB-058, KB-063)."""
    own = [CARDS[bunny.card] for bunny in board.circle if bunny.seat == seat]
    if len(own) < 3:
        return False
    colours = [card.colour for card in own if card.colour]
    breeds = [card.breed for card in own if card.breed]
    wild = len(own) - len(colours)
    alike = [kinds.count(kind) for kinds in (colours, breeds) for kind in kinds]
    return wild + max(alike, default=0) >= 3


def opponents(board: Board, seat: int) -> list[int]:
    """The other seats in play, in order of play."""
    return [other for other in seats_from(board, seat) if other != seat]
