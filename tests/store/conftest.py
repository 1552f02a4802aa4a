"""The suite of the store runs on every kind of server there is to be had here.

Always on the Valkey of the wheel, as one server and as a cluster of two; on a `redis-server` from
the PATH too, where there is one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from tests.redis_servers import (
    ClusterOfTwo,
    namespace,
    own_redis_server,
    redis_on_path,
    redis_server,
)

__all__ = ["namespace", "own_redis_server", "redis_server"]

REDIS = redis_on_path()
KINDS = ["valkey", "valkey-cluster", *(["redis", "redis-cluster"] if REDIS else [])]


@pytest.fixture(scope="session", params=KINDS)
def any_redis(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EmbeddedServer | ClusterOfTwo]:
    """A server or a cluster, of each kind in turn."""
    kind: str = request.param
    folder = tmp_path_factory.mktemp(kind)
    program = REDIS if kind.startswith("redis") else None
    server = (
        ClusterOfTwo(folder, program)
        if kind.endswith("cluster")
        else EmbeddedServer(folder, program=program)
    )
    with server as running:
        yield running


@pytest_asyncio.fixture
async def store(any_redis: EmbeddedServer | ClusterOfTwo, namespace: str) -> AsyncIterator[Store]:
    """A store for one test alone, on servers of each kind."""
    async with await Store.open(any_redis.url, namespace=namespace) as opened:
        yield opened
