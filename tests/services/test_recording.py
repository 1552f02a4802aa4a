"""Recordings: nobody sees one while the game is on, everybody once it is over."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from hashlib import sha256

import pytest

from hutch.client import (
    Batch,
    Ended,
    Hutch,
    HutchError,
    NoGameError,
    NotPossibleError,
    NotYourSeatError,
    Seat,
    Table,
)
from hutch.client.channel import open_channel
from hutch.engine.chance import mix_seed
from hutch.engine.commands import Undo
from hutch.turns.recording import recording_of
from hutch.turns.verification import PUBLIC, Witness, verify
from hutch.v1 import table_pb2, table_service_pb2
from hutch.v1.table_service_pb2_grpc import TableServiceStub
from tests import commands
from tests.stacks import RunningStack

SALT = b"chosen by Ada"


async def finished_table(ada: Hutch) -> Table:
    """A game that Ada played from both seats."""
    table = await ada.create_table("rabbit-space", seats=2)
    seats = [await table.claim(0, salt=SALT), await table.claim(1)]
    await table.start()
    await asyncio.gather(*[play(seat) for seat in seats])
    return table


async def table_with_an_undo(ada: Hutch) -> Table:
    """A finished game against the clock in which an answer was taken back."""
    for _ in range(20):  # until there is a game in which two cards can be paid at once
        table = await ada.create_table("rabbit-space", seats=1, limits={"phase": 30.0})
        seat = await table.claim(0)
        await table.start()
        undone = 0
        async for turn in seat.play():
            await turn.answer(*turn.prompt.options[: turn.prompt.max_picks])
            if not undone:
                with suppress(NotPossibleError):
                    await seat.undo()
                    undone += 1
        if undone:
            return table
    pytest.fail("nothing could be taken back")


async def play(seat: Seat) -> None:
    """Play a seat to the end of the game."""
    async for turn in seat.play():
        await turn.answer(*turn.sample())


async def test_a_finished_game_verifies_for_anybody(ada: Hutch, ben: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=2)
    await table.assign_bot(1, "random")
    seat = await table.claim(0, salt=SALT)
    noted = (await table.get()).seed_commitment
    await table.start()
    batches: list[table_pb2.EventBatch] = []

    async def keep() -> None:
        async for update in seat.watch():
            if isinstance(update, Batch):
                batches.append(update.batch)

    keeping = asyncio.create_task(keep())
    await play(seat)
    await keeping
    message = await ben.table(table.name).recording()
    assert sha256(message.secret).digest() == noted
    assert mix_seed(message.secret, list(message.salts)) == message.seed
    witness = Witness(
        commitment=noted,
        salts={0: SALT},
        told={"0": [batch.SerializeToString() for batch in batches]},
    )
    assert batches
    verdict = verify(recording_of(message), witness)
    assert verdict.faults == ()
    assert message.result == (await table.get()).result


async def test_a_game_with_an_undo_and_a_clock_verifies_with_all_that_was_told(
    ada: Hutch, ben: Hutch
) -> None:
    table = await table_with_an_undo(ada)
    recording = recording_of(await ben.table(table.name).recording())
    assert any(isinstance(recorded.command, Undo) for recorded in recording.commands)
    told = {}
    for audience, seat in ((PUBLIC, None), ("0", 0)):
        replay = ben.table(table.name).replay(seat=seat)
        told[audience] = [batch.SerializeToString() async for batch in replay]
    assert verify(recording, Witness(told=told)).faults == ()
    assert len(told["0"]) == len(recording.commands) + 1


async def test_pages_of_any_size_are_one_recording(ada: Hutch, stack: RunningStack) -> None:
    table = await finished_table(ada)
    whole = await table.recording()
    assert len(whole.commands) > 10
    async with open_channel(stack.gateway) as channel:
        stub = TableServiceStub(channel)
        for size in (1, 7, len(whole.commands), 2000):
            joined = type(whole)()
            request = table_service_pb2.GetRecordingRequest(name=table.name, page_size=size)
            while True:
                page = await stub.GetRecording(
                    request, metadata=(("authorization", f"Bearer {ada.token}"),)
                )
                assert len(page.recording.commands) <= size
                joined.MergeFrom(page.recording)
                if not page.next_page_token:
                    break
                request.page_token = page.next_page_token
            assert joined == whole


@pytest.mark.parametrize("caller", ["host", "stranger"])
async def test_before_the_end_nobody_gets_a_recording(
    caller: str, ada: Hutch, ben: Hutch, table: Table
) -> None:
    hutch = ada if caller == "host" else ben
    with pytest.raises(HutchError) as refused:
        await hutch.table(table.name).recording()
    assert refused.value.reason == "GAME_NOT_OVER"


async def test_before_the_deal_there_is_nothing_to_record(ada: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=1)
    with pytest.raises(HutchError) as refused:
        await table.recording()
    assert refused.value.reason == "GAME_NOT_OVER"


async def test_of_a_table_given_up_before_the_deal_there_is_no_recording(ada: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=1)
    await table.abandon()
    with pytest.raises(NoGameError, match=r"No game is on at table .*: it is abandoned"):
        await table.recording()


async def test_a_replay_before_the_end_is_the_own_seats_or_the_publics(
    ada: Hutch, ben: Hutch, table: Table
) -> None:
    seat = table.seat(0)
    prompt = next(one for one in (await seat.view()).prompts.prompts if not one.offered)
    batch = await seat.submit(prompt)
    own = [batch async for batch in table.replay(seat=0)]
    assert own[-1] == batch
    public = [batch async for batch in ben.table(table.name).replay()]
    assert [batch.revision for batch in public] == [batch.revision for batch in own]
    assert not any(batch.HasField("prompts") for batch in public)


async def test_a_replay_of_another_seat_before_the_end_is_refused_to_all_others(
    ada: Hutch, ben: Hutch, table: Table
) -> None:
    host_and_opponent = ((ada, 1), (ben, 0))
    for hutch, seat in host_and_opponent:
        with pytest.raises(NotYourSeatError):
            await anext(hutch.table(table.name).replay(seat=seat))
    async with asyncio.timeout(60):
        stranger = ada.another()
        await stranger.guest("Eve")
        for seat in range(2):
            with pytest.raises(NotYourSeatError):
                await anext(stranger.table(table.name).replay(seat=seat))
        await stranger.close()


async def test_no_byte_of_the_secret_the_salts_or_the_seed_is_told_before_the_end(
    ada: Hutch, stack: RunningStack
) -> None:
    table = await ada.create_table("rabbit-space", seats=2)
    await table.assign_bot(1, "random")
    seat = await table.claim(0, salt=SALT)
    await table.start()
    early: list[bytes] = []
    async for turn in seat.play():
        batches = [
            *[batch async for batch in table.replay()],
            *[batch async for batch in table.replay(seat=0)],
        ]
        seen = [*batches, await table.get(), await table.view(), await seat.view()]
        if (await table.get()).state == table_pb2.TABLE_STATE_PLAYING:
            early += [message.SerializeToString() for message in seen]
        await turn.answer(*turn.sample())
    recording = await table.recording()
    secrets = [recording.secret, recording.seed, SALT]
    assert early
    assert not [secret for secret in secrets for data in early if secret in data]


async def test_after_the_end_everybody_may_see_what_every_seat_saw(ada: Hutch, ben: Hutch) -> None:
    table = await finished_table(ada)
    own = [batch async for batch in table.replay(seat=0)]
    theirs = [batch async for batch in ben.table(table.name).replay(seat=0)]
    assert own == theirs
    assert any(batch.HasField("prompts") for batch in theirs)


async def test_a_table_that_is_given_up_tells_its_watchers_and_verifies_as_far_as_it_went(
    ada: Hutch, ben: Hutch, table: Table, stack: RunningStack
) -> None:
    seat = table.seat(0)
    prompt = next(one for one in (await seat.view()).prompts.prompts if not one.offered)
    await seat.submit(prompt)
    watch = seat.watch()
    await anext(watch)
    voided = await asyncio.to_thread(
        commands.hutch, "fix", table.name, "--void", HUTCH_REDIS_URL=stack.redis_url
    )
    assert voided.returncode == 0, voided.stderr
    async with asyncio.timeout(60):
        updates = [update async for update in watch]
    assert updates[-1] == Ended(None)
    recording = recording_of(await ben.table(table.name).recording())
    told = [batch.SerializeToString() async for batch in ben.table(table.name).replay(seat=0)]
    verdict = verify(recording, Witness(told={"0": told}))
    assert verdict.faults == ()
    assert (len(recording.commands), recording.result) == (1, None)
    with pytest.raises(NoGameError):
        await seat.submit(prompt)
