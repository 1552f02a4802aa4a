"""Planning: openly, changeable until all are ready."""

from __future__ import annotations

from tests.engine import toy
from tests.engine.arranging import answer, dealt, offered, take
from tests.engine.ways import PLAN, plan


def test_planning_is_open_and_ends_when_all_are_ready() -> None:
    live = dealt(PLAN).live

    answer(live, 0, "high")
    assert live.forget_events() == [toy.Drafted(0, "high", True)]
    assert live.awaited() == (1,)
    answer(live, 1, "low")

    assert live.result is not None


def test_a_draft_is_laid_out_and_its_seat_is_still_awaited() -> None:
    live = dealt(PLAN).live
    assert offered(live, 0).ask.topic == "plan.draft"

    take(live, 0, "high")

    assert live.forget_events() == [toy.Drafted(0, "high", False)]
    assert live.awaited() == (0, 1)


def test_a_ready_seat_may_take_that_back_until_the_last_is_ready() -> None:
    live = dealt(PLAN).live
    answer(live, 0, "high")
    assert live.questions(0) == [offered(live, 0)]

    take(live, 0, "take-back")

    assert live.forget_events()[-1] == toy.Drafted(0, "", False)
    assert live.awaited() == (0, 1)


def test_planning_is_capped_for_each_seat_so_that_it_ends() -> None:
    live = dealt(plan(drafts=1, take_backs=1)).live
    take(live, 0, "high")
    assert len(live.questions(0)) == 1, "no draft is left"
    answer(live, 0, "low")
    take(live, 0, "take-back")
    answer(live, 0, "low")
    assert live.questions(0) == [], "no take-back is left"
    assert len(live.questions(1)) == 2, "the other seat's are untouched"


def test_leaving_ends_a_planning_that_waits_for_nobody_else() -> None:
    live = dealt(PLAN).live
    answer(live, 0, "high")
    assert live.leave(1) is None
    assert live.result is not None
