"""`python -m hutch.rules`: serve the rules to gateways, timekeepers and workers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import grpc

from hutch.games import RULESETS
from hutch.internal.v1 import rules_service_pb2 as pb
from hutch.internal.v1 import rules_service_pb2_grpc as pb_grpc
from hutch.runtime import metrics
from hutch.runtime.drain import serve_until
from hutch.runtime.health import add_health
from hutch.runtime.process import Process, take_no_arguments
from hutch.runtime.settings.rules import RulesSettings
from hutch.runtime.tls import CertificateError, server_credentials
from hutch.turns.resolver import Resolver

SERVICE = "hutch.internal.v1.RulesService"
MESSAGE_BYTES = 16 << 20
SERVER_OPTIONS = (
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    ("grpc.max_send_message_length", MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),
    # Whoever asks looks every second whether we are still there.
    ("grpc.http2.min_ping_interval_without_data_ms", 500),
    ("grpc.keepalive_permit_without_calls", 1),
)


def main() -> None:
    """Run until told to stop."""
    take_no_arguments(__doc__)
    Process("rules", RulesSettings).run(serve)


async def serve(process: Process[RulesSettings], stop: asyncio.Event) -> None:
    """Serve the rules until `stop` is set."""
    settings = process.settings
    metrics.RULESET.allow(*RULESETS)
    server = grpc.aio.server(options=SERVER_OPTIONS)
    closing = asyncio.Event()
    servicer = RulesServicer(Resolver(), closing)
    pb_grpc.add_RulesServiceServicer_to_server(servicer, server)
    add_health(server, process.health, SERVICE)
    rules = settings.rules
    door = None
    if rules.certificate_file is not None and rules.key_file is not None:
        try:
            door = server_credentials(rules.certificate_file, rules.key_file, rules.ca_file)
        except CertificateError as fault:
            process.refuse(str(fault))
    port = process.listen(server, rules.bind, door, variable="HUTCH_RULES_BIND")
    process.log.info("listening", address=rules.bind, port=port)
    ending = asyncio.create_task(servicer.end_streams())
    await serve_until(stop, server, process.health, settings.drain, closing)
    await ending


class RulesServicer(pb_grpc.RulesServiceServicer):
    """A resolver behind gRPC. Streams end when `closing` is set: whoever waits asks another."""

    def __init__(self, resolver: Resolver, closing: asyncio.Event) -> None:
        self._resolver = resolver
        self._closing = closing
        #: The tasks of streams that wait for a batch.
        self._idle: set[asyncio.Task[None]] = set()

    async def end_streams(self) -> None:
        """End those that nothing comes over, once the door closes; others end by themselves."""
        await self._closing.wait()
        for task in [*self._idle]:
            task.cancel()

    async def Deal(self, request: pb.DealRequest, context: object) -> pb.ResolveResponse:
        """Start a game."""
        return self._resolver.deal(request)

    async def Resolve(self, request: pb.ResolveRequest, context: object) -> pb.ResolveResponse:
        """Apply one command."""
        return self._resolver.resolve(request)

    async def Render(self, request: pb.RenderRequest, context: object) -> pb.RenderResponse:
        """Show a game."""
        return self._resolver.render(request)

    async def ResolveBatches(
        self, request_iterator: AsyncIterator[pb.ResolveBatchesRequest], context: object
    ) -> AsyncIterator[pb.ResolveBatchesResponse]:
        """Batch after batch, each answered whole and in its order."""
        batches = aiter(request_iterator)
        while (batch := await self._next(batches)) is not None:
            yield self._resolver.resolve_batch(batch)

    async def _next(
        self, batches: AsyncIterator[pb.ResolveBatchesRequest]
    ) -> pb.ResolveBatchesRequest | None:
        """The next batch; None where there is none, or where it is time to stop."""
        if self._closing.is_set():
            return None
        task = asyncio.current_task()
        assert task is not None
        self._idle.add(task)
        try:
            return await anext(batches, None)
        except asyncio.CancelledError:
            if not self._closing.is_set():
                raise
            task.uncancel()  # this was `end_streams`
            return None
        finally:
            self._idle.discard(task)


if __name__ == "__main__":
    main()
