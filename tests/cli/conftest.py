"""What the commands' tests share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from tests.redis_servers import own_redis_server
from tests.stacks import stack

__all__ = ["own_redis_server", "stack"]


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


@pytest.fixture
def path(store: Store) -> TurnPath:
    """A turn path over that store, with the rules in this process."""
    return TurnPath(store.tables, LocalRules(Resolver()))


@pytest.fixture
def lobby(path: TurnPath) -> Lobby:
    """The lobby over that path."""
    return Lobby(path)
