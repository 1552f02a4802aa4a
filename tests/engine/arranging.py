"""Arranging tests of the engine: scripts on the toy game's board, played a step at a time."""

from __future__ import annotations

from typing import Any, Final

from hutch.engine import kernel
from hutch.engine.asking import each
from hutch.engine.commands import Command, Submit
from hutch.engine.kernel import Outcome
from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Option, Question, Reply, card, picks, word
from hutch.engine.records import Result, decode_record, encode_record
from hutch.engine.refusals import Refusal
from hutch.engine.rules import Rules, Script
from tests.engine.toy import SEED, Play, Tabled, Tired, Took, rules


def scripted(play: Play, **changes: Any) -> Rules:
    """Rules whose game is that script, without a deal or any-time cards."""

    def to_the_end(table: Tabled) -> Script[Result]:
        yield from play(table)
        return Result(tuple(table.board.carrots), ())

    manifest = {"setup": lambda table: None, "offers": None, "interject": None}
    return rules(play=to_the_end, **(manifest | changes))


def choice(topic: str, *options: str, **more: Any) -> Ask:
    """A question with these options; the first is its default."""
    more.setdefault("default", picks(options[0]))
    return Ask(topic, tuple([Option(one, (word(one),)) for one in options]), **more)


def each_takes(table: Tabled) -> Script[None]:
    """Everybody takes carrots, as often as they like; whoever stops is done."""

    def build(seat: int) -> Ask | None:
        return None if table.board.digs[seat] else choice("take", "stop", "1", "2")

    def do(reply: Reply) -> bool:
        if reply.option == "stop":
            table.emit(Tired(reply.seat))
        else:
            table.emit(Took(reply.seat, int(reply.option)))
        return False

    yield from each(table, range(table.seats), build, do)


#: `each_takes`, to be played without the game.
EACH: Final = scripted(each_takes)


def change_each_other(table: Tabled) -> Script[None]:
    """Whatever one takes changes what the other is asked."""

    def build(seat: int) -> Ask:
        return choice("take", "1", about=(card(str(table.board.carrots)),))

    def do(reply: Reply) -> bool:
        table.emit(Took(reply.seat, 1))
        return True

    yield from each(table, range(2), build, do)


#: `change_each_other`, likewise.
MUTUAL: Final = scripted(change_each_other)


def dealt(
    rules: Rules, seats: int = 2, *, at_ms: int = 0, time_bank_ms: int = 0, **limits_ms: int
) -> Outcome:
    """A game that has begun. Other keyword arguments are the limits of clocks."""
    outcome = kernel.deal(
        rules,
        seats=seats,
        options={},
        seed=SEED,
        at_ms=at_ms,
        limits_ms=limits_ms,
        time_bank_ms=time_bank_ms,
    )
    assert isinstance(outcome, Outcome), outcome
    return outcome


def asked(live: Live, seat: int) -> Question:
    """The question that seat must answer."""
    question = live.questions(seat)[0]
    assert not question.offered
    return question


def offered(live: Live, seat: int) -> Question:
    """The offer that is open to that seat."""
    question = live.questions(seat)[-1]
    assert question.offered
    return question


def answer(live: Live, seat: int, *options: str) -> None:
    """The seat answers its question with these options."""
    refusal = live.answer(seat, asked(live, seat).number, picks(*options))
    assert refusal is None, refusal


def take(live: Live, seat: int, *options: str) -> None:
    """The seat takes its offer up with these options."""
    refusal = live.answer(seat, offered(live, seat).number, picks(*options))
    assert refusal is None, refusal


def play(rules: Rules, game: Outcome, *answers: tuple[int, str], at_ms: int = 0) -> Outcome:
    """The game after these answers at that time, all resolved statelessly."""
    for seat, option in answers:
        number = asked(game.live, seat).number
        game = resolved(rules, game, Submit(seat, number, picks(option)), at_ms=at_ms)
    return game


def resolved(rules: Rules, stored: Outcome, command: Command, *, at_ms: int = 0) -> Outcome:
    """The outcome of a command, resolved from the stored bytes by a process that knows nothing."""
    outcome = refused_or_resolved(rules, stored, command, at_ms=at_ms)
    assert isinstance(outcome, Outcome), outcome
    return outcome


def refused(rules: Rules, stored: Outcome, command: Command, *, at_ms: int = 0) -> Refusal:
    """The refusal of a command, likewise."""
    outcome = refused_or_resolved(rules, stored, command, at_ms=at_ms)
    assert isinstance(outcome, Refusal), outcome
    return outcome


def refused_or_resolved(
    rules: Rules, stored: Outcome, command: Command, *, at_ms: int
) -> Outcome | Refusal:
    """What comes of a command, likewise."""
    record = decode_record(encode_record(stored.record))
    return kernel.resolve(rules, record, command, at_ms=at_ms)


def reopened(rules: Rules, live: Live) -> Live:
    """The same game, decoded from the bytes it is stored as."""
    return Live(rules, decode_record(encode_record(live.record())))
