"""The purse: paying, change, income and debts (KB-070 to KB-073, O-36).

All amounts are Dolla or units. Nobody pays more than he has; what the piles cannot give is owed.
"""

from __future__ import annotations

from collections.abc import Sequence

from hutch.games.killer_bunnies.board import Game, Supply, pile_of, purse_of
from hutch.games.killer_bunnies.events.goods import (
    DebtNoted,
    DebtReduced,
    Handed,
    Paid,
    Received,
    SupplyCardTaken,
)
from hutch.games.killer_bunnies.printed import DOLLA


def worth(supply: Supply, card: int) -> int:
    """What a card of that kind is worth: Dolla cards say so, supply cards are their units."""
    return DOLLA[card] if supply == "dolla" else card


def total(supply: Supply, cards: Sequence[int]) -> int:
    """What those cards are worth together."""
    if supply == "dolla":
        return sum([DOLLA[card] for card in cards])
    return sum(cards)


def has(table: Game, seat: int, supply: Supply) -> int:
    """How much a seat has; debts of the game do not count."""
    return total(supply, purse_of(table.board.seats[seat], supply))


def _kinds(supply: Supply, cards: Sequence[int]) -> list[tuple[int, list[int]]]:
    """The cards by worth, greatest first; equal ones in order of their numbers."""
    kinds: dict[int, list[int]] = {}
    for card in sorted(cards):
        kinds.setdefault(worth(supply, card), []).append(card)
    return sorted(kinds.items(), reverse=True)


def _fill(
    kinds: list[tuple[int, list[int]]], amount: int, at: int = 0
) -> tuple[int, int, list[int]]:
    """The greatest sum not above `amount` from the kinds at `at` and after, with fewest cards.

    The sum, minus the number of cards, and the cards: the greatest of these is the best.
    """
    if at == len(kinds) or not amount:
        return 0, 0, []
    value, cards = kinds[at]
    most = min(len(cards), amount // value)
    if at == len(kinds) - 1:
        return most * value, -most, cards[:most]
    best: tuple[int, int, list[int]] = (-1, 0, [])
    for count in range(most, -1, -1):
        filled, size, chosen = _fill(kinds, amount - count * value, at + 1)
        found = (filled + count * value, size - count)
        if found > best[:2]:
            best = (*found, cards[:count] + chosen)
    return best


def within(supply: Supply, cards: Sequence[int], amount: int) -> list[int]:
    """The cards of the greatest sum not above an amount, then the fewest."""
    if not cards or total(supply, cards) <= amount:
        return list(cards)
    if exact := [card for card in cards if worth(supply, card) == amount]:
        return [min(exact)]
    return _fill(_kinds(supply, cards), amount)[2]


def covering(supply: Supply, cards: Sequence[int], amount: int) -> list[int]:
    """The cards of the least sum that covers an amount, then the fewest."""
    if len(cards) == 1:
        return list(cards)
    if exact := [card for card in cards if worth(supply, card) == amount]:
        return [min(exact)]
    kinds = _kinds(supply, cards)
    # What is kept back is the greatest sum that can be spared.
    spare = total(supply, cards) - amount
    least = total(supply, cards) - _fill(kinds, spare)[0]
    return _fill(kinds, least)[2]


def receive(table: Game, seat: int, supply: Supply, amount: int, *, owed: bool = True) -> None:
    """An income from the discard pile; what it cannot give is owed, unless the card says not."""
    _take(table, seat, supply, amount, owed=owed)
    settle(table)


def _take(table: Game, seat: int, supply: Supply, amount: int, *, owed: bool = True) -> None:
    if amount <= 0:
        return
    cards = within(supply, pile_of(table.board, supply), amount)
    if cards:
        table.emit(Received(seat, supply, cards))
    rest = amount - total(supply, cards)
    if rest and owed:
        table.emit(DebtNoted(seat, supply, rest))


def pay(table: Game, seat: int, supply: Supply, amount: int) -> None:
    """Pay the discard pile; the change comes back from it or is owed (KB-071, KB-072)."""
    if amount <= 0:
        return
    cards = covering(supply, purse_of(table.board.seats[seat], supply), amount)
    table.emit(Paid(seat, supply, cards))
    _take(table, seat, supply, total(supply, cards) - amount)
    settle(table)


def lose_all(table: Game, seat: int, supply: Supply) -> None:
    """Everything the seat has of that kind goes to the pile."""
    cards = list(purse_of(table.board.seats[seat], supply))
    if cards:
        table.emit(Paid(seat, supply, cards))
        settle(table)


def hand_over(table: Game, seat: int, to: int, supply: Supply, amount: int) -> None:
    """A payment between players: directly if the cards fit, else through the pile (O-36)."""
    if amount <= 0:
        return
    purse = purse_of(table.board.seats[seat], supply)
    cards = covering(supply, purse, amount)
    paid = total(supply, cards)
    if paid == amount:
        table.emit(Handed(seat, to, supply, cards))
        return
    table.emit(Paid(seat, supply, cards))
    _take(table, to, supply, amount)
    _take(table, seat, supply, paid - amount)
    settle(table)


def settle(table: Game) -> None:
    """Debts are paid by themselves, oldest first, as far as the piles can."""
    board = table.board
    if not board.debts:
        return
    place = 0
    while place < len(board.debts):
        debt = board.debts[place]
        pile = pile_of(board, debt.supply)
        if not any(worth(debt.supply, card) <= debt.amount for card in pile):
            place += 1
            continue
        cards = within(debt.supply, pile, debt.amount)
        paid = total(debt.supply, cards)
        table.emit(Received(debt.seat, debt.supply, cards))
        whole = paid == debt.amount
        table.emit(DebtReduced(place, debt.seat, debt.supply, paid))
        if not whole:
            place += 1


def take_supply_card(table: Game, seat: int, supply: Supply) -> None:
    """The top card of the Cabbage or Water deck; nothing where it is empty (O-24)."""
    deck = table.board.cabbage if supply == "cabbage" else table.board.water
    if deck:
        table.emit(SupplyCardTaken(seat, supply, deck[-1]))
