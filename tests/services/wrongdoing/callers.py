"""Callers without a token that is good for what they do."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from typer.testing import CliRunner

from hutch.callers.caller import Scope
from hutch.callers.keys import load_keys
from hutch.callers.tokens import Tokens
from hutch.cli.commands import app as cli
from hutch.client import connect
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import Wrong
from tests.redis_servers import eventually
from tests.services.failures import Failure
from tests.services.wrongdoing.trouble import Trouble, provokes


@provokes(Wrong.TOKEN_MISSING)
async def no_token(trouble: Trouble) -> Failure | None:
    return await trouble.call("GetTable", _get(trouble), token="")


@provokes(Wrong.TOKEN_INVALID)
async def forged_token(trouble: Trouble) -> Failure | None:
    head, body, signature = trouble.ada.token.split(".")
    forged = ".".join((head, body, ("A" if signature[0] != "A" else "B") + signature[1:]))
    return await trouble.call("GetTable", _get(trouble), token=forged)


@provokes(Wrong.TOKEN_EXPIRED)
async def expired_token(trouble: Trouble) -> Failure | None:
    keys = load_keys(Path(trouble.stack.data) / "keys.json")
    long_ago = Tokens(keys, issuer="hutch", lifetime_seconds=-int(time.time() // 2))
    token, _ = long_ago.issue("somebody", "Somebody")
    return await trouble.call("GetTable", _get(trouble), token=token)


@provokes(Wrong.TOKEN_REVOKED)
async def revoked_token(trouble: Trouble) -> Failure | None:
    async with connect(trouble.stack.gateway) as hutch:
        player = await hutch.guest("Eve")
        token = hutch.token
    data = str(trouble.stack.data)
    revoke = ["keys", "revoke", player.name, "--data", data]
    revoked = await asyncio.to_thread(CliRunner().invoke, cli, revoke)
    assert revoked.exit_code == 0, revoked.output

    async def refusal() -> Failure | None:
        return await trouble.call("GetTable", _get(trouble), token=token)

    return await eventually(refusal, within_s=30)


@provokes(Wrong.SCOPE_MISSING)
async def play_as_a_spectator(trouble: Trouble) -> Failure | None:
    keys = load_keys(Path(trouble.stack.data) / "keys.json")
    tokens = Tokens(keys, issuer="hutch", lifetime_seconds=60)
    token, _ = tokens.issue("somebody", "Somebody", [Scope.SPECTATOR])
    return await trouble.submit(token=token)


@provokes(Wrong.NOT_YOUR_SEAT)
async def another_players_seat(trouble: Trouble) -> Failure | None:
    return await trouble.submit(token=trouble.ben.token)


@provokes(Wrong.NOT_HOST)
async def start_anothers_table(trouble: Trouble) -> Failure | None:
    request = service_pb.StartTableRequest(name=trouble.table.name)
    return await trouble.call("StartTable", request, token=trouble.ben.token)


def _get(trouble: Trouble) -> service_pb.GetTableRequest:
    return service_pb.GetTableRequest(name=trouble.table.name)
