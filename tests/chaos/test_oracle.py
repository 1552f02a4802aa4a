"""The oracle bites: whatever is lost, doubled or changed in Redis is found."""

from __future__ import annotations

import uuid

import pytest

from hutch.engine.commands import Submit
from hutch.engine.live import Live
from hutch.engine.prompts import Pick
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2
from tests.oracle import Answer, Told, fingerprint, judge
from tests.turns.arranging import answer, default, started

TURNS = 2


class Played:
    """A game that is on, and what its player knows of one answer."""

    def __init__(self, store: Store, table_id: str, answer: Answer, told: Told) -> None:
        self.store = store
        self.table_id = table_id
        self.answer = answer
        self.told = told
        self.table = store.keys.table(table_id)
        self.log = store.keys.log(table_id)
        self.inputs = store.keys.inputs(table_id)

    async def faults(self) -> str:
        """What the oracle finds."""
        verdict = await judge(self.store, self.table_id, [self.answer], [self.told])
        assert not verdict.finished
        return "\n".join(verdict.faults)


@pytest.fixture
async def played(store: Store, path: TurnPath, lobby: Lobby, resolver: Resolver) -> Played:
    """A game of one, of which some turns are played."""
    table_id = await started(lobby)
    for _ in range(TURNS):
        await path.play(default(table_id, 0))
    stored, _ = await path.load(table_id)
    assert stored.record is not None
    live = resolver.live(stored.record)
    assert isinstance(live, Live)
    (question,) = [one for one in live.questions(0) if not one.offered]
    picks = [option.id for option in question.ask.options[: question.ask.least]]
    request = uuid.uuid4()
    accepted = await path.play(answer(table_id, 0, question.number, *picks, request_id=request.hex))
    submit = Submit(0, question.number, tuple([Pick(option) for option in picks]))
    batch = fingerprint(table_pb2.EventBatch.FromString(accepted.batch))
    return Played(
        store,
        table_id,
        Answer(submit, accepted.revision, request),
        Told(0, accepted.revision, batch),
    )


async def test_a_game_that_is_as_it_should_be_has_no_faults(played: Played) -> None:
    assert await played.faults() == ""


async def test_a_lost_log_entry_is_found(played: Played) -> None:
    await played.store.client.xdel(played.log, f"{played.answer.revision}-1")
    assert f"missing: [{played.answer.revision}]" in await played.faults()


async def test_a_lost_turn_is_found(played: Played) -> None:
    await played.store.client.rpop(played.inputs)
    faults = await played.faults()
    assert "turns with the deal are stored" in faults
    assert "lead to another game" in faults
    assert "was acknowledged, but made of None" in faults


async def test_a_doubled_turn_is_found(played: Played) -> None:
    last = await played.store.client.lindex(played.inputs, -1)
    assert last is not None
    await played.store.client.rpush(played.inputs, last)
    assert "the rules refuse a stored turn" in await played.faults()


async def test_another_game_than_was_played_is_found(played: Played) -> None:
    record = await played.store.client.hget(played.table, "record")
    assert isinstance(record, bytes)
    await played.store.client.hset(played.table, "record", record[:-1] + b"\x01")
    assert "lead to another game than is stored" in await played.faults()


async def test_a_lost_table_is_found(played: Played) -> None:
    await played.store.client.delete(played.table)
    assert "the table is lost" in await played.faults()


async def test_an_answer_that_was_refused_and_counted_all_the_same_is_found(
    played: Played,
) -> None:
    command, request = played.answer.command, played.answer.request
    played.answer = Answer(command, None, request)
    assert "it is remembered: Repeated" in await played.faults()


async def test_a_forgotten_request_is_found(played: Played) -> None:
    assert played.answer.request is not None
    await played.store.client.hdel(played.table, f"q:{played.answer.request.hex}")
    assert "it is remembered: None" in await played.faults()


async def test_something_else_told_than_the_log_has_is_found(played: Played) -> None:
    played.told = Told(None, played.told.revision, played.told.batch)
    assert "p was told something else" in await played.faults()
