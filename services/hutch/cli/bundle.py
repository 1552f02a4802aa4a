"""`hutch bundle`: a table in one file, and that file played until it fails."""

from __future__ import annotations

import traceback
from itertools import chain
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from hutch.cli.operations import DataFolder, carry_out, inspected, opened, table_id_of
from hutch.cli.sentences import in_a_sentence
from hutch.turns import bundle as bundles
from hutch.turns.bundle import Bundle, bundled, decode_bundle, encode_bundle

FAILS = 1


def bundle(
    what: Annotated[
        list[str], typer.Argument(help="A table; or `run` and a file.", metavar="TABLE | run FILE")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", help="The file to write.", show_default="hutch-TABLE.json, right here"
        ),
    ] = None,
    with_secrets: Annotated[
        bool,
        typer.Option(
            "--with-secrets",
            help="Have hands, decks and the seed in it though the game is on, so that it can be "
            "run. Keep such a file from players.",
        ),
    ] = False,
    data: DataFolder = None,
) -> None:
    """Put a table into a file, or run such a file until it fails.

    The file holds all that is stored; of a game that is on what the public may see, unless
    --with-secrets is given. Running needs no services. Status 0: no step fails; 1: one does; 2: it
    could not be done.
    """
    match what:
        case ["run", file]:
            _run(Path(file))
        case ["run"]:
            raise typer.BadParameter("name the file to run")
        case [table]:
            _write(table, out, data, with_secrets=with_secrets)
        case _:
            raise typer.BadParameter("name one table; or say `run` and one file")


def _write(table: str, out: Path | None, data: Path | None, *, with_secrets: bool) -> None:
    async def gather() -> Bundle:
        table_id = table_id_of(table)
        async with opened(data) as store:
            found = await inspected(store, table_id)
            return await bundled(store.tables, found, with_secrets=with_secrets)

    made = carry_out("bundle", gather)
    file = out or Path(f"hutch-{made.diagnosis.table}.json")
    with in_a_sentence("bundle"):
        file.touch(mode=0o600)
        if file.is_file():  # and no device
            file.chmod(0o600)  # also one that was there
        file.write_bytes(encode_bundle(made))
    kept = "with all secrets" if made.secrets else "without secrets: it cannot be run"
    typer.echo(f"{file}: {len(made.log)} revisions, {len(made.inputs)} inputs, {kept}")


def _run(file: Path) -> None:
    with in_a_sentence("bundle"):
        loaded = _read(file)
        steps = bundles.run(loaded)
        step = first = next(steps)
    made = loaded.build
    typer.echo(f"{file}: made by hutch {made.hutch}, Python {made.python}, {made.platform}")
    passed = 0
    try:
        for step in chain([first], steps):
            if step.fault:
                typer.echo(f"fails at {step.what}\n  {step.fault}")
                raise typer.Exit(FAILS)
            passed += 1
    except typer.Exit:
        raise
    except Exception:  # whatever rules or bots raise is what was looked for
        _fail(step)
    typer.echo(f"{passed} steps, and none fails here")


def _read(file: Path) -> Bundle:
    try:
        return decode_bundle(file.read_bytes())
    except msgspec.DecodeError as fault:
        raise ValueError(f"{file} holds no bundle: {fault}.") from None


def _fail(step: bundles.Step) -> None:
    """Show the exception that is being handled as the fault of that step, and exit."""
    typer.echo(f"fails at {step.what}")
    typer.echo(traceback.format_exc().rstrip())
    raise typer.Exit(FAILS)
