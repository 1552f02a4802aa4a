"""Whatever happens, no clock gains or loses time but as decisions 7 and 10 say."""

from __future__ import annotations

from copy import deepcopy
from random import Random

from hutch.engine import kernel
from hutch.engine.clocks import TURN
from hutch.engine.commands import Command, Credit, Leave, Rejoin, Submit, Tick, Undo
from hutch.engine.kernel import Outcome
from hutch.engine.live import Live
from hutch.engine.prompts import DECISION, Ask
from hutch.engine.records import Run
from hutch.engine.refusals import Reason
from tests.properties.play import again, some_command
from tests.properties.profile import BANK_MS, DEALT_AT_MS, LIMIT_MS, Setting

#: So many commands of a game are timed.
TIMED = 150


class Stopwatch:
    """Sums up, from outside, what every run of a clock has used and every seat has spent."""

    def __init__(self, live: Live, now_ms: int) -> None:
        self.now_ms = now_ms
        self.spent = [0] * live.table.seats
        self._used: dict[Run, int] = {}
        self._going: dict[int, Run] = {}
        #: From when on a run is going, and was not credited with an outage.
        self._since: dict[int, int] = {}
        self.follow(live)

    def wait(self, until_ms: int) -> None:
        """Time goes by."""
        for run in self._going.values():
            self._used[run] += until_ms - self.now_ms
        self.now_ms = until_ms

    def follow(self, live: Live) -> None:
        """Other questions are open: a run that is over is paid for, and another begins."""
        going = {seat: _run(live, seat, ask) for seat, ask in live.asks.items()}
        for seat, run in self._going.items():
            if going.get(seat) != run:
                self.spent[seat] += min(self._overrun(seat), BANK_MS - self.spent[seat])
                self._used[run] = min(self._used[run], LIMIT_MS)
        for seat, run in going.items():
            if self._going.get(seat) != run:
                self._used.setdefault(run, 0)
                self._since[seat] = self.now_ms
        self._going = going

    def rename(self, live: Live) -> None:
        """The same questions are open under other numbers."""
        for seat, ask in live.asks.items():
            run = _run(live, seat, ask)
            self._used[run] = self._used.pop(self._going[seat])
            self._going[seat] = run

    def credit(self, from_ms: int, until_ms: int) -> None:
        """Nobody could answer in that time."""
        for seat, run in self._going.items():
            if (part_ms := until_ms - max(from_ms, self._since[seat])) > 0:
                self._used[run] -= part_ms
                self._since[seat] = until_ms

    def due_ms(self, seat: int) -> int:
        """When limit and bank of what the seat is asked are used up."""
        left_ms = LIMIT_MS - self._used[self._going[seat]]
        return self.now_ms + left_ms + BANK_MS - self.spent[seat]

    def bank_ms(self, seat: int) -> int:
        """What the seat's bank holds now."""
        return max(0, BANK_MS - self.spent[seat] - self._overrun(seat))

    def _overrun(self, seat: int) -> int:
        run = self._going.get(seat)
        return max(0, self._used[run] - LIMIT_MS) if run else 0


def no_time_is_won_or_lost(setting: Setting, seed: int) -> None:
    """At random times all kinds of commands: every deadline and bank is as summed up by hand."""
    rng = Random(seed)
    live = setting.deal(seed, clocks=True).live
    watch = Stopwatch(live, DEALT_AT_MS)
    #: That may be taken back: whose, how things stood before, and the outages since.
    answers: list[tuple[int, Stopwatch, list[tuple[int, Credit]]]] = []
    over_ms = DEALT_AT_MS  # when the last outage was over
    for _ in range(TIMED):
        if live.result is not None:
            return
        _is_as_summed_up(setting, live, watch)
        at_ms = watch.now_ms + rng.choice((0, 100, 2_000, LIMIT_MS + 1_000))
        command: Command = some_command(live, rng)
        if rng.random() < 0.1:
            command = Credit(rng.randrange(over_ms, at_ms + 1), over_ms := at_ms)
        elif min(watch.due_ms(seat) for seat in live.asks) <= at_ms and rng.random() < 0.5:
            command = Tick()
        elif answers and rng.random() < 0.2:
            command = Undo(answers[-1][0])
        earlier = deepcopy(watch)
        watch.wait(at_ms)
        if isinstance(command, Tick):
            _defaults(live, watch, at_ms)
        outcome = kernel.resolve(setting.rules, again(live.record()), command, at_ms=at_ms)
        if not isinstance(outcome, Outcome):
            assert not isinstance(command, Tick) or outcome.reason is Reason.NOTHING_DUE
            if isinstance(command, Credit):
                watch.credit(command.from_ms, command.until_ms)
            continue
        former, live = live, outcome.live
        match command:
            case Submit(seat=seat):
                answers.append((seat, earlier, []))
            case Credit(from_ms=from_ms, until_ms=until_ms):
                watch.credit(from_ms, until_ms)
                for _, _, credits_ in answers:
                    credits_.append((at_ms, command))
            case Undo():
                _, watch, credits_ = answers.pop()
                for credited_ms, outage in credits_:
                    watch.wait(credited_ms)
                    watch.credit(outage.from_ms, outage.until_ms)
                watch.wait(at_ms)
                watch.rename(live)
            case _:
                answers = []
        if isinstance(command, Leave) and live.result is None and command.seat not in live.asks:
            _has_the_same_question_when_back(setting, live, former, command.seat, at_ms)
        watch.follow(live)


def _is_as_summed_up(setting: Setting, live: Live, watch: Stopwatch) -> None:
    dues_ms = {seat: watch.due_ms(seat) for seat in live.asks}
    shown_ms = {seat: live.due_ms(seat) for seat in live.asks}
    assert shown_ms == dues_ms, f"{setting}: deadlines differ"
    assert live.next_due_ms() == min(dues_ms.values()), f"{setting}: the next deadline differs"
    banks_ms = [watch.bank_ms(seat) for seat in range(setting.seats)]
    assert live.banks_left_ms(watch.now_ms) == banks_ms, f"{setting}: time banks differ"


def _defaults(live: Live, watch: Stopwatch, at_ms: int) -> None:
    """Go on as the clock does: the default of whose time ran out first, while there is one."""
    twin = live.fork()
    while late := [(due, seat) for seat in twin.asks if (due := watch.due_ms(seat)) <= at_ms]:
        assert twin.play_default(min(late)[1]) is None
        watch.follow(twin)


def _has_the_same_question_when_back(
    setting: Setting, live: Live, before: Live, seat: int, at_ms: int
) -> None:
    """Who is back while another is still asked what they were asked together won no time."""
    together = before.ask_numbers.items() & live.ask_numbers.items()
    outcome = kernel.resolve(setting.rules, again(live.record()), Rejoin(seat), at_ms=at_ms)
    assert isinstance(outcome, Outcome)
    back = outcome.live
    if together and seat in before.asks and back.asks.get(seat) == before.asks[seat]:
        number = before.ask_numbers[seat]
        assert back.ask_numbers[seat] == number, f"{setting}: a fresh question"


def _run(live: Live, seat: int, ask: Ask) -> Run:
    name, key = ask.clock.name, ask.clock.key
    turn = live.rules.turn(live.table)
    if turn is not None and turn[0] == seat and name == DECISION.name and TURN in live.rules.clocks:
        name, key = TURN, turn[1]
    return seat, name, key or f"#{live.ask_numbers[seat]}"
