"""Refusals: every mistake has its reason, a sentence and the facts, and changes nothing."""

from __future__ import annotations

import pytest

from hutch.engine import kernel
from hutch.engine.asking import ask_seat
from hutch.engine.commands import Command, Leave, PlayDefault, Rejoin, Submit, Tick, Undo
from hutch.engine.kernel import Outcome
from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Option, Pick, Picks, picks
from hutch.engine.records import encode_record
from hutch.engine.refusals import Reason, Refusal
from hutch.engine.rules import Rules, Script
from tests.engine import toy
from tests.engine.arranging import answer, asked, choice, dealt, refused, scripted
from tests.engine.toy import GAME, Tabled

BASKET = Ask(
    "basket",
    (Option("carrot", most=3), Option("cabbage"), Option("water")),
    least=2,
    most=4,
    default=picks("cabbage", "water"),
)


def fill(table: Tabled) -> Script[None]:
    yield from ask_seat(table, 0, lambda: BASKET)


BASKETS = scripted(fill)


@pytest.mark.parametrize(
    "given",
    [
        picks("cabbage", "water"),
        (Pick("carrot", 2),),
        (Pick("carrot", 3), Pick("water")),
        (Pick("water"), Pick("carrot", 1)),
    ],
)
def test_picks_within_the_limits_are_accepted(given: Picks) -> None:
    live = dealt(BASKETS).live
    assert live.answer(0, asked(live, 0).number, given) is None


@pytest.mark.parametrize(
    ("given", "reason", "sentence", "facts"),
    [
        (
            picks("turnip"),
            Reason.NOT_AN_OPTION,
            "'turnip' is not among the options of 'basket'; pick from those the question lists.",
            {"option": "turnip", "topic": "basket"},
        ),
        (
            picks("water", "water"),
            Reason.PICKED_TWICE,
            "'water' is picked twice; give it once, with a count.",
            {"option": "water"},
        ),
        (
            (Pick("carrot", 4),),
            Reason.COUNT_OUT_OF_RANGE,
            "'carrot' is picked 4 times; 1 to 3 is allowed.",
            {"option": "carrot", "most": "3"},
        ),
        (
            (Pick("carrot", 0), Pick("water", 1)),
            Reason.COUNT_OUT_OF_RANGE,
            "'carrot' is picked 0 times; 1 to 3 is allowed.",
            {"option": "carrot", "most": "3"},
        ),
        (
            (Pick("water", -1), Pick("carrot", 3)),
            Reason.COUNT_OUT_OF_RANGE,
            "'water' is picked -1 times; 1 to 1 is allowed.",
            {"option": "water", "most": "1"},
        ),
        (
            picks("water"),
            Reason.TOO_FEW_PICKS,
            "'basket' needs at least 2 picks and got 1.",
            {"least": "2"},
        ),
        ((), Reason.TOO_FEW_PICKS, "'basket' needs at least 2 picks and got 0.", {"least": "2"}),
        (
            (Pick("carrot", 3), Pick("water"), Pick("cabbage")),
            Reason.TOO_MANY_PICKS,
            "'basket' takes at most 4 picks and got 5.",
            {"most": "4"},
        ),
    ],
)
def test_picks_that_do_not_fit_are_refused_with_a_sentence(
    given: Picks, reason: Reason, sentence: str, facts: dict[str, str]
) -> None:
    game = dealt(BASKETS)
    refusal = refused(BASKETS, game, Submit(0, asked(game.live, 0).number, given))
    assert (refusal.reason, refusal.sentence, refusal.facts) == (reason, sentence, facts)


def test_a_refusal_repeats_no_more_than_a_line_of_what_was_sent() -> None:
    game = dealt(BASKETS)
    refusal = refused(BASKETS, game, Submit(0, asked(game.live, 0).number, picks("x" * 10_000)))
    assert len(refusal.sentence) < 200
    assert len(refusal.facts["option"]) < 80


def test_the_game_says_in_its_own_words_why_a_pick_is_no_option() -> None:
    game = dealt(GAME)
    number = asked(game.live, 0).number
    assert "never printed" in refused(GAME, game, Submit(0, number, picks("0"))).sentence
    assert "among the options" in refused(GAME, game, Submit(0, number, picks("99"))).sentence


def test_an_answer_to_a_question_that_is_not_open_names_those_that_are() -> None:
    game = dealt(GAME)
    ask_number, offer_number = [one.number for one in game.live.questions(0)]
    refusal = refused(GAME, game, Submit(0, 77, picks("1")))
    assert refusal.reason is Reason.PROMPT_CLOSED
    assert f"open to it now: {ask_number}, {offer_number}" in refusal.sentence


def test_an_answer_to_another_seats_question_is_refused() -> None:
    game = dealt(GAME)
    theirs = asked(game.live, 1)
    refusal = refused(GAME, game, Submit(0, theirs.number, theirs.ask.default))
    assert refusal.reason is Reason.PROMPT_CLOSED


def test_a_seat_nobody_asks_is_told_so() -> None:
    rules = scripted(lambda table: ask_seat(table, 0, lambda: choice("go", "on")))
    refusal = refused(rules, dealt(rules), Submit(1, 3, picks("on")))
    assert refusal.reason is Reason.PROMPT_CLOSED
    assert "none is open to it" in refusal.sentence


@pytest.mark.parametrize("seat", [-1, 2, 99])
@pytest.mark.parametrize("command", [lambda seat: Submit(seat, 2, ()), Leave, Rejoin])
def test_a_seat_that_the_table_has_not_is_refused(command: type[Leave], seat: int) -> None:
    refusal = refused(GAME, dealt(GAME), command(seat))
    assert refusal.reason is Reason.SEAT_UNKNOWN
    assert refusal.sentence == f"There is no seat {seat}; the seats are 0 to 1."


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (Submit(0, 2, picks("on")), Reason.GAME_OVER),
        (Leave(1), Reason.GAME_OVER),
        (Rejoin(1), Reason.GAME_OVER),
        (PlayDefault(0), Reason.GAME_OVER),
        (Undo(0), Reason.NOT_UNDOABLE),
        (Tick(), Reason.NOTHING_DUE),
    ],
)
def test_nothing_can_be_done_in_a_game_that_is_over(command: Command, reason: Reason) -> None:
    rules = scripted(lambda table: ask_seat(table, 0, lambda: choice("go", "on")))
    live = dealt(rules, decision=5).live
    answer(live, 0, "on")
    assert live.result is not None
    assert refused(rules, Outcome(live, []), command, at_ms=10**9).reason is reason


def test_a_record_of_rules_that_are_gone_is_refused_and_not_misread() -> None:
    game = dealt(GAME)
    for other in (toy.rules(revision=2), toy.rules(name="other")):
        refusal = refused(other, game, Submit(0, asked(game.live, 0).number, picks("1")))
        assert refusal.reason is Reason.RULES_GONE
        assert refusal.facts == {"ruleset": "toy", "revision": "1"}
        with pytest.raises(ValueError, match="the record is of 'toy' revision 1"):
            Live(other, game.record)


def refusable(live: Live) -> list[Command]:
    number = asked(live, 0).number
    return [
        Submit(0, number, picks("nonsense")),
        Submit(0, number, ()),
        Submit(0, number + 1000, picks("1")),
        Submit(9, number, picks("1")),
        Leave(9),
        Rejoin(0),
        PlayDefault(9),
        Undo(0),
        Tick(),
    ]


def test_a_refused_command_leaves_the_game_byte_for_byte_as_it_was() -> None:
    rules: Rules = GAME
    game = dealt(rules, phase=1_000)
    before = encode_record(game.record)
    for command in refusable(game.live):
        refused(rules, game, command, at_ms=999)
        outcome = kernel.resolve(rules, game.live, command, at_ms=999)
        assert isinstance(outcome, Refusal)
        assert encode_record(game.record) == before, command
        assert game.live.forget_events() == []
