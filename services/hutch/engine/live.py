"""A live game: a script running in this process, at the question it waits for."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import msgspec
from google.protobuf.message import Message

from hutch.engine.chance import Chance
from hutch.engine.clocks import (
    asked_then,
    carried_on,
    credited,
    due_of,
    limits_by_clock,
    overdue,
    put_back,
    rekeyed,
    run_of,
    runs_out_ms,
    settled,
)
from hutch.engine.deadlines import Deadline
from hutch.engine.events import Event
from hutch.engine.journal import Journal
from hutch.engine.legality import fault_in
from hutch.engine.prompts import (
    Answer,
    Ask,
    Input,
    Left,
    Picks,
    Question,
    Rejoined,
    Renumbered,
    Reply,
)
from hutch.engine.questions import OpenQuestions
from hutch.engine.records import Record, Result, Run, Running, chained
from hutch.engine.refusals import Reason, Refusal, game_over, prompt_closed, seat_unknown
from hutch.engine.rules import AGAIN, Checkpoint, Rules
from hutch.engine.table import Table

if TYPE_CHECKING:
    from random import Random

#: More defaults than any clock plays at one tick; beyond it the rules are at fault.
TICK_BOUND = 10_000


class Live:
    """A game in progress in this process.

    With `keep` it can give its record, be forked and take answers back; without, it is faster. With
    `forget` the events that led to the record are not told again. The attributes are for reading:
    `asks` and `offers` by seat with their `ask_numbers` and `offer_numbers`, `result` once the game
    is over, `table.events` since `forget_events`.

    Raises `ValueError` where the record is of another game or another revision of it.
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
        if not record.is_of(rules.name, rules.revision):
            raise ValueError(
                f"the record is of {record.ruleset!r} revision {record.rules_revision}; "
                f"these rules are {rules.name!r} revision {rules.revision}"
            )
        self.rules = rules
        self.table: Table[Any] = Table(
            rules,
            record.seats,
            rules.decode_options(bytes(record.options)),
            rules.decode_board(record.board),
            chance or Chance(record.seed, record.draws),
        )
        self._open = OpenQuestions(record.numbers, record.standing)
        self.asks, self.ask_numbers = self._open.asks, self._open.ask_numbers
        self.offers, self.offer_numbers = self._open.offers, self._open.offer_numbers
        self.result: Result | None = record.result
        self.gone: list[int] = list(record.gone)
        self._limits = limits_by_clock(rules.clocks, record.limits_ms)
        self._keep = keep
        self._checkpoint = record
        self._journal = Journal()
        #: Where an imagined world began, until its first checkpoint: what `fork` starts from.
        self._imagined_from: tuple[Record, int | None, Random] | None = None
        self._script = rules.play(self.table)
        if self.result is None:
            self._advance(None)
            for given in record.inputs:
                self._feed(given)
        self.clocks: list[Running] = list(record.clocks)
        self.banks_ms: list[int] = list(record.banks_ms)
        self._journal.rewinds = list(record.rewinds)
        if forget:
            self.table.events = []

    # What is open

    def questions(self, seat: int) -> list[Question]:
        """What is open to that seat: its ask first, then its offer."""
        found = []
        if (ask := self.asks.get(seat)) is not None:
            found.append(Question(seat, self.ask_numbers[seat], ask, False, self.due_ms(seat)))
        if (offer := self.offers.get(seat)) is not None:
            found.append(Question(seat, self.offer_numbers[seat], offer, True, None))
        return found

    def awaited(self) -> tuple[int, ...]:
        """The seats that must answer, for everybody to know."""
        return tuple(sorted(self.asks))

    def deadlines(self) -> list[Deadline]:
        """Every deadline with its time: the clocks of open questions, then those of the rules."""
        found = [
            Deadline(clock.name, clock.seat, due_ms)
            for clock in self.clocks
            if (due_ms := runs_out_ms(clock, self.banks_ms)) is not None
        ]
        if self.result is None:
            for pending in self.rules.pending(self.table):
                due_ms = None
                if pending.clock is not None:
                    run = (pending.seat, pending.clock.name, pending.clock.key)
                    due_ms = due_of(self.clocks, run, self.banks_ms)
                found.append(
                    Deadline(pending.cause, pending.seat, due_ms, pending.about, pending.turn)
                )
        return found

    def due_ms(self, seat: int) -> int | None:
        """When the default of what that seat must answer is played, if a clock runs for it."""
        if not self.clocks or seat not in self.asks:
            return None
        return due_of(self.clocks, self._run(seat), self.banks_ms)

    def next_due_ms(self) -> int | None:
        """When the clock acts next."""
        if not self.clocks:
            return None
        times_ms = [runs_out_ms(clock, self.banks_ms) for clock in self.clocks]
        return min([due_ms for due_ms in times_ms if due_ms is not None], default=None)

    def banks_left_ms(self, at_ms: int) -> list[int]:
        """What each seat has left of its time bank at that time; empty where there are none."""
        return settled(self.banks_ms, self.clocks, (), at_ms)

    def look(self, seat: int | None) -> Message:
        """The typed view of a seat, or of the public."""
        return self.rules.look(self.table, seat)

    # What moves it on

    def answer(self, seat: int, number: int, picks: Picks) -> Refusal | None:
        """Answer the question of that number; a refusal changes nothing."""
        if self.ask_numbers.get(seat) == number:
            ask, offered = self.asks[seat], False
        elif self.offer_numbers.get(seat) == number:
            ask, offered = self.offers[seat], True
        else:
            return self._not_open(seat, number)
        fault = fault_in(ask, picks)
        if fault is not None:
            return self._explained(fault, seat, ask)
        if self._keep:
            self._feed(Answer(seat, number, picks))
        else:
            self._open.close(seat, offered)
            self._advance(Reply(seat, picks, offered))
        return None

    def tick(self, at_ms: int) -> list[tuple[int, str]]:
        """Play the default wherever a clock ran out by then: the seats and the names of the clocks.

        The clock that ran out first plays first. Clocks that this starts begin at `at_ms`: nobody
        pays for a late tick.
        """
        ran_out: list[tuple[int, str]] = []
        for _ in range(TICK_BOUND):
            seat = overdue(self.clocks, self._runs(), self.banks_ms, at_ms)
            if seat is None:
                return ran_out
            ran_out.append((seat, self.asks[seat].clock.name))
            self._feed(Answer(seat, self.ask_numbers[seat], self.asks[seat].default, True))
            self.run_clocks(at_ms)
        raise RuntimeError(
            f"{self.rules.name}: {TICK_BOUND} defaults were played at one tick and still one is "
            f"due; a script asks on a clock that never ends"
        )

    def play_default(self, seat: int) -> Refusal | None:
        """Play the default of the question that `seat` must answer."""
        if self.result is not None:
            return game_over()
        if seat not in self.asks:
            return Refusal(Reason.NOTHING_DUE, f"Seat {seat} is not awaited; nothing is due of it.")
        self._feed(Answer(seat, self.ask_numbers[seat], self.asks[seat].default, True))
        return None

    def leave(self, seat: int) -> Refusal | None:
        """The player of that seat leaves; the rules decide what becomes of the seat."""
        return self._come_or_go(seat, Left(seat))

    def rejoin(self, seat: int) -> Refusal | None:
        """A seat that was left has a player again."""
        return self._come_or_go(seat, Rejoined(seat))

    def undo(self, seat: int, at_ms: int = 0) -> Live | Refusal:
        """The game with that seat's last answer taken back, if nothing was learnt from it.

        Clocks and time banks go back to what they were, so that no time is won by it; where a
        deadline of then has passed by `at_ms`, it is too late.
        """
        step = self._journal.last_of(seat)
        if isinstance(step, Refusal):
            return step
        before = self._before(step, seat)
        if overdue(before.clocks, before._runs(), before.banks_ms, at_ms) is not None:
            return Refusal(
                Reason.NOT_UNDOABLE,
                "That answer cannot be taken back: the time to give another one has run out.",
            )
        return before

    def run_clocks(self, at_ms: int) -> None:
        """Start the clocks of newly opened questions, stop those that are not asked any more."""
        if not self._limits:
            return
        before, banks_ms = self.clocks, self.banks_ms
        self.clocks = []
        if self.result is None:
            runs = self._runs().values()
            aside = {seat: number for seat, (_, number) in self._open.aside.items()}
            self.clocks = carried_on(before, runs, self._limits, at_ms, aside)
        self.banks_ms = settled(banks_ms, before, self.clocks, at_ms)
        self._journal.note_clocks(before, self.clocks, banks_ms)

    def credit(self, from_ms: int, until_ms: int) -> bool:
        """Put clocks off by what they ran through of an outage, once: whether any was."""
        before = self.clocks
        self.clocks = credited(before, from_ms, until_ms)
        return self._journal.credit(from_ms, until_ms) or self.clocks != before

    # What is kept

    def record(self) -> Record:
        """The game as it is stored now."""
        if not self._keep:
            raise RuntimeError("this live game keeps no checkpoints; make it with keep=True")
        if self._imagined_from is not None:
            raise RuntimeError("an imagined world has no record before its next checkpoint")
        return msgspec.structs.replace(
            self._checkpoint,
            inputs=list(self._journal.inputs),
            rewinds=list(self._journal.rewinds),
            clocks=list(self.clocks),
            gone=list(self.gone),
            result=self.result,
            banks_ms=list(self.banks_ms),
        )

    def fork(self) -> Live:
        """Another live game that stands where this one does and goes its own way."""
        if self._imagined_from is None:
            return Live(self.rules, self.record())
        record, seat, rng = self._imagined_from
        twin = Live(self.rules, record)
        twin.imagine(seat, copy(rng))
        for given in self._journal.inputs[len(record.inputs) :]:
            twin._feed(given)
        twin.clocks = list(self.clocks)
        twin.banks_ms = list(self.banks_ms)
        twin.gone = list(self.gone)
        twin._journal.rewinds = list(self._journal.rewinds)
        twin.table.events = []
        return twin

    def imagine(self, seat: int | None, rng: Random) -> None:
        """Replace everything that `seat` cannot see by something it cannot tell from it.

        Open questions are asked again, so that what others may pick fits their new cards.
        """
        if self.result is not None:
            return
        if self._keep:
            self._imagined_from = (self.record(), seat, copy(rng))
        self.rules.resample(self.table, seat, rng)
        self.table.resample_sealed(seat, rng)
        self.table.chance.reseed(rng.randbytes(32))
        self._advance(AGAIN)

    def forget_events(self) -> list[Event]:
        """The events since the last call, which the table then forgets."""
        events = self.table.events
        self.table.events = []
        return events

    # Inside: inputs

    def _feed(self, given: Input) -> None:
        """Hand an input to the script: checked already, or replayed."""
        table = self.table
        drawn, unsealed, told = table.chance.drawn, table.unsealed, len(table.events)
        if self._keep:
            self._journal.inputs.append(given)
        match given:
            case Answer(seat=seat, number=number, picks=picks, by_clock=by_clock):
                offered = self.ask_numbers.get(seat) != number
                final = (self.offers if offered else self.asks)[seat].final
                self._open.close(seat, offered)
                self._advance(Reply(seat, picks, offered))
                if not (
                    final
                    or by_clock
                    or table.chance.drawn != drawn
                    or table.unsealed != unsealed
                    or any(event.teaches() for event in table.events[told:])
                ):
                    return
            case Renumbered(seat=seat, numbers=numbers):
                self._open.renumber(seat, numbers)
                self._advance(AGAIN)
                return
            case Left(seat=seat):
                self._open.set_aside(seat)
                self.rules.leave(table, seat)
                self._advance(AGAIN)
            case Rejoined(seat=seat):
                self.rules.rejoin(table, seat)
                self._advance(AGAIN)
        self._journal.harden()

    def _before(self, step: int, seat: int) -> Live:
        """The game as it was before the answer at `step`, with fresh numbers for that seat."""
        record = self.record()
        record.inputs, record.rewinds = self._journal.before(step)
        before = Live(self.rules, record)
        numbers = dict(before.ask_numbers)
        for given in self._journal.inputs[step + 1 :]:  # renumberings, or it could not be undone
            before._feed(given)
        before._feed(Renumbered(seat, tuple(self._open.given)))
        before._journal.drop_superseded()
        rewind = self._journal.rewind_of(step)
        clocks = rekeyed(put_back(self.clocks, rewind.ended), numbers, before.ask_numbers)
        before.clocks = asked_then(clocks, before._runs().values())
        before.banks_ms = list(self.banks_ms)
        for clock in rewind.ended if rewind.banks_ms else ():
            before.banks_ms[clock.seat] = rewind.banks_ms[clock.seat]
        before.table.events = []
        return before

    def _come_or_go(self, seat: int, given: Left | Rejoined) -> Refusal | None:
        if not 0 <= seat < self.table.seats:
            return seat_unknown(seat, self.table.seats)
        if self.result is not None:
            return game_over()
        if isinstance(given, Left):
            if seat in self.gone:
                return Refusal(
                    Reason.SEAT_ALREADY_LEFT, f"The player of seat {seat} has left already."
                )
            self.gone.append(seat)
        else:
            if seat not in self.gone:
                return Refusal(Reason.SEAT_NOT_LEFT, f"Nobody has left seat {seat}.")
            self.gone.remove(seat)
        self._feed(given)
        return None

    # Inside: clocks

    def _run(self, seat: int) -> Run | None:
        """The run of a clock that times what the seat must answer."""
        turn = self.rules.turn(self.table)
        return run_of(seat, self.asks[seat], self.ask_numbers[seat], self._limits, turn)

    def _runs(self) -> dict[int, Run]:
        """Those runs, by seat."""
        turn, numbers, limits = self.rules.turn(self.table), self.ask_numbers, self._limits
        return {
            seat: run
            for seat, ask in sorted(self.asks.items())
            if (run := run_of(seat, ask, numbers[seat], limits, turn)) is not None
        }

    # Inside: the script

    def _advance(self, reply: Reply | None) -> None:
        """Run the script to its next question, through any checkpoints, or to the end."""
        script = self._script
        try:
            prompt = script.send(reply)  # type: ignore[arg-type]  # None starts a generator
            while isinstance(prompt, Checkpoint):
                self._take_checkpoint()
                prompt = next(script)
        except StopIteration as stop:
            self.result = stop.value
            if self.result is None:
                raise RuntimeError(
                    f"{self.rules.name}: the script ended without a result"
                ) from None
            self._open.close_all()
            self._take_checkpoint()
            return
        if not prompt.asks:
            raise RuntimeError(f"{self.rules.name}: the script waits, but asks nobody")
        self._open.put(prompt)

    def _take_checkpoint(self) -> None:
        table = self.table
        if table.sealed_under:
            raise RuntimeError(f"{self.rules.name}: a checkpoint would lose sealed choices")
        self._open.aside.clear()
        if not self._keep:
            return
        if not self._open.begun and not table.events and not table.chance.drawn:
            return  # the script has just started from this very checkpoint
        board = self.rules.encode_board(table.board)
        self._checkpoint = msgspec.structs.replace(
            self._checkpoint,
            seed=table.chance.seed,
            board=board,
            trail=chained(self._checkpoint.trail, board),
            draws=dict(table.chance.draws),
            numbers=list(self._open.given),
            standing=self._open.standing(),
        )
        self._journal.clear()
        self._imagined_from = None

    # Inside: refusals

    def _not_open(self, seat: int, number: int) -> Refusal:
        if not 0 <= seat < self.table.seats:
            return seat_unknown(seat, self.table.seats)
        if self.result is not None:
            return game_over()
        return prompt_closed(seat, number, [one.number for one in self.questions(seat)])

    def _explained(self, fault: Refusal, seat: int, ask: Ask) -> Refusal:
        """The fault in the game's own words, where the game has some."""
        if fault.reason is not Reason.NOT_AN_OPTION:
            return fault
        why = self.rules.why_not(self.table, seat, ask, fault.facts["option"])
        return Refusal(fault.reason, why, fault.facts) if why else fault
