"""Time in which nobody could answer is credited: to every running clock, once."""

from __future__ import annotations

from hutch.engine.asking import ask_seat
from hutch.engine.commands import Credit, Tick, Undo
from hutch.engine.prompts import Clock
from hutch.engine.refusals import Reason
from hutch.engine.rules import Script
from tests.engine.arranging import asked, choice, dealt, refused, resolved, scripted
from tests.engine.test_time_controls import BANK, EACH, EVERY, LIMIT, TURNS, play
from tests.engine.toy import Tabled


def test_a_clock_is_put_off_by_the_outage_that_it_ran_through() -> None:
    game = dealt(EACH, decision=LIMIT)
    game = resolved(EACH, game, Credit(4_000, 50_000), at_ms=50_000)
    assert game.events == []
    assert asked(game.live, 0).deadline_ms == 46_000 + LIMIT
    assert refused(EACH, game, Tick(), at_ms=46_000 + LIMIT - 1).reason is Reason.NOTHING_DUE
    assert resolved(EACH, game, Tick(), at_ms=46_000 + LIMIT).live.result is not None


def test_a_clock_that_started_in_the_outage_is_put_off_by_the_rest_of_it() -> None:
    game = play(EACH, dealt(EACH, decision=LIMIT), (0, "1"), at_ms=4_500)
    game = resolved(EACH, game, Credit(4_000, 50_000), at_ms=50_000)
    assert asked(game.live, 0).deadline_ms == 50_000 - 4_500 + 4_500 + LIMIT
    assert asked(game.live, 1).deadline_ms == 46_000 + LIMIT


def test_the_same_outage_is_credited_once_and_the_rest_of_it_later() -> None:
    game = resolved(EACH, dealt(EACH, decision=LIMIT), Credit(4_000, 50_000), at_ms=50_000)
    for again in (Credit(4_000, 50_000), Credit(1_000, 3_000), Credit(10_000, 50_000)):
        assert refused(EACH, game, again, at_ms=51_000).reason is Reason.NOTHING_DUE
    game = resolved(EACH, game, Credit(4_000, 52_000), at_ms=52_000)
    assert asked(game.live, 0).deadline_ms == 48_000 + LIMIT


def test_where_no_clock_runs_nothing_is_credited() -> None:
    game = dealt(EACH)
    assert refused(EACH, game, Credit(0, 9_000), at_ms=9_000).reason is Reason.NOTHING_DUE


def test_a_clock_that_stands_still_has_lost_nothing() -> None:
    game = play(TURNS, dealt(TURNS, **EVERY), (0, "0"), at_ms=4_000)
    game = resolved(TURNS, game, Credit(5_000, 50_000), at_ms=50_000)
    game = play(TURNS, game, (1, "no"), at_ms=51_000)
    assert asked(game.live, 0).deadline_ms == 51_000 + LIMIT - 4_000


def test_a_time_bank_is_not_charged_for_an_outage() -> None:
    game = dealt(EACH, decision=LIMIT, time_bank_ms=BANK)
    game = resolved(EACH, game, Credit(LIMIT + 2_000, LIMIT + 40_000), at_ms=LIMIT + 40_000)
    assert game.live.banks_left_ms(LIMIT + 40_000) == [BANK - 2_000, BANK - 2_000]
    game = play(EACH, game, (0, "1"), at_ms=LIMIT + 41_000)
    assert game.record.banks_ms == [BANK - 3_000, BANK]


def test_an_answer_from_before_the_outage_can_be_taken_back_after_it() -> None:
    game = play(EACH, dealt(EACH, decision=LIMIT), (0, "2"), at_ms=3_000)
    game = resolved(EACH, game, Credit(4_000, 50_000), at_ms=50_000)
    game = resolved(EACH, game, Undo(0), at_ms=50_500)
    assert asked(game.live, 0).deadline_ms == 46_000 + LIMIT


def test_a_clock_that_only_undo_would_set_going_is_credited_too() -> None:
    def play_on(table: Tabled) -> Script[None]:
        yield from ask_seat(table, 0, lambda: choice("go", "0", clock=Clock("phase", "a")))
        yield from ask_seat(table, 1, lambda: choice("react", "0"))

    rules = scripted(play_on)
    game = play(rules, dealt(rules, phase=LIMIT), (0, "0"), at_ms=3_000)
    assert game.live.next_due_ms() is None
    game = resolved(rules, game, Credit(4_000, 50_000), at_ms=50_000)
    game = resolved(rules, game, Undo(0), at_ms=51_000)
    assert asked(game.live, 0).deadline_ms == 46_000 + LIMIT


def test_what_a_credit_leads_to_can_still_be_undone() -> None:
    """It is no answer: the last one stays the last."""
    game = play(EACH, dealt(EACH, decision=LIMIT, time_bank_ms=BANK), (0, "2"), at_ms=LIMIT + 1_000)
    game = resolved(EACH, game, Credit(LIMIT + 2_000, LIMIT + 9_000), at_ms=LIMIT + 9_000)
    game = resolved(EACH, game, Undo(0), at_ms=LIMIT + 9_500)
    assert game.record.banks_ms == [BANK, BANK]
    assert game.live.banks_left_ms(LIMIT + 9_500) == [BANK - 2_500, BANK - 2_500]
