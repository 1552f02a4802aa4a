"""A target for fuzzers: the gateway's API, called with whatever bytes there are.

The first byte of an input picks the RPC, the rest is its message. An input is at fault if it gets
no answer that is documented. The whole API runs in this process, over a Redis of its own, with one
game on and a campaign.
"""

from __future__ import annotations

import asyncio
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NoReturn

import grpc
from google.protobuf.message import Message

from hutch.callers.caller import Scope
from hutch.callers.keys import load_keys
from hutch.callers.tokens import Tokens
from hutch.gateway.api import assembled
from hutch.runtime.settings.gateway import GatewaySettings, LimitSettings
from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from hutch.turns.campaigns import Campaigns
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2
from tests.fuzz.mutations import valid_requests

UNLIMITED = LimitSettings(
    actions_per_second=0,
    calls_per_second=0,
    guests_per_minute=0,
    refusals_per_second=0,
    tables=0,
)
PLAYER: Final = "ada"
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

    def __init__(
        self,
        runner: asyncio.Runner,
        handlers: dict[str, Any],
        token: str,
        requests: dict[str, Message],
    ) -> None:
        self._runner = runner
        self._names = list(handlers)
        self._handlers = list(handlers.values())
        self._token = token
        self._requests = requests

    def seeds(self) -> dict[str, bytes]:
        """A good input for each RPC, by `Service/Method`."""
        return {
            name: bytes((self._names.index(name),)) + request.SerializeToString()
            for name, request in self._requests.items()
        }

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
        handlers = {
            f"{service.rpartition('.')[2]}/{method}": handler
            for service, methods in api.services.items()
            for method, handler in methods.items()
            if handler.unary_unary is not None
        }
        try:
            requests = valid_requests(runner.run(_game(store)), runner.run(_campaign(store)))
            requests["TableService/SubmitAction"].ClearField("expected_revision")  # to the rules
            token, _ = tokens.issue(PLAYER, "Ada", [Scope.PLAYER])
            yield Target(runner, handlers, token, requests)
        finally:
            runner.run(store.aclose())


async def _game(store: Store) -> str:
    """A table where a game is on, with our player on seat 1: its name."""
    lobby = Lobby(TurnPath(store.tables, LocalRules(Resolver())))
    wanted = table_pb2.Table(ruleset="rabbit-space", seats=[table_pb2.Seat(), table_pb2.Seat()])
    table = await lobby.create(PLAYER, wanted, str(uuid.uuid4()))
    table_id = table.name.removeprefix("tables/")
    for seat in (0, 1):
        await lobby.claim(table_id, seat, PLAYER, "Ada", b"")
    await lobby.start(table_id, PLAYER)
    return table.name


async def _campaign(store: Store) -> str:
    """A campaign of our player: its name."""
    campaigns = Campaigns(TurnPath(store.tables, LocalRules(Resolver())))
    campaign = await campaigns.create(PLAYER, "Ada", "Carrots", str(uuid.uuid4()))
    return campaign.name
