"""What a question lists is accepted, and nothing else is."""

from __future__ import annotations

from random import Random

from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Option, Pick, Picks, Question
from hutch.engine.records import encode_record
from hutch.engine.refusals import Reason, Refusal
from tests.properties.play import moments, open_questions
from tests.properties.profile import Setting

MOMENTS = 12
#: So many of the questions of a moment are tried.
QUESTIONS = 3


def every_listed_option_is_accepted(setting: Setting, seed: int) -> None:
    """A fork of the game takes each option of each question, as often as it says."""
    rng = Random(seed)
    for live in moments(setting, seed, most=MOMENTS):
        for question in some_questions(live, rng):
            for option in question.ask.options:
                given = picks_with(question.ask, option, rng)
                refusal = live.fork().answer(question.seat, question.number, given)
                assert refusal is None, f"{setting}: {given} of {question}: {refusal}"


def nothing_else_is_accepted(setting: Setting, seed: int) -> None:
    """Other picks are refused with a sentence, and change nothing."""
    rng = Random(seed)
    for live in moments(setting, seed, most=MOMENTS):
        before = encode_record(live.record())
        for question in some_questions(live, rng):
            for given, reasons in wrong_picks(live, question):
                refusal = live.answer(question.seat, question.number, given)
                assert isinstance(refusal, Refusal), f"{setting}: {given} of {question}"
                assert refusal.reason in reasons, f"{setting}: {given}: {refusal}"
                assert refusal.sentence.strip()
        assert encode_record(live.record()) == before


def some_questions(live: Live, rng: Random) -> list[Question]:
    """A few of the questions that are open."""
    questions = open_questions(live)
    return rng.sample(questions, min(QUESTIONS, len(questions)))


def picks_with(ask: Ask, option: Option, rng: Random) -> Picks:
    """A legal answer that takes the option as often as it may be, and others where it must."""
    count = min(option.most, ask.most)
    picked = [Pick(option.id, count)]
    missing = ask.least - count
    for other in rng.sample(ask.options, len(ask.options)):
        if missing > 0 and other.id != option.id:
            taken = min(other.most, missing)
            picked.append(Pick(other.id, taken))
            missing -= taken
    rng.shuffle(picked)
    return tuple(picked)


def wrong_picks(live: Live, question: Question) -> list[tuple[Picks, set[Reason]]]:
    """Answers that do not fit, and the reasons they may be refused for."""
    ask = question.ask
    mine = {option.id for option in ask.options}
    theirs = {option.id for other in open_questions(live) for option in other.ask.options} - mine
    wrong: list[tuple[Picks, set[Reason]]] = [
        ((Pick(option),), {Reason.NOT_AN_OPTION})
        for option in sorted({"no such option", "", "PASS", *theirs} - mine)
    ]
    if ask.least > 0:
        wrong.append(((), {Reason.TOO_FEW_PICKS}))
    for option in ask.options[:2]:
        twice = (Pick(option.id), Pick(option.id))
        wrong.append((twice, {Reason.PICKED_TWICE}))
        for count in (0, -1, option.most + 1):
            wrong.append(((Pick(option.id, count),), {Reason.COUNT_OUT_OF_RANGE}))
    everything = tuple([Pick(option.id, option.most) for option in ask.options])
    if sum(pick.count for pick in everything) > ask.most:
        wrong.append((everything, {Reason.TOO_MANY_PICKS}))
    return wrong
