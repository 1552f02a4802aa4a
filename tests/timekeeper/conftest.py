"""What the timekeeper's tests share: a store, and the lobby with the rules in this process."""

from __future__ import annotations

from tests.redis_servers import namespace, own_redis_server, redis_server, store
from tests.turns.conftest import lobby, path, resolver

__all__ = [
    "lobby",
    "namespace",
    "own_redis_server",
    "path",
    "redis_server",
    "resolver",
    "store",
]
