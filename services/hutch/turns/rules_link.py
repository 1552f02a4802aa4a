"""Ways to the rules: over gRPC to rules processes, or in this process.

Over gRPC the commands that wait go as one batch, and the next batch gathers until it is answered:
the busier the rules, the less each command costs. A batch whose stream breaks is sent again to
another rules process: rules keep nothing, so that is harmless.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar
from zlib import crc32

import grpc
import structlog

from hutch.engine.refusals import Reason
from hutch.internal.v1 import rules_service_pb2 as pb
from hutch.runtime import metrics
from hutch.runtime.settings.shared import RulesClientSettings
from hutch.runtime.tls import channel_credentials
from hutch.turns.resolver import Resolver
from hutch.wire.errors import busy

log = structlog.get_logger(__name__)

R = TypeVar("R", pb.ResolveResponse, pb.RenderResponse)

SERVICE = "/hutch.internal.v1.RulesService"
TRIES = 3
#: Turns of the loop before a batch leaves: where many calls are coming in, more are on board then,
#: and where there are none it is no time at all.
GATHERING_TICKS = 3
#: So many make a batch that leaves before those of the last are told: they keep the rules busy
#: while the gateway goes on with what was answered.
ENOUGH = 8
#: More than these go in two batches: what the first led to is stored while the second is resolved.
MOST = 24
#: A rules process that says nothing for so long is taken for dead. A command that nobody answers
#: is given up after its tries, before its caller gives up.
SILENCE_SECONDS = 3.0
#: What waits for a connection is tried elsewhere after so long.
CONNECT_SECONDS = 1.5
CHANNEL_OPTIONS = (
    ("grpc.max_receive_message_length", 16 << 20),
    ("grpc.max_send_message_length", 16 << 20),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    # A try to connect that is not answered is given up after this time, and made again.
    ("grpc.min_reconnect_backoff_ms", 2000),
    # A process that is out of reach is found within three seconds, calls or not.
    ("grpc.keepalive_time_ms", 1000),
    ("grpc.http2.ping_timeout_ms", 2000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)


class RulesLink(Protocol):
    """Where commands are resolved. Raises `Fault` BUSY where no rules answer."""

    async def resolve(self, table_id: str, request: pb.ResolveRequest) -> pb.ResolveResponse:
        """Apply one command."""

    async def deal(self, request: pb.DealRequest) -> pb.ResolveResponse:
        """Start a game."""

    async def render(self, request: pb.RenderRequest) -> pb.RenderResponse:
        """Show a game."""

    async def is_up(self) -> bool:
        """Whether any rules process answers."""


class LocalRules:
    """The rules in this process."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    async def resolve(self, table_id: str, request: pb.ResolveRequest) -> pb.ResolveResponse:
        """Apply one command."""
        return self._resolver.resolve(request)

    async def deal(self, request: pb.DealRequest) -> pb.ResolveResponse:
        """Start a game."""
        return self._resolver.deal(request)

    async def render(self, request: pb.RenderRequest) -> pb.RenderResponse:
        """Show a game."""
        return self._resolver.render(request)

    async def is_up(self) -> bool:
        """They are."""
        return True


def rules_credentials(settings: RulesClientSettings) -> grpc.ChannelCredentials | None:
    """How rules are known, and how they know us; None: no TLS. Raises `CertificateError`."""
    if settings.ca_file is None:
        return None
    return channel_credentials(settings.ca_file, settings.certificate_file, settings.key_file)


class _Waiting:
    """A command on its way, and who waits for the answer."""

    __slots__ = ("answer", "request", "table_id", "tries")

    def __init__(self, table_id: str, request: pb.ResolveRequest) -> None:
        self.table_id = table_id
        self.request = request
        self.answer: asyncio.Future[pb.ResolveResponse]
        self.answer = asyncio.get_running_loop().create_future()
        self.tries = 0


class RemoteRules:
    """Rules processes over gRPC. A table's commands go to the same process while it is up (it has
    the game at hand then), and to any other when it is not.

    While processes are replaced one by one, some have a revision of the rules that others do not:
    what one cannot play for that reason is taken to the others.
    """

    def __init__(
        self, addresses: list[str], credentials: grpc.ChannelCredentials | None = None
    ) -> None:
        if not addresses:
            raise ValueError("no rules address is given; set HUTCH_RULES_ADDRESSES")
        self._streams = [_RulesStream(address, credentials, self._again) for address in addresses]

    async def __aenter__(self) -> RemoteRules:
        """Open the streams."""
        for stream in self._streams:
            stream.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close them; whoever still waits gets BUSY."""
        await asyncio.gather(*(stream.stop() for stream in self._streams))

    async def resolve(self, table_id: str, request: pb.ResolveRequest) -> pb.ResolveResponse:
        """Apply one command."""
        waiting = _Waiting(table_id, request)
        self._send(waiting)
        answer = await waiting.answer
        if answer.refusal.reason == Reason.RULES_GONE:
            return await self._elsewhere(waiting, answer)
        return answer

    async def deal(self, request: pb.DealRequest) -> pb.ResolveResponse:
        """Start a game."""
        return await self._unary(lambda stream: stream.deal(request, timeout=SILENCE_SECONDS))

    async def render(self, request: pb.RenderRequest) -> pb.RenderResponse:
        """Show a game."""
        return await self._unary(lambda stream: stream.render(request, timeout=SILENCE_SECONDS))

    async def is_up(self) -> bool:
        """Whether any rules process answers."""
        return any(stream.is_up for stream in self._streams)

    async def _unary(self, call: Callable[[_RulesStream], Awaitable[R]]) -> R:
        order = sorted(self._streams, key=lambda stream: not stream.is_up)
        gone: R | None = None
        failed = 0
        for stream in order:
            try:
                answer = await call(stream)
            except grpc.aio.AioRpcError as error:
                log.warning("rules_unreachable", address=stream.address, code=error.code().name)
                failed += 1
                if failed == TRIES:
                    break
            else:
                if answer.refusal.reason != Reason.RULES_GONE:
                    return answer
                gone = answer
        if gone is not None:
            return gone
        raise busy("No rules process answers just now; retry with the same request_id.")

    async def _elsewhere(self, asked: _Waiting, gone: pb.ResolveResponse) -> pb.ResolveResponse:
        """Ask each process for what one of them had no rules for."""
        for stream in self._streams:
            if stream.is_up:
                waiting = _Waiting(asked.table_id, asked.request)
                stream.put(waiting)
                answer = await waiting.answer
                if answer.refusal.reason != Reason.RULES_GONE:
                    return answer
        return gone

    def _send(self, waiting: _Waiting) -> None:
        streams = self._streams
        first = crc32(waiting.table_id.encode()) % len(streams)
        for step in range(len(streams)):
            stream = streams[(first + step) % len(streams)]
            if stream.is_up:
                stream.put(waiting)
                return
        streams[first].put(waiting)  # all down: it waits for the next connection, or for its tries

    def _again(self, unanswered: list[_Waiting]) -> None:
        for waiting in unanswered:
            waiting.tries += 1
            if waiting.answer.done():
                continue
            if waiting.tries >= TRIES:
                waiting.answer.set_exception(
                    busy("The rules did not answer; retry with the same request_id.")
                )
            else:
                self._send(waiting)


class _RulesStream:
    """One stream to one rules process, kept open."""

    def __init__(
        self,
        address: str,
        credentials: grpc.ChannelCredentials | None,
        again: Callable[[list[_Waiting]], None],
    ) -> None:
        self.address = address
        self.is_up = False
        self._again = again
        self._queue: list[_Waiting] = []
        self._under_way: list[_Waiting] = []
        self._wake = asyncio.Event()
        self._channel = (
            grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS)
            if credentials is None
            else grpc.aio.secure_channel(address, credentials, options=CHANNEL_OPTIONS)
        )
        self._call: grpc.aio.StreamStreamMultiCallable[
            pb.ResolveBatchesRequest, pb.ResolveBatchesResponse
        ] = self._channel.stream_stream(
            f"{SERVICE}/ResolveBatches",
            request_serializer=pb.ResolveBatchesRequest.SerializeToString,
            response_deserializer=pb.ResolveBatchesResponse.FromString,
        )
        self.deal = self._channel.unary_unary(
            f"{SERVICE}/Deal",
            request_serializer=pb.DealRequest.SerializeToString,
            response_deserializer=pb.ResolveResponse.FromString,
        )
        self.render = self._channel.unary_unary(
            f"{SERVICE}/Render",
            request_serializer=pb.RenderRequest.SerializeToString,
            response_deserializer=pb.RenderResponse.FromString,
        )
        self._task: asyncio.Task[None] | None = None
        self._stopping = False

    def start(self) -> None:
        """Connect, and again whenever the stream breaks."""
        self._task = asyncio.create_task(self._run(), name=f"rules {self.address}")

    async def stop(self) -> None:
        """Disconnect for good."""
        self._stopping = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._channel.close()
        for waiting in self._queue:
            if not waiting.answer.done():
                waiting.answer.set_exception(busy("This server is stopping; retry on another."))

    def put(self, waiting: _Waiting) -> None:
        """Queue a command for the next batch."""
        self._queue.append(waiting)
        self._wake.set()

    async def _run(self) -> None:
        while True:
            try:
                await asyncio.wait_for(self._channel.channel_ready(), CONNECT_SECONDS)
                await self._converse()
            except (OSError, grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
                log.warning("rules_stream_broke", address=self.address, error=str(error)[:200])
            except asyncio.CancelledError:
                if self._stopping:
                    raise
            finally:
                self.is_up = False
                unanswered = [*self._under_way, *self._queue]
                self._under_way, self._queue = [], []
                self._again(unanswered)
            await asyncio.sleep(0.1)

    async def _converse(self) -> None:
        """Send batch after batch, each once the one before is answered.

        Where enough has gathered meanwhile it is sent before those answers are told.
        """
        call = self._call()
        call.add_done_callback(lambda _: self._wake.set())  # a stream that ends is noticed
        self.is_up = True
        log.info("rules_connected", address=self.address)
        answered: list[tuple[_Waiting, pb.ResolveResponse]] = []
        try:
            while True:
                if len(self._queue) < ENOUGH:
                    _tell(answered)
                    await self._wake.wait()
                    for _ in range(GATHERING_TICKS):
                        await asyncio.sleep(0)
                self._wake.clear()
                if call.done():
                    raise ConnectionError("the rules process ended the stream")
                waiting, self._queue = self._queue[:MOST], self._queue[MOST:]
                if self._queue:
                    self._wake.set()
                self._under_way = [one for one in waiting if not one.answer.done()]
                if self._under_way:
                    answered = await self._exchange(call, answered)
        finally:
            _tell(answered)
            call.cancel()

    async def _exchange(
        self,
        call: grpc.aio.StreamStreamCall[pb.ResolveBatchesRequest, pb.ResolveBatchesResponse],
        answered: list[tuple[_Waiting, pb.ResolveResponse]],
    ) -> list[tuple[_Waiting, pb.ResolveResponse]]:
        """Have the batch answered that is under way, and tell those of the last meanwhile."""
        batch = self._under_way
        metrics.BATCH_SIZE.labels().observe(len(batch))
        try:
            async with asyncio.timeout(SILENCE_SECONDS):
                await call.write(pb.ResolveBatchesRequest(requests=[one.request for one in batch]))
                _tell(answered)
                answers = await call.read()
        except TimeoutError:
            raise TimeoutError("the rules process said nothing") from None
        if not isinstance(answers, pb.ResolveBatchesResponse):
            raise ConnectionError("the rules process ended the stream")
        self._under_way = []
        return list(zip(batch, answers.responses, strict=True))


def _tell(answered: list[tuple[_Waiting, pb.ResolveResponse]]) -> None:
    """Give callers their answers, unless they have them or have gone away."""
    for waiting, answer in answered:
        if not waiting.answer.done():
            waiting.answer.set_result(answer)
