"""Events of turns, seats, launches, dice and the end."""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from hutch.engine.events import Event
from hutch.games.killer_bunnies.board import (
    JOINING,
    LEAVING,
    PLAYING,
    VACANT,
    Board,
    Roll,
    Stage,
)
from hutch.games.killer_bunnies.events.laid import Laid

Die = Literal["black", "violet", "orange", "green", "yellow", "blue"]
#: The order in which five dice are read (KB-122, O-58).
FIVE: Final[tuple[Die, ...]] = ("violet", "orange", "green", "yellow", "blue")


class TurnBegan(Event, frozen=True):
    """A seat's turn began."""

    turn: int
    seat: int

    def apply(self, board: Board) -> None:
        board.turn = self.turn
        board.active = self.seat
        board.stage = "before"
        board.plays = 0
        board.half_price = False
        board.roll = None
        for seat in board.seats:
            seat.chains = 0


class TurnLost(Event, frozen=True):
    """A turn was skipped whole; the card that did it is discarded (KB-109, O-07)."""

    turn: int
    seat: int
    card: int

    def apply(self, board: Board) -> None:
        board.turn = self.turn
        board.active = self.seat
        board.stage = "roam"
        board.plays = 0
        board.half_price = False
        board.roll = None
        board.seats[self.seat].lost_turns.remove(self.card)
        board.discards.append(self.card)


class StageReached(Event, frozen=True):
    """The turn went on to its next stage (O-33, O-34)."""

    stage: Stage

    def apply(self, board: Board) -> None:
        board.stage = self.stage


class PlayMade(Event, frozen=True):
    """A play of the turn was used up (KB-024)."""

    seat: int

    def apply(self, board: Board) -> None:
        board.plays += 1
        board.stage = "after"


class KarmaGiven(Laid, frozen=True):
    """Bad Karma was laid before a player (KB-108)."""

    seat: int
    card: int

    def apply(self, board: Board) -> None:
        board.resolving.remove(self.card)
        board.seats[self.seat].karma.append(self.card)


class KarmaFulfilled(Laid, frozen=True):
    """A weapon was launched at an own bunny, and Bad Karma is discarded (KB-108)."""

    seat: int
    cards: list[int]

    def apply(self, board: Board) -> None:
        board.seats[self.seat].karma = []
        board.discards.extend(self.cards)


class TurnWillBeLost(Laid, frozen=True):
    """Baker Street was laid before a player: his next turn is lost (KB-109)."""

    seat: int
    card: int

    def apply(self, board: Board) -> None:
        board.resolving.remove(self.card)
        board.seats[self.seat].lost_turns.append(self.card)


class HalfPriceBegan(Laid, frozen=True):
    """The market sells at half price for the rest of the turn (KB-125)."""

    seat: int

    def apply(self, board: Board) -> None:
        board.half_price = True


class Launched(Laid, frozen=True):
    """A card was put on its target: a weapon, a roamer, Area 51 or Defector Detector.

    `level` is after The Minilith; `at_cyber` says that Cyber Bunny on that bunny is the target.
    """

    seat: int
    card: int
    bunny: int
    level: int = 0
    at_cyber: bool = False


class Redirected(Laid, frozen=True):
    """Reversal Of Fortune sent a weapon to another bunny (KB-153)."""

    seat: int
    card: int
    bunny: int


class Cancelled(Laid, frozen=True):
    """A card was cancelled, or for one player's bunnies only (KB-133, KB-146, KB-147)."""

    seat: int
    card: int
    by: int


class DieRolled(Event, frozen=True):
    """A seat rolled a die. `bunny` is what it rolled for, or 0; `beat` what it had to beat."""

    reveals: ClassVar[bool] = True
    seat: int
    die: Die
    value: int
    bunny: int = 0
    beat: int = 0

    def apply(self, board: Board) -> None:
        board.roll = Roll(self.seat, {self.die: self.value}, self.bunny, self.beat)


class DiceRolled(Event, frozen=True):
    """A seat rolled violet, orange, green, yellow and blue, in that order."""

    reveals: ClassVar[bool] = True
    seat: int
    values: list[int]

    def apply(self, board: Board) -> None:
        board.roll = Roll(self.seat, dict(zip(FIVE, self.values, strict=True)))


class NumberNamed(Event, frozen=True):
    """A seat named its number for The Magic Fountain (KB-128)."""

    seat: int
    value: int


class StakeNamed(Event, frozen=True):
    """The stake of Poverty Poker was named (KB-118)."""

    seat: int
    dolla: int
    cabbage: int
    water: int
    carrots: int
    bunnies: int


class Risked(Event, frozen=True):
    """A seat named the Carrots and bunnies it risks (KB-121, KB-143)."""

    seat: int
    carrots: list[int]
    bunnies: list[int]


class BidMade(Event, frozen=True):
    """A seat bid for a bunny, or passed with 0 (KB-138)."""

    seat: int
    bunny: int
    dolla: int


class SeatLeft(Event, frozen=True):
    """A player left; his things are cleared away after the card in resolution (KB-166)."""

    seat: int

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.state = VACANT if seat.state == JOINING else LEAVING


class SeatCleared(Event, frozen=True):
    """What a player who left still had was discarded (O-61)."""

    reveals: ClassVar[bool] = True
    seat: int
    cards: list[int]

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        board.discards.extend(self.cards)
        board.spent_dolla.extend(seat.dolla)
        board.spent_cabbage.extend(seat.cabbage)
        board.spent_water.extend(seat.water)
        board.market = sorted(board.market + seat.carrots)
        board.debts = [debt for debt in board.debts if debt.seat != self.seat]
        if board.active == self.seat:
            # The turn goes on with the left neighbour.
            board.active = board.order[board.order.index(self.seat) - 1]
            board.stage = "begin"
        board.order = [other for other in board.order if other != self.seat]
        if board.first == self.seat and board.order:
            board.first = min(board.order)
        for bunny in board.circle:
            if bunny.trojan_by == self.seat:
                bunny.trojan_by = -1
        board.seats[self.seat] = type(seat)(state=VACANT)
        for other in board.seats:
            other.top_known = [knower for knower in other.top_known if knower != self.seat]


class SeatTaken(Event, frozen=True):
    """Somebody came to a free seat and joins at the next change of turns (KB-165)."""

    seat: int

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.state = PLAYING if seat.state == LEAVING else JOINING


class SeatJoined(Event, frozen=True):
    """A late player sat down to the left of the first (KB-165, O-60)."""

    seat: int

    def apply(self, board: Board) -> None:
        board.seats[self.seat].state = PLAYING
        place = board.order.index(board.first) + 1
        board.order = [*board.order[:place], self.seat, *board.order[place:]]


class CarrotsForfeited(Event, frozen=True):
    """Players without a bunny gave all their Carrots away (KB-170)."""

    seat: int
    to: int
    carrots: list[int]

    def apply(self, board: Board) -> None:
        giver, receiver = board.seats[self.seat], board.seats[self.to]
        giver.carrots = [carrot for carrot in giver.carrots if carrot not in self.carrots]
        receiver.carrots.extend(self.carrots)


class HandsCompared(Event, frozen=True):
    """The highest card of the tied players' hands decided (KB-171)."""

    reveals: ClassVar[bool] = True
    seat: int
    card: int


class SmallCarrotTurned(Event, frozen=True):
    """A small Carrot card was turned over; the last one is the Magic Carrot (KB-173)."""

    reveals: ClassVar[bool] = True
    carrot: int

    def apply(self, board: Board) -> None:
        board.small_carrots.pop()
        board.turned.append(self.carrot)
