"""The suite of the store runs on every kind of server there is to be had here."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from tests.redis_servers import (
    ClusterOfTwo,
    any_redis,
    namespace,
    own_redis_server,
    redis_server,
)

__all__ = ["any_redis", "namespace", "own_redis_server", "redis_server"]


@pytest_asyncio.fixture
async def store(any_redis: EmbeddedServer | ClusterOfTwo, namespace: str) -> AsyncIterator[Store]:
    """A store for one test alone, on servers of each kind."""
    async with await Store.open(any_redis.url, namespace=namespace) as opened:
        yield opened
