"""The doorbell: wakes whoever waits for a commit. It carries no data, and may miss.

One connection a process listens for all its waiters. A ring can be lost (nothing keeps it while
the connection is down), so every wait also ends after a while, and once a line that was down is up
again everybody is rung: a waiter that looks at the store whenever it wakes misses nothing.

Channels are ordinary ones, not sharded: on a cluster every node passes every ring on, and one
connection to any node hears them all.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import groupby
from operator import itemgetter
from typing import Final, Literal, Protocol

import structlog
from msgspec import Struct
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisClusterException, RedisError

from hutch.store.connect import TIMEOUT_S, Client, open_line
from hutch.store.contact import Contact
from hutch.store.errors import StoreUnavailable
from hutch.store.keys import Keys

POLL_S: Final = 2.0
_PING_S: Final = 5.0
_RECONNECT_S: Final = (0.05, 1.0)

Purpose = Literal["timers", "hints", "outbox"]

log = structlog.get_logger(__name__)


class Wakes(Struct, frozen=True):
    """By shard, the earliest moment (ms since 1970) that was rung for, since the last time.

    `missed`: rings may have been lost, so look at every shard.
    """

    by_shard: dict[int, int]
    missed: bool


class Doorbell:
    """The doorbell of one process. Use it as an async context manager."""

    def __init__(
        self, client: Client, keys: Keys, contact: Contact, *, poll_s: float = POLL_S
    ) -> None:
        self._client = client
        self._keys = keys
        self._contact = contact
        self._poll_s = poll_s
        self._listeners: dict[bytes, set[_Listener]] = {}
        self._unheard: dict[bytes, int] = {}  # channel -> subscriptions not confirmed yet
        self._heard: dict[bytes, asyncio.Event] = {}
        self._deaf: set[bytes] = set()  # channels that may have been rung while the line was down
        self._to_send: list[tuple[str, bytes]] = []
        self._something_to_send = asyncio.Event()
        self._connected = False
        self._task: asyncio.Task[None] | None = None
        self._closing = False

    async def __aenter__(self) -> Doorbell:
        self._task = asyncio.get_running_loop().create_task(self._serve(), name="doorbell")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._closing = True
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None

    @property
    def is_up(self) -> bool:
        """Whether the line is up; while it is not, waiters only poll."""
        return self._connected

    @asynccontextmanager
    async def listen(self, table_id: str) -> AsyncIterator[Bell]:
        """Listen to one table. What is committed from now on rings."""
        bell = Bell(self._poll_s)
        async with self._listening(self._keys.bell(table_id), bell):
            yield bell

    @asynccontextmanager
    async def listen_to_shards(self, purpose: Purpose) -> AsyncIterator[ShardBell]:
        """Listen to all shards: rung when one has a timer, a hint or a note earlier than before."""
        bell = ShardBell(self._poll_s)
        async with self._listening(self._keys.channel(purpose), bell):
            yield bell

    @asynccontextmanager
    async def _listening(self, name: str, listener: _Listener) -> AsyncIterator[None]:
        channel = name.encode()
        listeners = self._listeners.setdefault(channel, set())
        listeners.add(listener)
        if len(listeners) == 1:
            self._heard[channel] = asyncio.Event()
            if self._connected:
                self._send("SUBSCRIBE", channel)
        try:
            if self._connected:
                await self._heard[channel].wait()
            yield
        finally:
            listeners.discard(listener)
            if not listeners:
                del self._listeners[channel], self._heard[channel]
                if self._connected:
                    self._send("UNSUBSCRIBE", channel)

    def _send(self, verb: str, channel: bytes) -> None:
        if verb == "SUBSCRIBE":
            self._unheard[channel] = self._unheard.get(channel, 0) + 1
        self._to_send.append((verb, channel))
        self._something_to_send.set()

    async def _serve(self) -> None:
        """Keep a line up, until it is cancelled.

        A task group whose tasks fail as it is cancelled swallows that, so the flag is asked too.
        """
        shortest, longest = _RECONNECT_S
        pause = shortest
        while not self._closing:
            try:
                line = await self._open_line()
                pause = shortest
                await self._attend(line)
            except* (RedisError, RedisClusterException, OSError) as faults:
                fault = faults.exceptions[0]
                self._contact.failed(StoreUnavailable(f"the doorbell's line is down: {fault}"))
            except* Exception:
                log.exception("doorbell_failed")
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(longest, pause * 2)

    async def _open_line(self) -> AbstractConnection:
        line = open_line(self._client)
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await line.connect()  # type: ignore[no-untyped-call]
        except BaseException:
            await line.disconnect(nowait=True)
            raise
        return line

    async def _attend(self, line: AbstractConnection) -> None:
        """Serve the listeners over a line, until it breaks."""
        self._connected = True
        self._contact.answered()
        self._deaf = set(self._listeners)
        for channel in self._listeners:
            self._send("SUBSCRIBE", channel)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._read(line))
                both.create_task(self._write(line))
        finally:
            self._connected = False
            self._to_send.clear()
            self._unheard.clear()
            for heard in self._heard.values():
                heard.set()  # nobody waits for a line that is down
            await line.disconnect(nowait=True)

    async def _read(self, line: AbstractConnection) -> None:
        while True:
            async with asyncio.timeout(2 * _PING_S):
                reply = await line.read_response()
            match reply:
                case [b"message", channel, payload]:
                    self._ring(channel, payload)
                case [b"subscribe", channel, _]:
                    self._confirmed(channel)

    async def _write(self, line: AbstractConnection) -> None:
        while True:
            try:
                async with asyncio.timeout(_PING_S):
                    await self._something_to_send.wait()
            except TimeoutError:
                await line.send_command("PING", check_health=False)
            self._something_to_send.clear()
            sending, self._to_send = self._to_send, []
            for verb, group in groupby(sending, key=itemgetter(0)):
                channels = [channel for _, channel in group]
                await line.send_command(verb, *channels, check_health=False)

    def _confirmed(self, channel: bytes) -> None:
        left = self._unheard.pop(channel, 1) - 1
        if left > 0:
            self._unheard[channel] = left
            return
        if channel in self._heard:
            self._heard[channel].set()
        if channel in self._deaf:
            self._deaf.discard(channel)
            for listener in self._listeners.get(channel, ()):
                listener.ring(None)

    def _ring(self, channel: bytes, payload: bytes) -> None:
        for listener in self._listeners.get(channel, ()):
            try:
                listener.ring(payload)
            except ValueError:  # not one of our scripts: take it for a mere ring
                listener.ring(None)


class _Listener(Protocol):
    def ring(self, payload: bytes | None) -> None:
        """Somebody rang; None: somebody may have."""


class Bell:
    """One waiter for one table."""

    __slots__ = ("_poll_s", "_revision", "_rung")

    def __init__(self, poll_s: float) -> None:
        self._poll_s = poll_s
        self._revision: int | None = None  # 0: some may have been missed
        self._rung = asyncio.Event()

    def ring(self, payload: bytes | None) -> None:
        """Wake the waiter."""
        if payload is None:
            self._revision = 0
        elif self._revision != 0:
            self._revision = max(self._revision or 0, int(payload))
        self._rung.set()

    async def wait(self) -> int:
        """Wait for a ring, or for the poll interval: the highest revision that was rung since the
        last time; 0 where rings may have been lost, or none came, so that the store has to tell.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(self._poll_s):
                await self._rung.wait()
        self._rung.clear()
        revision, self._revision = self._revision, None
        return revision or 0


class ShardBell:
    """One waiter for all shards."""

    __slots__ = ("_by_shard", "_look_at", "_missed", "_poll_s", "_rung")

    def __init__(self, poll_s: float) -> None:
        self._poll_s = poll_s
        self._by_shard: dict[int, int] = {}
        self._missed = False
        self._look_at = 0.0  # when, by the loop's clock, all shards are to be looked at again
        self._rung = asyncio.Event()
        self.ring(None)  # whatever was armed before it listened

    def ring(self, payload: bytes | None) -> None:
        """Wake the waiter."""
        if payload is None:
            self._missed = True
        else:
            shard, at_ms = map(int, payload.split())
            self._by_shard[shard] = min(at_ms, self._by_shard.get(shard, at_ms))
        self._rung.set()

    async def wait(self, timeout_s: float | None = None) -> Wakes:
        """Wait for a ring, for `timeout_s`, or for the poll interval: what was rung for.

        The first wait ends at once. Once in a poll interval, however much it rings, all shards
        are to be looked at.
        """
        now = asyncio.get_running_loop().time
        patience = self._look_at - now()
        if timeout_s is not None:
            patience = min(patience, timeout_s)
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, patience)):
                await self._rung.wait()
        self._rung.clear()
        missed = self._missed or now() >= self._look_at
        if missed:
            self._look_at = now() + self._poll_s
        wakes = Wakes(self._by_shard, missed)
        self._by_shard, self._missed = {}, False
        return wakes
