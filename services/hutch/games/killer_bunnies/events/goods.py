"""Events of money, supplies, Carrots and trades."""

from __future__ import annotations

from typing import ClassVar

from hutch.engine.events import Event
from hutch.games.killer_bunnies.board import (
    Board,
    Debt,
    Goods,
    Offer,
    Supply,
    pile_of,
    purse_of,
)
from hutch.games.killer_bunnies.events.laid import Laid


def _take(cards: list[int], out: list[int]) -> None:
    for card in out:
        cards.remove(card)


class Paid(Laid, frozen=True):
    """Dolla, Cabbage or Water cards went to their discard pile, face up (KB-070)."""

    seat: int
    supply: Supply
    cards: list[int]

    def apply(self, board: Board) -> None:
        _take(purse_of(board.seats[self.seat], self.supply), self.cards)
        pile_of(board, self.supply).extend(self.cards)


class Received(Laid, frozen=True):
    """Cards came from a discard pile: change, income or a debt paid (KB-071)."""

    seat: int
    supply: Supply
    cards: list[int]

    def apply(self, board: Board) -> None:
        _take(pile_of(board, self.supply), self.cards)
        purse_of(board.seats[self.seat], self.supply).extend(self.cards)


class Handed(Laid, frozen=True):
    """Dolla, Cabbage or Water cards went from one player to another."""

    seat: int
    to: int
    supply: Supply
    cards: list[int]

    def apply(self, board: Board) -> None:
        _take(purse_of(board.seats[self.seat], self.supply), self.cards)
        purse_of(board.seats[self.to], self.supply).extend(self.cards)


class DebtNoted(Event, frozen=True):
    """The game owes a seat what the discard pile could not give (KB-072).

    It adds to what is owed to that seat already: the sum is one debt, as old as its first part.
    """

    seat: int
    supply: Supply
    amount: int

    def apply(self, board: Board) -> None:
        for debt in board.debts:
            if (debt.seat, debt.supply) == (self.seat, self.supply):
                debt.amount += self.amount
                return
        board.debts.append(Debt(self.seat, self.supply, self.amount))


class DebtReduced(Event, frozen=True):
    """So much of a debt was paid; `place` counts the debts, oldest first."""

    place: int
    seat: int
    supply: Supply
    amount: int

    def apply(self, board: Board) -> None:
        debt = board.debts[self.place]
        debt.amount -= self.amount
        if not debt.amount:
            del board.debts[self.place]


class SupplyCardTaken(Event, frozen=True):
    """The top card of the Cabbage or Water deck was taken, and its units shown (KB-066)."""

    reveals: ClassVar[bool] = True
    seat: int
    supply: Supply
    units: int

    def apply(self, board: Board) -> None:
        (board.cabbage if self.supply == "cabbage" else board.water).pop()
        purse_of(board.seats[self.seat], self.supply).append(self.units)


class CarrotTaken(Laid, frozen=True):
    """A Carrot left the market."""

    seat: int
    carrot: int

    def apply(self, board: Board) -> None:
        board.market.remove(self.carrot)
        board.seats[self.seat].carrots.append(self.carrot)


class CarrotMoved(Laid, frozen=True):
    """A Carrot went from one player to another."""

    seat: int
    to: int
    carrot: int

    def apply(self, board: Board) -> None:
        board.seats[self.seat].carrots.remove(self.carrot)
        board.seats[self.to].carrots.append(self.carrot)


class CarrotReturned(Laid, frozen=True):
    """A Carrot went back to the market (KB-145)."""

    seat: int
    carrot: int

    def apply(self, board: Board) -> None:
        board.seats[self.seat].carrots.remove(self.carrot)
        board.market = sorted([*board.market, self.carrot])


class SavedCardMoved(Laid, frozen=True):
    """A saved card went from one player to another (KB-157)."""

    seat: int
    to: int
    card: int

    def apply(self, board: Board) -> None:
        board.seats[self.seat].saved.remove(self.card)
        board.seats[self.to].saved.append(self.card)


class TradeOpened(Event, frozen=True):
    """Two players began to deal; `other` is the one whose turn it is not (O-54)."""

    seat: int
    to: int
    other: int

    def apply(self, board: Board) -> None:
        board.seats[self.other].chains += 1


class TradeOffered(Event, frozen=True):
    """An offer lies on the table. Hand cards are shown to the partner only (O-54)."""

    seat: int
    to: int
    give: Goods
    want: Goods
    hand: list[int]
    wish: str

    def apply(self, board: Board) -> None:
        board.offer = Offer(self.seat, self.to, self.give, self.want, list(self.hand), self.wish)

    def face(self, seat: int | None) -> Event | None:
        if seat in (self.seat, self.to):
            return self
        hidden = [0] * len(self.hand)
        return TradeOffered(self.seat, self.to, self.give, self.want, hidden, self.wish)


class TradeCardsNamed(Event, frozen=True):
    """The partner named the hand cards he would give; the proposer sees them (O-54)."""

    seat: int
    to: int
    cards: list[int]

    def apply(self, board: Board) -> None:
        assert board.offer is not None
        board.offer.named = list(self.cards)

    def face(self, seat: int | None) -> Event | None:
        if seat in (self.seat, self.to):
            return self
        return TradeCardsNamed(self.seat, self.to, [0] * len(self.cards))


class TradeClosed(Event, frozen=True):
    """The offer is off the table: made, or not. `marked` may not be traded again (KB-160)."""

    seat: int
    to: int
    made: bool
    marked: list[int]

    def apply(self, board: Board) -> None:
        board.offer = None
        board.traded.extend(self.marked)

    def teaches(self) -> bool:
        """KB-032: what went over is not taken back."""
        return self.made
