"""What the commands' tests share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from tests.redis_servers import own_redis_server
from tests.stacks import stack
from tests.turns.conftest import lobby, path, resolver

__all__ = ["lobby", "own_redis_server", "path", "resolver", "stack"]


@pytest.fixture(scope="session")
def quiet_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A Redis in which nobody plays but the tests."""
    with EmbeddedServer(tmp_path_factory.mktemp("quiet-redis")) as server:
        yield server


@pytest_asyncio.fixture
async def store(quiet_redis: EmbeddedServer) -> AsyncIterator[Store]:
    """The store of that Redis, where commands look for it."""
    async with await Store.open(quiet_redis.url) as opened:
        yield opened
