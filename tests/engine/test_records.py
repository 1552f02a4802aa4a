"""Records: the whole game in a few bytes, the same bytes for the same game."""

from __future__ import annotations

import msgspec
import pytest

from hutch.engine.asking import ask_seat, sealed
from hutch.engine.prompts import Answer, Input, Left, Pick, Rejoined, Renumbered
from hutch.engine.records import (
    chained,
    decode_record,
    encode_record,
)
from hutch.engine.rules import Script
from tests.engine import toy
from tests.engine.arranging import answer, asked, choice, dealt, reopened, scripted, take
from tests.engine.toy import GAME, Tabled


def test_a_record_comes_back_from_its_bytes() -> None:
    live = dealt(GAME, seats=4, phase=5_000).live
    answer(live, 2, asked(live, 2).ask.options[1].id)
    record = live.record()
    assert decode_record(encode_record(record)) == record


def test_bytes_that_are_no_record_are_named_as_such() -> None:
    whole = encode_record(dealt(GAME).record)
    for data in (b"", b"nonsense", whole[:-1], whole[:50]):
        with pytest.raises(msgspec.DecodeError):
            decode_record(data)


def test_inputs_come_back_from_their_bytes() -> None:
    inputs: list[Input] = [
        Answer(1, 5, (Pick("a"), Pick("b", 3))),
        Answer(0, 4, (), by_clock=True),
        Left(2),
        Rejoined(2),
        Renumbered(1, (4, 5, 6)),
    ]
    record = dealt(GAME).live.record()
    record.inputs = inputs
    assert decode_record(encode_record(record)).inputs == inputs


def test_answers_since_the_checkpoint_are_all_that_is_added() -> None:
    live = dealt(GAME).live
    before = live.record()
    answer(live, 1, asked(live, 1).ask.options[0].id)
    after = live.record()
    assert [type(one) for one in after.inputs] == [Answer]
    after.inputs = []
    assert encode_record(after) == encode_record(before)


def test_a_record_that_was_given_does_not_change_when_the_game_goes_on() -> None:
    live = dealt(GAME).live
    record = live.record()
    stored = encode_record(record)
    for seat in range(2):
        answer(live, seat, asked(live, seat).ask.options[0].id)
    assert encode_record(record) == stored


def test_taking_a_game_up_again_changes_nothing_in_its_record() -> None:
    live = dealt(GAME, seats=3, phase=5_000).live
    for seat in (2, 0):
        answer(live, seat, asked(live, seat).ask.options[0].id)
        live.run_clocks(10)
        stored = encode_record(live.record())
        assert encode_record(reopened(GAME, live).record()) == stored


def test_the_trail_names_the_boards_of_all_checkpoints() -> None:
    def play(table: Tabled) -> Script[None]:
        while table.board.round < 3:
            yield from table.checkpoint()
            yield from ask_seat(table, 0, lambda: choice("go", "on"))
            table.emit(toy.RoundBegan(table.board.round + 1))

    rules = scripted(play)
    live = dealt(rules).live
    trail = chained(b"", live.record().board)
    assert live.record().trail == trail
    for _ in range(3):
        live = reopened(rules, live)  # the trail does not depend on who carried it on
        answer(live, 0, "on")
        trail = chained(trail, live.record().board)
        assert live.record().trail == trail
    assert live.result is not None


def test_a_checkpoint_in_the_midst_of_a_sealed_choice_is_a_fault_of_the_rules() -> None:
    def play(table: Tabled) -> Script[None]:
        yield from sealed(table, range(2), lambda seat: choice("bid", "1"))

    rules = scripted(
        play,
        offers=lambda table: {0: choice("card", "x")},
        interject=lambda table, seat, picked: table.checkpoint(),
    )
    live = dealt(rules).live
    answer(live, 1, "1")
    with pytest.raises(RuntimeError, match="would lose sealed choices"):
        take(live, 0, "x")
