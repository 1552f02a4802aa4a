"""Coming and going: a seat that is left holds nobody up, and may have a player again."""

from __future__ import annotations

from hutch.engine.asking import ask_seat
from hutch.engine.commands import Leave, PlayDefault, Rejoin, Undo
from hutch.engine.refusals import Reason
from hutch.engine.rules import Rules, Script
from tests.engine import toy
from tests.engine.arranging import (
    asked,
    choice,
    dealt,
    play,
    refused,
    reopened,
    resolved,
    scripted,
)
from tests.engine.toy import GAME, PlayerLeft, PlayerReturned
from tests.engine.ways import WINDOW


def test_the_rules_hear_that_a_player_left_and_the_questions_are_asked_anew() -> None:
    game = resolved(GAME, dealt(GAME, seats=3), Leave(1))
    assert game.events == [PlayerLeft(1)]
    assert game.live.awaited() == (0, 2)
    assert game.record.gone == [1]


def test_what_others_are_asked_stays_the_same() -> None:
    game = dealt(GAME, seats=3)
    before = game.live.questions(0)
    assert resolved(GAME, game, Leave(1)).live.questions(0) == before


def test_a_seat_that_was_left_may_be_taken_over() -> None:
    game = resolved(GAME, dealt(GAME, seats=3), Leave(1))
    game = resolved(GAME, game, Rejoin(1))
    assert game.events == [PlayerReturned(1)]
    assert game.live.awaited() == (0, 1, 2)
    assert game.record.gone == []


def test_who_left_is_remembered_over_a_checkpoint() -> None:
    game = resolved(CHECKPOINTED, dealt(CHECKPOINTED), Leave(1))
    game = resolved(CHECKPOINTED, game, PlayDefault(0))
    assert game.record.inputs == []
    assert refused(CHECKPOINTED, game, Leave(1)).reason is Reason.SEAT_ALREADY_LEFT


def test_a_game_goes_on_though_everybody_leaves_one_after_another() -> None:
    game = dealt(GAME, seats=4)
    for seat in (2, 0, 3, 1):
        game = resolved(GAME, game, Leave(seat))
    assert game.live.result is not None, "nobody was left to be asked"


def test_leaving_twice_and_coming_back_without_having_left_are_refused() -> None:
    game = dealt(GAME)
    assert refused(GAME, game, Rejoin(0)).reason is Reason.SEAT_NOT_LEFT
    game = resolved(GAME, game, Leave(0))
    assert refused(GAME, game, Leave(0)).reason is Reason.SEAT_ALREADY_LEFT


def test_the_default_of_a_seat_may_be_played_for_it() -> None:
    game = dealt(GAME)
    default = asked(game.live, 0).ask.default
    game = resolved(GAME, game, PlayDefault(0))
    assert game.live.awaited() == (1,)
    assert game.live.table.sealed[0].picks == default
    assert refused(GAME, game, PlayDefault(0)).reason is Reason.NOTHING_DUE


def test_who_is_back_while_others_are_asked_the_same_has_the_same_question_and_its_clock() -> None:
    """Decision 7: asked again unchanged, it keeps its number and its clock; away, it stands."""
    game = dealt(WINDOW, seats=3, decision=10_000, time_bank_ms=5_000)
    before = asked(game.live, 1)
    game = resolved(WINDOW, game, Leave(1), at_ms=12_000)
    assert game.live.next_due_ms() == 15_000, "nobody waits for who left"
    game = play(WINDOW, game, (0, "pass"), at_ms=13_000)

    game = resolved(WINDOW, game, Rejoin(1), at_ms=14_000)

    back = asked(game.live, 1)
    assert (back.number, back.ask) == (before.number, before.ask)
    assert back.deadline_ms == 14_000 + 3_000, "of limit and bank 12 seconds are used up"
    assert asked(reopened(WINDOW, game.live), 1) == back


def test_leaving_over_and_over_wins_no_time() -> None:
    game = dealt(WINDOW, decision=10_000)
    for at_ms in range(1_000, 10_000, 1_000):
        for command in (Leave(1), Rejoin(1)):
            game = resolved(WINDOW, game, command, at_ms=at_ms)
        assert asked(game.live, 1).deadline_ms == 10_000


def test_an_answer_taken_back_meanwhile_wins_no_time_for_who_left() -> None:
    game = resolved(WINDOW, dealt(WINDOW, decision=10_000), Leave(1), at_ms=4_000)
    game = play(WINDOW, game, (0, "take"), at_ms=5_000)
    for command in (Undo(0), Rejoin(1)):
        game = resolved(WINDOW, game, command, at_ms=6_000)
    assert asked(game.live, 1).deadline_ms == 6_000 + 6_000


def test_who_is_back_when_the_game_has_gone_on_has_a_fresh_question() -> None:
    game = dealt(WINDOW, seats=3, decision=10_000)
    before = asked(game.live, 1)
    game = resolved(WINDOW, game, Leave(1), at_ms=4_000)
    game = play(WINDOW, game, (0, "take"), (0, "yes"), at_ms=5_000)

    game = resolved(WINDOW, game, Rejoin(1), at_ms=6_000)

    assert asked(game.live, 1).ask == before.ask
    assert asked(game.live, 1).number > before.number
    assert asked(game.live, 1).deadline_ms == 16_000


def _checkpointed() -> Rules:
    def play(table: toy.Tabled) -> Script[None]:
        while table.board.round < 2:
            yield from table.checkpoint()
            yield from ask_seat(table, 0, lambda: choice("go", "on"))
            table.emit(toy.RoundBegan(table.board.round + 1))

    return scripted(play)


CHECKPOINTED = _checkpointed()
