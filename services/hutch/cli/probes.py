"""Probes: questions to a process whether it takes work, or still goes round."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

from hutch.cli.supervisor import Probe
from hutch.runtime.addresses import split_address

_SECONDS: Final = 5.0


def http_probe(address: str, path: str) -> Probe:
    """Whether a GET of that path is answered with status 200."""

    async def probe() -> bool:
        request = f"GET {path} HTTP/1.0\r\n\r\n"
        answer = await _ask(lambda: asyncio.open_connection(*split_address(address)), request)
        return answer.split()[1:2] == [b"200"]

    return probe


def redis_probe(socket: Callable[[], str]) -> Probe:
    """Whether the server at that unix socket answers a ping."""

    async def probe() -> bool:
        answer = await _ask(lambda: asyncio.open_unix_connection(socket()), "PING\r\n")
        return answer.startswith(b"+PONG")

    return probe


async def _ask(
    connect: Callable[[], Coroutine[Any, Any, tuple[asyncio.StreamReader, asyncio.StreamWriter]]],
    request: str,
) -> bytes:
    """The first line of the answer; empty when there is none in time."""
    try:
        async with asyncio.timeout(_SECONDS):
            reader, writer = await connect()
            try:
                writer.write(request.encode())
                return await reader.readline()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return b""
