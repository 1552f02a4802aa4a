"""The wall: many games at once in a terminal, with the pace and the standings."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from hutch.cli.boards import art_of
from hutch.cli.boards.art import Sitting
from hutch.cli.exhibition import Exhibition, Watched
from hutch.cli.standings import Finished, Line, is_team_game, standings

_FAINT: Final = "grey42"
_ACCENT: Final = "#f08a3c"
_OVER: Final = "#6da45a"

#: A board needs so many columns; a wider terminal shows two side by side.
_TILE_WIDTH: Final = 76
_HEADER_LINES: Final = 3
_SPARK: Final = 24
# Wide enough for the games that were finished last, and for who played them.
_WITH_POINTS: Final = 112
_WITH_NAMES: Final = 150
_RECENT: Final = 5


class Wall:
    """Draws an exhibition for a terminal of some size."""

    def __init__(self, exhibition: Exhibition, address: str) -> None:
        self._show = exhibition
        self._address = address

    def capacity(self, width: int, height: int) -> int:
        """How many games there is room for."""
        columns, rows = self._room(width, height)
        return columns * rows

    def visible(self, width: int, height: int) -> list[Watched]:
        """The games that are drawn."""
        games = self._show.under_way
        return [games[place] for place in sorted(games)][: self.capacity(width, height)]

    def draw(self, width: int, height: int) -> RenderableType:
        """Everything, in that many columns and lines."""
        columns, _ = self._room(width, height)
        games = self.visible(width, height)
        grid = Table.grid(expand=True)
        for _ in range(columns):
            grid.add_column(ratio=1)
        for first in range(0, len(games), columns):
            row = games[first : first + columns]
            grid.add_row(*[self._tile(one, width // columns) for one in row])
        return Group(self._header(), grid, Text(), self._footer(width, len(games)))

    def _room(self, width: int, height: int) -> tuple[int, int]:
        columns = max(1, width // _TILE_WIDTH)
        rows = (height - _HEADER_LINES - self._footer_lines()) // self._tile_lines()
        return columns, max(1, rows)

    def _tile_lines(self) -> int:
        return self._show.seats + 3

    def _footer_lines(self) -> int:
        return max(len(self._show.plan.bots) + 1, _RECENT) + 2

    # The parts

    def _header(self) -> RenderableType:
        show, now = self._show, time.monotonic()
        title = Text().append(" HUTCH ", style=f"bold black on {_ACCENT}")
        title.append(f"  {show.ruleset.title}", style="bold")
        pace = Text().append(show.pace.sparkline(now, _SPARK), style=_ACCENT)
        pace.append(f"  {show.pace.rate(now):,.0f}", style="bold")
        pace.append(" moves/s", style=_FAINT)
        first = Table.grid(expand=True)
        first.add_column()
        first.add_column(justify="right")
        first.add_row(title, pace)
        second = Table.grid(expand=True)
        second.add_column(ratio=1)
        second.add_column(justify="right")
        second.add_row(self._progress(), _faint(f"{show.pace.total:,} moves  {self._address}"))
        return Group(first, second, Text())

    def _progress(self) -> RenderableType:
        finished, games = len(self._show.finished), self._show.plan.games
        playing = sum([one.result is None for one in self._show.under_way.values()])
        if games is None:
            return _faint(f" {finished:,} games finished, {playing} under way")
        line = Table.grid(padding=(0, 1))
        line.add_row(
            Text(""),
            ProgressBar(total=games, completed=finished, width=28, complete_style=_ACCENT),
            _faint(f"{finished:,} of {games:,} games finished, {playing} under way"),
        )
        return line

    def _tile(self, game: Watched, width: int) -> RenderableType:
        now = time.monotonic()
        inside = width - 4
        art = None if game.view is None else art_of(game.view)
        title = Text().append(game.code, style=f"bold {_ACCENT}")
        body: RenderableType
        if game.view is None or art is None:
            body = Text("\n" * self._show.seats)
            title.append("  dealing" if game.view is None else "  playing", style=_FAINT)
        else:
            title.append("  ").append_text(art.headline(game.view))
            body = art.board(
                Sitting(view=game.view, cards=self._show.cards, names=game.bots), inside
            )
        moves = f"{game.pace.total} moves"
        if game.result is None:
            moves += f" · {game.pace.rate(now):.0f}/s"
        return Panel(
            body,
            title=title,
            title_align="left",
            subtitle=_faint(moves) if game.result is None else _ended(game, moves),
            subtitle_align="right",
            border_style=_FAINT if game.result is None else _OVER,
            width=width,
            height=self._tile_lines(),
        )

    def _footer(self, width: int, visible: int) -> RenderableType:
        hidden = len(self._show.under_way) - visible
        parts = [standings_table(self._show.finished)]
        if width >= _WITH_POINTS:
            recent = self._show.finished[-_RECENT:][::-1]
            parts.append(_recent(recent, with_names=width >= _WITH_NAMES))
        if hidden:
            parts.append(_faint(f"and {hidden} more under way"))
        grid = Table.grid(padding=(0, 2))
        grid.add_row(*parts)
        return grid


def standings_table(games: Sequence[Finished]) -> RenderableType:
    """How the strategies did so far."""
    lines = standings(games)
    rivals = any(not is_team_game(game.result) for game in games)
    table = Table(box=None, padding=(0, 2, 0, 1), header_style=_FAINT)
    table.add_column("bot", min_width=10)
    table.add_column("", min_width=18)
    table.add_column("mean points", justify="right")
    table.add_column("best", justify="right")
    table.add_column("worst", justify="right")
    if rivals:
        table.add_column("wins", justify="right")
    table.add_column("seats", justify="right")
    top = max([line.mean for line in lines], default=0.0)
    for line in lines:
        table.add_row(*_standing(line, top, rivals=rivals))
    return table


def _standing(line: Line, top: float, *, rivals: bool) -> list[RenderableType]:
    bar = ProgressBar(
        total=max(top, 1.0),
        completed=max(line.mean, 0.0),
        width=18,
        complete_style=_ACCENT,
        finished_style=_ACCENT,
    )
    wins = [Text(f"{line.wins / line.seats:.0%}")] if rivals else []
    return [
        Text(line.bot, style="bold"),
        bar,
        Text(f"{line.mean:.1f}", style="bold"),
        Text(str(line.best)),
        Text(str(line.worst)),
        *wins,
        Text(f"{line.seats:,}", style=_FAINT),
    ]


def _recent(games: Sequence[Finished], *, with_names: bool) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=_FAINT)
    for heading in ("finished", "points", ""):
        table.add_column(heading, no_wrap=True)
    for game in games:
        table.add_row(
            Text(game.table, style=_ACCENT),
            _points(game, with_names=with_names),
            _faint(f"{game.moves} moves"),
        )
    return table


def _points(game: Finished, *, with_names: bool) -> Text:
    text = Text()
    if is_team_game(game.result):
        text.append(f"team {game.result.team_score}", style="bold")
        text.append("  ")
    for seat, bot in enumerate(game.bots):
        won = seat in game.result.winners and not is_team_game(game.result)
        if with_names:
            text.append(f"{bot} ", style=_FAINT)
        text.append(f"{game.result.scores[seat]:<3}", style="bold" if won else "")
    return text


def _ended(game: Watched, moves: str) -> Text:
    text = Text().append(f"{moves} · ", style=_FAINT)
    assert game.result is not None
    if is_team_game(game.result):
        text.append(f"finished with {game.result.team_score} points", style=f"bold {_OVER}")
    else:
        won = " and ".join([f"{game.bots[seat]} ({seat})" for seat in game.result.winners])
        text.append(f"won by {won or 'nobody'}", style=f"bold {_OVER}")
    return text


def _faint(words: str) -> Text:
    return Text(words, style=_FAINT)
