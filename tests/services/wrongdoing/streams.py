"""Streams: too many of them, too much over one, or resumed from nowhere."""

from __future__ import annotations

import uuid

import grpc

from hutch.client import Hutch
from hutch.v1 import table_pb2
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import DOMAIN, Wrong
from tests.services.failures import Failure, failure_of
from tests.services.wrongdoing.trouble import SERVICE, Trouble, provokes
from tests.stacks import SPECTATORS, STREAMS, WATCHES


@provokes(Wrong.RESUME_TOKEN_INVALID)
async def made_up_resume(trouble: Trouble) -> Failure | None:
    request = service_pb.WatchTableRequest(name=trouble.table.name, resume_token=b"yesterday")
    return await _watched(trouble, request)


@provokes(Wrong.TOO_MANY_WATCHES)
async def watch_the_world(trouble: Trouble) -> Failure | None:
    tables = [await trouble.ada.create_table("rabbit-space", seats=1) for _ in range(WATCHES + 1)]
    watches = [
        service_pb.PlayRequest(watch=service_pb.WatchTableRequest(name=table.name))
        for table in tables
    ]
    return await _played(trouble, watches, Wrong.TOO_MANY_WATCHES)


@provokes(Wrong.TOO_MANY_STREAMS)
async def open_streams_without_end(trouble: Trouble) -> Failure | None:
    return await _crowd(trouble, [trouble.ada] * (STREAMS + 1))


@provokes(Wrong.TOO_MANY_SPECTATORS)
async def crowd_round_a_table(trouble: Trouble) -> Failure | None:
    most = SPECTATORS // 2
    return await _crowd(trouble, [trouble.ada] * most + [trouble.ben] * (SPECTATORS - most + 1))


@provokes(Wrong.RATE_LIMITED)
async def flood(trouble: Trouble) -> Failure | None:
    request = service_pb.SubmitActionRequest(
        seat=f"{trouble.table.name}/seats/0",
        action=table_pb2.Action(prompt_id=999_999),
        request_id=str(uuid.uuid4()),
    )
    play = service_pb.PlayRequest(submit=request)
    return await _played(trouble, [play] * 1500, Wrong.RATE_LIMITED)


async def _crowd(trouble: Trouble, watchers: list[Hutch]) -> Failure | None:
    """Watch the table for all of them at once: how the last one fails."""
    request = service_pb.WatchTableRequest(name=trouble.table.name).SerializeToString()
    async with grpc.aio.insecure_channel(trouble.stack.gateway) as channel:
        watch = channel.unary_stream(f"{SERVICE}/WatchTable")
        calls = []
        try:
            for hutch in watchers:
                metadata = (("authorization", f"Bearer {hutch.token}"),)
                calls.append(watch(request, metadata=metadata, timeout=60))
                await calls[-1].read()
        except grpc.aio.AioRpcError as error:
            return failure_of(error)
        finally:
            for call in calls:
                call.cancel()
    return None


async def _watched(trouble: Trouble, request: service_pb.WatchTableRequest) -> Failure | None:
    metadata = (("authorization", f"Bearer {trouble.ada.token}"),)
    async with grpc.aio.insecure_channel(trouble.stack.gateway) as channel:
        call = channel.unary_stream(f"{SERVICE}/WatchTable")(
            request.SerializeToString(), metadata=metadata, timeout=60
        )
        try:
            await call.read()
        except grpc.aio.AioRpcError as error:
            return failure_of(error)
    return None


async def _played(
    trouble: Trouble, requests: list[service_pb.PlayRequest], reason: str
) -> Failure | None:
    """Send all that over one Play stream: the first refusal of that reason."""
    metadata = (("authorization", f"Bearer {trouble.ada.token}"),)
    async with grpc.aio.insecure_channel(trouble.stack.gateway) as channel:
        call = channel.stream_stream(f"{SERVICE}/Play")(metadata=metadata, timeout=30)
        for request in requests:
            await call.write(request.SerializeToString())
        await call.done_writing()
        while isinstance(data := await call.read(), bytes):
            refusal = service_pb.PlayResponse.FromString(data).refusal
            if refusal.reason == reason:
                code = next(one for one in grpc.StatusCode if one.value[0] == refusal.code)
                wait = refusal.metadata.get("retry_after_ms")
                return Failure(
                    code, refusal.message, refusal.reason, DOMAIN, int(wait) if wait else None
                )
    return None
