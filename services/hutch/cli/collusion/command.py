"""`hutch report collusion`: a list of pairs for people to look at. Nothing is done about them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from hutch.cli.collusion.aims import GAMES
from hutch.cli.collusion.finished import Read, read_finished
from hutch.cli.collusion.planting import Planting, found, played
from hutch.cli.collusion.suspicion import FALSE_SHARE, FEWEST_GAMES, Pair, pairs_of
from hutch.cli.operations import DataFolder, carry_out, opened
from hutch.cli.sentences import NOT_DONE

#: Of those that are not flagged, so many are shown.
SHOWN: Final = 5
LOYALTY: Final = 1.0


def collusion(
    game: Annotated[str, typer.Argument(help=f"Which game: {' or '.join(GAMES)}.", metavar="GAME")],
    games: Annotated[
        int, typer.Option(min=1, help="How many finished games to look at, the newest.")
    ] = 10_000,
    false_share: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Of the flagged, so many may be honest.")
    ] = FALSE_SHARE,
    plant: Annotated[
        int,
        typer.Option(
            min=0,
            help="Self-test: so many pairs of bots that collude, in "
            "simulated games; no stored game is looked at.",
        ),
    ] = 0,
    players: Annotated[int, typer.Option(min=4, help="Self-test: how many bots there are.")] = 12,
    loyalty: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Self-test: in how many of their choices colluders spare each other.",
        ),
    ] = LOYALTY,
    seed: Annotated[int, typer.Option(help="Self-test: another seed gives other games.")] = 1,
    data: DataFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """List pairs of players who spare each other.

    They harm each other less than others at their tables harm them. It is a list for people to look
    at: friends who sit together may be on it by their habits, and nothing is done about anybody.
    """
    if game not in GAMES:
        _refuse(f"There is nothing to tell of {game!r}; the games are {', '.join(GAMES)}.")
    if not plant:
        read = _read(game, games, data, quiet=as_json)
        pairs = pairs_of(read.games, false_share=false_share)
        said = f"{len(read.games):,} finished games"
        if read.unreadable:
            said += f"; {read.unreadable:,} could not be played by the rules at hand"
        _tell(pairs, f"{game}: {said}", as_json=as_json)
        return
    if players < max(4, 2 * plant):
        _refuse(f"{plant} pairs are {2 * plant} players, and there are {players}.")
    planting = Planting(game, games, players, plant, loyalty, seed=seed)
    pairs = pairs_of(played(planting), false_share=false_share)
    well = found(planting, pairs)
    title = (
        f"{game}: {games:,} games of {players} bots, {plant} pairs colluding in "
        f"{loyalty:.0%} of their choices, seed {seed}\n"
        f"precision {well.precision:.2f}, recall {well.recall:.2f}"
    )
    _tell(pairs, title, as_json=as_json)


def _read(game: str, newest: int, data: DataFolder, *, quiet: bool) -> Read:
    with Progress(console=Console(stderr=True), disable=quiet) as bar:
        task = bar.add_task("games", total=None)

        async def read() -> Read:
            async with opened(data) as store:
                return await read_finished(store, game, newest, lambda: bar.advance(task))

        return carry_out("report collusion", read)


def _tell(pairs: Sequence[Pair], title: str, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.buffer.write(msgspec.json.encode(pairs) + b"\n")
        return
    flagged = [pair for pair in pairs if pair.is_flagged]
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("players", no_wrap=True)
    for head in ("games", "spared", "std errors", "by chance", ""):
        table.add_column(head, justify="right")
    for pair in pairs[: len(flagged) + SHOWN]:
        numbers = (f"{pair.games:,}", f"{pair.spared:.2f}", f"{pair.errors:.1f}")
        mark = "look at it" if pair.is_flagged else ""
        table.add_row(" ".join(pair.players), *numbers, f"{pair.chance:.1e}", mark)
    Console().print(table)
    judged = f"of {len(pairs)} pairs with {FEWEST_GAMES} games together or more"
    typer.echo(f"{len(flagged)} {judged} are to be looked at; nothing is done about them")


def _refuse(sentence: str) -> None:
    typer.echo(f"hutch report collusion: {sentence}", err=True)
    raise typer.Exit(NOT_DONE)
