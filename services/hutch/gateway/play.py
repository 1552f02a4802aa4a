"""Play: one stream for many tables, actions up and outcomes and updates down."""

from __future__ import annotations

import asyncio

from hutch.callers.caller import Caller
from hutch.gateway.actions import Actions
from hutch.gateway.calls import Calls, Context, count, drain_into, fault_of
from hutch.gateway.rates import Rate
from hutch.gateway.watching import GOING_AWAY, Watching
from hutch.gateway.writing import Writing
from hutch.runtime.tracing import follow, made, parsed
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import Fault, Wrong
from hutch.wire.framing import field
from hutch.wire.names import parse_name

#: Actions of one stream that may be under way at once; more are read when these are done.
AT_ONCE = 32
#: Responses of one stream that may wait to be written.
WAITING = 64

# Fields of `PlayResponse`.
_UPDATE, _SUBMITTED, _REFUSAL, _REQUEST_ID, _NAME = 1, 2, 3, 4, 5


class PlayStreams:
    """Serves Play streams."""

    def __init__(
        self,
        calls: Calls,
        actions: Actions,
        watching: Watching,
        rate: Rate,
        *,
        watches: int,
        slow_seconds: float,
    ) -> None:
        self.calls = calls
        self._actions = actions
        self.watching = watching
        #: Of watches: each is as much work as a call.
        self.rate = rate
        self.watches = watches
        self.slow_seconds = slow_seconds

    async def serve(self, caller: Caller, context: Context) -> None:
        """One stream, until the client ends it or the server stops."""
        stream = _PlayStream(self, caller, context)
        await stream.run(self.watching.stopping)

    async def submit(self, caller: Caller, request: service_pb.SubmitActionRequest) -> bytes:
        """The `PlayResponse` to an action."""
        try:
            accepted = await self._actions.submit(caller, request)
        except Exception as error:
            return refusal(fault_of(error, "Play"), request.request_id, request.seat)
        count("Play", "OK", "")
        return (
            field(_SUBMITTED, field(1, accepted.batch))
            + field(_REQUEST_ID, request.request_id.encode())
            + field(_NAME, request.seat.encode())
        )


def refusal(fault: Fault, request_id: str, name: str) -> bytes:
    """The `PlayResponse` that tells a fault."""
    count("Play", fault.code.name, fault.reason)
    message = service_pb.PlayResponse(request_id=request_id, name=name)
    message.refusal.code = fault.code.value[0]
    message.refusal.reason = fault.reason
    message.refusal.message = fault.sentence
    message.refusal.metadata.update(fault.metadata)
    if fault.retry_after_ms is not None:
        # What `RetryInfo` says on unary calls.
        message.refusal.metadata["retry_after_ms"] = str(fault.retry_after_ms)
    return message.SerializeToString()


class _PlayStream:
    """One client's stream. One task alone writes: a write that is cancelled half-way would leave
    the stream unusable. What waits for it is bounded, so whoever has something to tell waits too.
    """

    def __init__(self, service: PlayStreams, caller: Caller, context: Context) -> None:
        self._service = service
        self._caller = caller
        self._context = context
        self._outgoing: asyncio.Queue[bytes | None] = asyncio.Queue(WAITING)
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._watches: dict[str, asyncio.Task[None]] = {}
        self._submits: set[asyncio.Task[None]] = set()

    async def run(self, stopping: asyncio.Event) -> None:
        """Serve until the client has said all it wants to, does not read, or the server stops."""
        reading = asyncio.create_task(self._read())
        writing = asyncio.create_task(self._write())
        stopped = asyncio.create_task(stopping.wait())
        tasks = [stopped, reading, writing]
        try:
            await asyncio.wait((reading, writing, stopped), return_when=asyncio.FIRST_COMPLETED)
            if not writing.done():
                if reading.done():
                    reading.result()
                else:
                    await drain_into(reading)
                while self._submits and not writing.done():  # what was read is answered
                    await asyncio.wait(
                        (writing, *self._submits), return_when=asyncio.FIRST_COMPLETED
                    )
                for watch in self._watches.values():
                    watch.cancel()
                # Where nobody reads there is no room for it, and never will be.
                ending = asyncio.create_task(self._end(going_away=stopping.is_set()))
                tasks.append(ending)
                await asyncio.wait((writing, ending), return_when=asyncio.FIRST_COMPLETED)
            await writing
        finally:
            await drain_into(*tasks, *self._watches.values(), *self._submits)

    async def _end(self, *, going_away: bool) -> None:
        """Say what is said last."""
        if going_away:
            await self._outgoing.put(field(_UPDATE, GOING_AWAY))
        await self._outgoing.put(None)

    async def _read(self) -> None:
        while isinstance(data := await self._context.read(), bytes):
            name = ""
            try:
                request = self._service.calls.parse(service_pb.PlayRequest, data)
                match request.WhichOneof("request"):
                    case "submit":
                        await self._slots.acquire()
                        task = asyncio.create_task(self._submit(request))
                        self._submits.add(task)
                        task.add_done_callback(self._submits.discard)
                    case "watch":
                        name = request.watch.name
                        await self._service.rate.wait(self._caller.player)
                        self._watch(request.watch)
                    case "unwatch":
                        if (watch := self._watches.pop(request.unwatch, None)) is not None:
                            watch.cancel()
                    case _:
                        raise Fault(
                            Wrong.MALFORMED_MESSAGE,
                            "The PlayRequest holds nothing; send watch, submit or unwatch.",
                        )
            except Fault as fault:
                await self._outgoing.put(refusal(fault, "", name))

    async def _write(self) -> None:
        writing = Writing(self._context, self._service.slow_seconds)
        while (data := await self._outgoing.get()) is not None:
            await writing.write(data)

    async def _submit(self, request: service_pb.PlayRequest) -> None:
        if request.traceparent:
            follow(parsed(request.traceparent) or made())
        try:
            await self._outgoing.put(await self._service.submit(self._caller, request.submit))
        finally:
            self._slots.release()

    def _watch(self, request: service_pb.WatchTableRequest) -> None:
        parse_name(request.name)
        if request.name in self._watches:
            self._watches.pop(request.name).cancel()
        if len(self._watches) >= self._service.watches:
            raise Fault(
                Wrong.TOO_MANY_WATCHES,
                f"{self._service.watches} tables are watched over this stream already; "
                f"unwatch one, or open another stream.",
            )
        self._watches[request.name] = asyncio.create_task(self._follow(request))

    async def _follow(self, request: service_pb.WatchTableRequest) -> None:
        named = field(_NAME, request.name.encode())
        try:
            updates = self._service.watching.updates(
                parse_name(request.name), self._caller, request.resume_token
            )
            async for update in updates:
                await self._outgoing.put(field(_UPDATE, update) + named)
        except Exception as error:
            await self._outgoing.put(refusal(fault_of(error, "Play"), "", request.name))
        finally:
            if self._watches.get(request.name) is asyncio.current_task():
                del self._watches[request.name]
