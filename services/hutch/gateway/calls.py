"""Calls: what every RPC shares. Messages are parsed here, so that a malformed one gets its
documented error; callers are known and counted here; faults become statuses here, once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from time import perf_counter
from typing import Any, TypeAlias, TypeVar
from uuid import UUID

import grpc
import structlog
from google.protobuf.message import DecodeError, Message

from hutch.callers.caller import NAME_LENGTH, Caller, Scopes
from hutch.callers.tokens import Tokens
from hutch.gateway.admission import Admission
from hutch.gateway.rates import Rate
from hutch.gateway.streams import Streams
from hutch.gateway.writing import Writing
from hutch.runtime import metrics
from hutch.runtime.addresses import network_of
from hutch.runtime.tracing import TRACEPARENT, Trace, follow, followed, made, parsed
from hutch.store.errors import StoreUnavailable
from hutch.wire.errors import CATALOGUE, Fault, Wrong, busy

log = structlog.get_logger(__name__)

M = TypeVar("M", bound=Message)
Context = grpc.aio.ServicerContext[bytes, bytes]
#: Metadata by name.
Sent = dict[str, str | bytes]
#: A response as a message, or as the bytes of one.
Response = Message | bytes
Unary = Callable[[Caller, Any], Awaitable[Response]]
Streaming = Callable[[Caller, Any], AsyncIterator[Response]]
#: An RPC: its name, what it takes, what it does, and the scopes of which a token must have one;
#: None: no token is needed.
Method = tuple[str, type[Message], Unary, Scopes | None]
Handler: TypeAlias = "grpc.RpcMethodHandler[bytes, bytes]"

#: As almost all clients write them; others are told apart more slowly.
_USUAL_UUID = re.compile("[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")
_STATUS_DETAILS = "grpc-status-details-bin"


class Calls:
    """Wraps what a service does into gRPC handlers."""

    def __init__(
        self,
        tokens: Tokens,
        rate: Rate,
        refusals: Rate,
        streams: Streams,
        admission: Admission,
        *,
        message_bytes: int,
        slow_seconds: float,
    ) -> None:
        self._tokens = tokens
        self._rate = rate
        self._refusals = refusals
        self._streams = streams
        self._admission = admission
        self._message_bytes = message_bytes
        self._slow_seconds = slow_seconds
        metrics.REASON.allow(*CATALOGUE)

    def unary(self, *methods: Method, rated: bool = True) -> dict[str, Handler]:
        """One request, one response: the handlers of those methods, by name.

        `rated`: they count against the rate of calls, and take one of their places.
        """
        return {method[0]: self._unary(*method, rated=rated) for method in methods}

    def _unary(
        self,
        name: str,
        request_type: type[Message],
        do: Unary,
        scopes: Scopes | None,
        *,
        rated: bool,
    ) -> Handler:
        metrics.METHOD.allow(name)
        answered = metrics.REQUESTS.labels(method=name, code="OK", reason="")
        seconds = metrics.REQUEST_SECONDS.labels(method=name)
        if rated:
            do = self._admitted(do)

        async def handle(data: bytes, context: Context) -> bytes:
            started = perf_counter()
            sent = _sent(context)
            trace = _follow(sent)
            try:
                if scopes is None:
                    caller = anonymous_at(context)
                else:
                    caller = await self._caller(context, sent)
                    caller.require(scopes)
                if rated:
                    await self._rate.take(caller.player)
                response = await do(caller, self.parse(request_type, data))
            except Exception as error:
                await self._fail(name, context, fault_of(error, name))
            answered.inc()
            if trace.is_sampled:
                _log_answer(name, "OK", "")
            seconds.observe(perf_counter() - started)
            return serialized(response)

        return grpc.unary_unary_rpc_method_handler(handle)

    def _admitted(self, do: Unary) -> Unary:
        """The same, once there is a place for it."""

        async def do_in_place(caller: Caller, request: Any) -> Response:
            async with self._admission:
                return await do(caller, request)

        return do_in_place

    def server_stream(
        self, name: str, kind: str, request_type: type[M], do: Streaming, *, scopes: Scopes
    ) -> Handler:
        """One request, many responses."""
        metrics.METHOD.allow(name)

        async def handle(data: bytes, context: Context) -> None:
            async with self._stream(name, kind, context, scopes) as caller:
                writing = Writing(context, self._slow_seconds)
                async for response in do(caller, self.parse(request_type, data)):
                    await writing.write(serialized(response))

        return grpc.unary_stream_rpc_method_handler(handle)

    def both_streams(
        self,
        name: str,
        kind: str,
        do: Callable[[Caller, Context], Awaitable[None]],
        *,
        scopes: Scopes,
    ) -> Handler:
        """Many requests, many responses; `do` reads and writes bytes itself."""
        metrics.METHOD.allow(name)

        async def handle(_: object, context: Context) -> None:
            async with self._stream(name, kind, context, scopes) as caller:
                await do(caller, context)

        return grpc.stream_stream_rpc_method_handler(handle)

    @asynccontextmanager
    async def _stream(
        self, name: str, kind: str, context: Context, scopes: Scopes
    ) -> AsyncIterator[Caller]:
        """A stream that its caller may have, who is given; a fault within fails the call.

        Its place is free once the client has heard how it ended: it is not done before.
        """
        streams = metrics.STREAMS.labels(kind=kind)
        streams.inc()
        sent = _sent(context)
        _follow(sent)
        async with AsyncExitStack() as place:
            try:
                caller = await self._caller(context, sent)
                caller.require(scopes)
                await self._rate.take(caller.player)
                await place.enter_async_context(self._streams.place(caller))
                with self._streams.served(caller):
                    yield caller
            except Exception as error:
                await self._fail(name, context, fault_of(error, name))
            finally:
                streams.dec()
        count(name, "OK", "")

    async def _caller(self, context: Context, sent: Sent) -> Caller:
        """Who calls, by the token sent along. Raises `Fault`.

        Tokens that are refused count against the network address: checking one costs more than
        sending it.
        """
        try:
            return self._tokens.check(_token_of(sent))
        except Fault:
            await self._refusals.take(anonymous_at(context).player)
            raise

    def parse(self, message_type: type[M], data: bytes) -> M:
        """The message in those bytes. Raises `Fault` MESSAGE_TOO_LARGE or MALFORMED_MESSAGE."""
        if len(data) > self._message_bytes:
            raise Fault(
                Wrong.MESSAGE_TOO_LARGE,
                f"The message has {len(data)} bytes; {self._message_bytes} are allowed.",
            )
        try:
            return message_type.FromString(data)
        except (DecodeError, RecursionError):
            raise Fault(
                Wrong.MALFORMED_MESSAGE,
                f"The bytes sent are no {message_type.DESCRIPTOR.full_name}.",
            ) from None

    async def _fail(self, name: str, context: Context, fault: Fault) -> None:
        count(name, fault.code.name, fault.reason)
        details = fault.status().SerializeToString()
        await context.abort(fault.code, fault.sentence, ((_STATUS_DETAILS, details),))


def _sent(context: Context) -> Sent:
    """The metadata sent along; of what came twice, what came first."""
    sent: Sent = {}
    for key, value in context.invocation_metadata() or ():
        sent.setdefault(key, value)
    return sent


def _follow(sent: Sent) -> Trace:
    """Follow the trace of the caller, or a fresh one where none was sent that can be read."""
    trace = parsed(str(sent.get(TRACEPARENT, ""))) or made()
    follow(trace)
    return trace


def _token_of(sent: Sent) -> str:
    """The token sent along. Raises `Fault` TOKEN_MISSING."""
    scheme, _, token = str(sent.get("authorization", "")).partition(" ")
    if scheme.lower() == "bearer" and token:
        return token
    raise Fault(
        Wrong.TOKEN_MISSING,
        "No token came with the call; send the metadata 'authorization: Bearer {token}', "
        "with a token from CreateGuest.",
    )


def anonymous_at(context: Context) -> Caller:
    """A caller without a token, told apart by network alone."""
    return Caller(f"@{network_of(context.peer())}", "", 1 << 62)


def serialized(response: Response) -> bytes:
    """A response as bytes."""
    return response if isinstance(response, bytes) else response.SerializeToString()


def count(method: str, code: str, reason: str) -> None:
    """Count one answer."""
    metrics.REQUESTS.labels(method=method, code=code, reason=reason).inc()
    _log_answer(method, code, reason)


def _log_answer(method: str, code: str, reason: str) -> None:
    """Log an answer to a caller who wants to see it."""
    trace = followed()
    if trace is not None and trace.is_sampled:
        log.info("answered", method=method, code=code, reason=reason or None)


def fault_of(error: Exception, method: str) -> Fault:
    """What a caller is told of that error, with the trace by which we find it in our logs."""
    fault = _fault_of(error, method)
    trace = followed()
    if trace is not None and (trace.is_sampled or fault.reason == Wrong.INTERNAL):
        fault.metadata = fault.metadata | {"trace_id": str(trace)}
    return fault


def _fault_of(error: Exception, method: str) -> Fault:
    """The same without. Of a fault of ours: nothing that helps an attacker."""
    match error:
        case Fault():
            return error
        case StoreUnavailable():
            return busy("The games cannot be reached just now; retry with the same request_id.")
        case _:
            log.error("call_failed", method=method, exc_info=error)
            return Fault(
                Wrong.INTERNAL, "Something failed on our side; retry, and report it if it stays."
            )


def check_request_id(text: str) -> str:
    """A request id in one spelling. Raises `Fault` REQUEST_ID_INVALID."""
    if _USUAL_UUID.fullmatch(text):
        return text.replace("-", "")
    try:
        return UUID(text).hex
    except ValueError:
        raise Fault(
            Wrong.REQUEST_ID_INVALID,
            f"{text[:80]!r} is no UUID; send a fresh one, and the same one when retrying.",
        ) from None


def check_display_name(text: str) -> str:
    """A name as others see it, with single spaces. Raises `Fault` ARGUMENT_INVALID."""
    name = " ".join(text.split())
    if len(name) > NAME_LENGTH or not name.isprintable():
        raise Fault(
            Wrong.ARGUMENT_INVALID,
            f"The display name must be printable and at most {NAME_LENGTH} characters long.",
            {"field": "display_name"},
        )
    return name


async def drain_into(*tasks: asyncio.Task[Any]) -> None:
    """Cancel those tasks, all of them though one takes long or we are cancelled, and wait for
    their end."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
