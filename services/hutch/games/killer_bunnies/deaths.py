"""Deaths and abductions: what leaves the circle, and what that does to the rest (O-34, O-44)."""

from __future__ import annotations

from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Bunny, Game
from hutch.games.killer_bunnies.circle import (
    find,
    has_bunny,
    is_viable,
    next_viable,
    roamer_on,
)
from hutch.games.killer_bunnies.events.bunnies import (
    BunniesDied,
    BunnyAbducted,
    RoamerGone,
    RoamerMoved,
)
from hutch.games.killer_bunnies.events.piles import SavedCardDiscarded
from hutch.games.killer_bunnies.printed import EBOLA, MINILITH
from hutch.games.killer_bunnies.reuse import may_come_back

#: A Trojan or Ebola that left play, and who launched it.
Removed = list[tuple[int, int]]


def kill(table: Game, cards: list[int], *, by_roamer: int = 0) -> Script[None]:
    """Those bunnies die together, and what was on them may come back."""
    yield from may_return(table, bury(table, cards, by_roamer=by_roamer))


def bury(table: Game, cards: list[int], *, by_roamer: int = 0) -> Removed:
    """Those bunnies die together, with nobody asked yet about the Trojan or Ebola they had.

    A roamer that killed its carrier moves on (KB-090).
    """
    board = table.board
    doomed = [bunny for bunny in board.circle if bunny.card in cards]
    removed: Removed = []
    if doomed:
        names = [bunny.card for bunny in doomed]
        loose = [card for bunny in doomed for card in _cards_on(bunny, removed)]
        steps = _steps_of_roamers(table, names, by_roamer)
        table.emit(BunniesDied(names, loose))
        _after_leaving(table, steps, removed)
    return removed


def may_return(table: Game, removed: Removed) -> Script[None]:
    """Reusables may answer a Trojan or Ebola that left play (O-28, O-34)."""
    for card, launcher in removed:
        yield from may_come_back(table, launcher, card)


def abduct(table: Game, bunny: Bunny) -> Script[None]:
    """A bunny is taken out of play; the one before is left in resolution (KB-105, KB-106)."""
    removed: Removed = []
    loose = _cards_on(bunny, removed)
    steps = _steps_of_roamers(table, [bunny.card], 0)
    table.emit(BunnyAbducted(bunny.seat, bunny.card, loose))
    _after_leaving(table, steps, removed)
    yield from may_return(table, removed)


def move_on(table: Game, roamer: int) -> Script[None]:
    """A roamer goes to its next viable bunny, or leaves play (KB-090, KB-092)."""
    board = table.board
    one = next(one for one in board.roamers if one.card == roamer)
    launcher = one.seat
    goal = next_viable(board, roamer, one.bunny, [])
    if goal:
        if goal != one.bunny:
            table.emit(RoamerMoved(roamer, goal))
        return
    table.emit(RoamerGone(roamer))
    if roamer == EBOLA:
        yield from may_come_back(table, launcher, roamer)


def move_off(table: Game, bunny: Bunny) -> Script[None]:
    """Roamers leave a bunny that is viable for them no more: it got Halo or Suit (O-44, O-46).

    Ebola launched afresh may bring it about that the other one has left play meanwhile.
    """
    board = table.board
    for card in [one.card for one in board.roamers]:
        if roamer_on(board, bunny.card, card) and not is_viable(board, card, bunny):
            yield from move_on(table, card)


def remove_roamer(table: Game, roamer: int) -> Script[None]:
    """A roamer is taken out of play by a card."""
    launcher = next(one.seat for one in table.board.roamers if one.card == roamer)
    table.emit(RoamerGone(roamer))
    if roamer == EBOLA:
        yield from may_come_back(table, launcher, roamer)


def drop_miniliths(table: Game) -> None:
    """The Minilith goes the moment its owner's last bunny does (KB-151)."""
    board = table.board
    for seat in board.order:
        if MINILITH in board.seats[seat].saved and not has_bunny(board, seat):
            table.emit(SavedCardDiscarded(seat, MINILITH))


def _cards_on(bunny: Bunny, removed: Removed) -> list[int]:
    cards = bunny.under + [feed.card for feed in bunny.feeds]
    if bunny.trojan:
        cards.append(bunny.trojan)
        removed.append((bunny.trojan, bunny.trojan_by))
    return cards


def _steps_of_roamers(table: Game, names: list[int], by_roamer: int) -> list[tuple[int, int]]:
    """Where the roamers on leaving bunnies go: roamer and bunny, 0 for out of play.

    Ebola leaves with its carrier, unless it killed it itself (KB-103, KB-106).
    """
    board = table.board
    return [
        (
            one.card,
            0
            if one.card == EBOLA and by_roamer != EBOLA
            else next_viable(board, one.card, one.bunny, names),
        )
        for one in board.roamers
        if one.bunny in names
    ]


def _after_leaving(table: Game, steps: list[tuple[int, int]], removed: Removed) -> None:
    """What bunnies that left the circle bring about: roamers go on, a Minilith may go (O-34)."""
    launchers = {one.card: one.seat for one in table.board.roamers}
    for roamer, goal in steps:
        if goal and find(table.board, goal) is not None:
            table.emit(RoamerMoved(roamer, goal))
            continue
        table.emit(RoamerGone(roamer))
        if roamer == EBOLA:
            removed.append((roamer, launchers[roamer]))
    drop_miniliths(table)
