"""What the tests of the turn path share: a path over a real Redis, with the rules in process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from hutch.workers.thinkers import Thinkers
from hutch.workers.thoughts import Bounds
from tests.redis_servers import namespace, redis_server, store

__all__ = ["lobby", "namespace", "path", "redis_server", "resolver", "store", "thinkers"]


@pytest.fixture
def resolver() -> Resolver:
    """The rules, in this process."""
    return Resolver()


@pytest.fixture
def path(store: Store, resolver: Resolver) -> TurnPath:
    """A turn path."""
    return TurnPath(store.tables, LocalRules(resolver))


@pytest.fixture
def lobby(path: TurnPath) -> Lobby:
    """The lobby over that path."""
    return Lobby(path)


@pytest.fixture
def thinkers() -> Iterator[Thinkers]:
    """Where bots think."""
    thinkers = Thinkers(Bounds(answer_seconds=10, memory_megabytes=256))
    yield thinkers
    thinkers.close()
