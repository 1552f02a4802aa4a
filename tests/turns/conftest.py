"""What the tests of the turn path share: a path over a real Redis, with the rules in process."""

from __future__ import annotations

import pytest

from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from tests.redis_servers import namespace, redis_server, store

__all__ = ["lobby", "namespace", "path", "redis_server", "resolver", "store"]


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
