"""Interjections: cards that are played while somebody is asked something else."""

from __future__ import annotations

from hutch.engine.asking import ask
from hutch.engine.rules import Script
from tests.engine.arranging import answer, asked, choice, dealt, take
from tests.engine.toy import Tabled, Took
from tests.engine.ways import INTERJECTED, bid_in_turn, seal_and_take, snatch, with_cards, work


def test_a_card_played_in_between_is_resolved_and_the_question_asked_again_afresh() -> None:
    live = dealt(INTERJECTED).live
    assert [one.id for one in asked(live, 0).ask.options] == ["1", "2"]

    take(live, 1, "card-1")
    assert live.awaited() == (1,)
    answer(live, 1, "yes")

    assert [one.id for one in asked(live, 0).ask.options] == ["1"]
    answer(live, 0, "1")
    assert live.table.board.carrots == [1, 1]


def test_a_question_may_vanish_by_what_was_played_in_between() -> None:
    live = dealt(INTERJECTED).live
    for option in ("card-1", "card-0"):
        take(live, 1, option)
        answer(live, 1, "yes")
    assert live.result is not None
    assert live.table.board.carrots == [0, 100]


def test_a_card_may_answer_a_card() -> None:
    """The second is played while the first one's own question is open."""
    live = dealt(INTERJECTED).live
    take(live, 1, "card-1")
    take(live, 1, "card-0")
    answer(live, 1, "yes")
    assert asked(live, 1).ask.topic == "sure", "the first card's question again"
    assert live.table.board.carrots[0] == 1
    answer(live, 1, "no")
    assert live.table.board.carrots[0] == 1


def test_an_interrupted_question_that_did_not_change_is_the_same_to_those_not_involved() -> None:
    def play(table: Tabled) -> Script[None]:
        yield from ask(table, lambda: {0: choice("wait", "go"), 2: choice("wait", "go")})

    live = dealt(with_cards(play), seats=3).live
    take(live, 1, "card-1")
    answer(live, 1, "no")
    assert live.awaited() == (0, 2)
    assert live.result is None


def test_interjections_reach_every_way_of_asking() -> None:
    for script in (seal_and_take, work, snatch, bid_in_turn):
        live = dealt(with_cards(script)).live
        awaited = live.awaited()
        take(live, 1, "card-0")
        answer(live, 1, "yes")
        assert live.awaited() == awaited, script.__name__
        assert live.table.board.carrots[0] == -1


def test_a_questions_own_offers_come_before_those_of_any_time() -> None:
    def play(table: Tabled) -> Script[None]:
        reply = yield from ask(
            table, lambda: {0: choice("wait", "go")}, lambda: {1: choice("own", "mine")}
        )
        assert reply is not None
        assert reply.offered
        table.emit(Took(reply.seat, 5))

    live = dealt(with_cards(play)).live
    assert [one.ask.topic for one in live.questions(1)] == ["own"]
    take(live, 1, "mine")
    assert live.table.board.carrots == [0, 5]
