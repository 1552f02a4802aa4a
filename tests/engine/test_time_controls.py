"""Time controls: a limit for every clock, for each question or turn, and time banks beyond."""

from __future__ import annotations

from typing import Any

import pytest

from hutch.engine.asking import ask_seat
from hutch.engine.commands import Leave, Rejoin, Tick, Undo
from hutch.engine.prompts import Ask, Clock
from hutch.engine.refusals import Reason
from hutch.engine.rules import Rules, Script
from tests.engine.arranging import (
    EACH,
    MUTUAL,
    asked,
    choice,
    dealt,
    play,
    refused,
    reopened,
    resolved,
    scripted,
)
from tests.engine.toy import Tabled
from tests.engine.ways import PASSES

LIMIT = 10_000
BANK = 60_000
CLOCKS = ("turn", "reaction", "decision")
EVERY: dict[str, Any] = {"*": LIMIT}


def turns(table: Tabled) -> Script[None]:
    """In each turn its seat decides twice, and in between the other reacts."""
    for turn in range(4):
        seat = turn % 2
        clock = Clock("turn", str(turn))

        def move(topic: str, clock: Clock = clock, turn: int = turn) -> Ask:
            return choice(f"{topic}-{turn}", "0", "1", clock=clock)

        yield from ask_seat(table, seat, lambda move=move: move("start"))  # type: ignore[misc]
        yield from ask_seat(
            table,
            1 - seat,
            lambda turn=turn: choice(f"react-{turn}", "no", clock=Clock("reaction")),  # type: ignore[misc]
        )
        yield from ask_seat(table, seat, lambda move=move: move("end"))  # type: ignore[misc]


TURNS = scripted(turns, clocks=CLOCKS)


# Limits


def test_a_star_limits_every_clock_that_is_not_named() -> None:
    game = dealt(TURNS, reaction=2_000, **EVERY)
    assert asked(game.live, 0).deadline_ms == LIMIT
    game = play(TURNS, game, (0, "0"), at_ms=4_000)
    assert asked(game.live, 1).deadline_ms == 6_000
    game = play(TURNS, game, (1, "no"), at_ms=5_000)
    assert asked(game.live, 0).deadline_ms == 5_000 + 6_000, "the turn goes on with what is left"


def test_a_question_whose_clock_has_no_limit_runs_on_decision() -> None:
    game = dealt(TURNS, decision=LIMIT)
    for seat, option, at_ms in ((0, "0", 3_000), (1, "no", 5_000), (0, "0", 9_000)):
        game = play(TURNS, game, (seat, option), at_ms=at_ms)
        (awaited,) = game.live.awaited()
        assert asked(game.live, awaited).deadline_ms == at_ms + LIMIT
        assert [one.cause for one in game.live.deadlines()] == ["decision"]


def test_where_turns_are_limited_decisions_of_the_seat_whose_turn_it_is_share_its_clock() -> None:
    def decide(table: Tabled) -> Script[None]:
        for turn in range(2):
            table.board.round = turn
            for topic in ("start", "end"):
                yield from ask_seat(
                    table,
                    turn,
                    lambda topic=topic, turn=turn: choice(f"{topic}-{turn}", "0"),  # type: ignore[misc]
                )
            yield from ask_seat(table, 1 - turn, lambda: choice("react", "0"))

    rules = scripted(
        decide, clocks=CLOCKS, turn=lambda table: (table.board.round, str(table.board.round))
    )
    game = dealt(rules, turn=LIMIT, decision=2_000)
    game = play(rules, game, (0, "0"), at_ms=4_000)
    assert asked(game.live, 0).deadline_ms == LIMIT
    game = play(rules, game, (0, "0"), at_ms=5_000)
    assert asked(game.live, 1).deadline_ms == 5_000 + 2_000, "who reacts has a decision's time"
    game = play(rules, game, (1, "0"), at_ms=6_000)
    assert asked(game.live, 1).deadline_ms == 6_000 + LIMIT
    untimed = play(rules, dealt(rules, decision=2_000), (0, "0"), at_ms=1_000)
    assert asked(untimed.live, 0).deadline_ms == 3_000, "without one, each decision is timed"


# Time banks


def test_the_default_is_played_once_limit_and_bank_are_both_used_up() -> None:
    game = dealt(EACH, decision=LIMIT, time_bank_ms=BANK)
    assert asked(game.live, 0).deadline_ms == LIMIT + BANK
    assert game.live.next_due_ms() == LIMIT + BANK
    assert refused(EACH, game, Tick(), at_ms=LIMIT + BANK - 1).reason is Reason.NOTHING_DUE

    game = resolved(EACH, game, Tick(), at_ms=LIMIT + BANK)

    assert game.live.result is not None, "both stopped by default"
    assert game.record.banks_ms == [0, 0]


def test_what_a_run_takes_beyond_its_limit_comes_out_of_the_bank() -> None:
    game = dealt(EACH, decision=LIMIT, time_bank_ms=BANK)
    game = play(EACH, game, (0, "1"), at_ms=LIMIT + 4_000)
    assert game.record.banks_ms == [BANK - 4_000, BANK]
    assert asked(game.live, 0).deadline_ms == LIMIT + 4_000 + LIMIT + BANK - 4_000
    game = play(EACH, game, (0, "1"), at_ms=LIMIT + 5_000)
    assert game.record.banks_ms == [BANK - 4_000, BANK], "this one ended in time"


def test_who_has_no_bank_left_has_each_limit() -> None:
    game = dealt(TURNS, time_bank_ms=5_000, **EVERY)
    game = resolved(TURNS, game, Tick(), at_ms=LIMIT + 5_000)
    assert game.live.banks_left_ms(LIMIT + 5_000) == [0, 5_000]
    game = resolved(TURNS, game, Tick(), at_ms=2 * (LIMIT + 5_000))
    assert game.live.banks_left_ms(2 * (LIMIT + 5_000)) == [0, 0]


def test_a_turn_that_stands_still_is_paid_so_far_and_has_nothing_but_the_bank_afterwards() -> None:
    game = play(TURNS, dealt(TURNS, time_bank_ms=BANK, **EVERY), (0, "0"), at_ms=LIMIT + 1_000)
    assert game.record.banks_ms == [BANK - 1_000, BANK]
    game = play(TURNS, game, (1, "no"), at_ms=LIMIT + 3_000)
    assert game.record.banks_ms == [BANK - 1_000, BANK], "waiting for others costs nothing"
    assert asked(game.live, 0).deadline_ms == LIMIT + 3_000 + BANK - 1_000
    game = play(TURNS, game, (0, "0"), at_ms=LIMIT + 5_000)
    assert game.record.banks_ms == [BANK - 3_000, BANK]


def test_an_answer_after_the_time_is_up_takes_no_more_than_there_is() -> None:
    game = dealt(EACH, decision=LIMIT, time_bank_ms=1_000)
    game = play(EACH, game, (0, "1"), at_ms=LIMIT + 1_500)
    assert game.record.banks_ms == [0, 1_000]


def test_everybody_sees_a_bank_run_down() -> None:
    game = dealt(EACH, decision=LIMIT, time_bank_ms=BANK)
    assert game.live.banks_left_ms(LIMIT) == [BANK, BANK]
    assert game.live.banks_left_ms(LIMIT + 7_000) == [BANK - 7_000, BANK - 7_000]
    assert game.record.banks_ms == [BANK, BANK], "it is paid when the run is over"


def test_whoever_takes_a_seat_over_has_its_bank() -> None:
    game = play(EACH, dealt(EACH, decision=LIMIT, time_bank_ms=BANK), (0, "1"), at_ms=LIMIT + 9)
    for command in (Leave(0), Rejoin(0)):
        game = resolved(EACH, game, command, at_ms=LIMIT + 10)
    assert game.record.banks_ms[0] == BANK - 9


def test_banks_are_in_the_record() -> None:
    game = play(EACH, dealt(EACH, decision=LIMIT, time_bank_ms=BANK), (0, "1"), at_ms=LIMIT + 9)
    again = reopened(EACH, game.live)
    assert again.banks_ms == game.live.banks_ms == [BANK - 9, BANK]
    assert again.fork().banks_ms == game.live.banks_ms


def test_tables_without_a_bank_store_none() -> None:
    assert dealt(EACH, decision=LIMIT).record.banks_ms == []


# Undo wins no time, and costs none


def test_undo_puts_back_what_the_answer_took_out_and_the_clock_runs_on() -> None:
    game = dealt(EACH, decision=LIMIT, time_bank_ms=BANK)
    game = play(EACH, game, (0, "2"), at_ms=LIMIT + 4_000)
    game = resolved(EACH, game, Undo(0), at_ms=LIMIT + 9_000)
    assert asked(game.live, 0).deadline_ms == LIMIT + BANK
    assert game.live.banks_left_ms(LIMIT + 9_000) == [BANK - 9_000, BANK - 9_000]
    game = play(EACH, game, (0, "1"), at_ms=LIMIT + 10_000)
    assert game.record.banks_ms == [BANK - 10_000, BANK]


def test_time_thought_on_the_next_question_is_paid_once_when_the_answer_is_taken_back() -> None:
    """The seat overruns the next question too; after the undo only the first one's run counts."""
    game = dealt(EACH, decision=LIMIT, time_bank_ms=BANK)
    game = play(EACH, game, (0, "2"), at_ms=1_000)
    game = resolved(EACH, game, Undo(0), at_ms=LIMIT + 5_000)
    assert game.record.banks_ms == [BANK, BANK]
    assert game.live.banks_left_ms(LIMIT + 5_000) == [BANK - 5_000, BANK - 5_000]


def test_undoing_over_and_over_wins_no_time_from_the_bank() -> None:
    game = dealt(EACH, decision=LIMIT, time_bank_ms=BANK)
    at_ms = 0
    while True:
        at_ms += 4_000
        game = play(EACH, game, (0, "2"), at_ms=at_ms)
        at_ms += 4_000
        if at_ms >= LIMIT + BANK:
            break
        game = resolved(EACH, game, Undo(0), at_ms=at_ms)
        assert asked(game.live, 0).deadline_ms == LIMIT + BANK
    assert refused(EACH, game, Undo(0), at_ms=at_ms).reason is Reason.NOT_UNDOABLE


def test_a_seat_that_was_asked_something_for_nothing_pays_the_same_time_once() -> None:
    """Each answer changes the other's question; taken back, one run of each seat goes on."""

    game = dealt(MUTUAL, decision=LIMIT, time_bank_ms=BANK)
    game = play(MUTUAL, game, (0, "1"), at_ms=LIMIT + 1_000)
    game = play(MUTUAL, game, (1, "1"), at_ms=LIMIT + 2_000)
    for seat in (1, 0):
        game = resolved(MUTUAL, game, Undo(seat), at_ms=LIMIT + 3_000)
    for seat in range(2):
        assert asked(game.live, seat).deadline_ms == LIMIT + BANK
    assert game.live.banks_left_ms(LIMIT + 3_000) == [BANK - 3_000, BANK - 3_000]


@pytest.mark.parametrize("rules", [TURNS, PASSES], ids=["turns", "passes"])
def test_a_seat_that_was_asked_only_by_what_is_taken_back_pays_nothing(rules: Rules) -> None:
    """Decision 10: banks go back to what they were before the answer, whoever's they are."""
    game = dealt(rules, time_bank_ms=BANK, **EVERY)
    first = asked(game.live, 0).ask.options[-1].id
    game = play(rules, game, (0, first), at_ms=1_000)
    assert game.live.awaited() == (1,)
    game = resolved(rules, game, Undo(0), at_ms=LIMIT + 6_000)
    assert game.record.banks_ms == [BANK, BANK]
    assert asked(game.live, 0).deadline_ms == LIMIT + BANK
    assert [clock.seat for clock in game.record.clocks] == [0]


def test_going_back_several_steps_brings_back_each_ones_bank() -> None:
    game = dealt(EACH, decision=LIMIT, time_bank_ms=BANK)
    banks = []
    for step in range(1, 4):
        banks.append(game.record.banks_ms)
        game = play(EACH, game, (0, "1"), at_ms=step * (LIMIT + 1_000))
    for bank in reversed(banks):
        game = resolved(EACH, game, Undo(0), at_ms=3 * (LIMIT + 1_000))
        assert game.record.banks_ms == bank
