"""Undo: bounded by information, and no way to win time."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import pytest

from hutch.engine.asking import ask_seat, each, sealed
from hutch.engine.commands import Leave, Rejoin, Submit, Tick, Undo
from hutch.engine.events import Event
from hutch.engine.prompts import Ask, Clock, Reply, card, picks
from hutch.engine.records import encode_record
from hutch.engine.refusals import Reason, Refusal
from hutch.engine.rules import Rules, Script
from tests.engine.arranging import (
    EACH,
    MUTUAL,
    answer,
    asked,
    choice,
    dealt,
    play,
    refused,
    reopened,
    resolved,
    scripted,
)
from tests.engine.toy import Tabled, Took

LIMIT = 10_000


def test_the_last_answer_is_taken_back_and_may_be_given_anew() -> None:
    game = play(EACH, dealt(EACH), (0, "2"))

    game = resolved(EACH, game, Undo(0))

    assert game.rewound
    assert game.events == []
    assert game.live.table.board.carrots == [0, 0]
    game = play(EACH, game, (0, "1"))
    assert game.live.table.board.carrots == [1, 0]


def test_one_may_go_back_step_by_step() -> None:
    game = play(EACH, dealt(EACH), (0, "2"), (0, "1"), (0, "1"))
    for carrots in (3, 2, 0):
        game = resolved(EACH, game, Undo(0))
        assert game.live.table.board.carrots == [carrots, 0]
    assert refused(EACH, game, Undo(0)).reason is Reason.NOT_UNDOABLE


def test_what_was_taken_back_cannot_be_confirmed_by_a_late_click() -> None:
    game = dealt(EACH)
    clicked = asked(game.live, 0).number
    game = play(EACH, game, (0, "2"))
    later = asked(game.live, 0).number

    game = resolved(EACH, game, Undo(0))

    for stale in (clicked, later):
        late = refused(EACH, game, Submit(0, stale, picks("2")))
        assert late.reason is Reason.PROMPT_CLOSED
    assert asked(game.live, 0).number > later


def test_what_others_are_asked_stays_as_it_was() -> None:
    game = dealt(EACH)
    number = asked(game.live, 1).number
    game = resolved(EACH, play(EACH, game, (0, "2")), Undo(0))
    assert asked(game.live, 1).number == number


def test_numbers_given_before_an_undo_are_not_given_again_to_others() -> None:
    """Seat 1 was asked something else meanwhile; that number must not come back as another."""

    def play_on(table: Tabled) -> Script[None]:
        def build(seat: int) -> Ask:
            return choice("take", "1", "2", about=(card(str(table.board.carrots)),))

        def do(reply: Reply) -> bool:
            table.emit(Took(reply.seat, int(reply.option)))
            return True

        yield from each(table, range(table.seats), build, do)

    rules = scripted(play_on)
    game = play(rules, dealt(rules), (0, "2"))
    withdrawn = asked(game.live, 1)
    game = play(rules, resolved(rules, game, Undo(0)), (0, "1"))
    assert asked(game.live, 1).ask != withdrawn.ask
    assert asked(game.live, 1).number != withdrawn.number


def test_only_the_last_to_act_may_take_back() -> None:
    game = play(EACH, dealt(EACH), (0, "2"), (1, "1"))
    refusal = refused(EACH, game, Undo(0))
    assert refusal.reason is Reason.NOT_UNDOABLE
    assert "others acted since" in refusal.sentence
    assert resolved(EACH, game, Undo(1)).live.table.board.carrots == [2, 0]


def test_after_the_others_undo_ones_own_answer_is_the_last_again() -> None:
    game = play(EACH, dealt(EACH), (0, "2"), (1, "1"))
    game = resolved(EACH, resolved(EACH, game, Undo(1)), Undo(0))
    assert game.live.table.board.carrots == [0, 0]


def test_undoing_and_answering_again_leads_to_the_same_game() -> None:
    straight = play(EACH, dealt(EACH), (0, "1"), (0, "2"))
    game = play(EACH, dealt(EACH), (0, "1"), (0, "1"))
    winding = play(EACH, resolved(EACH, game, Undo(0)), (0, "2"))
    assert winding.live.table.board == straight.live.table.board
    assert [one.ask for one in winding.live.questions(1)] == [
        one.ask for one in straight.live.questions(1)
    ]


def test_undoing_for_ever_does_not_make_the_record_grow() -> None:
    game = dealt(EACH, seats=3)
    sizes = set()
    for turn in range(30):
        seat = turn % 3
        game = resolved(EACH, play(EACH, game, (seat, "2")), Undo(seat))
        if turn >= 3:
            sizes.add(len(game.record.inputs))
    assert sizes == {3}, "one renumbering for each seat"


def test_undo_works_alike_in_this_process_and_another() -> None:
    game = play(EACH, dealt(EACH, decision=LIMIT), (0, "2"), (0, "1"), at_ms=5)
    here = game.live.undo(0, 6)
    assert not isinstance(here, Refusal)
    here.run_clocks(6)
    there = resolved(EACH, game, Undo(0), at_ms=6)
    assert encode_record(here.record()) == encode_record(there.record)
    assert encode_record(reopened(EACH, here).record()) == encode_record(here.record())


# What was learnt cannot be taken back


class Shown(Event, frozen=True):
    reveals: ClassVar[bool] = True


class Peeked(Event, frozen=True):
    seat: int

    def face(self, seat: int | None) -> Event | None:
        return self if seat == self.seat else None


def learn(what: Callable[[Tabled], None], **more: bool) -> Rules:
    """Seat 0 answers, and `what` happens."""

    def play_it(table: Tabled) -> Script[None]:
        yield from ask_seat(table, 0, lambda: choice("do", "it", **more))
        what(table)
        yield from ask_seat(table, 0, lambda: choice("then", "this"))

    return scripted(play_it)


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(lambda table: table.chance.roll("dice", 6), id="a die was rolled"),
        pytest.param(lambda table: table.emit(Shown()), id="something hidden was shown to all"),
        pytest.param(lambda table: table.emit(Peeked(0)), id="a seat saw something"),
        pytest.param(lambda table: table.emit(Peeked(1)), id="another seat saw something"),
    ],
)
def test_an_answer_that_taught_anybody_anything_stands(what: Callable[[Tabled], None]) -> None:
    rules = learn(what)
    refusal = refused(rules, play(rules, dealt(rules), (0, "it")), Undo(0))
    assert refusal.reason is Reason.NOT_UNDOABLE
    assert "learnt" in refusal.sentence


def test_an_answer_that_taught_nothing_may_be_taken_back() -> None:
    rules = learn(lambda table: table.emit(Took(0, 1)))
    game = resolved(rules, play(rules, dealt(rules), (0, "it")), Undo(0))
    assert asked(game.live, 0).ask.topic == "do"


def test_a_final_answer_stands() -> None:
    rules = learn(lambda table: None, final=True)
    assert refused(rules, play(rules, dealt(rules), (0, "it")), Undo(0))


def test_nothing_before_an_answer_that_stands_may_be_taken_back_either() -> None:
    rules = learn(lambda table: table.emit(Shown()))
    game = play(rules, dealt(rules), (0, "it"))
    game = resolved(rules, game, Leave(1))
    assert refused(rules, resolved(rules, game, Rejoin(1)), Undo(0))


def test_who_closes_a_sealed_choice_has_seen_the_others() -> None:
    """Even where the rules say nothing of it in an event that reveals."""

    def play_it(table: Tabled) -> Script[None]:
        bids = yield from sealed(table, range(2), lambda seat: choice("bid", "1", "2"))
        for seat, bid in bids.items():
            table.emit(Took(seat, int(bid[0].option)))
        yield from ask_seat(table, 1, lambda: choice("then", "this"))

    rules = scripted(play_it)
    game = play(rules, dealt(rules), (0, "1"))
    assert resolved(rules, game, Undo(0)).live.awaited() == (0, 1), "until then one may"
    assert refused(rules, play(rules, game, (1, "2")), Undo(1)).reason is Reason.NOT_UNDOABLE


def test_what_the_clock_played_stands() -> None:
    game = resolved(EACH, dealt(EACH, decision=LIMIT), Tick(), at_ms=LIMIT)
    assert refused(EACH, game, Undo(0), at_ms=LIMIT).reason is Reason.NOT_UNDOABLE


def test_a_step_that_closed_stands() -> None:
    def play_it(table: Tabled) -> Script[None]:
        for _ in range(2):
            yield from ask_seat(table, 0, lambda: choice("do", "it"))
            yield from table.checkpoint()

    rules = scripted(play_it)
    refusal = refused(rules, play(rules, dealt(rules), (0, "it")), Undo(0))
    assert "the step closed" in refusal.sentence


def test_somebody_leaving_closes_the_way_back() -> None:
    game = play(EACH, dealt(EACH), (0, "2"))
    game = resolved(EACH, game, Leave(1))
    assert refused(EACH, game, Undo(0)).reason is Reason.NOT_UNDOABLE


def test_a_finished_game_stands() -> None:
    rules = scripted(lambda table: ask_seat(table, 0, lambda: choice("do", "it")))
    game = play(rules, dealt(rules), (0, "it"))
    assert game.live.result is not None
    assert refused(rules, game, Undo(0)).reason is Reason.NOT_UNDOABLE


# Time


def test_a_question_asked_again_is_due_when_it_was() -> None:
    game = play(EACH, dealt(EACH, decision=LIMIT), (0, "2"), at_ms=9_000)
    assert asked(game.live, 0).deadline_ms == 19_000

    game = resolved(EACH, game, Undo(0), at_ms=9_500)

    assert asked(game.live, 0).deadline_ms == LIMIT
    assert asked(game.live, 1).deadline_ms == LIMIT


def test_undoing_over_and_over_wins_no_time() -> None:
    """Until the first question's time is up one may think about the next; not a moment longer."""
    game = dealt(EACH, decision=LIMIT)
    at_ms = 0
    while True:
        at_ms += 900
        game = play(EACH, game, (0, "2"), at_ms=at_ms)
        at_ms += 900
        if at_ms >= LIMIT:
            break
        game = resolved(EACH, game, Undo(0), at_ms=at_ms)
        assert asked(game.live, 0).deadline_ms == LIMIT
    refusal = refused(EACH, game, Undo(0), at_ms=at_ms)
    assert refusal.reason is Reason.NOT_UNDOABLE
    assert "time" in refusal.sentence


def test_going_back_several_steps_brings_back_each_ones_deadline() -> None:
    game = dealt(EACH, decision=LIMIT)
    deadlines = []
    for at_ms in (1_000, 2_000, 3_000):
        deadlines.append(asked(game.live, 0).deadline_ms)
        game = play(EACH, game, (0, "1"), at_ms=at_ms)
    for deadline in reversed(deadlines):
        game = resolved(EACH, game, Undo(0), at_ms=4_000)
        assert asked(game.live, 0).deadline_ms == deadline


def test_two_who_change_each_others_questions_win_no_time_together() -> None:
    game = dealt(MUTUAL, decision=LIMIT)
    for turn in range(4):
        seat = turn % 2
        game = play(MUTUAL, game, (seat, "1"), at_ms=1_000 * turn)
        game = resolved(MUTUAL, game, Undo(seat), at_ms=1_000 * turn + 500)
        assert {asked(game.live, one).deadline_ms for one in range(2)} == {LIMIT}


def test_undoing_one_after_another_wins_no_time_either() -> None:
    """Seat 0 answers, seat 1 answers and takes it back, then seat 0 does: all is as it was."""
    game = dealt(MUTUAL, decision=LIMIT)
    for turn in range(4):
        first, second = turn % 2, (turn + 1) % 2
        for seat in (first, second):
            game = play(MUTUAL, game, (seat, "1"), at_ms=1_000 * turn)
        for seat in (second, first):
            game = resolved(MUTUAL, game, Undo(seat), at_ms=1_000 * turn + 500)
        assert {asked(game.live, one).deadline_ms for one in range(2)} == {LIMIT}


def test_a_shared_clock_goes_on_running_through_an_undo() -> None:
    def play_on(table: Tabled) -> Script[None]:
        for topic in ("one", "two"):
            yield from ask_seat(
                table,
                0,
                lambda topic=topic: choice(topic, "go", clock=Clock("turn", "first")),  # type: ignore[misc]
            )

    rules = scripted(play_on, clocks=("turn",))
    game = play(rules, dealt(rules, turn=LIMIT), (0, "go"), at_ms=4_000)
    game = resolved(rules, game, Undo(0), at_ms=6_000)
    assert asked(game.live, 0).deadline_ms == LIMIT


def test_a_clock_that_an_answer_stopped_runs_on_as_if_it_had_not_been_given() -> None:
    def play_on(table: Tabled) -> Script[None]:
        yield from ask_seat(table, 0, lambda: choice("move", "go", clock=Clock("turn", "0")))
        yield from ask_seat(table, 1, lambda: choice("move", "go", clock=Clock("turn", "1")))

    rules = scripted(play_on, clocks=("turn",))
    game = play(rules, dealt(rules, turn=LIMIT), (0, "go"), at_ms=4_000)
    game = resolved(rules, game, Undo(0), at_ms=9_000)
    assert asked(game.live, 0).deadline_ms == LIMIT
    assert game.live.next_due_ms() == LIMIT


def test_answers_given_in_this_process_can_be_taken_back_too() -> None:
    live = dealt(EACH).live
    answer(live, 0, "2")
    before = live.undo(0)
    assert not isinstance(before, Refusal)
    assert before.table.board.carrots == [0, 0]
    assert live.table.board.carrots == [2, 0], "the other game is as it was"
