"""A store that goes back in time under running services: what was seen of the lost future is never
taken for what happens now, and games go on from what is left."""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from random import Random

import grpc
import pytest

from hutch.client import (
    EpochOverError,
    Hutch,
    NotFoundError,
    Retries,
    Seat,
    Snapshot,
    Table,
    connect,
)
from hutch.client.picks import random_picks
from hutch.client.updates import Batch, Update
from hutch.store.store import Store
from hutch.v1 import table_pb2, table_service_pb2, table_service_pb2_grpc
from tests.oracle import judge
from tests.stacks import RunningStack, running_stack

SEED = 20261130
PATIENT = Retries(give_up_after=60, try_timeout=5)


class Past:
    """The past of a running stack, which its Redis can be taken back to."""

    def __init__(self, stack: RunningStack, backup: Path) -> None:
        self._stack = stack
        self._files = stack.data / "redis" / "appendonlydir"
        self._backup = backup

    def keep(self) -> None:
        """Keep what is on disk now."""
        shutil.copytree(self._files, self._backup)

    def restore(self) -> None:
        """Have Redis start again with what was kept, as from a backup."""
        # Else the server might be started again before the files are in place.
        self._stack.process.send_signal(signal.SIGSTOP)
        try:
            self._stack.kill("redis")
            shutil.rmtree(self._files)
            shutil.copytree(self._backup, self._files)
        finally:
            self._stack.process.send_signal(signal.SIGCONT)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """A stack for these tests alone, all of whose other processes live through everything."""
    data = tmp_path_factory.mktemp("rollback") / "data"
    with running_stack(data, "--workers", "1", "--gateways", "2") as running:
        yield running


@pytest.fixture
def past(stack: RunningStack, tmp_path: Path) -> Past:
    """What the stack's Redis can be taken back to."""
    return Past(stack, tmp_path / "backup")


@pytest.fixture
async def ada(stack: RunningStack) -> AsyncIterator[Hutch]:
    """A player at the first gateway."""
    async with connect(stack.gateways[0], retries=PATIENT) as hutch:
        await hutch.guest("Ada")
        yield hutch


@pytest.fixture
async def ben(stack: RunningStack) -> AsyncIterator[Hutch]:
    """A player at the other gateway."""
    async with connect(stack.gateways[1], retries=PATIENT) as hutch:
        await hutch.guest("Ben")
        yield hutch


@pytest.fixture
async def seats(ada: Hutch, ben: Hutch) -> tuple[Seat, Seat]:
    """The seats of Ada and Ben at a table that is dealt."""
    table = await ada.create_table("rabbit-space", seats=2)
    await table.claim(0)
    await ben.table(table.name).claim(1)
    await table.start()
    return table.seat(0), ben.table(table.name).seat(1)


async def asked(seat: Seat) -> tuple[table_pb2.View, table_pb2.Prompt]:
    """What the seat sees, and what it has to answer."""
    view = await seat.view()
    return view, next(prompt for prompt in view.prompts.prompts if not prompt.offered)


async def answer(seat: Seat, rng: Random) -> table_pb2.EventBatch:
    """Answer what the seat is asked, at random."""
    view, prompt = await asked(seat)
    return await seat.submit(prompt, *random_picks(prompt, rng), epoch=view.epoch)


async def until(updates: AsyncIterator[Update], revision: int) -> list[Update]:
    """The updates up to the one that tells that revision."""
    told: list[Update] = []
    async with asyncio.timeout(60):
        async for update in updates:
            told.append(update)
            match update:
                case Snapshot(view=view) if view.revision >= revision:
                    return told
                case Batch(batch=batch) if batch.revision >= revision:
                    return told
    raise AssertionError(f"the stream ended before revision {revision}")


async def test_who_watches_is_told_what_is_left_at_once(
    seats: tuple[Seat, Seat], past: Past
) -> None:
    rng = Random(SEED)
    watching = seats[0].watch()
    (first,) = await until(watching, 1)
    assert isinstance(first, Snapshot)
    past.keep()
    lost = await answer(seats[0], rng)
    await until(watching, lost.revision)

    past.restore()

    (afresh,) = await until(watching, 1)
    assert isinstance(afresh, Snapshot)
    assert afresh.view.revision == first.view.revision < lost.revision
    assert afresh.view.epoch != first.view.epoch
    assert afresh.view.prompts == first.view.prompts
    kept = await answer(seats[1], rng)
    assert kept.revision == lost.revision
    (news,) = await until(watching, kept.revision)
    assert isinstance(news, Batch)
    assert news.batch.events == kept.events


async def test_a_token_of_the_lost_future_is_answered_with_a_fresh_view(
    ada: Hutch, seats: tuple[Seat, Seat], past: Past, stack: RunningStack
) -> None:
    rng = Random(SEED)
    past.keep()
    watching = seats[0].watch()
    lost = await answer(seats[0], rng)
    token = (await until(watching, lost.revision))[-1].resume_token  # type: ignore[union-attr]
    await watching.aclose()

    past.restore()
    # The same revision once more, and one that would follow on the token's.
    await answer(seats[1], rng)
    latest = await answer(seats[0], rng)
    assert latest.revision == lost.revision + 1

    for address in stack.gateways:
        async with connect(address, token=ada.token) as hutch:
            resumed = hutch.table(seats[0].table).seat(0).watch(token)
            (told,) = await until(resumed, latest.revision)
            assert isinstance(told, Snapshot)
            assert told.view.revision == latest.revision


async def test_a_request_of_the_lost_future_is_not_carried_out_on_what_is_there_now(
    seats: tuple[Seat, Seat], past: Past, stack: RunningStack, ada: Hutch
) -> None:
    """Its prompt id stands for another question by now."""
    rng = Random(SEED)
    before, prompt = await asked(seats[0])
    stored = seats[0].request(prompt, random_picks(prompt, rng), epoch=before.epoch)
    batch = await submitted(stack.gateways[0], ada, stored)
    past.keep()
    await answer(seats[1], rng)
    _, later = await asked(seats[0])
    lost = seats[0].request(later, random_picks(later, rng), epoch=before.epoch)
    await submitted(stack.gateways[0], ada, lost)

    past.restore()
    view = await seats[0].view()

    for address in stack.gateways:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await submitted(address, ada, lost)
        assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        # What has survived is told again, whatever epoch it was sent in.
        assert await submitted(address, ada, stored) == batch
    with pytest.raises(EpochOverError) as over:
        await seats[0].submit(later, *random_picks(later, rng), epoch=before.epoch)
    assert over.value.metadata["epoch"] == str(view.epoch)
    after = await seats[0].view()
    assert after.revision == view.revision
    assert after.epoch == view.epoch != before.epoch


async def submitted(
    address: str, caller: Hutch, request: table_service_pb2.SubmitActionRequest
) -> bytes:
    """The bytes of the answer to that very request."""
    async with grpc.aio.insecure_channel(address) as channel:
        stub = table_service_pb2_grpc.TableServiceStub(channel)
        response = await stub.SubmitAction(
            request, metadata=(("authorization", f"Bearer {caller.token}"),), timeout=20
        )
    return response.SerializeToString(deterministic=True)


async def test_games_go_on_from_what_is_left_and_end_as_their_logs_say(
    ada: Hutch, ben: Hutch, past: Past, stack: RunningStack
) -> None:
    """All play on: gateways, worker and players have seen the lost future."""
    games = []
    for _ in range(2):
        table = await ada.create_table("rabbit-space", seats=3)
        await table.claim(0)
        await ben.table(table.name).claim(1)
        await table.assign_bot(2, "random")
        games.append(table)
    answers = 0
    kept = asyncio.Event()
    lost = asyncio.Event()

    async def play(seat: Seat, rng: Random) -> None:
        nonlocal answers
        async for turn in seat.play():
            await turn.answer(*turn.sample(rng))
            answers += 1
            if answers == 10:
                past.keep()
                kept.set()
            if answers == 25:
                lost.set()

    async with asyncio.timeout(100):
        await asyncio.gather(*[table.start() for table in games])
        playing = [
            asyncio.create_task(play(hutch.table(table.name).seat(seat), Random(SEED + seat)))
            for table in games
            for seat, hutch in enumerate((ada, ben))
        ]
        await kept.wait()
        await lost.wait()
        past.restore()
        await asyncio.gather(*playing)
    async with await Store.open(stack.redis_url) as store:
        for table in games:
            verdict = await judge(store, table.name.removeprefix("tables/"))
            assert not verdict.faults, table.name


async def test_a_table_that_was_opened_in_the_lost_future_is_not_found(
    ada: Hutch, past: Past
) -> None:
    past.keep()
    table: Table = await ada.create_table("rabbit-space", seats=2)
    watching = table.watch()
    await until(watching, 1)
    past.restore()
    with pytest.raises(NotFoundError, match="TABLE_NOT_FOUND"):
        await until(watching, 1_000)
