"""Real Redis servers for tests, of any suite.

Import what you need into a `conftest.py`: a fixture is known where it is imported.

- `redis_server`: one running server a session (and a worker of pytest-xdist), started when first
  asked for. Tests share it and keep apart by `namespace`, so nobody flushes anything.
- `namespace`: a name that nothing else uses, for one test. Processes get it as a setting.
- `store`: a store of that server in that namespace, with its doorbell, open for one test.
- `own_redis_server`: a server for one test alone, which may kill it and start it again.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A server that the tests of a session share."""
    with EmbeddedServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def own_redis_server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    """A server for one test alone."""
    with EmbeddedServer(tmp_path / "redis") as server:
        yield server


@pytest.fixture
def namespace() -> str:
    """A namespace for one test alone."""
    return f"t{secrets.token_hex(4)}"


@pytest_asyncio.fixture
async def store(redis_server: EmbeddedServer, namespace: str) -> AsyncIterator[Store]:
    """A store for one test alone, on the server that all share."""
    async with await Store.open(redis_server.url, namespace=namespace) as opened:
        yield opened
