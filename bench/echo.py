"""`python -m bench.echo`: what F is measured on, a bare `grpc.aio` server on uvloop that echoes."""

from __future__ import annotations

import asyncio
import json
import sys

import grpc

from hutch.runtime.drain import run_until_signalled

SERVICE = "bench.Echo"


async def _unary(message: bytes, context: object) -> bytes:
    return message


async def _stream(messages: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
    while isinstance(message := await context.read(), bytes):
        await context.write(message)


async def _serve(stop: asyncio.Event) -> None:
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        "Unary": grpc.unary_unary_rpc_method_handler(_unary),
        "Stream": grpc.stream_stream_rpc_method_handler(_stream),
    }
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE, methods)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(json.dumps({"event": "listening", "port": port}) + "\n")
    sys.stdout.flush()
    await stop.wait()
    await server.stop(None)


if __name__ == "__main__":
    run_until_signalled(_serve)
