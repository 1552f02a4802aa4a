"""`hutch report`: what simulated games say, as a table and a picture, and what finished ones do."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from hutch.bots import STRATEGIES
from hutch.cli.balance.figures import Figure, figures
from hutch.cli.balance.simulation import simulate
from hutch.cli.balance.studies import Observation, Study, study_of
from hutch.cli.collusion.command import collusion
from hutch.cli.names import strategies
from hutch.cli.sentences import NOT_DONE, in_a_sentence
from hutch.games import RULESETS

GAMES: Final = 10_000

report = typer.Typer(help="Report on simulated and finished games.", no_args_is_help=True)


@report.callback()
def reports() -> None:
    """Report on simulated and finished games."""


report.command()(collusion)


@report.command()
def balance(
    game: Annotated[
        str, typer.Argument(help="Which game, such as `tale-of-carrot`.", metavar="GAME")
    ],
    games: Annotated[int, typer.Option(min=1, help="How many games to simulate.")] = GAMES,
    bots: Annotated[
        str, typer.Option(help="Strategies, seated in turn, with commas between.")
    ] = "greedy",
    seed: Annotated[int, typer.Option(help="Another seed gives other games.")] = 1,
    processes: Annotated[
        int | None, typer.Option(min=1, help="How many processes.", show_default="one a core")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Where the picture goes, a PNG.", show_default="balance-GAME.png"),
    ] = None,
) -> None:
    """Simulate games: who wins, or what each module scores."""
    seated = strategies(bots)
    _check(game, seated)
    path = out or Path(f"balance-{game}.png")
    if not path.parent.is_dir():  # said before the games are played, not after
        raise _refused(f"There is no folder {path.parent} for the picture.")
    try:
        from hutch.cli.balance.picture import draw
    except ImportError:
        raise _refused(
            f"The picture needs matplotlib; run `{sys.executable} -m pip install matplotlib`."
        ) from None
    began = time.monotonic()
    found = _simulated(game, games, seated, seed, processes or os.cpu_count() or 1)
    study, title = study_of(RULESETS[game]), RULESETS[game].title
    rows = figures(found)
    took = time.monotonic() - began
    said = f"{games:,} games of {', '.join(seated)} bots, seed {seed}"
    console = Console()
    console.print(_table(study, rows, title=f"{title}\n{said}"))
    with in_a_sentence("report balance"):
        draw(study, rows, path, title=title, subtitle=said)
    console.print(f"{path}, after {took:.0f} s", style="dim")


def _check(game: str, bots: tuple[str, ...]) -> None:
    if game not in RULESETS:
        raise _refused(f"There is no game {game!r}; the games are {', '.join(RULESETS)}.")
    for name in bots:
        if name not in STRATEGIES[game]:
            known = ", ".join(STRATEGIES[game])
            raise _refused(f"{RULESETS[game].title} has no bot {name!r}; it has {known}.")


def _refused(sentence: str) -> typer.Exit:
    typer.echo(f"hutch report balance: {sentence}", err=True)
    return typer.Exit(NOT_DONE)


def _simulated(
    game: str, games: int, bots: tuple[str, ...], seed: int, processes: int
) -> list[Observation]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task("games", total=games)
        return simulate(
            game,
            games=games,
            bots=bots,
            seed=seed,
            processes=processes,
            progress=lambda more: bar.update(task, advance=more),
        )


def _table(study: Study, rows: list[Figure], *, title: str) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column(study.by, no_wrap=True)
    heads = ("times", "of fair share", "95 % from", "to")
    if study.kind == "scores":
        heads = ("scores", "mean", "95 % from", "to")
    for head in heads:
        table.add_column(head, justify="right")
    if study.kind == "scores":
        for head in ("spread", "5 %", "median", "95 %"):
            table.add_column(head, justify="right")
    for one in rows:
        cells = [one.label, f"{one.count:,}", *[f"{x:.2f}" for x in (one.mean, one.low, one.high)]]
        if study.kind == "scores":
            cells += [f"{one.spread:.1f}", *[f"{cut:.0f}" for cut in one.hundredths]]
        table.add_row(*cells)
    return table
