"""Calls: one player's way to the gateways, with the token, deadlines and retries."""

from __future__ import annotations

import asyncio
from typing import TypeVar

import grpc

from hutch.client.errors import HutchError, closed, from_call, unanswered
from hutch.client.retries import Backoff, Retries
from hutch.client.tracing import TRACEPARENT, traceparent
from hutch.v1.campaign_service_pb2_grpc import CampaignServiceStub
from hutch.v1.catalog_service_pb2_grpc import CatalogServiceStub
from hutch.v1.player_service_pb2_grpc import PlayerServiceStub
from hutch.v1.table_service_pb2_grpc import TableServiceStub

Q = TypeVar("Q")
A = TypeVar("A")


class Calls:
    """The services as one player calls them. `token` may change at any time; once `is_closed` is
    set, everything is refused."""

    def __init__(self, channel: grpc.aio.Channel, token: str, retries: Retries) -> None:
        self.channel = channel
        self.token = token
        self.retries = retries
        self.is_closed = False
        self.players = PlayerServiceStub(channel)
        self.tables = TableServiceStub(channel)
        self.campaigns = CampaignServiceStub(channel)
        self.catalogue = CatalogServiceStub(channel)

    def require_open(self) -> None:
        """Raise `UnavailableError` where the client was closed, or the one that it shares the
        connection with."""
        if self.is_closed or self.channel.get_state() is grpc.ChannelConnectivity.SHUTDOWN:
            raise closed()

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What goes with every call."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    def traced_metadata(self) -> tuple[tuple[str, str], ...]:
        """What goes with a call of one caller's: also the trace that it belongs to."""
        trace = traceparent()
        return (*self.metadata(), (TRACEPARENT, trace)) if trace else self.metadata()

    def has_replaced(self, token: str, error: HutchError) -> bool:
        """Whether the error is about that token, and there is another by now."""
        return error.code is grpc.StatusCode.UNAUTHENTICATED and token != self.token

    async def unary(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Q, A],
        request: Q,
        *,
        retry_conflicts: bool = True,
    ) -> A:
        """The answer to a request. The very same request is sent again while that may help.

        So a request that changes something must carry a request id, or be harmless when repeated.
        """
        backoff = Backoff(self.retries)
        while True:
            self.require_open()
            token = self.token
            try:
                return await method(
                    request,
                    metadata=self.traced_metadata(),
                    timeout=min(self.retries.try_timeout, self.retries.give_up_after),
                )
            except asyncio.CancelledError:
                raise_if_closed()
                raise
            except grpc.aio.AioRpcError as failed:
                error = from_call(failed)
            if error.code is grpc.StatusCode.ABORTED and not retry_conflicts:
                raise error
            if not self.has_replaced(token, error):
                await backoff.wait_after(error)


def raise_if_closed() -> None:
    """Raise `UnavailableError` where a call was cancelled and its caller was not: the client was
    closed meanwhile."""
    task = asyncio.current_task()
    if task is not None and not task.cancelling():
        raise closed() from None


async def receive(
    call: grpc.aio.UnaryStreamCall[Q, A] | grpc.aio.StreamStreamCall[Q, A], silence: float
) -> A | None:
    """The next message of a stream; None at its end. Raises `HutchError` where it breaks off, or
    says nothing for `silence` seconds."""
    try:
        async with asyncio.timeout(silence):
            message = await call.read()
    except asyncio.CancelledError:
        raise_if_closed()
        raise
    except grpc.aio.AioRpcError as failed:
        raise from_call(failed) from None
    except TimeoutError:
        raise unanswered(f"The stream said nothing for {silence:g} seconds.") from None
    return None if message is grpc.aio.EOF else message  # type: ignore[return-value]
