"""Scoreboard: the standings and the games that were finished last, drawn for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from hutch.cli.standings import Finished, Line, is_team_game, standings

#: A game's colour, by its name.
Inks = Mapping[str, str]

# Told apart on dark and on light, and by those who tell red from green badly.
_INKS: Final = ("#f08a3c", "#79a7dc", "#c98bd4")
_FAINT: Final = "grey42"
_BAR: Final = 18


def inks(games: Sequence[str]) -> Inks:
    """A colour for each of those games."""
    return {game: _INKS[place % len(_INKS)] for place, game in enumerate(games)}


def standings_table(games: Sequence[Finished], names: Sequence[str]) -> RenderableType:
    """How the strategies did so far, in a group of lines for each of the games of those names."""
    colours = inks(names)
    lines = sorted(standings(games), key=lambda line: names.index(line.game))
    table = Table(box=None, padding=(0, 2, 0, 1), header_style=_FAINT)
    table.add_column("game" if len(names) > 1 else "", no_wrap=True)
    table.add_column("bot", min_width=8, no_wrap=True)
    table.add_column("", max_width=_BAR)  # the one that gives way where there is little room
    for heading in ("mean points", "best", "worst", "wins", "seats"):
        table.add_column(heading, justify="right", no_wrap=True)
    before = ""
    for line in lines:
        top = max([other.mean for other in lines if other.game == line.game])
        name = "" if line.game == before or len(names) == 1 else line.game
        table.add_row(Text(name, style=colours[line.game]), *_standing(line, top, colours))
        before = line.game
    return table


def brief_standings(games: Sequence[Finished], names: Sequence[str]) -> RenderableType:
    """The mean points of each strategy, in a line for each of the games of those names."""
    colours, lines = inks(names), standings(games)
    table = Table.grid(padding=(0, 2, 0, 1))
    for name in names:
        bots = Text("no game is over yet", style=_FAINT)
        if found := [line for line in lines if line.game == name]:
            bots = Text("  ").join([_mean(line) for line in found])
        table.add_row(Text(name, style=colours[name]), bots)
    return table


def recent_table(
    games: Sequence[Finished], names: Sequence[str], *, with_bots: bool
) -> RenderableType:
    """The results of those games, a line each."""
    colours = inks(names)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=_FAINT)
    for heading in ("finished", "points", ""):
        table.add_column(heading, no_wrap=True)
    for game in games:
        table.add_row(
            Text(game.table, style=colours[game.game]),
            _points(game, with_bots=with_bots),
            Text(f"{game.moves} moves", style=_FAINT),
        )
    return table


def _standing(line: Line, top: float, colours: Inks) -> list[RenderableType]:
    colour = colours[line.game]
    bar = ProgressBar(
        total=max(top, 1.0),
        completed=max(line.mean, 0.0),
        complete_style=colour,
        finished_style=colour,
    )
    wins = Text("·", style=_FAINT) if line.wins is None else Text(f"{line.wins / line.seats:.0%}")
    return [
        Text(line.bot, style="bold"),
        bar,
        Text(f"{line.mean:.1f}", style="bold"),
        Text(str(line.best)),
        Text(str(line.worst)),
        wins,
        Text(f"{line.seats:,}", style=_FAINT),
    ]


def _mean(line: Line) -> Text:
    return Text().append(f"{line.bot} ", style=_FAINT).append(f"{line.mean:.1f}", style="bold")


def _points(game: Finished, *, with_bots: bool) -> Text:
    text = Text()
    if is_team_game(game.result):
        text.append(f"team {game.result.team_score}", style="bold")
        text.append("  ")
    for seat, bot in enumerate(game.bots):
        won = seat in game.result.winners and not is_team_game(game.result)
        if with_bots:
            text.append(f"{bot} ", style=_FAINT)
        text.append(f"{game.result.scores[seat]:<3}", style="bold" if won else "")
    return text
