"""What is taken back taught nobody anything, and what is played again is the same."""

from __future__ import annotations

from random import Random

from hutch.engine import kernel
from hutch.engine.commands import Submit, Undo
from hutch.engine.kernel import Outcome, imagined
from hutch.engine.live import Live
from hutch.engine.prompts import Ask
from tests.properties.play import again, resolved, some_answer
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
        for audience in setting.audiences:
            for _ in range(WORLDS):
                world = imagined(setting.rules, before.record(), audience, rng)
                if answered_alike(before, world, command):
                    assert seen(world, audience) == seen(after, audience), (
                        f"{setting}: {command} may be taken back, but {audience} learnt something"
                    )


def undone_answers(setting: Setting, seed: int) -> list[tuple[Live, Submit, Live, Live]]:
    """Answers of a random game that can be taken back: before, the answer, after, and undone."""
    rng = Random(seed)
    game = setting.deal(seed)
    found: list[tuple[Live, Submit, Live, Live]] = []
    while game.live.result is None and len(found) < TRIED:
        command = some_answer(game.live, rng)
        after = resolved(setting, game.record, command)
        undone = kernel.resolve(setting.rules, again(after.record), Undo(command.seat), at_ms=0)
        if isinstance(undone, Outcome):
            assert undone.rewound
            found.append((game.live, command, after.live, undone.live))
        game = after
    return found


def _board(live: Live) -> bytes:
    return live.rules.encode_board(live.table.board)


def _asks(live: Live) -> list[list[tuple[bool, Ask]]]:
    return [
        [(question.offered, question.ask) for question in live.questions(seat)]
        for seat in range(live.table.seats)
    ]
