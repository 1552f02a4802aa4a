"""What the tests of the workers share: the turn path of tests/turns."""

from __future__ import annotations

from tests.turns.conftest import lobby, namespace, path, redis_server, resolver, store

__all__ = ["lobby", "namespace", "path", "redis_server", "resolver", "store"]
