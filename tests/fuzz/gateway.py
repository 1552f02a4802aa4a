"""Fuzz the gateway's API with atheris: `pip install atheris`, then

    python -m tests.fuzz.gateway [options of libFuzzer, such as -max_total_time=60]

The first byte of an input picks the RPC, the rest is its message. An input is at fault if it gets
no answer that is documented. The whole API runs in this process, over a Redis of its own.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import grpc

from hutch.callers.caller import Scope
from hutch.callers.keys import load_keys
from hutch.callers.tokens import Tokens
from hutch.gateway.api import assembled
from hutch.runtime.settings import GatewaySettings, LimitSettings
from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules

UNLIMITED = LimitSettings(
    actions_per_second=0, calls_per_second=0, guests_per_minute=0, refusals_per_second=0
)
NEVER = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN}


class Aborted(Exception):
    """A call was answered with an error."""


class Call:
    """What gRPC tells a handler of a call."""

    def __init__(self, token: str) -> None:
        self.code = grpc.StatusCode.OK
        self._token = token

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        """The caller's token."""
        return (("authorization", f"Bearer {self._token}"),)

    def peer(self) -> str:
        """Where the call comes from."""
        return "ipv4:127.0.0.1:1"

    async def abort(self, code: grpc.StatusCode, *_: object) -> NoReturn:
        """Answer with an error."""
        self.code = code
        raise Aborted


class Target:
    """The API, called with whatever bytes there are."""

    def __init__(self, runner: asyncio.Runner, handlers: list[Any], token: str) -> None:
        self._runner = runner
        self._handlers = handlers
        self._token = token

    def one(self, data: bytes) -> grpc.StatusCode:
        """The code that an input gets; one that nobody must ever get is an assertion."""
        handler = self._handlers[data[0] % len(self._handlers)] if data else self._handlers[0]
        call = Call(self._token)
        with suppress(Aborted):
            self._runner.run(handler.unary_unary(data[1:], call))
        assert call.code not in NEVER, call.code
        return call.code


@contextmanager
def target() -> Iterator[Target]:
    """The API over a Redis of its own, called as a player."""
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedServer(Path(folder) / "redis") as server,
        asyncio.Runner() as runner,
    ):
        keys = load_keys(Path(folder) / "keys.json")
        tokens = Tokens(keys, issuer="hutch", lifetime_seconds=86_400)
        settings = GatewaySettings(limit=UNLIMITED)
        store: Store = runner.run(Store.open(server.url))
        api = assembled(settings, store, LocalRules(Resolver()), tokens)
        handlers = [
            handler
            for methods in api.services.values()
            for handler in methods.values()
            if handler.unary_unary is not None
        ]
        try:
            yield Target(runner, handlers, tokens.issue("ada", "Ada", [Scope.PLAYER])[0])
        finally:
            runner.run(store.aclose())


def main() -> None:
    """Fuzz until it fails or the time is over."""
    import atheris

    with target() as api:
        atheris.Setup(sys.argv, lambda data: api.one(data) and None)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
