"""What the tests of the oracle need: a turn path over a real Redis."""

from __future__ import annotations

from tests.turns.conftest import lobby, namespace, path, redis_server, resolver, store

__all__ = ["lobby", "namespace", "path", "redis_server", "resolver", "store"]
