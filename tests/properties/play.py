"""Random play: games that go every way they can, from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hutch.engine import kernel
from hutch.engine.commands import Command, Leave, PlayDefault, Rejoin, Submit, Tick, Undo
from hutch.engine.kernel import Outcome
from hutch.engine.live import Live, Question
from hutch.engine.prompts import Ask
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


def steps(setting: Setting, seed: int) -> Iterator[Live]:
    """A random game: the live game at the deal, then after each answer, up to its end.

    More answers than the profile allows are an assertion.
    """
    rng = Random(seed)
    live = setting.deal(seed).live
    yield live
    for _ in range(setting.profile.decisions):
        if live.result is not None:
            return
        command = some_answer(live, rng)
        refusal = live.answer(command.seat, command.number, command.picks)
        assert refusal is None, f"{setting}: {command} was refused: {refusal}"
        yield live
    assert live.result is not None, (
        f"{setting}: after {setting.profile.decisions} answers the game is not over"
    )


def moments(setting: Setting, seed: int, *, most: int) -> Iterator[Live]:
    """The deal and about `most` more moments of a random game, evenly spread by chance."""
    rng = Random(seed)
    length = sum(1 for _ in steps(setting, seed))
    for index, live in enumerate(steps(setting, seed)):
        if live.result is None and (index == 0 or rng.random() * length < most):
            yield live


def resolved(setting: Setting, record: Record, command: Command, *, at_ms: int = 0) -> Outcome:
    """The outcome of a command that must be accepted, resolved from the stored bytes."""
    outcome = kernel.resolve(setting.rules, again(record), command, at_ms=at_ms)
    assert isinstance(outcome, Outcome), f"{setting}: {command} was refused: {outcome}"
    return outcome


def again(record: Record) -> Record:
    """The record as another process gets it."""
    return decode_record(encode_record(record))
