"""Replay and migration: a game from its log, and over to newer rules where that proves them."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import NamedTuple

import msgspec
import pytest

from hutch.engine import kernel
from hutch.engine.commands import Command, Leave, PlayDefault, Rejoin, Submit, Tick, Undo
from hutch.engine.kernel import Outcome
from hutch.engine.live import Live
from hutch.engine.migration import taken_over
from hutch.engine.prompts import picks
from hutch.engine.records import Record, encode_record
from hutch.engine.refusals import Reason, Refusal
from hutch.engine.replay import (
    Logged,
    Opening,
    decode_logged,
    decode_opening,
    encode_logged,
    encode_opening,
    replay,
)
from hutch.engine.rules import Script
from hutch.engine.sampling import random_picks
from tests.engine import toy
from tests.engine.arranging import asked, dealt, reopened
from tests.engine.toy import GAME, SEED, Tabled

OPENING = Opening("toy", 1, 3, {"cards": 24}, SEED, 1_000, {"phase": 900, "decision": 500})


class Story(NamedTuple):
    """A game that was played: its log, and what was stored after each command."""

    log: list[Logged]
    records: list[Record]


def played(seed: int) -> Story:
    """A random game by every kind of command, each resolved statelessly."""
    rng = Random(seed)
    game = kernel.deal(
        GAME,
        seats=OPENING.seats,
        options=OPENING.options,
        seed=OPENING.seed,
        at_ms=OPENING.at_ms,
        limits_ms=OPENING.limits_ms,
    )
    assert isinstance(game, Outcome)
    log: list[Logged] = []
    records = [game.record]
    at_ms = OPENING.at_ms
    while game.live.result is None:
        at_ms += rng.randrange(120)
        command = some_command(game.live, rng)
        next_game = kernel.resolve(GAME, reopened(GAME, game.live), command, at_ms=at_ms)
        if isinstance(next_game, Outcome):
            game = next_game
            log.append(Logged(at_ms, command))
            records.append(game.record)
    return Story(log, records)


def some_command(live: Live, rng: Random) -> Command:
    seat = rng.choice(live.awaited())
    match rng.randrange(20):
        case 0:
            return Leave(rng.randrange(3))
        case 1 | 2:
            return Rejoin(rng.randrange(3))
        case 3 | 4:
            return Tick()
        case 5 | 6 | 7:
            return Undo(rng.randrange(3))
        case 8:
            return PlayDefault(seat)
    question = rng.choice(live.questions(seat))
    if not question.ask.options:
        return Tick()
    return Submit(seat, question.number, random_picks(question.ask, rng))


STORIES = {seed: played(seed) for seed in range(6)}


@pytest.mark.parametrize("seed", STORIES)
def test_a_log_gives_the_same_game_again_step_by_step(seed: int) -> None:
    story = STORIES[seed]
    outcomes = replay(GAME, OPENING, story.log)
    for record, outcome in zip(story.records, outcomes, strict=True):
        assert isinstance(outcome, Outcome)
        assert encode_record(outcome.record) == encode_record(record)


def test_the_stories_hold_commands_of_every_kind() -> None:
    kinds = {type(one.command) for story in STORIES.values() for one in story.log}
    assert kinds == {Submit, Tick, PlayDefault, Leave, Rejoin, Undo}


@pytest.mark.parametrize(
    "command",
    [Submit(1, 7, picks("a", "b")), Tick(), PlayDefault(3), Leave(0), Rejoin(2), Undo(1)],
)
def test_a_logged_command_comes_back_from_its_bytes(command: Command) -> None:
    assert decode_logged(encode_logged(12_345, command)) == Logged(12_345, command)


def test_an_opening_comes_back_from_its_bytes() -> None:
    assert decode_opening(encode_opening(OPENING)) == OPENING


def test_bytes_that_are_no_command_and_no_opening_are_named_as_such() -> None:
    for decode in (decode_logged, decode_opening):
        with pytest.raises(msgspec.DecodeError):
            decode(b"\x92\x05\x91\xa1z")


def test_a_log_of_another_game_ends_in_a_refusal() -> None:
    other = [Logged(2_000, Submit(2, 10_000, picks("1")))]
    outcomes = list(replay(GAME, OPENING, other + STORIES[0].log))
    assert len(outcomes) == 2
    assert isinstance(outcomes[1], Refusal)


def test_an_opening_that_is_refused_is_all_there_is() -> None:
    crowded = msgspec.structs.replace(OPENING, seats=9)
    (refusal,) = replay(GAME, crowded, STORIES[0].log)
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.BAD_SEAT_COUNT


# Migration


def at_a_checkpoint(story: Story) -> int:
    """The last step of that game that stands at a checkpoint, before its end."""
    return max(
        step
        for step, record in enumerate(story.records)
        if not record.inputs and record.result is None
    )


@pytest.mark.parametrize("seed", STORIES)
def test_newer_rules_take_a_game_over_that_would_have_gone_the_same_way(seed: int) -> None:
    story, newer = STORIES[seed], toy.rules(revision=2, why_not=lambda *of: "Not that one.")
    step = at_a_checkpoint(story)

    record = taken_over(newer, story.records[step], OPENING, story.log[:step])

    assert isinstance(record, Record)
    assert record.rules_revision == 2
    live = Live(newer, record)
    old = Live(GAME, story.records[step])
    assert [live.questions(seat) for seat in range(3)] == [old.questions(seat) for seat in range(3)]


def test_a_game_that_would_have_gone_another_way_keeps_its_rules() -> None:
    def dearer(table: Tabled) -> Script[None]:
        yield from toy.sealed_auction(table)
        table.emit(toy.Took(0, 1))

    newer = toy.rules(revision=2, play=partial(toy.play, auction=dearer))
    story = STORIES[0]
    step = at_a_checkpoint(story)
    refusal = taken_over(newer, story.records[step], OPENING, story.log[:step])
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.NOT_TAKEN_OVER
    assert refusal.facts == {"ruleset": "toy", "revision": "1"}
    assert "lead to another board" in refusal.sentence


def test_boards_that_differ_on_the_way_count_though_they_end_alike() -> None:
    """What was taken too much comes back before the checkpoint that is asked about."""

    def there_and_back(table: Tabled) -> Script[None]:
        yield from toy.sealed_auction(table)
        table.emit(toy.Took(0, 1))
        yield from table.checkpoint()
        table.emit(toy.Took(0, -1))

    newer = toy.rules(revision=2, play=partial(toy.play, auction=there_and_back))
    story = STORIES[0]
    step = at_a_checkpoint(story)
    refusal = taken_over(newer, story.records[step], OPENING, story.log[:step])
    assert isinstance(refusal, Refusal)
    assert "lead to another trail" in refusal.sentence


def test_rules_that_refuse_what_was_played_do_not_take_over() -> None:
    newer = toy.rules(revision=2, offers=None, interject=None)
    story = next(
        story
        for story in STORIES.values()
        if any(record.board != story.records[0].board for record in story.records)
    )
    step = at_a_checkpoint(story)
    log = [Logged(1_000, Submit(0, 999, picks("1"))), *story.log[:step]]
    refusal = taken_over(newer, story.records[step], OPENING, log)
    assert isinstance(refusal, Refusal)
    assert "refuse step 1" in refusal.sentence


def test_a_witness_that_sees_a_difference_is_believed() -> None:
    story, newer = STORIES[0], toy.rules(revision=2)
    step = at_a_checkpoint(story)
    seen: list[int] = []

    def witness(at: int, outcome: Outcome) -> str:
        seen.append(at)
        return "it was told otherwise" if at == step else ""

    refusal = taken_over(newer, story.records[step], OPENING, story.log[:step], witness)
    assert isinstance(refusal, Refusal)
    assert "stays on revision 1 of 'toy': it was told otherwise." in refusal.sentence
    assert seen == list(range(step + 1)), "the deal and every command"


def test_between_two_checkpoints_a_game_keeps_its_rules() -> None:
    story = STORIES[0]
    step = next(step for step, record in enumerate(story.records) if record.inputs)
    refusal = taken_over(GAME, story.records[step], OPENING, story.log[:step])
    assert isinstance(refusal, Refusal)
    assert "between two checkpoints" in refusal.sentence


def test_a_log_that_is_not_whole_proves_nothing() -> None:
    story = STORIES[1]
    step = at_a_checkpoint(story)
    refusal = taken_over(GAME, story.records[step], OPENING, story.log[: step - 1])
    assert isinstance(refusal, Refusal)


def test_dealt_alike_by_hand_and_by_replay() -> None:
    (outcome,) = replay(
        GAME, msgspec.structs.replace(OPENING, seats=2, options={}, limits_ms={}, at_ms=0), []
    )
    assert isinstance(outcome, Outcome)
    assert encode_record(outcome.record) == encode_record(dealt(GAME).record)
    assert asked(outcome.live, 0) == asked(dealt(GAME).live, 0)
