"""What can happen with Evolutions and missions, and who may see what of it."""

from __future__ import annotations

from typing import ClassVar

from hutch.engine.events import Event
from hutch.games.rabbit_space.board import Board, Mission
from hutch.games.rabbit_space.events import move


class RobotWaits(Event, frozen=True):
    """A Robot went into Space, and its owner has a choice whom it promotes (RS-036)."""

    seat: int

    def apply(self, board: Board) -> None:
        board.seats[self.seat].robot = True


class RobotPromoted(Event, frozen=True):
    """A Robot brought a card from the Training Center to Level 1 (RS-036)."""

    seat: int
    card: int

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.robot = False
        move(self.card, seat.training_center, seat.level_1)


class Kept(Event, frozen=True):
    """Scientists keep Carrots and Gold through the reset (RS-039)."""

    seat: int
    carrots: int
    gold: int

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.kept = (self.carrots, self.gold)
        seat.ready = True


class Stationed(Event, frozen=True):
    """A card went from Level 1 to a slot of the Command Center, for Carrots (RS-043)."""

    seat: int
    card: int
    cost: int

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.carrots -= self.cost
        move(self.card, seat.level_1, board.command_center)


class Stored(Event, frozen=True):
    """Carrots went into a Warehouse, for good (RS-045)."""

    seat: int
    carrots: int

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.carrots -= self.carrots
        seat.warehouse += self.carrots


class Landed(Event, frozen=True):
    """A card went from Space to the Moon, for Carrots (RS-046)."""

    seat: int
    card: int
    cost: int

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.carrots -= self.cost
        move(self.card, seat.space, seat.moon)


class MissionBegan(Event, frozen=True):
    """The game is played with the collaborative mission of that planet (RS-042)."""

    planet: Mission

    def apply(self, board: Board) -> None:
        board.mission = self.planet


class EventsShuffled(Event, frozen=True):
    """Pluto's Events were shuffled, face down (RS-047)."""

    colours: tuple[str, ...]

    def apply(self, board: Board) -> None:
        board.events = list(self.colours)

    def face(self, seat: int | None) -> EventsShuffled:
        return EventsShuffled(("",) * len(self.colours))


class EventTurnedUp(Event, frozen=True):
    """Cards of that colour cost 2 less this round (RS-047)."""

    reveals: ClassVar[bool] = True

    colour: str

    def apply(self, board: Board) -> None:
        board.event = board.events.pop()


class StationsDealt(Event, frozen=True):
    """Each player got a Space Station, 1 to 4 (RS-048)."""

    stations: tuple[int, ...]

    def apply(self, board: Board) -> None:
        for seat, station in zip(board.seats, self.stations, strict=True):
            seat.station = station


class StationTurned(Event, frozen=True):
    """A player chose the side of the Space Station, `A` or `B` (RS-048)."""

    seat: int
    side: str

    def apply(self, board: Board) -> None:
        seat = board.seats[self.seat]
        seat.side = self.side
        seat.ready = True
