"""The stack that is measured: a real Redis, rules and gateway, each on the core it is to have."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from bench.cores import Side, pin_process
from bench.processes import Program
from hutch.callers.keys import load_keys
from hutch.callers.tokens import Tokens
from hutch.store.embedded import EmbeddedServer

#: A single caller plays all tables here, so limits for callers are lifted.
_NO_LIMITS = {
    "HUTCH_LIMIT_ACTIONS_PER_SECOND": "0",
    "HUTCH_LIMIT_CALLS_PER_SECOND": "0",
    "HUTCH_LIMIT_GUESTS_PER_MINUTE": "0",
    "HUTCH_LIMIT_STREAMS": "100000",
    "HUTCH_LIMIT_SPECTATORS": "100000",
}


class Stack:
    """Redis (every write fsynced) and one rules process on one core, gateways on the other.

    A context manager; what is started through it ends with it, data included.
    """

    def __init__(self) -> None:
        self._exits = ExitStack()
        self.folder = Path(self._exits.enter_context(tempfile.TemporaryDirectory(prefix="hutch-")))
        self._keys = self.folder / "keys.json"
        self.redis = EmbeddedServer(self.folder / "redis")
        self.rules: Program
        self._environ: dict[str, str] = {}

    def __enter__(self) -> Self:
        try:
            self._exits.enter_context(self.redis)
            assert self.redis.pid is not None
            pin_process(self.redis.pid, "others")
            self._environ = {
                **_NO_LIMITS,
                "HUTCH_REDIS_URL": self.redis.url,
                "HUTCH_TOKEN_KEY_FILE": str(self._keys),
                "HUTCH_RULES_BIND": "127.0.0.1:0",
                "HUTCH_GATEWAY_BIND": "127.0.0.1:0",
            }
            self.rules = self._start("hutch.rules", "others")
            self._environ["HUTCH_RULES_ADDRESSES"] = self.rules.address()
        except BaseException:
            self._exits.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._exits.close()

    @property
    def redis_pid(self) -> int:
        """The server's process id."""
        assert self.redis.pid is not None
        return self.redis.pid

    def gateway(self) -> Program:
        """The real gateway."""
        return self._start("hutch.gateway", "gateway")

    def naive_gateway(self) -> Program:
        """The naive gateway beside it."""
        return self._start("bench.naive", "gateway")

    def echo(self) -> Program:
        """The bare server that F is measured on."""
        return self._start("bench.echo", "gateway")

    def timekeeper(self) -> Program:
        """A timekeeper, on the core that a gateway has elsewhere."""
        return self._start("hutch.timekeeper", "gateway")

    def token(self, player: str) -> str:
        """A token for that player, signed as a gateway signs them."""
        tokens = Tokens(load_keys(self._keys), issuer="hutch", lifetime_seconds=3600)
        return tokens.issue(player, player)[0]

    def _start(self, module: str, side: Side) -> Program:
        return self._exits.enter_context(Program(module, self.folder, self._environ, side))
