"""Gateways: any number of them over one Redis and one rules process, and what is put beside."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from hutch.store.embedded import EmbeddedServer
from tests.services.processes import Served, serving

#: One player plays many tables here, as fast as they can.
NO_LIMITS = {
    "HUTCH_LIMIT_ACTIONS_PER_SECOND": "0",
    "HUTCH_LIMIT_CALLS_PER_SECOND": "0",
    "HUTCH_LIMIT_GUESTS_PER_MINUTE": "0",
    "HUTCH_LIMIT_STREAMS": "100000",
    "HUTCH_LIMIT_SPECTATORS": "100000",
    "HUTCH_LIMIT_WATCHES": "100000",
    "HUTCH_LIMIT_TABLES": "0",
    "HUTCH_LIMIT_BOT_SEATS": "0",
    "HUTCH_DRAIN_GRACE_SECONDS": "10",
}


class Gateways:
    """Redis (a server of its own, or that one) and rules are up within the block; gateways are
    started one by one."""

    def __init__(self, folder: Path, redis: EmbeddedServer | None = None) -> None:
        self._folder = folder
        self._exits = ExitStack()
        self._started = 0
        self.redis = redis or EmbeddedServer(folder / "redis")
        self.rules: Served

    async def __aenter__(self) -> Self:
        self._exits.enter_context(self.redis)
        self.rules = await self.start("hutch.rules")
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._exits.close)

    @property
    def redis_socket(self) -> str:
        """The path of the server's socket."""
        return self.redis.url.removeprefix("unix://")

    async def gateway(self, **variables: str) -> Served:
        """Start a gateway, with those variables over the usual ones."""
        usual = {"HUTCH_TOKEN_KEY_FILE": str(self._folder / "keys.json"), **NO_LIMITS}
        return await self.beside("hutch.gateway", **(usual | variables))

    async def beside(self, module: str, **variables: str) -> Served:
        """Start a process of another kind over the same Redis and rules, with those variables."""
        usual = {"HUTCH_REDIS_URL": self.redis.url, "HUTCH_RULES_ADDRESSES": self.rules.address}
        return await self.start(module, **(usual | variables))

    async def start(self, module: str, **variables: str) -> Served:
        """Start a process; it ends with the block."""
        self._started += 1
        log = self._folder / f"{module.rpartition('.')[2]}-{self._started}.log"
        # In a thread: what it connects to may be a proxy that this loop serves.
        entering = serving(module, log, **variables)
        return await asyncio.to_thread(self._exits.enter_context, entering)
