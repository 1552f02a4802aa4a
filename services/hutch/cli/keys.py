"""`hutch keys`: the keys that sign tokens, and who is refused in spite of a token."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from hutch.callers import keys as key_file
from hutch.callers.caller import NAME_LENGTH, Scope
from hutch.callers.keys import SigningKeys
from hutch.callers.tokens import LEEWAY_SECONDS, Tokens
from hutch.cli.operations import redis_url
from hutch.cli.sentences import in_a_sentence
from hutch.runtime.settings.cli import StackSettings
from hutch.runtime.settings.gateway import GatewaySettings, TokenSettings
from hutch.runtime.variables import load
from hutch.store.connect import connect
from hutch.store.keys import Keys
from hutch.store.revocations import Revocations

app = typer.Typer(
    help="Change the keys that sign tokens; issue and revoke tokens.", no_args_is_help=True
)

T = TypeVar("T")

_NAME = re.compile(r"[A-Za-z0-9._~-]{1,100}")

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder of the stack whose keys are meant.",
        show_default="HUTCH_TOKEN_KEY_FILE and HUTCH_REDIS_URL, else HUTCH_DATA_DIR, else .hutch",
    ),
]

Revoked = Annotated[
    str, typer.Argument(help="Id of a player, a session or a token.", metavar="NAME")
]


@app.command("list")
@in_a_sentence("keys list")
def list_keys(data: Data = None) -> None:
    """Print the ids of the keys that are trusted; the last one signs."""
    for kid in SigningKeys(_key_file(data)).by_id:
        print(kid)


@app.command()
@in_a_sentence("keys rotate")
def rotate(data: Data = None) -> None:
    """Let a new key sign. Old keys are trusted until nothing that they signed is valid.

    Gateways notice within a second.
    """
    lifetime = _tokens().lifetime_seconds + LEEWAY_SECONDS
    fresh, dropped = key_file.rotate(_key_file(data), lifetime)
    print(f"signs now: {fresh}")
    for kid in dropped:
        print(f"dropped: {kid}")


@app.command()
@in_a_sentence("keys drop")
def drop(
    kid: Annotated[str, typer.Argument(help="The key's id.", metavar="KID")], data: Data = None
) -> None:
    """Trust a key no more: all that it signed ends."""
    if not key_file.drop(_key_file(data), kid):
        raise ValueError(f"There is no key {kid}; `hutch keys list` names all.")
    print(f"dropped: {kid}")


@app.command()
@in_a_sentence("keys issue")
def issue(
    scope: Annotated[
        list[Scope],
        typer.Option(
            help="What the token is good for. May be given again.", metavar="|".join(Scope)
        ),
    ],
    name: Annotated[str, typer.Option(help="How others see the player.")] = "",
    player: Annotated[str, typer.Option(help="The player's id; without it, a new player's.")] = "",
    data: Data = None,
) -> None:
    """Print a token for a player, a bot, a spectator or an operator."""
    settings = _tokens()
    player = player or secrets.token_hex(10)
    _check_name(player)
    tokens = Tokens(
        SigningKeys(_key_file(data)),
        issuer=settings.issuer,
        lifetime_seconds=settings.lifetime_seconds,
        audience=settings.audience,
    )
    token, _ = tokens.issue(player, name[:NAME_LENGTH] or f"{scope[0]} {player[:4]}", scope)
    print(token)


@app.command()
@in_a_sentence("keys revoke")
def revoke(name: Revoked, data: Data = None) -> None:
    """Refuse a player, a session or a token from now on.

    NAME is the player's id, the session's (`sid`) or the token's (`jti`). Their open streams end
    within seconds, on all gateways. It lasts as long as a token does; a guest has no other way
    back. Revoke the player or the session where the token may have been renewed.
    """
    name = name.removeprefix("players/")
    _check_name(name)
    lasting = _tokens().lifetime_seconds + LEEWAY_SECONDS
    asyncio.run(_with_revocations(data, lambda revoked: revoked.add(name, lasting)))
    print(f"revoked: {name}")


@app.command()
@in_a_sentence("keys pardon")
def pardon(name: Revoked, data: Data = None) -> None:
    """Take a revocation back."""
    name = name.removeprefix("players/")
    if not asyncio.run(_with_revocations(data, lambda revoked: revoked.remove(name))):
        raise ValueError(f"{name} is not revoked; `hutch keys revoked` lists who is.")
    print(f"pardoned: {name}")


@app.command()
@in_a_sentence("keys revoked")
def revoked(data: Data = None) -> None:
    """Print who is refused in spite of a token."""
    for name in sorted(asyncio.run(_with_revocations(data, lambda revoked: revoked.names()))):
        print(name)


async def _with_revocations(data: Path | None, do: Callable[[Revocations], Awaitable[T]]) -> T:
    client = await connect(redis_url(data), name="hutch-keys")
    try:
        return await do(Revocations(client, Keys()))
    finally:
        await client.aclose()


def _key_file(data: Path | None) -> Path:
    """The file with the keys, which is there. Raises `ValueError` where it is not."""
    if data is None and "HUTCH_TOKEN_KEY_FILE" in os.environ:
        path = _tokens().key_file
    else:
        path = (data or load(StackSettings).data.dir) / "keys.json"
    if not path.exists():
        raise ValueError(f"{path} does not exist; a gateway makes it at its first start.")
    return path


def _tokens() -> TokenSettings:
    return load(GatewaySettings).token


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name[:80]!r} is no id of a player, session or token.")
