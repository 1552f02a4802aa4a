"""What the chaos tests share: a turn path over a real Redis, and how long they are to take."""

from __future__ import annotations

import pytest

from tests.turns.conftest import lobby, namespace, path, redis_server, resolver, store

__all__ = ["is_long", "lobby", "namespace", "path", "redis_server", "resolver", "store"]


@pytest.fixture
def is_long(request: pytest.FixtureRequest) -> bool:
    """Whether the long forms were asked for, with `--long`."""
    return bool(request.config.getoption("--long"))
