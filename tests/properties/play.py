"""Random play: games that go every way they can, from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from hutch.engine import kernel
from hutch.engine.commands import Command, Leave, PlayDefault, Rejoin, Submit, Tick, Undo
from hutch.engine.kernel import Outcome
from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Question
from hutch.engine.records import Record, decode_record, encode_record
from hutch.engine.sampling import random_picks
from tests.properties.profile import Setting

#: How often an offer is taken up rather than an ask answered, while there are offers.
OFFERED = 0.15


def open_questions(live: Live) -> list[Question]:
    """Every question that is open to anybody and can be answered, in order of seats."""
    return [
        question
        for seat in range(live.table.seats)
        for question in live.questions(seat)
        if is_answerable(question.ask)
    ]


def is_answerable(ask: Ask) -> bool:
    """Whether there is any answer to it."""
    return sum([option.most for option in ask.options]) >= ask.least


def some_answer(live: Live, rng: Random) -> Submit:
    """A random answer: to an ask of any awaited seat, now and then to an offer."""
    questions = open_questions(live)
    offers = [question for question in questions if question.offered]
    asks = [question for question in questions if not question.offered]
    question = rng.choice(offers if offers and rng.random() < OFFERED else asks)
    return Submit(question.seat, question.number, random_picks(question.ask, rng))


def some_command(live: Live, rng: Random) -> Command:
    """A random command of any kind, which need not be acceptable; answers are likeliest."""
    seats = live.table.seats
    match rng.randrange(16):
        case 0:
            return Leave(rng.randrange(seats))
        case 1 | 2:
            return Rejoin(rng.randrange(seats))
        case 3:
            return Tick()
        case 4 | 5:
            return Undo(rng.randrange(seats))
        case 6:
            return PlayDefault(rng.choice(live.awaited()))
    return some_answer(live, rng)


@cache
def transcript(setting: Setting, seed: int) -> tuple[Submit, ...]:
    """The answers of a random game, up to its end.

    More of them than the profile allows are an assertion.
    """
    rng = Random(seed)
    live = setting.deal(seed).live
    answers: list[Submit] = []
    while live.result is None:
        assert len(answers) < setting.profile.decisions, (
            f"{setting}: after {len(answers)} answers the game is not over"
        )
        answers.append(some_answer(live, rng))
        _give(setting, live, answers[-1])
    return tuple(answers)


def steps(setting: Setting, seed: int) -> Iterator[Live]:
    """A random game: the live game at the deal, then after each answer, up to its end."""
    live = setting.deal(seed).live
    yield live
    for answer in transcript(setting, seed):
        _give(setting, live, answer)
        yield live


def moments(setting: Setting, seed: int, *, most: int) -> Iterator[Live]:
    """The deal and about `most` more moments of a random game, spread by chance."""
    rng = Random(seed)
    share = most / max(1, len(transcript(setting, seed)))
    for index, live in enumerate(steps(setting, seed)):
        if live.result is None and (index == 0 or rng.random() < share):
            yield live


def answered(setting: Setting, seed: int, *, most: int) -> Iterator[tuple[Live, Submit, Outcome]]:
    """About `most` answers of a random game: the game before, the answer, and what came of it."""
    rng = Random(seed)
    answers = transcript(setting, seed)
    for live, answer in zip(steps(setting, seed), answers, strict=False):
        if rng.random() * len(answers) < most:
            outcome = kernel.resolve(setting.rules, live.fork(), answer, at_ms=0)
            assert isinstance(outcome, Outcome), f"{setting}: {answer} was refused: {outcome}"
            yield live, answer, outcome


def some_audiences(setting: Setting, rng: Random) -> list[int | None]:
    """A few of those who look on: two seats at most, and the public."""
    return [*sorted(rng.sample(range(setting.seats), min(2, setting.seats))), None]


def resolved(setting: Setting, record: Record, command: Command, *, at_ms: int = 0) -> Outcome:
    """The outcome of a command that must be accepted, resolved from the stored bytes."""
    outcome = kernel.resolve(setting.rules, again(record), command, at_ms=at_ms)
    assert isinstance(outcome, Outcome), f"{setting}: {command} was refused: {outcome}"
    return outcome


def again(record: Record) -> Record:
    """The record as another process gets it."""
    return decode_record(encode_record(record))


def _give(setting: Setting, live: Live, answer: Submit) -> None:
    refusal = live.answer(answer.seat, answer.number, answer.picks)
    assert refusal is None, f"{setting}: {answer} was refused: {refusal}"
