"""Clocks: started, shared, stopped, resumed and run out."""

from __future__ import annotations

import pytest

from hutch.engine.asking import ask, ask_seat, each, sealed
from hutch.engine.commands import Leave, Tick
from hutch.engine.deadlines import Deadline, Pending
from hutch.engine.kernel import Outcome
from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Clock, Reply, card, picks
from hutch.engine.refusals import Reason
from hutch.engine.rules import Script
from tests.engine.arranging import asked, choice, dealt, refused, reopened, resolved, scripted
from tests.engine.toy import Tabled, Took

TURN = 30_000


def take_turns(table: Tabled) -> Script[None]:
    """Seat after seat takes carrots, each decision on a clock of its own."""
    for turn in range(6):
        reply = yield from ask_seat(
            table,
            turn % table.seats,
            lambda turn=turn: choice("take", "0", "1", about=(card(f"turn-{turn}"),)),  # type: ignore[misc]
        )
        assert reply is not None
        table.emit(Took(reply.seat, int(reply.option)))


DECISIONS = scripted(take_turns)


def test_every_decision_has_its_own_time() -> None:
    game = dealt(DECISIONS, at_ms=1_000, decision=TURN)
    assert asked(game.live, 0).deadline_ms == 31_000
    assert game.live.next_due_ms() == 31_000

    game = submit(game, 0, "1", at_ms=5_000)

    assert game.live.questions(0) == []
    assert asked(game.live, 1).deadline_ms == 35_000
    assert game.live.deadlines() == [Deadline("decision", 1, 35_000)]


def test_a_table_without_limits_has_no_deadlines() -> None:
    game = dealt(DECISIONS)
    assert asked(game.live, 0).deadline_ms is None
    assert game.live.next_due_ms() is None
    assert game.live.deadlines() == []
    assert refused(DECISIONS, game, Tick(), at_ms=10**12).reason is Reason.NOTHING_DUE


def test_the_clock_plays_the_default_at_its_time_and_not_before() -> None:
    game = dealt(DECISIONS, decision=TURN)
    early = refused(DECISIONS, game, Tick(), at_ms=TURN - 1)
    assert early.reason is Reason.NOTHING_DUE

    game = resolved(DECISIONS, game, Tick(), at_ms=TURN)

    assert game.events == [Took(0, 0)]
    assert game.live.awaited() == (1,)


def test_a_clock_acts_once() -> None:
    game = dealt(DECISIONS, decision=TURN)
    game = resolved(DECISIONS, game, Tick(), at_ms=TURN)
    again = refused(DECISIONS, game, Tick(), at_ms=TURN)
    assert again.reason is Reason.NOTHING_DUE


def test_a_late_tick_costs_nobody_time() -> None:
    """The next question's time starts when it is asked, however late the clock was served."""
    game = dealt(DECISIONS, decision=TURN)
    game = resolved(DECISIONS, game, Tick(), at_ms=10 * TURN)
    assert game.live.awaited() == (1,)
    assert asked(game.live, 1).deadline_ms == 11 * TURN


def test_an_answer_before_the_tick_counts_though_time_is_up() -> None:
    game = submit(dealt(DECISIONS, decision=TURN), 0, "1", at_ms=TURN + 5)
    assert game.live.table.board.carrots == [1, 0]
    assert refused(DECISIONS, game, Tick(), at_ms=TURN + 6).reason is Reason.NOTHING_DUE


# Clocks with a key: a turn or a phase shares one deadline


def shared_phase(table: Tabled) -> Script[None]:
    """Two phases, in each of which everybody takes carrots as often as they like."""
    for phase in ("first", "second"):
        done: set[int] = set()

        def build(seat: int, phase: str = phase, done: set[int] = done) -> Ask | None:
            if seat in done:
                return None
            return choice("take", "stop", "1", clock=Clock("phase", phase), about=(card(phase),))

        def do(reply: Reply, done: set[int] = done) -> bool:
            if reply.option == "stop":
                done.add(reply.seat)
            else:
                table.emit(Took(reply.seat, 1))
            return False

        yield from each(table, range(table.seats), build, do)


PHASES = scripted(shared_phase)


def test_questions_on_the_same_run_of_a_clock_share_its_deadline() -> None:
    game = dealt(PHASES, phase=TURN)
    game = submit(game, 0, "1", at_ms=9_000)
    game = submit(game, 0, "1", at_ms=18_000)
    assert asked(game.live, 0).deadline_ms == TURN
    assert asked(game.live, 1).deadline_ms == TURN


def test_another_run_of_the_clock_has_its_time_anew() -> None:
    game = dealt(PHASES, phase=TURN)
    game = submit(game, 0, "stop", at_ms=1_000)
    game = submit(game, 1, "stop", at_ms=2_000)
    assert asked(game.live, 0).deadline_ms == 2_000 + TURN
    assert game.live.deadlines() == [
        Deadline("phase", 0, 2_000 + TURN),
        Deadline("phase", 1, 2_000 + TURN),
    ]


def test_several_that_are_due_at_once_are_played_in_one_tick() -> None:
    game = dealt(PHASES, seats=3, phase=TURN)
    game = resolved(PHASES, game, Tick(), at_ms=TURN)
    assert game.live.awaited() == (0, 1, 2)
    assert asked(game.live, 0).ask.about == (card("second"),)
    assert asked(game.live, 0).deadline_ms == 2 * TURN


def test_the_clock_that_ran_out_first_plays_first() -> None:
    def play(table: Tabled) -> Script[None]:
        for _ in range(2):
            reply = yield from ask(
                table,
                lambda: {
                    seat: choice("go", "go", clock=Clock(("slow", "fast")[seat]))
                    for seat in range(2)
                    if not table.board.carrots[seat]
                },
            )
            assert reply is not None
            table.emit(Took(reply.seat, 1))

    rules = scripted(play, clocks=("slow", "fast"))
    game = dealt(rules, slow=2_000, fast=1_000)
    game = resolved(rules, game, Tick(), at_ms=5_000)
    assert game.events == [Took(1, 1), Took(0, 1)]


def interrupted_turn(table: Tabled) -> Script[None]:
    """Seat 0's turn, in the midst of which seat 1 answers something."""
    turn = Clock("turn", "one")
    for topic in ("start", "go on"):
        yield from ask_seat(table, 0, lambda topic=topic: choice(topic, "yes", clock=turn))  # type: ignore[misc]
        yield from ask_seat(table, 1, lambda: choice("react", "no", "yes"))


INTERRUPTED = scripted(interrupted_turn, clocks=("turn", "decision"))


def test_a_clock_stands_still_while_its_seat_waits_for_others() -> None:
    game = dealt(INTERRUPTED, turn=TURN, decision=5_000)
    game = submit(game, 0, "yes", at_ms=10_000)
    assert game.live.deadlines() == [Deadline("decision", 1, 15_000)], "the turn's time stands"
    assert game.live.next_due_ms() == 15_000

    game = submit(game, 1, "no", at_ms=14_000)

    assert asked(game.live, 0).deadline_ms == 14_000 + 20_000
    assert game.live.next_due_ms() == 34_000


def test_a_stopped_clock_never_runs_out() -> None:
    game = dealt(INTERRUPTED, turn=TURN)
    game = submit(game, 0, "yes", at_ms=10_000)
    assert game.live.next_due_ms() is None
    assert refused(INTERRUPTED, game, Tick(), at_ms=10 * TURN).reason is Reason.NOTHING_DUE


def test_a_whole_turn_whose_time_is_up_is_played_by_default() -> None:
    game = dealt(INTERRUPTED, turn=TURN, decision=5_000)
    for at_ms in (TURN, TURN + 5_000, TURN + 10_000):
        game = resolved(INTERRUPTED, game, Tick(), at_ms=at_ms)
    assert game.live.result is not None, "seat 0 had no time left when it was asked again"


def test_clocks_end_with_the_game() -> None:
    game = dealt(INTERRUPTED, turn=TURN)
    for seat, option in ((0, "yes"), (1, "no"), (0, "yes"), (1, "no")):
        game = submit(game, seat, option, at_ms=1_000)
    assert game.live.result is not None
    assert game.record.clocks == []
    assert game.live.deadlines() == []


def test_the_same_question_keeps_its_deadline_when_others_act() -> None:
    def play(table: Tabled) -> Script[None]:
        yield from sealed(table, range(3), lambda seat: choice("bid", "1"))

    rules = scripted(play)
    game = dealt(rules, seats=3, decision=TURN)
    game = submit(game, 1, "1", at_ms=20_000)
    assert asked(game.live, 0).deadline_ms == TURN
    assert asked(game.live, 2).deadline_ms == TURN


def test_clocks_are_in_the_record() -> None:
    game = submit(dealt(INTERRUPTED, turn=TURN), 0, "yes", at_ms=10_000)
    assert reopened(INTERRUPTED, game.live).clocks == game.live.clocks


def test_a_leaving_player_holds_no_clock() -> None:
    def play(table: Tabled) -> Script[None]:
        board = table.board
        yield from ask(
            table,
            lambda: {seat: choice("go", "go") for seat in range(2) if not board.left[seat]},
        )

    rules = scripted(play)
    game = resolved(rules, dealt(rules, decision=TURN), Leave(0), at_ms=5)
    assert game.live.deadlines() == [Deadline("decision", 1, TURN)]


def test_deadlines_of_the_rules_run_on_the_clock_they_name() -> None:
    pending = Pending("feed", 0, (card("bunny"),), turn=4, clock=Clock("turn", "one"))
    other = Pending("feed", 1, (card("hare"),), turn=5)
    rules = scripted(
        interrupted_turn, clocks=("turn", "decision"), pending=lambda table: [pending, other]
    )
    game = dealt(rules, turn=TURN)
    assert game.live.deadlines() == [
        Deadline("turn", 0, TURN),
        Deadline("feed", 0, TURN, (card("bunny"),), 4),
        Deadline("feed", 1, None, (card("hare"),), 5),
    ]
    game = submit(game, 0, "yes", at_ms=1_000)
    assert game.live.deadlines()[0] == Deadline("feed", 0, None, (card("bunny"),), 4)


def test_rules_that_ask_for_ever_on_a_clock_that_has_run_out_are_at_fault() -> None:
    def play(table: Tabled) -> Script[None]:
        while True:
            yield from ask_seat(table, 0, lambda: choice("go", "on", clock=Clock("turn", "x")))

    rules = scripted(play, clocks=("turn",))
    live: Live = dealt(rules, turn=TURN).live
    with pytest.raises(RuntimeError, match="a clock that never ends"):
        live.tick(TURN)


def submit(game: Outcome, seat: int, option: str, *, at_ms: int) -> Outcome:
    """That seat answers, at that time."""
    live = reopened(game.live.rules, game.live)
    assert live.answer(seat, asked(live, seat).number, picks(option)) is None
    live.run_clocks(at_ms)
    return Outcome(live, live.forget_events())
