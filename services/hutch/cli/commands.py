"""Commands: everything that `hutch` can be told to do."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version
from pathlib import Path

import typer

from hutch.cli.bundle import bundle
from hutch.cli.campaign import campaign
from hutch.cli.demo import demo
from hutch.cli.fix import fix
from hutch.cli.keys import app as keys
from hutch.cli.migrate import migrate
from hutch.cli.play import play
from hutch.cli.report import report
from hutch.cli.sentences import sentence_of
from hutch.cli.stats import stats
from hutch.cli.up import up
from hutch.cli.verify import verify
from hutch.cli.why import why
from hutch.games import install_cards
from hutch.runtime.settings import PROCESSES
from hutch.runtime.variables import SettingsError, load, markdown, unknown_variables

app = typer.Typer(
    name="hutch",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(up)
app.command()(demo)
app.add_typer(keys, name="keys")
app.command()(stats)
app.command()(play)
app.command()(campaign)
app.command()(verify)
app.command()(why)
app.command()(fix)
app.command()(bundle)
app.command()(migrate)
app.add_typer(report, name="report")


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"hutch {version('hutch')}")
        raise typer.Exit


@app.callback()
def hutch(
    _: bool = typer.Option(
        False,
        "--version",
        callback=_tell_version,
        is_eager=True,
        help="Show the version and exit.",
    ),
) -> None:
    """Turn-resolution services for three card games about rabbits."""


@app.command()
def settings(
    check: bool = typer.Option(
        False, "--check", help="Check the HUTCH_... variables set now instead; status 1 if bad."
    ),
) -> None:
    """Print every setting as Markdown, or check those that are set."""
    if not check:
        sys.stdout.write(markdown())
        return
    faults: list[str] = []
    for kind in PROCESSES:
        try:
            load(kind)
        except SettingsError as fault:
            faults += str(fault).splitlines()
    faults += unknown_variables(os.environ).values()
    for sentence in dict.fromkeys(faults):
        print(sentence)
    raise typer.Exit(1 if faults else 0)


def run() -> None:
    """Run the command that the arguments name, with the cards that the services play with."""
    folder = os.environ.get("HUTCH_CARDS_DIR")
    if folder:
        try:
            install_cards(Path(folder))
        except (ValueError, OSError) as fault:
            sys.exit(f"hutch: HUTCH_CARDS_DIR cannot be played with: {sentence_of(fault)}")
    app()
