"""What is taken back taught nobody anything, and what is played again is the same."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hutch.engine.commands import Submit
from hutch.engine.kernel import imagined
from hutch.engine.live import Live
from hutch.engine.prompts import Ask
from hutch.engine.records import Record
from tests.properties.play import some_audiences, steps, transcript
from tests.properties.profile import Setting
from tests.properties.secrecy import answered_alike, seen

#: About how many answers of a game are taken back.
TRIED = 20
WORLDS = 2


def undone_and_played_again_a_game_is_the_same(setting: Setting, seed: int) -> None:
    """Undo leads to the board and the questions before the answer, and redoing it after."""
    for before, command, after, undone in undone_answers(setting, seed):
        assert _board(undone) == _board(before), f"{setting}: {command}"
        assert _asks(undone) == _asks(before), f"{setting}: {command}"
        number = undone.ask_numbers.get(command.seat)
        redone = undone.fork()
        stale = redone.answer(command.seat, command.number, command.picks)
        assert stale is not None, f"{setting}: the answer taken back counts again"
        if number is not None and redone.asks[command.seat] == before.asks.get(command.seat):
            assert redone.answer(command.seat, number, command.picks) is None
            assert _board(redone) == _board(after), f"{setting}: {command}"
            assert _asks(redone) == _asks(after), f"{setting}: {command}"


def what_may_be_taken_back_taught_nothing(setting: Setting, seed: int) -> None:
    """In any world that somebody may imagine, the answer would have looked the same to them."""
    rng = Random(seed)
    for before, command, after, _ in undone_answers(setting, seed):
        for audience in some_audiences(setting, rng):
            for _ in range(WORLDS):
                world = imagined(setting.rules, before.record(), audience, rng)
                if answered_alike(before, world, command):
                    assert seen(world, audience) == seen(after, audience), (
                        f"{setting}: {command} may be taken back, but {audience} learnt something"
                    )


def undone_answers(setting: Setting, seed: int) -> Iterator[tuple[Live, Submit, Live, Live]]:
    """Answers of a random game that can be taken back: before, the answer, after, and undone."""
    found = 0
    answers = transcript(setting, seed)
    stored: Record | None = None
    for index, live in enumerate(steps(setting, seed)):
        if index and stored is not None and found < TRIED:
            answer = answers[index - 1]
            undone = live.undo(answer.seat)
            if isinstance(undone, Live):
                found += 1
                yield Live(setting.rules, stored), answer, live.fork(), undone
        stored = live.record()


def _board(live: Live) -> bytes:
    return live.rules.encode_board(live.table.board)


def _asks(live: Live) -> list[list[tuple[bool, Ask]]]:
    return [
        [(question.offered, question.ask) for question in live.questions(seat)]
        for seat in range(live.table.seats)
    ]
