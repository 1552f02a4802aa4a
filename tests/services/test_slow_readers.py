"""A client that does not read is cut off, hurts nobody, and can go on where it was."""

from __future__ import annotations

import asyncio
import re

import grpc

from hutch.client import Hutch
from hutch.v1 import table_service_pb2 as service_pb
from tests.services.failures import failure_of
from tests.services.wrongdoing.trouble import SERVICE
from tests.stacks import STREAMS, WATCHES, RunningStack, bot_table

PlayCall = grpc.aio.StreamStreamCall[bytes, bytes]


#: Streams that stop to write, each a while after the one before, and read no more than others.
HALF_CLOSED = 8


async def test_a_slow_reader_is_cut_off_and_resumes_without_a_gap(
    stack: RunningStack, ada: Hutch
) -> None:
    before = cutoffs(stack)
    metadata = (("authorization", f"Bearer {ada.token}"),)
    async with grpc.aio.insecure_channel(
        stack.gateway, options=[("grpc.http2.bdp_probe", 0)]
    ) as channel:
        play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(
            f"{SERVICE}/Play"
        )
        tables = [await bot_table(ada) for _ in range(WATCHES)]

        async def watching() -> PlayCall:
            call = play(metadata=metadata, timeout=60)
            for table in tables:
                watch = service_pb.WatchTableRequest(name=table.name)
                await call.write(service_pb.PlayRequest(watch=watch).SerializeToString())
            return call

        call = await watching()
        others = [await watching() for _ in range(HALF_CLOSED)]
        await asyncio.gather(*[table.start() for table in tables])
        for other in others:
            await asyncio.sleep(0.25)
            await other.done_writing()
        async with asyncio.timeout(60):
            while cutoffs(stack) == before:  # nothing is read meanwhile
                await asyncio.sleep(0.2)
            ends = [await end_of(other) for other in others]
            assert {"SLOW_READER"} <= set(ends) <= {"SLOW_READER", "OK"}
            while cutoffs(stack) == before + ends.count("SLOW_READER"):
                await asyncio.sleep(0.2)
        # It has its place until it has heard of it: nobody gathers more of them by not reading.
        opened = await asyncio.gather(*[is_let_in(play(metadata=metadata)) for _ in range(STREAMS)])
        assert opened.count(True) == STREAMS - 1
        last: dict[str, service_pb.WatchTableResponse] = {}
        error = None
        try:
            while isinstance(data := await call.read(), bytes):
                response = service_pb.PlayResponse.FromString(data)
                last[response.name] = response.update
        except grpc.aio.AioRpcError as ended:
            error = ended
    assert error is not None
    assert failure_of(error).reason == "SLOW_READER"
    unfinished = {name: update for name, update in last.items() if not is_last(update)}
    assert unfinished
    for name, update in unfinished.items():
        resumed = [one async for one in ada.table(name).watch(update.resume_token)]
        revisions = [one.batch.revision for one in resumed if hasattr(one, "batch")]
        assert revisions == list(range(update.batch.revision + 1, revisions[-1] + 1))


async def is_let_in(call: PlayCall) -> bool:
    """Whether the stream is served."""
    try:
        await call.write(b"no message")
        return isinstance(await call.read(), bytes)
    except grpc.aio.AioRpcError:
        return False


async def end_of(call: PlayCall) -> str:
    """The reason for which the stream ended, once all of it was read."""
    try:
        while isinstance(await call.read(), bytes):
            pass
    except grpc.aio.AioRpcError as ended:
        return failure_of(ended).reason
    return "OK"


def is_last(update: service_pb.WatchTableResponse) -> bool:
    """Whether the game ended with it, or it is of no turn."""
    return not update.HasField("batch") or update.batch.HasField("result")


def cutoffs(stack: RunningStack) -> float:
    """How many slow readers were cut off."""
    found = re.search(
        r'hutch_stream_cutoffs_total\{cause="slow"\} ([\d.]+)', stack.scrape("gateway")
    )
    return float(found[1]) if found else 0.0
