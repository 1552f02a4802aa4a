"""The ways to ask: all at once, first come, in turn; and what holds for all of them."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from hutch.engine.asking import PASS, ask, ask_seat, each, pass_or, passes, sealed, window
from hutch.engine.live import Live
from hutch.engine.prompts import Option, Prompt, Reply, picks
from hutch.engine.rules import Checkpoint, Rules, Script
from hutch.engine.sampling import random_picks
from tests.engine import toy
from tests.engine.arranging import answer, asked, choice, dealt, reopened, scripted
from tests.engine.toy import Tabled
from tests.engine.ways import INTERJECTED, PASSES, PLAN, SEALED, WINDOW, WORK
from tests.properties.play import open_questions

# All at once


def test_all_act_at_once_in_any_order_until_all_are_done() -> None:
    live = dealt(WORK, seats=3).live
    for seat, option in ((2, "one"), (0, "rest"), (2, "one"), (1, "rest"), (2, "rest")):
        answer(live, seat, option)
    assert live.result is not None
    assert live.table.board.carrots == [0, 0, 2]


def test_two_who_answer_at_the_same_instant_both_count() -> None:
    live = dealt(WORK).live
    first, second = asked(live, 0), asked(live, 1)
    assert live.answer(1, second.number, picks("one")) is None
    assert live.answer(0, first.number, picks("one")) is None
    assert live.table.board.carrots == [1, 1]


def test_what_others_are_asked_changes_only_where_the_rules_say_so() -> None:
    live = dealt(WORK).live
    number = asked(live, 1).number

    answer(live, 0, "one")
    assert asked(live, 1).number == number
    answer(live, 0, "all")

    assert asked(live, 1).number != number
    assert asked(live, 1).ask.option("all") is None


def test_being_done_is_a_checkpoint() -> None:
    live = dealt(WORK).live
    answer(live, 0, "one")
    assert len(live.record().inputs) == 1
    answer(live, 0, "rest")
    assert live.record().inputs == []
    assert reopened(WORK, live).questions(1) == live.questions(1)


# First come, first served


def test_the_first_to_act_is_resolved_before_anybody_else_may() -> None:
    live = dealt(WINDOW, seats=3).live

    answer(live, 1, "take")

    assert live.awaited() == (1,)
    assert asked(live, 1).ask.topic == "sure"
    answer(live, 1, "yes")
    assert live.awaited() == (0, 1, 2)


def test_a_window_closes_when_all_have_passed_since_the_last_change() -> None:
    live = dealt(WINDOW, seats=3).live
    answer(live, 0, "pass")
    answer(live, 1, "take")
    answer(live, 1, "yes")
    assert live.awaited() == (0, 1, 2), "who had passed is asked again"
    for seat in (2, 0, 1):
        answer(live, seat, "pass")
    assert live.result is not None


def test_a_window_closes_at_once_where_the_play_says_so() -> None:
    live = dealt(WINDOW, seats=3).live
    answer(live, 2, "last")
    answer(live, 2, "yes")
    assert live.result is not None


# In turn


def test_seats_are_asked_in_turn_until_all_pass_in_a_row() -> None:
    live = dealt(PASSES, seats=3).live
    turns = []
    for option in ("pass", "raise", "pass", "pass", "pass"):
        (seat,) = live.awaited()
        turns.append(seat)
        answer(live, seat, option)
    assert turns == [0, 1, 2, 0, 1]
    assert live.result is not None
    assert live.table.board.carrots == [0, 1, 0]


def test_a_turn_that_vanishes_counts_as_a_pass() -> None:
    live = dealt(PASSES, seats=3).live
    assert live.leave(0) is None
    assert live.awaited() == (1,)
    answer(live, 1, "pass")
    answer(live, 2, "pass")
    assert live.result is not None


def test_a_bid_can_end_the_turns() -> None:
    live = dealt(PASSES, seats=3).live
    answer(live, 0, "buy")
    assert live.result is not None


# However it is asked


def test_nobody_is_asked_where_there_is_nothing_to_ask() -> None:
    def play(table: Tabled) -> Script[None]:
        assert (yield from ask(table, dict)) is None
        assert (yield from ask_seat(table, 0, lambda: None)) is None
        assert (yield from sealed(table, range(2), lambda seat: None)) == {}
        yield from each(table, range(2), lambda seat: None, lambda reply: False)
        yield from window(table, lambda: range(2), lambda seat: None, _never)
        yield from passes(table, lambda: range(2), lambda seat: None, _never)
        yield from passes(table, list, lambda seat: None, _never)

    assert dealt(scripted(play)).live.result is not None


def _never(reply: Reply) -> Script[bool]:
    raise AssertionError("nobody could have answered")
    yield


def test_a_pass_is_the_default_and_the_last_option() -> None:
    question = pass_or("window", (Option("play"),))
    assert question.options[-1] is PASS
    assert question.default == picks("pass")


def test_a_script_that_waits_for_nobody_is_a_fault_and_not_a_stuck_game() -> None:
    def play(table: Tabled) -> Script[None]:
        yield Prompt({}, {0: choice("maybe", "yes")})

    with pytest.raises(RuntimeError, match="asks nobody"):
        dealt(scripted(play))


def test_a_live_game_goes_the_same_way_in_every_process() -> None:
    for rules in (SEALED, PLAN, WORK, WINDOW, PASSES, INTERJECTED):
        live: Live = dealt(rules, seats=2).live
        while live.result is None:
            seat = live.awaited()[0]
            other = reopened(rules, live)
            default = asked(live, seat).ask.default
            for one in (live, other):
                assert one.answer(seat, asked(one, seat).number, default) is None
            assert other.record() == live.record()


@pytest.mark.parametrize("seed", range(1, 6))
def test_what_is_open_is_what_the_script_asks_and_offers(seed: int) -> None:
    rng = Random(seed)
    for rules in (SEALED, PLAN, WORK, WINDOW, INTERJECTED):
        put: list[Prompt] = []
        live = dealt(replace(rules, play=_overheard(rules, put)), seats=3).live
        while live.result is None:
            assert (live.asks, live.offers) == (put[-1].asks, put[-1].offers)
            seat = rng.randrange(3)
            if rng.random() < 0.3:
                assert live.leave(seat) is None or live.rejoin(seat) is None
                continue
            question = rng.choice(open_questions(live))
            given = random_picks(question.ask, rng)
            assert live.answer(question.seat, question.number, given) is None
        assert (live.asks, live.offers) == ({}, {})


def _overheard(rules: Rules, put: list[Prompt]) -> toy.Play:
    """The rules' script, which notes all its prompts down."""

    def play(table: Tabled) -> Script[Any]:
        script = rules.play(table)
        asked = next(script)
        while True:
            if not isinstance(asked, Checkpoint):
                put.append(asked)
            reply = yield asked
            try:
                asked = next(script) if isinstance(asked, Checkpoint) else script.send(reply)
            except StopIteration as stop:
                return stop.value

    return play
