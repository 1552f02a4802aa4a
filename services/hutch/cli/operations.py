"""Operations: what the commands of operators share. They work on Redis itself, past the gateway."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from hutch.cli.sentences import in_a_sentence
from hutch.runtime.logs import configure_logs
from hutch.runtime.redaction import HIDDEN
from hutch.runtime.settings.cli import StackSettings
from hutch.runtime.settings.gateway import GatewaySettings
from hutch.runtime.settings.shared import LogSettings
from hutch.runtime.variables import load
from hutch.store.errors import StoreError
from hutch.store.inspection import Inspected
from hutch.store.store import Store
from hutch.wire.errors import Fault, Wrong
from hutch.wire.names import parse_table

T = TypeVar("T")

TableName = Annotated[
    str, typer.Argument(help="The table's name, as tables/7c1f… or 7c1f….", metavar="TABLE")
]
DataFolder = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder of the `hutch up` to ask, where HUTCH_REDIS_URL is not set.",
        show_default="HUTCH_DATA_DIR, else .hutch",
    ),
]


def table_id_of(name: str) -> str:
    """The id of the table that a person named. Raises `ValueError`."""
    try:
        return parse_table(name if "/" in name else f"tables/{name}")
    except Fault:
        raise ValueError(
            f"{name[:80]!r} is no table's name; one looks like tables/7c1f0a9e2b."
        ) from None


def named_redis() -> str | None:
    """The Redis that the environment names, if it does. Raises `SettingsError`."""
    return load(GatewaySettings).redis.url if "HUTCH_REDIS_URL" in os.environ else None


def redis_url(data: Path | None) -> str:
    """The Redis named by the environment, or that of the stack which runs on the folder.

    Raises `StoreError` where there is neither, `SettingsError` where variables do not fit.
    """
    if named := named_redis():
        return named
    folder = data or load(StackSettings).data.dir
    try:
        url = str(json.loads((folder / "stack.json").read_text())["redis_url"])
    except (OSError, ValueError, LookupError, TypeError):
        raise StoreError(
            f"No `hutch up` runs on {folder}; name its folder with --data, or set HUTCH_REDIS_URL."
        ) from None
    if HIDDEN in url:
        raise StoreError(
            f"The `hutch up` on {folder} uses {url} and keeps no passwords; set HUTCH_REDIS_URL."
        )
    return url


@asynccontextmanager
async def opened(data: Path | None) -> AsyncIterator[Store]:
    """The store of the environment, or of the stack which runs on the folder."""
    store = await Store.open(redis_url(data), name="hutch-cli")
    try:
        yield store
    finally:
        await store.aclose()


async def inspected(store: Store, table_id: str) -> Inspected:
    """The table as it stands. Raises `Fault` TABLE_NOT_FOUND."""
    found = await store.inspection.look(table_id)
    if found is None:
        raise Fault(
            Wrong.TABLE_NOT_FOUND,
            f"There is no table {table_id}; it never was, or its time is over.",
        )
    return found


def carry_out(command: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What the work gives; what goes wrong is said in a sentence, with status 2."""
    configure_logs(LogSettings(level="error"), process=command)
    with in_a_sentence(command):
        return asyncio.run(work())
