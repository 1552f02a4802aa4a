"""Planning together: drafts, ready, taking back, undo, and the clock (house ruling O05)."""

from __future__ import annotations

import pytest

from hutch.engine.commands import Submit, Undo
from hutch.engine.kernel import Outcome
from hutch.engine.refusals import Reason, Refusal
from hutch.games.rabbit_space.board import Step
from hutch.games.rabbit_space.events import Arranged, GiftLaidOut, Promoted, ReadyTakenBack
from tests.games.rabbit_space.arranging import NOON_MS, Game, Seat, at, dealt, refs

MINUTE_MS = 60_000


def two_arranging() -> Game:
    return at(Step.ARRANGE, Seat(hand="B01 B02 B03"), Seat(hand="B11 B12"))


@pytest.mark.rule("RS-013")
def test_partners_see_a_draft_at_once_and_it_can_be_changed() -> None:
    game = two_arranging()

    game.offer(0, "B01", "B03")
    assert [placed.card for placed in game.view(1).seats[0].training_center] == ["B01", "B03"]
    assert game.awaited == (0, 1)
    game.offer(0, "B02")

    assert refs(game.seat(0).training_center) == "B02"


def test_a_ready_player_is_not_awaited_and_may_take_it_back() -> None:
    game = two_arranging().answer(0, "B01")
    assert game.view(1).seats[0].ready
    assert 0 not in game.awaited

    game.offer(0, "take-back")

    assert game.told(ReadyTakenBack) == [ReadyTakenBack(0)]
    assert game.awaited == (0, 1)
    assert not game.view(1).seats[0].ready
    assert refs(game.seat(0).training_center) == "B01"


def test_a_ready_may_be_taken_back_3_times_in_a_step() -> None:
    game = two_arranging()

    for _ in range(3):
        game.answer(0, "B01").offer(0, "take-back")
    game.answer(0, "B01")

    assert game.live.questions(0) == []


def test_what_the_barrier_closed_stays_closed() -> None:
    game = two_arranging().answer(0, "B01").answer(1, "B11")

    assert isinstance(game.tried(Undo(1)), Refusal)
    assert game.board.step is not Step.ARRANGE


def test_planning_is_not_undone_but_changed() -> None:
    for game in (two_arranging().offer(0, "B01"), two_arranging().answer(0, "B01")):
        refusal = game.tried(Undo(0))
        assert isinstance(refusal, Refusal)
        assert refusal.reason is Reason.NOT_UNDOABLE


@pytest.mark.rule("RS-018")
def test_a_gift_is_laid_out_for_all_to_see_and_may_be_withdrawn() -> None:
    game = at(Step.GIVE_CARROTS, Seat(carrots=5, training_center="B01"), Seat(carrots=1))

    game.offer(0, "1:3")
    assert game.view(1).seats[0].gift.amount == 3
    assert [pick.option for pick in game.question(0).ask.default] == ["1:3"]
    game.offer(0)
    assert not game.view(1).seats[0].HasField("gift")
    assert game.question(0).ask.default == ()
    game.answer(0, "1:1").answer(1)

    assert [own.carrots for own in game.board.seats] == [4, 2]
    assert [event.seat for event in game.told(GiftLaidOut)] == [1]


@pytest.mark.rule("RS-022")
def test_a_gift_stays_laid_out_when_its_giver_goes_on_planning() -> None:
    game = at(Step.GIVE_GOLD, Seat(gold=5, training_center="B01"), Seat(gold=1, level_1="S1"))

    game.answer(0, "1:3").offer(0, "take-back")

    assert game.told(ReadyTakenBack) == [ReadyTakenBack(0)]
    assert game.view(1).seats[0].gift.amount == 3
    game.leave(0).answer(1)
    assert [own.gold for own in game.board.seats] == [2, 4]


@pytest.mark.rule("RS-019")
def test_a_promotion_may_be_undone() -> None:
    game = at(Step.SPEND_CARROTS, Seat(carrots=5, training_center="B01 B03"), Seat())
    before = game.view(0).SerializeToString()

    game.answer(0, "B01").undo(0)

    assert game.view(0).SerializeToString() == before


@pytest.mark.rule("RS-024", "RS-025")
def test_actions_with_gold_may_be_undone_one_after_another() -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=9, level_1="B01 B03"), Seat())

    game.answer(0, "B01").answer(0, "B01").undo(0)
    assert refs(game.seat(0).level_2) == "B01"
    game.undo(0)

    assert refs(game.seat(0).level_1) == "B01 B03"
    assert game.seat(0).gold == 9


def test_an_action_is_not_undone_after_another_player_acted() -> None:
    spender = Seat(carrots=5, training_center="B01 B03")
    game = at(Step.SPEND_CARROTS, spender, Seat(carrots=5, training_center="B11 B21"))

    game.answer(0, "B01").answer(1, "B21")

    assert isinstance(game.tried(Undo(0)), Refusal)
    assert isinstance(game.tried(Undo(1)), Outcome)


def test_ready_is_final_where_resources_are_spent() -> None:
    spender = Seat(carrots=5, training_center="B01")
    game = at(Step.SPEND_CARROTS, spender, Seat(carrots=5, training_center="B21"))

    game.answer(0, "ready")

    assert isinstance(game.tried(Undo(0)), Refusal)
    assert game.awaited == (1,)
    assert game.view(1).seats[0].ready


def test_spending_is_seen_by_all_at_once() -> None:
    spender = Seat(carrots=5, training_center="B01 B03")
    game = at(Step.SPEND_CARROTS, spender, Seat(), competitive=True).answer(0, "B01")

    assert [event.face(1) for event in game.told(Promoted)] == game.told(Promoted)
    assert [placed.card for placed in game.view(1).seats[0].level_1] == ["B01"]


def test_a_question_that_changed_takes_no_late_answer() -> None:
    game = at(Step.SPEND_CARROTS, Seat(carrots=5, training_center="B01 B03"))
    late = game.question(0)

    game.answer(0, "B01")
    refusal = game.tried(Submit(0, late.number, (late.ask.default)))

    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.PROMPT_CLOSED


def test_one_clock_runs_for_all_that_a_seat_does_in_a_step() -> None:
    game = at(
        Step.SPEND_CARROTS,
        Seat(carrots=7, training_center="B01 B03"),
        limits_ms={"phase": MINUTE_MS},
    )
    due_ms = game.question(0).deadline_ms

    game.answer(0, "B01")

    assert due_ms is not None
    assert game.question(0).deadline_ms == due_ms


def test_every_step_has_time_of_its_own() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01", level_1="S1 B11"), limits_ms={"phase": MINUTE_MS})

    game.wait(MINUTE_MS)

    assert game.board.step is Step.SPEND_CARROTS
    assert game.live.next_due_ms() == game.live.clocks[0].due_ms
    assert game.live.next_due_ms() is not None


def test_the_same_step_of_the_next_round_has_its_full_time_again() -> None:
    game = at(Step.ARRANGE, Seat(hand="B42"), limits_ms={"phase": MINUTE_MS})

    game.answer(0, after_ms=20_000)

    assert (game.board.round, game.board.step) == (2, Step.ARRANGE)
    assert game.question(0).deadline_ms == NOON_MS + 20_000 + MINUTE_MS


def test_when_time_runs_out_everybody_gets_the_default() -> None:
    game = dealt(2, limits_ms={"phase": MINUTE_MS})
    first_two = [own.hand[:2] for own in game.board.seats]

    game.wait(MINUTE_MS)

    assert game.board.step is not Step.ARRANGE
    assert [event.training_center for event in game.told(Arranged)] == [
        tuple(hand) for hand in first_two
    ]


def test_a_ready_taken_back_leaves_the_time_that_was_left() -> None:
    game = at(
        Step.ARRANGE,
        Seat(hand="B01 B02"),
        Seat(hand="B11"),
        limits_ms={"phase": MINUTE_MS},
    )

    game.answer(0, "B01", after_ms=20_000).offer(0, "take-back", after_ms=50_000)

    assert game.question(0).deadline_ms == NOON_MS + 50_000 + (MINUTE_MS - 20_000)


@pytest.mark.parametrize("step", [step for step in Step if step < Step.OVER])
def test_a_step_is_ready_for_those_who_can_do_nothing_in_it(step: Step) -> None:
    able = Seat(carrots=9, gold=9, hand="B21", training_center="B01", level_1="S1")
    game = at(step, able, Seat())

    assert [seat.ready for seat in game.view(None).seats] == [False, True]
