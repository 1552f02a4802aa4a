"""`hutch keys`: the keys that sign tokens, and who is refused in spite of a token."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar

import typer

from hutch.callers import keys as key_file
from hutch.callers.caller import NAME_LENGTH, Scope
from hutch.callers.keys import KeyFileError
from hutch.callers.tokens import LEEWAY_SECONDS, Tokens
from hutch.runtime.settings.cli import StackSettings
from hutch.runtime.settings.gateway import GatewaySettings
from hutch.runtime.variables import SettingsError, load
from hutch.store.connect import connect
from hutch.store.errors import StoreError
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
        show_default="HUTCH_TOKEN_KEY_FILE and HUTCH_REDIS_URL, else HUTCH_DATA_DIR",
    ),
]


@app.command("list")
def list_keys(data: Data = None) -> None:
    """Print the ids of the keys that are trusted; the last one signs."""
    path = _key_file(data)
    for kid in _loaded(path).by_id:
        print(kid)


@app.command()
def rotate(data: Data = None) -> None:
    """Let a new key sign. Old keys are trusted until nothing that they signed is valid.

    Gateways notice within a second.
    """
    settings = _settings()
    path = _key_file(data)
    lifetime = settings.token.lifetime_seconds + LEEWAY_SECONDS
    try:
        fresh, dropped = key_file.rotate(path, lifetime)
    except (KeyFileError, OSError) as fault:
        _exit(str(fault))
    print(f"signs now: {fresh}")
    for kid in dropped:
        print(f"dropped: {kid}")


@app.command()
def drop(kid: str, data: Data = None) -> None:
    """Trust a key no more, as after a leak: everything that it signed ends."""
    try:
        found = key_file.drop(_key_file(data), kid)
    except (KeyFileError, OSError) as fault:
        _exit(str(fault))
    if not found:
        _exit(f"There is no key {kid}; `hutch keys list` names all.")
    print(f"dropped: {kid}")


@app.command()
def issue(
    scope: Annotated[list[Scope], typer.Option(help="What the token is good for.")],
    name: Annotated[str, typer.Option(help="How others see the player.")] = "",
    player: Annotated[str, typer.Option(help="The player's id. Empty: a new player.")] = "",
    data: Data = None,
) -> None:
    """Print a token for a player, a bot, a spectator or an operator."""
    settings = _settings()
    player = player or secrets.token_hex(10)
    _check_name(player)
    tokens = Tokens(
        _loaded(_key_file(data)),
        issuer=settings.token.issuer,
        lifetime_seconds=settings.token.lifetime_seconds,
        audience=settings.token.audience,
    )
    token, _ = tokens.issue(player, name[:NAME_LENGTH] or f"{scope[0]} {player[:4]}", scope)
    print(token)


@app.command()
def revoke(name: str, data: Data = None) -> None:
    """Refuse a player, a session (`sid`) or a token (`jti`) from now on, on all gateways.

    Their open streams end within seconds. It lasts as long as a token does; a guest has no other
    way back. Revoke the player or the session where the token may have been renewed.
    """
    name = name.removeprefix("players/")
    _check_name(name)
    lasting = _settings().token.lifetime_seconds + LEEWAY_SECONDS
    asyncio.run(_with_revocations(data, lambda revoked: revoked.add(name, lasting)))
    print(f"revoked: {name}")


@app.command()
def pardon(name: str, data: Data = None) -> None:
    """Take a revocation back."""
    name = name.removeprefix("players/")
    if not asyncio.run(_with_revocations(data, lambda revoked: revoked.remove(name))):
        _exit(f"{name} is not revoked.")
    print(f"pardoned: {name}")


@app.command()
def revoked(data: Data = None) -> None:
    """Print who is refused in spite of a token."""
    for name in sorted(asyncio.run(_with_revocations(data, lambda revoked: revoked.names()))):
        print(name)


async def _with_revocations(data: Path | None, do: Callable[[Revocations], Awaitable[T]]) -> T:
    try:
        client = await connect(_redis_url(data), name="hutch-keys")
        try:
            return await do(Revocations(client, Keys()))
        finally:
            await client.aclose()
    except (StoreError, ValueError) as fault:
        _exit(str(fault))


def _key_file(data: Path | None) -> Path:
    if data is None and "HUTCH_TOKEN_KEY_FILE" in os.environ:
        return _settings().token.key_file
    return _data(data) / "keys.json"


def _redis_url(data: Path | None) -> str:
    if data is None and "HUTCH_REDIS_URL" in os.environ:
        return _settings().redis.url
    facts = _data(data) / "stack.json"
    try:
        return str(json.loads(facts.read_text())["redis_url"])
    except (OSError, ValueError, KeyError):
        _exit(f"No stack runs on {facts.parent}; name it with --data, or set HUTCH_REDIS_URL.")


def _data(data: Path | None) -> Path:
    return data or load(StackSettings).data.dir


def _settings() -> GatewaySettings:
    try:
        return load(GatewaySettings)
    except SettingsError as fault:
        _exit(str(fault))


def _loaded(path: Path) -> key_file.SigningKeys:
    if not path.exists():
        _exit(f"{path} does not exist; a gateway makes it at its first start.")
    try:
        return key_file.SigningKeys(path)
    except KeyFileError as fault:
        _exit(str(fault))


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        _exit(f"{name[:80]!r} is no id of a player, session or token.")


def _exit(sentence: str) -> NoReturn:
    print(sentence, file=sys.stderr)
    raise typer.Exit(1)
