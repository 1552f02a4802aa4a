"""A TCP proxy that stands for the network: it delays, swallows silently, resets, and is mended."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Self


class Proxy:
    """Passes bytes on to `target`: `host:port`, or the path of a unix socket.

    `sever` resets what is connected, and new connections get through. `cut` resets those too, and
    `hold` swallows everything without a word, as a network does in which packets are lost. Both
    last until `mend`, which delivers what was held, as TCP does by sending it again. Each way takes
    at least `delay_seconds`, and at most twice as long.
    """

    def __init__(self, target: str, *, delay_seconds: float = 0.0) -> None:
        self._target = target
        self.delay_seconds = delay_seconds
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._lets_in = True
        self._flowing = asyncio.Event()
        self._flowing.set()
        self.address = ""
        #: How many connections were reset so far.
        self.severed = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()
        self.address = f"{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        self._flowing.set()
        for task in list(self._tasks):
            task.cancel()
        await self._server.wait_closed()

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._writers) // 2

    def sever(self) -> None:
        """Reset every connection, both ways, with whatever was under way."""
        self.severed += self.connections
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    def cut(self) -> None:
        """Reset every connection, and each new one."""
        self._lets_in = False
        self.sever()

    def hold(self) -> None:
        """Let nothing through, and tell nobody."""
        self._flowing.clear()

    def mend(self) -> None:
        """Let everything through again."""
        self._lets_in = True
        self._flowing.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._flowing.wait()
            upstream, up = await self._connect()
        except OSError:
            writer.transport.abort()
            return
        if not self._lets_in:
            writer.transport.abort()
            up.transport.abort()
            return
        self._writers |= {writer, up}
        for source, sink in ((reader, up), (upstream, writer)):
            task = asyncio.create_task(self._pass_on(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, _, port = self._target.rpartition(":")
        if host:
            return await asyncio.open_connection(host, int(port))
        return await asyncio.open_unix_connection(self._target)

    async def _pass_on(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while chunk := await source.read(65536):
                if self.delay_seconds:
                    await asyncio.sleep(self.delay_seconds)
                await self._flowing.wait()
                sink.write(chunk)
                await sink.drain()
        sink.transport.abort()
        self._writers.discard(sink)
