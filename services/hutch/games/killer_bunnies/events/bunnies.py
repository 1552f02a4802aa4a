"""Events of the Bunny Circle: bunnies, what lies on and under them, roamers."""

from __future__ import annotations

from typing import Literal

from hutch.engine.events import Event
from hutch.games.killer_bunnies.board import Away, Board, Bunny, Feed, Roamer
from hutch.games.killer_bunnies.circle import find, roamer_on
from hutch.games.killer_bunnies.events.laid import Laid
from hutch.games.killer_bunnies.printed import EBOLA

Origin = Literal["run", "revived", "returned"]


def _present(board: Board, card: int) -> Bunny:
    bunny = find(board, card)
    if bunny is None:
        raise LookupError(f"bunny {card} is not in the circle")
    return bunny


class BunnyJoined(Laid, frozen=True):
    """A bunny came into the circle, at that place of the ring."""

    seat: int
    card: int
    place: int
    origin: Origin

    def apply(self, board: Board) -> None:
        match self.origin:
            case "run":
                board.resolving.remove(self.card)
            case "revived":
                board.discards.remove(self.card)
            case "returned":
                board.resolving.remove(self.card)
        board.circle.insert(self.place, Bunny(self.card, self.seat))


class BunnyMoved(Laid, frozen=True):
    """A bunny changed owner with all that is on it (O-45). `place` counts without the bunny."""

    seat: int
    card: int
    place: int

    def apply(self, board: Board) -> None:
        bunny = _present(board, self.card)
        board.circle.remove(bunny)
        bunny.seat = self.seat
        for feed in bunny.feeds:
            feed.since = board.turn
        board.circle.insert(self.place, bunny)


class BunniesDied(Laid, frozen=True):
    """Bunnies died together; all that lay on and under them is discarded (KB-056).

    `cards` are the bunnies, `loose` the cards that went with them. Roamers are told apart.
    """

    cards: list[int]
    loose: list[int]

    def apply(self, board: Board) -> None:
        # Ebola sits on none that it has attacked but while that one dies of it.
        board.felled += [
            card
            for card in self.cards
            if card in board.infected and roamer_on(board, card, EBOLA) is not None
        ]
        board.circle = [bunny for bunny in board.circle if bunny.card not in self.cards]
        board.discards.extend(self.cards)
        board.discards.extend(self.loose)


class BunnyAbducted(Laid, frozen=True):
    """A bunny was taken out of play; cards on it are discarded (KB-105, KB-106)."""

    seat: int
    card: int
    loose: list[int]

    def apply(self, board: Board) -> None:
        board.circle.remove(_present(board, self.card))
        board.discards.extend(self.loose)
        if board.away is not None:
            board.resolving.append(board.away.card)
        board.away = Away(self.card, self.seat)


class AbducteeLost(Laid, frozen=True):
    """The abducted bunny of a player who left went to the discards (O-57, O-61)."""

    card: int

    def apply(self, board: Board) -> None:
        board.away = None
        board.discards.append(self.card)


class ModifierLaid(Laid, frozen=True):
    """A modifier was put under a bunny for good (KB-094)."""

    card: int
    bunny: int

    def apply(self, board: Board) -> None:
        board.resolving.remove(self.card)
        _present(board, self.bunny).under.append(self.card)


class CloversTaken(Laid, frozen=True):
    """Black Cat took all Clovers off a bunny (KB-110)."""

    bunny: int
    cards: list[int]

    def apply(self, board: Board) -> None:
        bunny = _present(board, self.bunny)
        for card in self.cards:
            bunny.under.remove(card)
            board.resolving.append(card)


class FeedLaid(Laid, frozen=True):
    """A Feed card was put on a bunny (KB-074)."""

    card: int
    bunny: int

    def apply(self, board: Board) -> None:
        board.resolving.remove(self.card)
        _present(board, self.bunny).feeds.append(Feed(self.card, board.turn))


class FeedsDiscarded(Laid, frozen=True):
    """Pending Feed cards left a bunny: met, called off or lapsed. `fed` says they were met."""

    bunny: int
    cards: list[int]
    fed: bool

    def apply(self, board: Board) -> None:
        bunny = _present(board, self.bunny)
        bunny.feeds = [feed for feed in bunny.feeds if feed.card not in self.cards]
        board.discards.extend(self.cards)


class FloServed(Laid, frozen=True):
    """Flo's free feeding was used (KB-080)."""

    seat: int
    bunny: int

    def apply(self, board: Board) -> None:
        board.flo_used = True


class TrojanLaid(Laid, frozen=True):
    """The Trojan Bunny was put under a bunny (KB-098)."""

    seat: int
    card: int
    bunny: int

    def apply(self, board: Board) -> None:
        board.resolving.remove(self.card)
        bunny = _present(board, self.bunny)
        bunny.trojan, bunny.trojan_by = self.card, self.seat


class TrojanLifted(Laid, frozen=True):
    """The Trojan Bunny came out from under a bunny: it goes off, or is cancelled."""

    card: int
    bunny: int

    def apply(self, board: Board) -> None:
        bunny = _present(board, self.bunny)
        bunny.trojan, bunny.trojan_by = 0, -1
        board.resolving.append(self.card)


class RoamerLaunched(Laid, frozen=True):
    """A Roaming Red Run card was put on a bunny (KB-089)."""

    seat: int
    card: int
    bunny: int

    def apply(self, board: Board) -> None:
        board.resolving.remove(self.card)
        board.roamers.append(Roamer(self.card, self.seat, self.bunny, board.turn))


class RoamerAttacked(Event, frozen=True):
    """A roamer attacked the bunny it sits on (KB-090); 0 where it was driven off in time."""

    card: int
    bunny: int

    def apply(self, board: Board) -> None:
        for roamer in board.roamers:
            if roamer.card == self.card:
                roamer.turn = board.turn


class BunnyInfected(Event, frozen=True):
    """Ebola attacked a bunny, and visits it no more (KB-102)."""

    bunny: int

    def apply(self, board: Board) -> None:
        board.infected.append(self.bunny)


class RoamerMoved(Laid, frozen=True):
    """A roamer moved on and waits on that bunny."""

    card: int
    bunny: int

    def apply(self, board: Board) -> None:
        for roamer in board.roamers:
            if roamer.card == self.card:
                roamer.bunny = self.bunny


class RoamerGone(Laid, frozen=True):
    """A roamer left play (KB-092, KB-103)."""

    card: int

    def apply(self, board: Board) -> None:
        board.roamers = [roamer for roamer in board.roamers if roamer.card != self.card]
        if self.card == EBOLA:
            board.infected = [card for card in board.infected if card not in board.felled]
            board.felled = []
        board.discards.append(self.card)
