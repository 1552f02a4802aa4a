"""Question numbers: kept while a question stays as it is, new once it was answered."""

from __future__ import annotations

import pytest

from hutch.engine.asking import ask, ask_seat, each
from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Reply, picks
from hutch.engine.refusals import Reason, Refusal
from hutch.engine.rules import Rules, Script
from tests.engine import toy
from tests.engine.arranging import answer, asked, choice, dealt, offered, reopened, scripted, take
from tests.engine.toy import Tabled, Took


def everybody_takes(table: Tabled) -> Script[None]:
    """Each seat takes up to three carrots; the question is the same each time."""

    def build(seat: int) -> Ask | None:
        return choice("take", "one") if table.board.carrots[seat] < 3 else None

    def do(reply: Reply) -> bool:
        table.emit(Took(reply.seat, 1))
        return False

    yield from each(table, range(table.seats), build, do)


EACH = scripted(everybody_takes)


def ways_to_go_on(rules: Rules, live: Live) -> list[Live]:
    """The game as it is in this process, and as another process takes it up."""
    return [reopened(rules, live), live]


def test_a_question_asked_alike_again_keeps_its_number() -> None:
    live = dealt(EACH).live
    number = asked(live, 1).number

    answer(live, 0, "one")

    for now in ways_to_go_on(EACH, live):
        assert asked(now, 1).number == number


def test_who_answered_gets_a_new_number_though_the_question_is_the_same() -> None:
    live = dealt(EACH).live
    before = asked(live, 0)

    answer(live, 0, "one")

    for now in ways_to_go_on(EACH, live):
        assert asked(now, 0).ask == before.ask
        assert asked(now, 0).number != before.number


def test_a_double_click_counts_once() -> None:
    live = dealt(EACH).live
    clicked = asked(live, 0).number
    answer(live, 0, "one")

    for now in ways_to_go_on(EACH, live):
        again = now.answer(0, clicked, picks("one"))

        assert isinstance(again, Refusal)
        assert again.reason is Reason.PROMPT_CLOSED
        assert now.table.board.carrots == [1, 0]


def test_numbers_are_never_given_twice() -> None:
    live = dealt(EACH, seats=3).live
    given = {(seat, asked(live, seat).number) for seat in range(3)}
    for seat in (0, 1, 0, 2, 1, 2, 0):
        answer(live, seat, "one")
        for question in live.questions(seat):
            assert (seat, question.number) not in given
            given.add((seat, question.number))
    assert len({number for _, number in given}) == len(given), "unique within the table"


def test_a_seats_numbers_say_nothing_about_what_others_are_asked() -> None:
    """Two games that differ only in how often seat 0 was asked something new."""

    def hidden(times: int) -> Rules:
        def play(table: Tabled) -> Script[None]:
            for turn in range(times):
                yield from ask_seat(table, 0, lambda turn=turn: choice("peek", f"card-{turn}"))  # type: ignore[misc]
            yield from ask_seat(table, 1, lambda: choice("take", "one"))

        return scripted(play)

    numbers = []
    for times in (1, 4):
        live = dealt(hidden(times)).live
        for turn in range(times):
            answer(live, 0, f"card-{turn}")
        numbers.append(asked(live, 1).number)
    assert numbers[0] == numbers[1]


def over_a_checkpoint(table: Tabled) -> Script[None]:
    """Seat 1 is asked the same all the time; seat 0 takes turns, each after a checkpoint."""
    while table.board.round < 3:
        yield from table.checkpoint()
        reply = yield from ask(
            table,
            lambda: {0: choice("turn", "end"), 1: choice("wait", "go")},
            lambda: {1: choice("shout", "boo")},
        )
        assert reply is not None
        table.emit(toy.RoundBegan(table.board.round + 1))


CHECKPOINTED = scripted(over_a_checkpoint)


def test_numbers_stay_over_a_checkpoint() -> None:
    live = dealt(CHECKPOINTED).live
    waiting, shouting = asked(live, 1).number, offered(live, 1).number

    answer(live, 0, "end")

    assert live.record().inputs == [], "a checkpoint was passed"
    for now in ways_to_go_on(CHECKPOINTED, live):
        assert asked(now, 1).number == waiting
        assert offered(now, 1).number == shouting
        assert now.answer(0, waiting, picks("end")) is not None


def test_numbers_stay_when_a_process_takes_the_game_up_again_and_again() -> None:
    """A restarted script passes its checkpoint once more; that must not lose what stood there."""
    live = dealt(CHECKPOINTED).live
    number = asked(live, 1).number
    answer(live, 0, "end")

    for _ in range(3):
        live = reopened(CHECKPOINTED, live)
        assert asked(live, 1).number == number


def test_an_offer_that_was_taken_up_is_closed() -> None:
    def play(table: Tabled) -> Script[None]:
        for _ in range(2):
            yield from ask(
                table, lambda: {0: choice("wait", "go")}, lambda: {0: choice("shout", "boo")}
            )

    rules = scripted(play)
    live = dealt(rules).live
    ask_number, offer_number = asked(live, 0).number, offered(live, 0).number

    take(live, 0, "boo")

    for now in ways_to_go_on(rules, live):
        assert asked(now, 0).number == ask_number, "the ask was not answered"
        assert offered(now, 0).number != offer_number
        refusal = now.answer(0, offer_number, picks("boo"))
        assert refusal is not None
        assert refusal.reason is Reason.PROMPT_CLOSED


def test_a_question_that_changed_has_a_new_number_and_the_old_one_is_refused() -> None:
    def play(table: Tabled) -> Script[None]:
        for options in (("a", "b"), ("a",)):
            yield from ask(
                table,
                lambda options=options: {0: choice("go", "go"), 1: choice("pick", *options)},  # type: ignore[misc]
            )

    rules = scripted(play)
    live = dealt(rules).live
    stale = asked(live, 1).number
    answer(live, 0, "go")

    for now in ways_to_go_on(rules, live):
        refusal = now.answer(1, stale, picks("b"))
        assert refusal is not None
        assert refusal.reason is Reason.PROMPT_CLOSED
        assert refusal.facts == {"open": str(asked(now, 1).number)}


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_the_first_numbers_are_above_zero(seats: int) -> None:
    live = dealt(EACH, seats=seats).live
    assert all(asked(live, seat).number > 0 for seat in range(seats))
