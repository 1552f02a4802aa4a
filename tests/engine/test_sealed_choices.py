"""Sealed choices: all choose, and nobody learns what until everybody has."""

from __future__ import annotations

from hutch.engine.asking import sealed
from hutch.engine.prompts import Picks, picks
from hutch.engine.rules import Script
from tests.engine import toy
from tests.engine.arranging import answer, choice, dealt, reopened, scripted, take
from tests.engine.toy import Tabled
from tests.engine.ways import SEALED, seal_and_take


def test_a_sealed_choice_tells_nobody_until_all_are_in() -> None:
    live = dealt(SEALED, seats=3).live

    answer(live, 2, "3")
    answer(live, 0, "1")

    assert live.awaited() == (1,)
    assert live.forget_events() == []
    assert live.table.board.carrots == [0, 0, 0]
    answer(live, 1, "2")
    assert live.table.board.carrots == [1, 2, 3]


def test_sealed_choices_outlive_the_process() -> None:
    live = dealt(SEALED).live
    answer(live, 0, "3")

    live = reopened(SEALED, live)

    assert live.table.sealed[0].picks == picks("3")
    answer(live, 1, "1")
    assert live.table.board.carrots == [3, 1]


def test_a_seat_that_comes_back_during_a_sealed_choice_takes_part() -> None:
    live = dealt(SEALED, seats=3).live
    assert live.leave(1) is None
    assert live.awaited() == (0, 2)
    answer(live, 0, "1")

    assert live.rejoin(1) is None
    answer(live, 1, "3")
    answer(live, 2, "2")

    assert live.table.board.carrots == [1, 3, 2]


def test_a_seat_that_leaves_before_it_chose_holds_nobody_up() -> None:
    live = dealt(SEALED, seats=3).live
    answer(live, 0, "1")
    answer(live, 2, "2")
    assert live.leave(1) is None
    assert live.table.board.carrots == [1, 0, 2]


def test_a_choice_that_is_in_stays_when_its_player_leaves() -> None:
    live = dealt(SEALED).live
    answer(live, 0, "3")
    assert live.leave(0) is None
    answer(live, 1, "1")
    assert live.table.board.carrots == [3, 1]


def test_a_sealed_choice_within_a_sealed_choice_loses_nothing() -> None:
    """A card played in between asks for a sealed choice of its own."""
    rules = scripted(
        seal_and_take,
        offers=lambda table: {} if table.board.round else {2: choice("card", "vote")},
        interject=vote,
    )
    live = dealt(rules, seats=3).live
    answer(live, 0, "3")

    take(live, 2, "vote")
    assert live.awaited() == (0, 1, 2)
    for seat in range(3):
        answer(live, seat, "yes")

    assert live.awaited() == (1, 2), "seat 0 has chosen already"
    answer(live, 1, "1")
    answer(live, 2, "2")
    assert live.table.board.carrots == [3, 1, 2]


def vote(table: Tabled, seat: int, picked: Picks) -> Script[None]:
    table.emit(toy.RoundBegan(1))
    yield from sealed(table, range(table.seats), lambda seat: choice("vote", "yes", "no"))
