"""A live game: a script running in this process, at the question it waits for."""

from __future__ import annotations

from random import Random
from typing import Any
from zlib import crc32

import msgspec
from google.protobuf.message import Message
from hutch.engine.chance import Chance
from hutch.engine.deadlines import Deadline
from hutch.engine.events import Event
from hutch.engine.legality import fault_in
from hutch.engine.prompts import (
    Answer,
    Ask,
    Input,
    Left,
    Picks,
    Prompt,
    Rejoined,
    Renumbered,
    Reply,
)
from hutch.engine.records import Record, Result, Running, Standing, encode
from hutch.engine.refusals import Reason, Refusal
from hutch.engine.rules import AGAIN, CHECKPOINT, Rules
from hutch.engine.sampling import random_picks
from hutch.engine.table import Sealed, Table
from msgspec import Struct

#: More defaults than any clock plays at one tick; beyond it the rules are at fault.
TICK_BOUND = 10_000


class Question(Struct, frozen=True):
    """An ask or an offer that is open to a seat. `number` is what an answer quotes."""

    seat: int
    number: int
    ask: Ask
    offered: bool
    deadline_ms: int | None


class Live:
    """A game in progress in this process. With `keep` it can give its record at any time; with
    `forget` the events that led to the record are not told again.

    The attributes are for reading: `asks` and `offers` by seat with their `ask_numbers` and
    `offer_numbers`, `result` once the game is over, `table.events` since `forget_events`.
    """

    def __init__(
        self,
        rules: Rules,
        record: Record,
        *,
        keep: bool = True,
        forget: bool = True,
        chance: Chance | None = None,
    ) -> None:
        self.rules = rules
        self.table: Table[Any] = Table(
            rules,
            record.seats,
            rules.decode_options(bytes(record.options)),
            rules.decode_board(record.board),
            chance or Chance(record.seed, record.draws),
        )
        self.asks: dict[int, Ask] = {}
        self.offers: dict[int, Ask] = {}
        self.ask_numbers: dict[int, int] = {}
        self.offer_numbers: dict[int, int] = {}
        self.result: Result | None = record.result
        self.inputs: list[Input] = []
        self.undoable: list[bool] = []
        self.clocks: list[Running] = []
        self.gone: list[int] = []
        self._keep = keep
        self._checkpoint: Record = record
        self._numbers = record.numbers
        self._standing = {(one.seat, one.offered): one for one in record.standing}
        self._script = rules.play(self.table)
        if self.result is None:
            self._advance(None)
            for one in record.inputs:
                self._feed(one)
        self.clocks = list(record.clocks)
        self.gone = list(record.gone)
        if forget:
            self.table.events = []

    # What is open

    def questions(self, seat: int) -> list[Question]:
        """What is open to that seat: its ask first, then its offer."""
        found = []
        if (ask := self.asks.get(seat)) is not None:
            number = self.ask_numbers[seat]
            found.append(Question(seat, number, ask, False, self._due(seat, ask, number)))
        if (offer := self.offers.get(seat)) is not None:
            found.append(Question(seat, self.offer_numbers[seat], offer, True, None))
        return found

    def awaited(self) -> tuple[int, ...]:
        """The seats that must answer, for everybody to know."""
        return tuple(sorted(self.asks))

    def deadlines(self) -> list[Deadline]:
        """Every deadline with its time: the clocks of open questions, then those of the rules."""
        found = [
            Deadline(clock.name, clock.seat, clock.due_ms)
            for clock in self.clocks
            if clock.due_ms is not None
        ]
        if self.result is None:
            for pending in self.rules.pending(self.table):
                due = None
                if pending.clock is not None:
                    name, key = pending.clock.name, pending.clock.key
                    for clock in self.clocks:
                        if (clock.seat, clock.name, clock.key) == (pending.seat, name, key):
                            due = clock.due_ms
                found.append(
                    Deadline(pending.cause, pending.seat, due, pending.about, pending.turn)
                )
        return found

    def next_due_ms(self) -> int | None:
        """When the clock acts next."""
        return min([c.due_ms for c in self.clocks if c.due_ms is not None], default=None)

    def look(self, seat: int | None) -> Message:
        """The typed view of a seat, or of the public."""
        return self.rules.look(self.table, seat)

    # What moves it on

    def answer(self, seat: int, number: int, picks: Picks) -> Refusal | None:
        """Answer the question of that number; a refusal changes nothing."""
        if self.result is not None:
            return Refusal(Reason.GAME_OVER, "The game is over; nothing can be played any more.")
        if self.ask_numbers.get(seat) == number:
            ask = self.asks[seat]
        elif self.offer_numbers.get(seat) == number:
            ask = self.offers[seat]
        else:
            return self._closed(seat, number)
        fault = fault_in(ask, picks)
        if fault is not None:
            if fault.reason is Reason.NOT_AN_OPTION:
                why = self.rules.why_not(self.table, seat, ask, fault.facts["option"])
                if why:
                    return Refusal(fault.reason, why, fault.facts)
            return fault
        self._feed(Answer(seat, number, picks))
        return None

    def tick(self, at_ms: int) -> bool:
        """Play the default wherever a clock ran out by then: whether anything was due."""
        acted = False
        for _ in range(TICK_BOUND):
            due = self._overdue(at_ms)
            if due is None:
                return acted
            acted = True
            self._feed(Answer(due, self.ask_numbers[due], self.asks[due].default, True))
            self.run_clocks(at_ms)
        raise RuntimeError(
            f"{self.rules.name}: {TICK_BOUND} defaults were played at one tick and still one is "
            f"due; a script asks on a clock that never ends"
        )

    def leave(self, seat: int) -> Refusal | None:
        """The player of that seat leaves; the rules decide what becomes of the seat."""
        if seat in self.gone:
            return Refusal(Reason.SEAT_ALREADY_LEFT, f"The player of seat {seat} has left already.")
        return self._come_or_go(seat, Left(seat))

    def rejoin(self, seat: int) -> Refusal | None:
        """A seat that was left has a player again."""
        if seat not in self.gone:
            return Refusal(Reason.SEAT_NOT_LEFT, f"Nobody has left seat {seat}.")
        return self._come_or_go(seat, Rejoined(seat))

    def undo(self, seat: int) -> Live | Refusal:
        """The game with that seat's last answer taken back, if nothing was learnt from it."""
        dropped = next(
            (i for i in reversed(range(len(self.inputs))) if isinstance(self.inputs[i], Answer)), -1
        )
        last = self.inputs[dropped] if dropped >= 0 else None
        if not isinstance(last, Answer) or last.seat != seat or self.result is not None:
            return Refusal(
                Reason.NOT_UNDOABLE,
                "There is no answer of yours to take back: others acted since, or the step closed.",
            )
        later = self.inputs[dropped + 1 :]
        if not self.undoable[dropped] or not all(isinstance(one, Renumbered) for one in later):
            return Refusal(
                Reason.NOT_UNDOABLE,
                "That answer cannot be taken back: it was final, or something was learnt since.",
            )
        record = self.record()
        record.inputs = [*self.inputs[:dropped], *later, Renumbered(seat, self._numbers)]
        before = Live(self.rules, record)
        # The clock is not wound back: a question asked again is due when its successor was.
        before.clocks = [
            msgspec.structs.replace(clock, key=f"#{before.ask_numbers[seat]}")
            if clock.seat == seat and clock.key.startswith("#") and seat in before.asks
            else clock
            for clock in self.clocks
        ]
        return before

    def record(self) -> Record:
        """The game as it is stored now."""
        if not self._keep:
            raise RuntimeError("this live game keeps no checkpoints; make it with keep=True")
        return msgspec.structs.replace(
            self._checkpoint,
            inputs=list(self.inputs),
            clocks=list(self.clocks),
            gone=list(self.gone),
            result=self.result,
        )

    def forget_events(self) -> list[Event]:
        """The events since the last call, which the table then forgets."""
        events = self.table.events
        self.table.events = []
        return events

    def run_clocks(self, at_ms: int) -> None:
        """Start the clocks of newly opened questions, stop those that are not asked any more.

        A clock with a key that is not asked now stands still until its seat is asked on it again,
        or on another run of a clock of that name.
        """
        limits = self._checkpoint.limits_ms
        if not limits:
            return
        before = {(clock.seat, clock.name, clock.key): clock for clock in self.clocks}
        running: list[Running] = []
        named: set[tuple[int, str]] = set()
        for seat in sorted(self.asks):
            name, key = _clock_of(self.asks[seat], self.ask_numbers[seat])
            if name not in limits:
                continue
            named.add((seat, name))
            clock = before.pop((seat, name, key), None)
            if clock is None:
                clock = Running(seat, name, key, at_ms + limits[name])
            elif clock.due_ms is None:
                clock = Running(seat, name, key, at_ms + (clock.left_ms or 0))
            running.append(clock)
        for clock in before.values():
            if clock.key.startswith("#") or (clock.seat, clock.name) in named:
                continue
            if clock.due_ms is not None:
                left = max(0, clock.due_ms - at_ms)
                clock = Running(clock.seat, clock.name, clock.key, None, left)
            if self.result is None:
                running.append(clock)
        self.clocks = running

    def imagine(self, seat: int | None, rng: Random) -> None:
        """Replace everything that `seat` cannot see by something it cannot tell from it."""
        self.rules.resample(self.table, seat, rng)
        for other in sorted(self.table.sealed):
            if other != seat:
                ask = self.table.sealed[other].ask
                self.table.sealed[other] = Sealed(ask, random_picks(ask, rng))
        self.table.chance.reseed(rng.randbytes(32))

    # Inside

    def _feed(self, given: Input) -> None:
        """Hand an input to the script: checked already, or replayed."""
        drawn = self.table.chance.total()
        told = len(self.table.events)
        self.inputs.append(given)
        self.undoable.append(False)
        match given:
            case Answer(seat=seat, number=number, picks=picks):
                offered = self.ask_numbers.get(seat) != number
                if offered:
                    final = self.offers.pop(seat).final
                    self.offer_numbers.pop(seat)
                else:
                    final = self.asks.pop(seat).final
                    self.ask_numbers.pop(seat)
                self._advance(Reply(seat, picks, offered))
                if self.inputs:
                    self.undoable[-1] = (
                        not final
                        and not given.by_clock
                        and drawn == self.table.chance.total()
                        and all(
                            event.is_public() and not event.reveals
                            for event in self.table.events[told:]
                        )
                    )
            case Left(seat=seat):
                self.gone = [*self.gone, seat]
                self.rules.leave(self.table, seat)
                self._advance(AGAIN)
            case Rejoined(seat=seat):
                self.gone = [other for other in self.gone if other != seat]
                self.rules.rejoin(self.table, seat)
                self._advance(AGAIN)
            case Renumbered(seat=seat, number=number):
                self._numbers = max(self._numbers, number)
                self.asks.pop(seat, None)
                self.ask_numbers.pop(seat, None)
                self.offers.pop(seat, None)
                self.offer_numbers.pop(seat, None)
                self._advance(AGAIN)

    def _advance(self, reply: Reply | None) -> None:
        """Run the script to its next question, through any checkpoints, or to the end."""
        try:
            prompt = self._script.send(reply)  # type: ignore[arg-type]  # None starts a generator
            while prompt is CHECKPOINT:
                self._take_checkpoint()
                prompt = self._script.send(None)  # type: ignore[arg-type]
        except StopIteration as stop:
            self.result = stop.value
            self.asks, self.offers, self.ask_numbers, self.offer_numbers = {}, {}, {}, {}
            self._take_checkpoint()
            return
        assert isinstance(prompt, Prompt)
        self.asks, self.ask_numbers = self._numbered(
            prompt.asks, self.asks, self.ask_numbers, offered=False
        )
        if prompt.offers or self.offers:
            self.offers, self.offer_numbers = self._numbered(
                prompt.offers, self.offers, self.offer_numbers, offered=True
            )
        self._standing = {}

    def _numbered(
        self,
        asked: Any,
        before: dict[int, Ask],
        numbers: dict[int, int],
        *,
        offered: bool,
    ) -> tuple[dict[int, Ask], dict[int, int]]:
        """The open questions with their numbers: one that is asked alike again keeps its own."""
        now: dict[int, Ask] = {}
        now_numbers: dict[int, int] = {}
        for seat, ask in asked.items():
            now[seat] = ask
            old = before.get(seat)
            if old is not None and (old is ask or old == ask):
                now_numbers[seat] = numbers[seat]
                continue
            if self._standing:
                standing = self._standing.get((seat, offered))
                if standing is not None and standing.digest == _digest(ask):
                    now_numbers[seat] = standing.number
                    continue
            self._numbers += 1
            now_numbers[seat] = self._numbers
        return now, now_numbers

    def _take_checkpoint(self) -> None:
        self.inputs = []
        self.undoable = []
        if not self._keep:
            return
        before = self._checkpoint
        standing = [
            Standing(seat, False, self.ask_numbers[seat], _digest(self.asks[seat]))
            for seat in sorted(self.asks)
        ] + [
            Standing(seat, True, self.offer_numbers[seat], _digest(self.offers[seat]))
            for seat in sorted(self.offers)
        ]
        self._checkpoint = msgspec.structs.replace(
            before,
            board=self.rules.encode_board(self.table.board),
            draws=dict(self.table.chance.draws),
            numbers=self._numbers,
            standing=standing,
            inputs=[],
        )

    def _come_or_go(self, seat: int, given: Left | Rejoined) -> Refusal | None:
        if self.result is not None:
            return Refusal(Reason.GAME_OVER, "The game is over; nobody leaves or joins any more.")
        if not 0 <= seat < self.table.seats:
            return Refusal(
                Reason.SEAT_UNKNOWN,
                f"There is no seat {seat}; the seats are 0 to {self.table.seats - 1}.",
            )
        self._feed(given)
        return None

    def _overdue(self, at_ms: int) -> int | None:
        """The first seat whose open question ran out of time by then."""
        for clock in self.clocks:
            if clock.due_ms is None or clock.due_ms > at_ms or clock.seat not in self.asks:
                continue
            ask = self.asks[clock.seat]
            if _clock_of(ask, self.ask_numbers[clock.seat]) == (clock.name, clock.key):
                return clock.seat
        return None

    def _due(self, seat: int, ask: Ask, number: int) -> int | None:
        name, key = _clock_of(ask, number)
        for clock in self.clocks:
            if (clock.seat, clock.name, clock.key) == (seat, name, key):
                return clock.due_ms
        return None

    def _closed(self, seat: int, number: int) -> Refusal:
        if not 0 <= seat < self.table.seats:
            return Refusal(
                Reason.SEAT_UNKNOWN,
                f"There is no seat {seat}; the seats are 0 to {self.table.seats - 1}.",
            )
        open_numbers = [str(one.number) for one in self.questions(seat)]
        now = f"open to it now: {', '.join(open_numbers)}" if open_numbers else "none is open to it"
        return Refusal(
            Reason.PROMPT_CLOSED,
            f"Question {number} is not open to seat {seat}; {now}. Look at the table again.",
            {"open": " ".join(open_numbers)},
        )


def _clock_of(ask: Ask, number: int) -> tuple[str, str]:
    return ask.clock.name, ask.clock.key or f"#{number}"


def _digest(ask: Ask) -> int:
    return crc32(encode(ask))
