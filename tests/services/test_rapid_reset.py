"""Calls that are begun and cancelled without end cost their sender, not the others."""

from __future__ import annotations

import asyncio
import struct
import time

import psutil

from hutch.client import Hutch, Table
from tests.stacks import RunningStack

RESETS = 20_000
PER_WRITE = 100
GROWTH_BYTES = 40 << 20
#: What another player's call may take meanwhile, on a busy machine.
PATIENCE_SECONDS = 15.0

_HEADERS, _RST_STREAM, _SETTINGS = 1, 3, 4
_END_HEADERS = 4
_CANCEL = 8


def frame(kind: int, flags: int, stream: int, content: bytes) -> bytes:
    """An HTTP/2 frame."""
    return len(content).to_bytes(3, "big") + struct.pack(">BBI", kind, flags, stream) + content


def header(name: str, value: str) -> bytes:
    """A header as HPACK spells it without any table."""
    parts = [part.encode() for part in (name, value)]
    return b"\x00" + b"".join(bytes((len(part),)) + part for part in parts)


HEADERS = b"".join(
    header(name, value)
    for name, value in (
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/hutch.v1.TableService/Play"),
        (":authority", "hutch"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    )
)


async def flood(host: str, port: int) -> int:
    """Begin and cancel streams until all are sent or the server has had enough: how many."""
    reader, writer = await asyncio.open_connection(host, port)
    reading = asyncio.create_task(_read_all(reader))
    sent = 0
    try:
        writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(_SETTINGS, 0, 0, b""))
        for first in range(1, 2 * RESETS, 2 * PER_WRITE):
            if reading.done():
                break
            writer.write(
                b"".join(
                    frame(_HEADERS, _END_HEADERS, stream, HEADERS)
                    + frame(_RST_STREAM, 0, stream, struct.pack(">I", _CANCEL))
                    for stream in range(first, first + 2 * PER_WRITE, 2)
                )
            )
            await writer.drain()
            sent += PER_WRITE
    except ConnectionError:
        pass
    finally:
        writer.transport.abort()
        await asyncio.gather(reading, return_exceptions=True)
    return sent


async def _read_all(reader: asyncio.StreamReader) -> None:
    while await reader.read(65536):
        pass


async def test_a_flood_of_cancelled_calls_holds_nobody_up_and_costs_no_memory(
    stack: RunningStack, ada: Hutch, table: Table
) -> None:
    host, _, port = stack.gateway.rpartition(":")
    process = psutil.Process(stack.facts["pids"]["gateway"])
    await flood(host, int(port))  # what is allocated once is allocated now
    before = process.memory_info().rss
    flooding = asyncio.create_task(flood(host, int(port)))
    waits = []
    while not flooding.done():
        started = time.monotonic()
        await ada.table(table.name).get()
        waits.append(time.monotonic() - started)
    assert await flooding > 0
    await ada.table(table.name).get()
    assert waits
    assert max(waits) < PATIENCE_SECONDS
    assert process.memory_info().rss - before < GROWTH_BYTES
    assert stack.facts["pids"]["gateway"] == process.pid
