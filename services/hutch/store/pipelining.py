"""Pipelining: the one way of a process to Redis, whether it is one server or a cluster.

A caller puts a command in and waits on a future. Batches run in tasks of their own, so a caller
that is cancelled leaves its batch, and the connection the batch runs on, quite untouched: a
command once sent is carried through, and no reply can reach another caller.

A command whose connection breaks is sent again, once or twice. Every command that goes through
here is harmless when it is carried out twice: a commit carries a token, a claim costs a lease.
"""

from __future__ import annotations

import asyncio
import random
from functools import partial
from hashlib import sha1
from importlib.resources import files
from typing import Any, Final

from redis.asyncio import RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.exceptions import (
    AskError,
    ClusterDownError,
    InvalidResponse,
    MovedError,
    NoScriptError,
    ReadOnlyError,
    RedisClusterException,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from hutch.store.connect import TIMEOUT_S, Client, open_line
from hutch.store.contact import Contact
from hutch.store.errors import StoreUnavailable
from hutch.store.keys import Keys
from hutch.store.lanes import Argument, Call, Lane

_SENDINGS: Final = 3
_PAUSE_S: Final = 0.05
_WORTH_ANOTHER_TRY: Final = (
    RedisConnectionError,
    RedisTimeoutError,
    OSError,
    InvalidResponse,
    AskError,
    MovedError,
    TryAgainError,
    ClusterDownError,
    RedisClusterException,
    ReadOnlyError,  # a primary that has become a replica
)


class Script:
    """A Lua script beside this module, run by its digest."""

    __slots__ = ("sha", "text")

    def __init__(self, name: str) -> None:
        self.text = files("hutch.store").joinpath("scripts", f"{name}.lua").read_text()
        self.sha = sha1(self.text.encode(), usedforsecurity=False).hexdigest()


class Pipelining:
    """The one way to Redis. Belongs to the event loop that it is used in.

    A command waits at most `timeout_s` to be sent,
    and as long again for its reply. `contact` is told how they go.
    """

    def __init__(
        self,
        client: Client,
        keys: Keys,
        contact: Contact,
        *,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._client = client
        self._keys = keys
        self._contact = contact
        self._timeout_s = timeout_s
        self._lanes: dict[str, Lane] = {}
        self._retries: set[asyncio.Task[None]] = set()
        self._learning: asyncio.Task[None] | None = None
        self._closed = False

    def call(self, shard: int, *arguments: Argument) -> asyncio.Future[Any]:
        """Issue a command on keys of that shard; its reply.

        The future raises `StoreUnavailable`, or `StoreError` where the command is refused.
        """
        return self._new(shard, arguments)

    def timed(self, shard: int, *arguments: Argument) -> asyncio.Future[Any]:
        """As `call`; its reply is (ms since 1970 by the server's clock, epoch, reply)."""
        return self._new(shard, arguments, timed=True)

    def dated(self, shard: int, *arguments: Argument) -> asyncio.Future[Any]:
        """As `call`; its reply is (epoch, reply)."""
        return self._new(shard, arguments, dated=True)

    def run(
        self, shard: int, script: Script, keys: list[str], arguments: list[Argument]
    ) -> asyncio.Future[Any]:
        """Run a script on keys of that shard; its reply."""
        command = ("EVALSHA", script.sha, len(keys), *keys, *arguments)
        return self._new(shard, command, script=script.text)

    def run_dated(
        self, shard: int, script: Script, keys: list[str], arguments: list[Argument]
    ) -> asyncio.Future[Any]:
        """As `run`; its reply is (epoch, reply)."""
        command = ("EVALSHA", script.sha, len(keys), *keys, *arguments)
        return self._new(shard, command, script=script.text, dated=True)

    async def aclose(self) -> None:
        """Take no more, wait for all that was issued, and close the connections."""
        self._closed = True
        while self._retries or any(lane.is_busy() for lane in self._lanes.values()):
            await asyncio.gather(*self._retries)
            for lane in list(self._lanes.values()):
                await lane.drained()
        for lane in self._lanes.values():
            await lane.aclose()

    def _new(self, shard: int, arguments: tuple[Argument, ...], **more: Any) -> asyncio.Future[Any]:
        if self._closed:
            raise StoreUnavailable("the store is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        deadline = loop.time() + self._timeout_s
        self._issue(Call(shard, arguments, future, deadline, self._contact, **more))
        return future

    def _issue(self, call: Call) -> None:
        try:
            lane = self._lane_of(call.shard)
        except RedisClusterException as fault:  # no node serves the slot, as far as we know
            call.sent += 1
            self._mishap([call], fault)
        else:
            lane.issue(call)

    def _lane_of(self, shard: int) -> Lane:
        if isinstance(self._client, RedisCluster):
            (key,) = self._keys.of_shard(shard, "due")
            return self._lane_to(self._client.get_node_from_key(key))
        return self._lane_to(None)

    def _lane_to(self, node: ClusterNode | None) -> Lane:
        name = node.name if node else ""
        lane = self._lanes.get(name)
        if lane is None:
            lane = self._lanes[name] = Lane(
                partial(open_line, self._client, node),
                self._mishap,
                timeout_s=self._timeout_s,
            )
        return lane

    def _mishap(self, calls: list[Call], fault: Exception) -> None:
        """Decide what becomes of calls that were not carried out, or that may not have been."""
        if isinstance(fault, NoScriptError):
            for call in calls:
                # Nothing was carried out, and its text cannot be missing: this sending is no try.
                call.sent -= 1
                call.arguments = ("EVAL", call.script, *call.arguments[2:])
                self._issue(call)
            return
        worth = isinstance(fault, _WORTH_ANOTHER_TRY)
        now = asyncio.get_running_loop().time()
        again = []
        for call in calls:
            if worth and call.sent < _SENDINGS and now < call.deadline:
                again.append(call)
            else:
                call.fail(fault)
        if worth:  # and be it only to learn that a cluster has changed
            task = asyncio.get_running_loop().create_task(self._send_again(again, fault))
            self._retries.add(task)
            task.add_done_callback(self._retries.discard)

    async def _send_again(self, calls: list[Call], fault: Exception) -> None:
        if isinstance(self._client, RedisCluster):
            if (node := _asked_to(self._client, fault)) is not None:
                for call in calls:
                    call.asking = True
                    self._lane_to(node).issue(call)
                return
            try:
                await self._learn_slots(self._client)
            except Exception as failure:
                for call in calls:
                    call.fail(failure)
                return
        if calls:
            await asyncio.sleep(_PAUSE_S * calls[0].sent * random.uniform(0.5, 1.0))
        for call in calls:
            call.asking = False
            self._issue(call)

    async def _learn_slots(self, cluster: RedisCluster) -> None:
        """Ask the cluster which node serves what; once for all who want to know."""
        if self._learning is None or self._learning.done():
            self._learning = asyncio.get_running_loop().create_task(_learn(cluster))
        await self._learning


def _asked_to(cluster: RedisCluster, fault: Exception) -> ClusterNode | None:
    """The node that takes a slot over, where the one that gives it away sends us there."""
    if isinstance(fault, AskError) and not isinstance(fault, MovedError):
        return cluster.get_node(fault.host, fault.port)
    return None


async def _learn(cluster: RedisCluster) -> None:
    await cluster.aclose()
    await cluster.initialize()
