"""What can happen to cards: Rabbits and Adventures, and who may see what of it."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from hutch.engine.events import Event
from hutch.games.tale_of_carrot.board import NOBODY, Board
from hutch.games.tale_of_carrot.tables import CHAMPION, GOLEMIGLIO

HIDDEN = ""


def backs(cards: tuple[str, ...]) -> tuple[str, ...]:
    """The cards face down."""
    return (HIDDEN,) * len(cards)


def clear(board: Board, zone: int) -> None:
    """Empty a Zone: a Rabbit goes to its pile, a Golemiglio and the Champion do not (O28, O32)."""
    match board.zones[zone]:
        case "":
            return
        case card if card == GOLEMIGLIO:
            board.golemiglios += 1
        case card if card != CHAMPION:
            board.rabbit_discards.append(card)
    board.zones[zone] = ""


# Rabbits


class DeckShuffled(Event, frozen=True):
    """A discard pile was shuffled into a new deck: `rabbits` or `adventures`."""

    deck: str
    cards: tuple[str, ...]

    def apply(self, board: Board) -> None:
        if self.deck == "rabbits":
            board.rabbits, board.rabbit_discards = list(self.cards), []
            for village in board.villages:
                village.hand_counted = bool(village.hand)
        else:
            board.adventures, board.adventure_discards = list(self.cards), []

    def face(self, seat: int | None) -> DeckShuffled:
        return replace(self, cards=backs(self.cards))


class RabbitDrawn(Event, frozen=True):
    """A player drew a Rabbit, which is to be placed; only they see it yet."""

    seat: int
    card: str

    def apply(self, board: Board) -> None:
        board.held = board.rabbits.pop()
        board.holder = self.seat

    def face(self, seat: int | None) -> RabbitDrawn:
        return self if seat == self.seat else replace(self, card=HIDDEN)


class RabbitPlaced(Event, frozen=True):
    """A Rabbit went into a Zone, and what lay there was discarded. `invading`: in Invasion."""

    reveals: ClassVar[bool] = True

    seat: int
    card: str
    zone: int
    replaced: str = ""
    invading: bool = False

    def apply(self, board: Board) -> None:
        if board.held:
            board.held, board.holder = "", NOBODY
        else:
            board.raised.remove(self.card)
        clear(board, self.zone)
        board.zones[self.zone] = self.card
        if self.invading:
            board.placed = True


class RabbitDiscarded(Event, frozen=True):
    """A Rabbit left its Zone: to the discard pile, a Golemiglio to the Support cards."""

    card: str
    zone: int

    def apply(self, board: Board) -> None:
        clear(board, self.zone)


class RabbitMoved(Event, frozen=True):
    """A Rabbit moved to a free Zone."""

    card: str
    source: int
    zone: int

    def apply(self, board: Board) -> None:
        board.zones[self.zone] = board.zones[self.source]
        board.zones[self.source] = ""


class RabbitShown(Event, frozen=True):
    """A Rabbit was drawn, shown to all and discarded (the Berserker)."""

    reveals: ClassVar[bool] = True

    seat: int
    card: str

    def apply(self, board: Board) -> None:
        board.rabbit_discards.append(board.rabbits.pop())


class RabbitsRaised(Event, frozen=True):
    """The Necromancer took Rabbits from the discard pile, to place them."""

    seat: int
    cards: tuple[str, ...]

    def apply(self, board: Board) -> None:
        board.raised = list(self.cards)
        board.rabbit_discards = [card for card in board.rabbit_discards if card not in self.cards]


class GolemigliosLaid(Event, frozen=True):
    """Golemigli took the places of the Rabbits in those Zones."""

    seat: int
    zones: tuple[int, ...]

    def apply(self, board: Board) -> None:
        for zone in self.zones:
            clear(board, zone)
            board.zones[zone] = GOLEMIGLIO
            board.golemiglios -= 1


class HandDrawn(Event, frozen=True):
    """The Mage drew a Rabbit into the hand."""

    seat: int
    card: str

    def apply(self, board: Board) -> None:
        village = board.villages[self.seat]
        village.hand = board.rabbits.pop()
        village.hand_known = False

    def face(self, seat: int | None) -> HandDrawn:
        return self if seat == self.seat else replace(self, card=HIDDEN)


class RabbitSwapped(Event, frozen=True):
    """The Mage laid the card in hand into a Zone and took the Rabbit there."""

    reveals: ClassVar[bool] = True

    seat: int
    zone: int
    laid: str
    taken: str

    def apply(self, board: Board) -> None:
        village = board.villages[self.seat]
        board.zones[self.zone], village.hand = village.hand, board.zones[self.zone]
        village.hand_known = True


class HandDiscarded(Event, frozen=True):
    """A defeated Mage's card in hand was discarded."""

    reveals: ClassVar[bool] = True

    seat: int
    card: str

    def apply(self, board: Board) -> None:
        village = board.villages[self.seat]
        board.rabbit_discards.append(village.hand)
        village.hand, village.hand_known = "", False


# Adventures


class AdventureDrawn(Event, frozen=True):
    """An Adventure card was drawn and is resolved now. `by_rule`: the turn's own draw (TC-022)."""

    reveals: ClassVar[bool] = True

    seat: int
    card: str
    by_rule: bool = False

    def apply(self, board: Board) -> None:
        board.adventure = board.adventures.pop()
        if self.by_rule:
            board.went = True


class AdventureDiscarded(Event, frozen=True):
    """The Adventure card is over and went to its discard pile."""

    card: str

    def apply(self, board: Board) -> None:
        board.adventure_discards.append(board.adventure)
        board.adventure = ""


class PizzasAdded(Event, frozen=True):
    """The Pizzas were shuffled into the Adventure deck, after its discards if it was empty."""

    seat: int
    cards: tuple[str, ...]

    def apply(self, board: Board) -> None:
        if not board.adventures:
            board.adventure_discards = []
        board.adventures = list(self.cards)

    def face(self, seat: int | None) -> PizzasAdded:
        return replace(self, cards=backs(self.cards))


class PizzaServed(Event, frozen=True):
    """A drawn Pizza was placed before the Pizza Maker."""

    seat: int
    pizzas: int

    def apply(self, board: Board) -> None:
        board.adventure = ""
        board.villages[self.seat].pizzas = self.pizzas
