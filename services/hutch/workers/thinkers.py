"""Thinkers: the processes in which a worker lets bots think, so that whatever a bot does, it fails
alone.

One that ends, or does not answer in time, has failed at the question that it was asked, and is gone
with it; the worker and its other tables hardly notice. One that ended while it waited was about
nothing, and is passed over.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from typing import ClassVar, Final, NamedTuple

import msgspec
import structlog

from hutch.workers.answering import BotFailed
from hutch.workers.thoughts import (
    Answered,
    Asked,
    Bounds,
    Failed,
    Unframing,
    decode_pid,
    decode_thought,
    encode,
    framed,
)

log = structlog.get_logger(__name__)

#: Thinkers that are about bots without a fault so far, at most.
PLACES: Final = 6
#: Thinkers that are about bots that have failed before. They never take the places of the others.
SUSPECTS_PLACES: Final = 2
#: A bot may take this many times its bound of processor time, by the clock on the wall.
WALL_FACTOR: Final = 5
#: It takes half a second for the first, and a hundredth for each of the others.
_START_SECONDS: Final = 10
_STARTS: Final = 2
_READ_BYTES: Final = 65_536


class NoThinker(Exception):
    """No thinker can be had: no fault of a bot."""


class Thinkers:
    """The thinkers of one worker, started when they are needed and kept. For one event loop."""

    #: The program of the nursery that they come from.
    program: ClassVar[str] = "hutch.workers.thinker"

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._places = asyncio.Semaphore(PLACES)
        self._suspects_places = asyncio.Semaphore(SUSPECTS_PLACES)
        self._idle: list[_Thinker] = []
        self._nursery: _Nursery | None = None

    async def think(self, asked: Asked, *, is_suspect: bool) -> bytes:
        """What the bot answers, an `Action` as bytes. Raises `BotFailed` and `NoThinker`.

        Suspects have failed before, and share no place with those that have not.
        """
        async with self._suspects_places if is_suspect else self._places:
            thinker = self._waiting() or await self._start()
            try:
                async with asyncio.timeout(self._bounds.answer_seconds * WALL_FACTOR):
                    thought = decode_thought(await thinker.ask(encode(asked)))
            except EOFError:
                thinker.kill()  # it may have hung up only
                raise BotFailed("it ended its process") from None
            except TimeoutError:
                thinker.kill()
                raise BotFailed("it took too long") from None
            except BaseException:
                thinker.kill()
                raise
            match thought:
                case Answered(action, last):
                    if last:
                        thinker.close()
                    else:
                        self._idle.append(thinker)
                    return action
                case Failed(why, trace):
                    thinker.close()
                    raise BotFailed(why, trace)

    def close(self) -> None:
        """End them all."""
        for thinker in self._idle:
            thinker.close()
        self._idle.clear()
        self._close_nursery()

    def _waiting(self) -> _Thinker | None:
        """The one that was busy last, if any is waiting to be asked and still lives."""
        while self._idle:
            thinker = self._idle.pop()
            if thinker.is_alive:
                return thinker
            thinker.close()
        return None

    async def _start(self) -> _Thinker:
        for _ in range(_STARTS):
            nursery = None
            try:
                nursery = self._open_nursery()
                return await _born(nursery)
            except (OSError, EOFError) as fault:  # TimeoutError is an OSError
                log.warning("nursery_down", error=repr(fault))
                if self._nursery is nursery:
                    self._close_nursery()
        raise NoThinker

    def _open_nursery(self) -> _Nursery:
        """The nursery; it is started if there is none."""
        if self._nursery is None:
            ours, theirs = socket.socketpair()
            bounds = msgspec.json.encode(self._bounds).decode()
            with theirs:
                process = subprocess.Popen(  # noqa: S603 - a program of ours
                    [sys.executable, "-m", self.program, bounds],
                    stdin=theirs.fileno(),
                    process_group=0,
                )
            self._nursery = _Nursery(process, ours)
        return self._nursery

    def _close_nursery(self) -> None:
        """End it, with all thinkers that came from it."""
        if self._nursery is not None:
            self._nursery.orders.close()
            with suppress(ProcessLookupError, PermissionError):  # there is none any more
                os.killpg(self._nursery.process.pid, signal.SIGKILL)
            self._nursery.process.wait()
            self._nursery = None


class _Nursery(NamedTuple):
    """Where thinkers come from. It leads a group of processes, of which they are members."""

    process: subprocess.Popen[bytes]
    orders: socket.socket


async def _born(nursery: _Nursery) -> _Thinker:
    """A new thinker from that nursery. Raises `OSError` or `EOFError` where it will not be."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    thinker = _Thinker(ours)
    try:
        with theirs:
            socket.send_fds(nursery.orders, [b"\0"], [theirs.fileno()])
        async with asyncio.timeout(_START_SECONDS):
            await thinker.greet()
    except BaseException:
        thinker.close()
        raise
    return thinker


class _Thinker:
    """One of them, at the other end of a socket."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._unframing = Unframing()
        self._pid = 0

    @property
    def is_alive(self) -> bool:
        """Whether it is still there, as far as that can be told without asking it."""
        try:
            self._line.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False  # it has hung up, or says what it was not asked

    async def greet(self) -> None:
        """Wait until it is ready. Raises `EOFError` where it will not be."""
        self._pid = decode_pid(await self._receive())

    async def ask(self, question: bytes) -> bytes:
        """Its answer. Raises `EOFError` where it ended instead."""
        try:
            await asyncio.get_running_loop().sock_sendall(self._line, framed(question))
        except OSError:
            raise EOFError from None
        return await self._receive()

    async def _receive(self) -> bytes:
        loop = asyncio.get_running_loop()
        while True:
            try:
                received = await loop.sock_recv(self._line, _READ_BYTES)
            except OSError:
                received = b""
            if not received:
                raise EOFError
            if (message := self._unframing.add(received)) is not None:
                return message

    def close(self) -> None:
        """Part with it: it ends once it has nothing to say."""
        self._line.close()

    def kill(self) -> None:
        """End it, whatever it is about."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        self.close()
