"""What the tests of the workers share: the turn path of tests/turns."""

from __future__ import annotations

from tests.redis_servers import own_redis_server
from tests.turns.conftest import lobby, namespace, path, redis_server, resolver, store, thinkers

__all__ = [
    "lobby",
    "namespace",
    "own_redis_server",
    "path",
    "redis_server",
    "resolver",
    "store",
    "thinkers",
]
