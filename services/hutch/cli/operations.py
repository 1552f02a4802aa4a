"""Operations: what the commands of operators share. They read and write the store directly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Annotated, Any, TypeVar

import typer

from hutch.runtime.logs import configure_logs
from hutch.runtime.settings import LogSettings, RedisSettings, StackSettings
from hutch.runtime.variables import load
from hutch.store.errors import StoreError
from hutch.store.keys import NAMESPACE
from hutch.store.store import Store
from hutch.wire.errors import Fault
from hutch.wire.names import parse_table

T = TypeVar("T")

TableName = Annotated[
    str, typer.Argument(help="The table's name, as tables/7c1f… or 7c1f….", metavar="TABLE")
]
RedisUrl = Annotated[
    str | None,
    typer.Option(
        "--redis",
        help="Where the games are.",
        envvar="HUTCH_REDIS_URL",
        show_default="that of the `hutch up` which runs here",
    ),
]
Namespace = Annotated[str, typer.Option(help="What the keys in Redis begin with.", hidden=True)]


def table_id_of(name: str) -> str:
    """The id of the table that a person named. Raises `Fault`."""
    return parse_table(name if "/" in name else f"tables/{name}")


@asynccontextmanager
async def opened(redis: str | None, namespace: str = NAMESPACE) -> AsyncIterator[Store]:
    """The store at that URL, or that of the stack that runs in this folder."""
    store = await Store.open(redis or running_redis(), name="hutch-cli", namespace=namespace)
    try:
        yield store
    finally:
        await store.aclose()


def running_redis() -> str:
    """Where the Redis of the stack in the data folder is, else the usual one of the settings."""
    notice = load(StackSettings).data.dir / "stack.json"
    try:
        url: str = json.loads(notice.read_text())["redis_url"]
    except FileNotFoundError:
        return RedisSettings().url
    return url


def carry_out(command: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run it; what goes wrong is said in a sentence, with status 2."""
    configure_logs(LogSettings(level="error"), process=command)
    try:
        return asyncio.run(work())
    except (Fault, StoreError, OSError, ValueError) as fault:
        typer.echo(f"hutch {command}: {fault}", err=True)
        raise typer.Exit(2) from None
