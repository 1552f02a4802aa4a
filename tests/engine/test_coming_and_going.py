"""Players who come and go: seats that were left, taken again, or free from the start."""

from __future__ import annotations

from hutch.engine.asking import ask_seat, each
from hutch.engine.commands import Rejoin
from hutch.engine.prompts import Ask, Reply
from hutch.engine.rules import Script
from tests.engine.arranging import answer, choice, dealt, reopened, resolved, scripted
from tests.engine.toy import Tabled, Took


def take_turns(table: Tabled) -> Script[None]:
    """Seat 0 takes three carrots; a checkpoint lies before each."""
    while table.board.carrots[0] < 3:
        yield from table.checkpoint()
        reply = yield from ask_seat(table, 0, lambda: choice("take", "one"))
        assert reply is not None
        table.emit(Took(0, 1))


TURNS = scripted(take_turns)


def test_a_seat_left_before_a_checkpoint_can_be_taken_after_it() -> None:
    live = dealt(TURNS, seats=3).live
    live.leave(2)
    answer(live, 0, "one")
    live.rejoin(2)

    again = reopened(TURNS, live)

    assert again.gone == live.gone == []


def test_a_seat_may_be_free_from_the_start_and_be_taken_later() -> None:
    def seat_0_waits(table: Tabled) -> Script[None]:
        def build(seat: int) -> Ask | None:
            return choice("take", "one") if table.board.carrots[seat] < 1 else None

        def do(reply: Reply) -> bool:
            table.emit(Took(reply.seat, 1))
            return False

        yield from each(table, [0], build, do)

    rules = scripted(seat_0_waits, vacant=lambda seats, options: [seats - 1])
    stored = dealt(rules, seats=3)
    assert stored.live.gone == [2]

    assert resolved(rules, stored, Rejoin(2)).live.gone == []
