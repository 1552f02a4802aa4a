"""Launches: how a program becomes a process that can be watched and ended."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Final, Protocol

from hutch.store.embedded import EmbeddedServer

_CHUNK_BYTES: Final = 65_536
_POLL_SECONDS: Final = 0.1


class Running(Protocol):
    """A process that was started."""

    @property
    def pid(self) -> int:
        """Its id."""

    @property
    def ended(self) -> bool:
        """Whether it is gone."""

    def send(self, number: signal.Signals) -> None:
        """Send it a signal; nothing if it is gone."""

    async def wait(self) -> int:
        """Its status once it has ended; that of a signal is negative."""

    def lines(self) -> AsyncIterator[str]:
        """What it writes, line by line, to the end."""

    def close(self) -> None:
        """Stop listening to what it writes."""


Launch = Callable[[], Awaitable[Running]]


def launch_python(*arguments: str, environ: Callable[[], Mapping[str, str]]) -> Launch:
    """Launches `python ARGUMENTS`, with those variables besides ours.

    The process is told to end when this one is killed, see `hutch.runtime.parent`.
    """
    command = (sys.executable, *arguments)
    return lambda: _launch(command, {**environ(), "HUTCH_DIE_WITH_PARENT": str(os.getpid())})


def launch_redis(server: EmbeddedServer) -> Launch:
    """Launches that server; it ends when we are killed."""

    async def launch() -> Running:
        # On this thread, for the kernel ties the server to the life of the one that starts it.
        server.launch()
        # Not on this thread, for reading much data takes long.
        await asyncio.to_thread(server.wait_until_ready)
        return _RunningRedis(server)

    return launch


async def _launch(command: Sequence[str], environ: Mapping[str, str]) -> Running:
    # A pipe of our own: with asyncio's, a process counts as ended only when nobody that it may
    # have left behind holds the other end any more.
    ours, theirs = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            env={**os.environ, **environ},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            # Ctrl-C on the terminal is for us: we end them in order.
            start_new_session=True,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    output = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(output), os.fdopen(ours, "rb", buffering=0)
    )
    return _RunningCommand(process, output, transport)


class _RunningCommand:
    def __init__(
        self,
        process: asyncio.subprocess.Process,
        output: asyncio.StreamReader,
        transport: asyncio.ReadTransport,
    ) -> None:
        self._process = process
        self._output = output
        self._transport = transport
        self.pid = process.pid

    @property
    def ended(self) -> bool:
        return self._process.returncode is not None

    def send(self, number: signal.Signals) -> None:
        if not self.ended:
            self._process.send_signal(number)

    async def wait(self) -> int:
        return await self._process.wait()

    async def lines(self) -> AsyncIterator[str]:
        # Not `readline`, which fails on a line that is longer than its buffer.
        rest = b""
        while chunk := await self._output.read(_CHUNK_BYTES):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line.decode(errors="replace").rstrip()
        if rest:
            yield rest.decode(errors="replace").rstrip()

    def close(self) -> None:
        self._transport.close()


class _RunningRedis:
    def __init__(self, server: EmbeddedServer) -> None:
        assert server.pid is not None
        self._server = server
        self.pid = server.pid

    @property
    def ended(self) -> bool:
        return not self._server.is_running()

    def send(self, number: signal.Signals) -> None:
        if not self.ended:
            os.kill(self.pid, number)

    async def wait(self) -> int:
        while self._server.is_running():  # noqa: ASYNC110 - a process tells nobody
            await asyncio.sleep(_POLL_SECONDS)
        status = self._server.status
        self._server.stop()
        return status or 0

    async def lines(self) -> AsyncIterator[str]:
        """None: it writes to a file of its own."""
        nothing: tuple[str, ...] = ()
        for line in nothing:
            yield line

    def close(self) -> None:
        pass
