"""Coming and going: a seat that is left holds nobody up, and may have a player again."""

from __future__ import annotations

from hutch.engine.asking import ask_seat
from hutch.engine.commands import Leave, PlayDefault, Rejoin
from hutch.engine.refusals import Reason
from hutch.engine.rules import Rules, Script
from tests.engine import toy
from tests.engine.arranging import asked, choice, dealt, refused, resolved, scripted
from tests.engine.toy import GAME, PlayerLeft, PlayerReturned


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


def _checkpointed() -> Rules:
    def play(table: toy.Tabled) -> Script[None]:
        while table.board.round < 2:
            yield from table.checkpoint()
            yield from ask_seat(table, 0, lambda: choice("go", "on"))
            table.emit(toy.RoundBegan(table.board.round + 1))

    return scripted(play)


CHECKPOINTED = _checkpointed()
