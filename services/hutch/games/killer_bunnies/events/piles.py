"""Events of hands, run cards and piles."""

from __future__ import annotations

from typing import ClassVar

from hutch.engine.events import Event
from hutch.games.killer_bunnies.board import Board, Shown, newest_batch
from hutch.games.killer_bunnies.events.laid import Laid
from hutch.games.killer_bunnies.printed import CARDS


class Shuffled(Event, frozen=True):
    """All decks were shuffled and laid face down (KB-008, KB-011)."""

    pile: list[int]
    cabbage: list[int]
    water: list[int]
    small_carrots: list[int]

    def apply(self, board: Board) -> None:
        board.pile = list(self.pile)
        board.cabbage = list(self.cabbage)
        board.water = list(self.water)
        board.small_carrots = list(self.small_carrots)

    def face(self, seat: int | None) -> Event | None:
        return Shuffled([], [], [], [])


class MarketOpened(Event, frozen=True):
    """The starter card was laid out with the Carrots beside it (KB-009)."""

    card: int
    carrots: list[int]

    def apply(self, board: Board) -> None:
        board.market_card = self.card
        board.market = list(self.carrots)


class CardsSetAside(Event, frozen=True):
    """Choose Carrot cards were taken out for a longer game (KB-167)."""

    cards: list[int]

    def apply(self, board: Board) -> None:
        board.aside.extend(self.cards)


class Reshuffled(Event, frozen=True):
    """The discards became the Draw Pile again (KB-023)."""

    pile: list[int]

    def apply(self, board: Board) -> None:
        board.batch |= dict.fromkeys(sorted(self.pile), newest_batch(board) + 1)
        board.pile = list(self.pile)
        board.discards = []
        board.spent_dolla = []

    def face(self, seat: int | None) -> Event | None:
        return Reshuffled([])


class CardDrawn(Event, frozen=True):
    """A card went from the Draw Pile to a hand. Others see no number (0)."""

    seat: int
    card: int

    def apply(self, board: Board) -> None:
        board.pile.pop()
        board.seats[self.seat].hand.append(self.card)

    def face(self, seat: int | None) -> Event | None:
        return self if seat == self.seat else CardDrawn(self.seat, 0)


class DollaDrawn(Event, frozen=True):
    """A Dolla card was drawn and put down face up (KB-013, KB-019)."""

    reveals: ClassVar[bool] = True
    seat: int
    card: int

    def apply(self, board: Board) -> None:
        board.pile.pop()
        board.seats[self.seat].dolla.append(self.card)


class MisfortuneDrawn(Event, frozen=True):
    """A Play Immediately card was drawn (KB-014, KB-020)."""

    reveals: ClassVar[bool] = True
    seat: int
    card: int

    def apply(self, board: Board) -> None:
        board.pile.pop()
        board.resolving.append(self.card)


class RunCardsLaid(Event, frozen=True):
    """Two of the first seven cards were laid face down (KB-016)."""

    seat: int
    top: int
    bottom: int

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        for card in (self.top, self.bottom):
            if card:
                seat.hand.remove(card)
        seat.top, seat.bottom = self.top, self.bottom
        seat.top_batch = seat.bottom_batch = newest_batch(board)

    def face(self, seat: int | None) -> Event | None:
        return self if seat == self.seat else RunCardsLaid(self.seat, 0, 0)


class RunCardSlid(Event, frozen=True):
    """The Bottom Run card slid up, face down (KB-026)."""

    seat: int

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.top, seat.bottom = seat.bottom, 0
        seat.top_batch, seat.top_known = seat.bottom_batch, []


class BottomRunLaid(Event, frozen=True):
    """A hand card was laid face down as the new Bottom Run (KB-026)."""

    seat: int
    card: int

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.hand.remove(self.card)
        seat.bottom = self.card
        seat.bottom_batch = newest_batch(board)

    def face(self, seat: int | None) -> Event | None:
        return self if seat == self.seat else BottomRunLaid(self.seat, 0)


class TopRunFlipped(Event, frozen=True):
    """A Top Run card was turned face up."""

    reveals: ClassVar[bool] = True
    seat: int
    card: int

    def apply(self, board: Board) -> None:
        board.seats[self.seat].top = 0
        board.resolving.append(self.card)


class CardPlayed(Event, frozen=True):
    """A card was played from the hand, or a saved one."""

    reveals: ClassVar[bool] = True
    seat: int
    card: int
    saved: bool

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        (seat.saved if self.saved else seat.hand).remove(self.card)
        board.resolving.append(self.card)


class CardSaved(Laid, frozen=True):
    """A flipped Special or Very Special was saved, face up (KB-024)."""

    seat: int
    card: int

    def apply(self, board: Board) -> None:
        board.resolving.remove(self.card)
        board.seats[self.seat].saved.append(self.card)


class CardDiscarded(Laid, frozen=True):
    """A card that was being resolved went to the discards."""

    card: int

    def apply(self, board: Board) -> None:
        board.resolving.remove(self.card)
        board.discards.append(self.card)


class HandCardsDiscarded(Event, frozen=True):
    """Cards were discarded from a hand, face up."""

    reveals: ClassVar[bool] = True
    seat: int
    cards: list[int]

    def apply(self, board: Board) -> None:
        for card in self.cards:
            board.seats[self.seat].hand.remove(card)
            board.discards.append(card)


class SavedCardDiscarded(Laid, frozen=True):
    """A saved card was discarded, such as The Minilith without a bunny (KB-151)."""

    seat: int
    card: int

    def apply(self, board: Board) -> None:
        board.seats[self.seat].saved.remove(self.card)
        board.discards.append(self.card)


class CardReclaimed(Laid, frozen=True):
    """Rooney's Reusables took a card back that had just been discarded (O-28)."""

    card: int

    def apply(self, board: Board) -> None:
        board.discards.remove(self.card)
        board.resolving.append(self.card)


class TopRunsRotated(Event, frozen=True):
    """Every Top Run card went to the right neighbour (KB-154). `cards` by receiving seat."""

    givers: list[int]
    receivers: list[int]
    cards: list[int]

    def apply(self, board: Board) -> None:
        passed = [
            (board.seats[giver].top_batch, [*board.seats[giver].top_known, giver])
            for giver in self.givers
        ]
        for giver in self.givers:
            board.seats[giver].top = 0
        for receiver, card, (batch, known) in zip(self.receivers, self.cards, passed, strict=True):
            seat = board.seats[receiver]
            seat.top, seat.top_batch, seat.top_known = card, batch, known

    def face(self, seat: int | None) -> Event | None:
        known = [
            card if seat in (giver, receiver) else 0
            for giver, receiver, card in zip(self.givers, self.receivers, self.cards, strict=True)
        ]
        return TopRunsRotated(self.givers, self.receivers, known)


class WeaponsShown(Event, frozen=True):
    """A player showed another the weapons in his hand (KB-152)."""

    seat: int
    to: int
    cards: list[int]

    def apply(self, board: Board) -> None:
        board.shown = Shown(self.seat, self.to, list(self.cards))

    def face(self, seat: int | None) -> Event | None:
        return self if seat in (self.seat, self.to) else WeaponsShown(self.seat, self.to, [])


class WeaponsHidden(Event, frozen=True):
    """The weapons shown went back into the hand."""

    seat: int

    def apply(self, board: Board) -> None:
        board.shown = None


class HandCardsSwapped(Event, frozen=True):
    """Hand cards changed hands, one for one (KB-152, KB-158)."""

    seat: int
    other: int
    given: list[int]
    taken: list[int]

    def apply(self, board: Board) -> None:
        mine, theirs = board.seats[self.seat].hand, board.seats[self.other].hand
        for card in self.given:
            mine.remove(card)
        for card in self.taken:
            theirs.remove(card)
        mine.extend(self.taken)
        theirs.extend(self.given)

    def face(self, seat: int | None) -> Event | None:
        if seat in (self.seat, self.other):
            return self
        return HandCardsSwapped(self.seat, self.other, [0] * len(self.given), [0] * len(self.taken))


class MarketChanged(Laid, frozen=True):
    """A market card came into force; the one before is discarded, or the starter set aside."""

    card: int

    def apply(self, board: Board) -> None:
        board.resolving.remove(self.card)
        before, board.market_card = board.market_card, self.card
        (board.aside if CARDS[before].type == "starter" else board.discards).append(before)
