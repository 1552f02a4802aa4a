"""Arranging a table in the game's words, and playing on it.

Every command goes through a record that is encoded and decoded, as in the services.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

import msgspec

from hutch.engine.commands import Command, Leave, Rejoin, Submit, Tick, Undo
from hutch.engine.events import Event
from hutch.engine.kernel import Outcome, deal, resolve
from hutch.engine.live import Live
from hutch.engine.prompts import Pick, Picks, Question
from hutch.engine.records import decode_record, encode_record
from hutch.engine.refusals import Refusal
from hutch.engine.rules import Rules
from hutch.games.rabbit_space import RULES
from hutch.games.rabbit_space.board import NONE, Board, SeatBoard, Step
from hutch.games.rabbit_space.cards import HOUSE
from hutch.rabbit_space.v1 import rabbit_space_pb2 as pb

E = TypeVar("E", bound=Event)

SEED: Final = bytes(range(32))
#: The cards of the base game.
BASE: Final = [*HOUSE.rabbits, *HOUSE.of_kind("start")]
NOON_MS: Final = 1_700_000_000_000


@dataclass(frozen=True, kw_only=True)
class Seat:
    """A player's board as a test lays it out. Cards are references with spaces between."""

    hand: str = ""
    training_center: str = ""
    level_1: str = ""
    level_2: str = ""
    space: str = ""
    moon: str = ""
    mission: str = ""
    carrots: int = 0
    gold: int = 0
    helmets: int = 2
    warehouse: int = 0
    station: int = NONE
    side: str = ""

    def board(self) -> SeatBoard:
        """The same as the game keeps it."""
        return SeatBoard(
            carrots=self.carrots,
            gold=self.gold,
            helmets=self.helmets,
            hand=cards(self.hand),
            training_center=cards(self.training_center),
            level_1=cards(self.level_1),
            level_2=cards(self.level_2),
            space=cards(self.space),
            moon=cards(self.moon),
            mission=cards(self.mission)[0] if self.mission else NONE,
            warehouse=self.warehouse,
            station=self.station,
            side=self.side,
        )


def cards(refs: str) -> list[int]:
    """Cards by their references."""
    return [HOUSE.index[ref] for ref in refs.split()]


def refs(held: list[int] | tuple[int, ...]) -> str:
    """The references of cards."""
    return " ".join([HOUSE.refs[card] for card in held])


def dealt(
    seats: int,
    *,
    seed: bytes = SEED,
    limits_ms: dict[str, int] | None = None,
    rules: Rules = RULES,
    **options: Any,
) -> Game:
    """A game that has just been dealt."""
    outcome = deal(
        rules, seats=seats, options=options, seed=seed, at_ms=NOON_MS, limits_ms=limits_ms
    )
    assert isinstance(outcome, Outcome), outcome
    return Game(outcome)


def at(
    step: Step,
    *seats: Seat,
    turn: int = 1,
    pile: str | None = None,
    discard: str = "",
    aside: str = "",
    batch: dict[int, str] | None = None,
    command_center: str = "",
    event: str = "",
    events: tuple[str, ...] = (),
    limits_ms: dict[str, int] | None = None,
    **options: Any,
) -> Game:
    """A game at the beginning of a step, everything lying as told.

    `pile` lists the draw pile, its top first; by default it has all cards of the
    base game that lie nowhere else. `batch` says in which making of it, from 1, cards came in.
    """
    boards = [seat.board() for seat in seats]
    laid = {card for own in boards for zone in zones_of(own) for card in zone}
    laid |= set(cards(discard))
    others = [card for card in BASE if card not in laid]
    board = Board(
        boards,
        round=turn,
        step=step,
        pile=others if pile is None else cards(pile)[::-1],
        discard=cards(discard),
        aside=cards(aside),
        batch={card: number for number, refs in (batch or {}).items() for card in cards(refs)},
        mission=options.get("mission", ""),
        command_center=cards(command_center),
        event=event,
        events=list(events),
    )
    record = dealt(len(seats), limits_ms=limits_ms, **options).record
    record = msgspec.structs.replace(record, board=RULES.encode_board(board), clocks=[])
    live = Live(RULES, record)
    live.run_clocks(NOON_MS)
    return Game(Outcome(live, []))


def zones_of(own: SeatBoard) -> list[list[int]]:
    """Everywhere a player's cards can lie."""
    return [own.hand, own.training_center, own.level_1, own.level_2, own.space]


class Game:
    """A game as its players know it. What is refused where it should not be fails the test."""

    def __init__(self, outcome: Outcome) -> None:
        self.live = outcome.live
        self.events = outcome.events

    # Looking

    @property
    def record(self) -> Any:
        """The game as stored."""
        return self.live.record()

    @property
    def board(self) -> Board:
        """What lies on the table."""
        return cast("Board", self.live.table.board)

    @property
    def awaited(self) -> tuple[int, ...]:
        """Who has to answer."""
        return self.live.awaited()

    def seat(self, index: int) -> SeatBoard:
        """A player's board."""
        return self.board.seats[index]

    def view(self, seat: int | None) -> pb.Board:
        """The table as a seat sees it."""
        return cast("pb.Board", self.live.look(seat))

    def question(self, seat: int, *, offered: bool = False) -> Question:
        """What the seat must answer, or may."""
        return next(one for one in self.live.questions(seat) if one.offered is offered)

    def options(self, seat: int) -> list[str]:
        """What the seat may pick."""
        return [option.id for option in self.question(seat).ask.options]

    def told(self, kind: type[E]) -> list[E]:
        """The events of a kind that the last command led to."""
        return [event for event in self.events if isinstance(event, kind)]

    # Playing

    def answer(self, seat: int, *options: str, after_ms: int = 0) -> Game:
        """The seat answers its question with these picks."""
        return self.do(self._submit(seat, options, offered=False), at_ms=NOON_MS + after_ms)

    def offer(self, seat: int, *options: str, after_ms: int = 0) -> Game:
        """The seat takes its offer: shows a draft, or takes its ready back."""
        return self.do(self._submit(seat, options, offered=True), at_ms=NOON_MS + after_ms)

    def defaults(self) -> Game:
        """Everybody does what the clock would do, until the step is over."""
        step = (self.board.round, self.board.step)
        told: list[Event] = []
        while self.awaited and step == (self.board.round, self.board.step):
            ask = self.question(self.awaited[0])
            self.do(Submit(ask.seat, ask.number, ask.ask.default))
            told += self.events
        self.events = told
        return self

    def until(self, step: Step) -> Game:
        """Everybody does what the clock would do, until that step begins."""
        told: list[Event] = []
        while self.board.step is not step:
            told += self.defaults().events
        self.events = told
        return self

    def undo(self, seat: int) -> Game:
        """The seat takes its last answer back."""
        return self.do(Undo(seat))

    def leave(self, seat: int) -> Game:
        """The player of the seat leaves."""
        return self.do(Leave(seat))

    def rejoin(self, seat: int) -> Game:
        """Somebody takes the seat over."""
        return self.do(Rejoin(seat))

    def wait(self, ms: int) -> Game:
        """That much time passes, and the clock acts."""
        return self.do(Tick(), at_ms=NOON_MS + ms)

    def do(self, command: Command, *, at_ms: int = NOON_MS) -> Game:
        """Anything that is accepted."""
        outcome = self.tried(command, at_ms=at_ms)
        assert isinstance(outcome, Outcome), outcome.sentence
        self.live, self.events = outcome.live, outcome.events
        return self

    def tried(self, command: Command, *, at_ms: int = NOON_MS) -> Outcome | Refusal:
        """What a command leads to; the game itself stays as it is."""
        stored = decode_record(encode_record(self.record))
        return resolve(self.live.rules, stored, command, at_ms=at_ms)

    def refusal(self, seat: int, *options: str) -> Refusal:
        """Why the seat's answer with these picks is refused."""
        outcome = self.tried(self._submit(seat, options, offered=False))
        assert isinstance(outcome, Refusal), f"{options} was accepted"
        return outcome

    def _submit(self, seat: int, options: tuple[str, ...], *, offered: bool) -> Submit:
        picks: Picks = tuple([Pick(option) for option in options])
        return Submit(seat, self.question(seat, offered=offered).number, picks)
