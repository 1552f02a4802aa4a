"""`hutch demo`: bots play whole games through the running services, live in the terminal."""

from __future__ import annotations

import asyncio
import json
import signal
from contextlib import suppress
from typing import Annotated, Any, Final

import grpc
import typer
from msgspec.structs import replace
from rich.console import Console
from rich.live import Live
from rich.text import Text

from hutch.cli.display import PipeConsole
from hutch.cli.exhibition import SEATS_MOST, Exhibition, Plan, Watched
from hutch.cli.names import names, strategies
from hutch.cli.reaching import ADDRESS, PATIENCE, AuthorityFile, GatewayAddress, reach
from hutch.cli.scoreboard import standings_table
from hutch.cli.sentences import counted, in_a_sentence
from hutch.cli.standings import Finished, is_team_game, standings
from hutch.cli.wall import TABLES_MOST, Wall
from hutch.client import Hutch, HutchError, connect

FRAMES_PER_S: Final = 8
PACE_S: Final = 0.25
LINGER_S: Final = 2.0
HOST_NAME: Final = "Demo"


def demo(
    address: GatewayAddress = ADDRESS,
    ca: AuthorityFile = None,
    game: Annotated[
        str | None,
        typer.Option(
            help="Which game, or several with commas between; they are started in turn.",
            show_default="all there are",
        ),
    ] = None,
    games: Annotated[int, typer.Option(min=0, help="How many games; 0 goes on until Ctrl-C.")] = 0,
    tables: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=200,
            help="How many games at once.",
            show_default=f"what the terminal has room for, at most {TABLES_MOST}",
        ),
    ] = None,
    seats: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Players at a table, where the game takes so many.",
            show_default=f"up to {SEATS_MOST}",
        ),
    ] = None,
    bots: Annotated[
        str, typer.Option(help="Strategies, seated in turn, with commas between.")
    ] = "greedy,random",
    pace: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=60,
            help="Seconds to a turn of the seat that is played from here, so that eyes can follow; "
            "0 seats bots alone, which play as fast as they can.",
            show_default=f"{PACE_S} on a terminal, else 0",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            help="An option of the game, for a single game: mission=moon, competitive=true; a list "
            """in JSON, evolutions='["mars"]'. May be given again.""",
            metavar="NAME=VALUE",
        ),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Exit when the games are over.")] = False,
) -> None:
    """Watch bots play whole games through the running services."""
    if once and not games:
        raise typer.BadParameter("a demo without --games never ends", param_hint="'--once'")
    console = PipeConsole()
    plan = replace(
        demo_plan(console, games),
        rulesets=names(game or ""),
        at_once=tables,
        seats=seats,
        bots=strategies(bots),
        options=_options(option or []),
    )
    if pace is not None:
        plan = replace(plan, pace_s=pace)
    with in_a_sentence("demo"):
        credentials = reach(address, ca)
        asyncio.run(_until_stopped(address, credentials, plan, console, once=once))


def demo_plan(console: Console, games: int) -> Plan:
    """What is shown where nothing else is asked for; 0 games go on until they are stopped."""
    return Plan(
        games=games or None,
        pace_s=PACE_S if console.is_interactive else 0.0,
        linger_s=LINGER_S if console.is_interactive else 0.0,
    )


async def show(
    address: str,
    plan: Plan,
    console: Console,
    credentials: grpc.ChannelCredentials | None = None,
) -> None:
    """Play the plan's games at the gateway of that address and show them.

    On a terminal they are drawn live, else told line by line; the standings come at the end, also
    where it is cancelled. Raises `HutchError` and `ValueError`.
    """
    async with connect(address, retries=PATIENCE, credentials=credentials) as hutch:
        exhibition = await _prepared(hutch, plan)
        try:
            if console.is_interactive:
                await _live(exhibition, address, console)
            else:
                await _told(exhibition, console)
        finally:
            _conclude(exhibition, console)


async def _until_stopped(
    address: str,
    credentials: grpc.ChannelCredentials | None,
    plan: Plan,
    console: Console,
    *,
    once: bool,
) -> None:
    """Show it until it is over or Ctrl-C comes."""
    showing = asyncio.ensure_future(show(address, plan, console, credentials))
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    stopped = asyncio.ensure_future(stop.wait())
    await asyncio.wait((showing, stopped), return_when=asyncio.FIRST_COMPLETED)
    if not showing.done():
        showing.cancel()
        with suppress(asyncio.CancelledError, HutchError):  # a call that was given up says so
            await showing
        return
    showing.result()
    if not once:
        console.print(Text("Ctrl-C ends it.", style="grey42"))
        await stopped


async def _prepared(hutch: Hutch, plan: Plan) -> Exhibition:
    await hutch.guest(HOST_NAME)
    exhibition = Exhibition(hutch, plan)
    await exhibition.prepare()
    return exhibition


async def _live(exhibition: Exhibition, address: str, console: Console) -> None:
    wall = Wall(exhibition, address)
    playing = asyncio.ensure_future(exhibition.run(wall.capacity(*console.size)))
    try:
        with Live(console=console, screen=True, auto_refresh=False) as live:
            while not playing.done():
                width, height = console.size
                await exhibition.refresh(wall.visible(width, height))
                live.update(wall.draw(width, height), refresh=True)
                await asyncio.wait((playing,), timeout=1 / FRAMES_PER_S)
    finally:
        playing.cancel()
        await asyncio.wait((playing,))  # before the channel is closed under its calls
    await _result_of(playing)


async def _told(exhibition: Exhibition, console: Console) -> None:
    def started(game: Watched) -> None:
        console.print(
            f"game {game.number} ({game.feature.name}) begins at {game.table.name}",
            highlight=False,
            soft_wrap=True,
        )

    def ended(game: Finished) -> None:
        points = " ".join(
            f"{bot}={score}" for bot, score in zip(game.bots, game.result.scores, strict=True)
        )
        team = f"team={game.result.team_score} " if is_team_game(game.result) else ""
        console.print(
            f"game {game.number} ({game.game}) is over after {game.moves} moves "
            f"in {game.seconds:.1f} s: {team}{points}",
            highlight=False,
            soft_wrap=True,
        )

    exhibition.started, exhibition.ended = started, ended
    await _result_of(asyncio.ensure_future(exhibition.run()))


async def _result_of(playing: asyncio.Future[None]) -> None:
    """Wait for it, and raise what went wrong as itself and not as a group."""
    try:
        await playing
    except ExceptionGroup as group:
        error: Exception = group
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        raise error from None


def _conclude(exhibition: Exhibition, console: Console) -> None:
    games = exhibition.finished
    moves = sum([game.moves for game in games])
    if not games:
        console.print("no game was finished", highlight=False)
        return
    if console.is_interactive:
        console.print(standings_table(games, [feature.name for feature in exhibition.features]))
    else:
        for line in standings(games):
            console.print(
                f"{line.game}, {line.bot}: {line.mean:.1f} points on average "
                f"at {counted(line.seats, 'seat')}, {line.worst} to {line.best}",
                highlight=False,
                soft_wrap=True,
            )
    console.print(f"{counted(len(games), 'game')}, {counted(moves, 'move')}", highlight=False)


def _options(pairs: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise typer.BadParameter(f"{pair!r} is not NAME=VALUE", param_hint="'--option'")
        try:
            options[name] = json.loads(value)
        except json.JSONDecodeError:
            options[name] = value
    return options
