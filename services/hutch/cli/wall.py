"""The wall: many games at once in a terminal, with the pace and the standings."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from hutch.cli.boards import art_for
from hutch.cli.boards.art import Sitting
from hutch.cli.exhibition import EAGER, Exhibition, Feature, Watched
from hutch.cli.scoreboard import brief_standings, inks, recent_table, standings_table
from hutch.cli.sentences import counted
from hutch.cli.standings import is_team_game

TABLES_MOST: Final = 8

_FAINT: Final = "grey42"
_ACCENT: Final = "#f08a3c"
_OVER: Final = "#6da45a"

#: A board needs so many columns; a wider terminal shows two side by side.
_TILE_WIDTH: Final = 74
#: The sparkline takes this part of the width.
_SPARK: Final = 7
# Wide enough for the games that were finished last, and for who played them.
_WITH_RECENT: Final = 145
_WITH_BOTS: Final = 185
_RECENT: Final = 5


class _Form(Struct, frozen=True, kw_only=True):
    """How much is drawn around the boards."""

    header_lines: int
    framed: bool
    standings: Literal["table", "lines", "none"]


#: From the roomiest to the barest; the first is taken that shows a table of each game.
_FORMS: Final = (
    _Form(header_lines=3, framed=True, standings="table"),
    _Form(header_lines=3, framed=True, standings="lines"),
    _Form(header_lines=2, framed=False, standings="lines"),
    _Form(header_lines=2, framed=False, standings="none"),
)


class Wall:
    """Draws an exhibition for a terminal of some size."""

    def __init__(self, exhibition: Exhibition, address: str) -> None:
        self._show = exhibition
        self._address = address
        self._names = [feature.name for feature in exhibition.features]
        self._inks = inks(self._names)

    def capacity(self, width: int, height: int) -> int:
        """How many tables there is room for, `TABLES_MOST` at most.

        Where it is one of each game, it is as many of the one as of the other. Then the next game
        at a table is always the one that was there before, and the wall stays as it is.
        """
        features = self._show.features
        turns = [features[number % len(features)] for number in range(TABLES_MOST)]
        form = self._form(width, height)
        room = self._room(form, height)
        fits = max(
            [many for many in range(1, TABLES_MOST + 1) if _fit(turns[:many], form, width, room)],
            default=1,
        )
        return fits - fits % len(features) or fits

    def visible(self, width: int, height: int) -> list[Watched]:
        """The games that are drawn."""
        return [game for column in self._columns(width, height) for game in column]

    def draw(self, width: int, height: int) -> RenderableType:
        """Everything, in that many columns and lines."""
        form, columns = self._form(width, height), self._columns(width, height)
        grid = Table.grid(expand=True)
        for _ in columns:
            grid.add_column(ratio=1)
        wide = width // len(columns)
        grid.add_row(
            *[Group(*[self._tile(game, form, wide) for game in column]) for column in columns]
        )
        shown = sum([len(column) for column in columns])
        return Group(self._header(form, width), grid, *self._footer(form, width, shown))

    # What has room

    def _form(self, width: int, height: int) -> _Form:
        features = self._show.features
        for form in _FORMS:
            if _fit(features, form, width, self._room(form, height)):
                return form
        return _FORMS[-1]

    def _room(self, form: _Form, height: int) -> int:
        """Lines for the boards."""
        games = len(self._names)
        lines = {"table": games * len(self._bots()) + 2, "lines": games + 1, "none": 0}
        return height - form.header_lines - lines[form.standings]

    def _bots(self) -> set[str]:
        plan = self._show.plan
        return {*plan.bots, EAGER} if plan.pace_s else set(plan.bots)

    def _columns(self, width: int, height: int) -> list[list[Watched]]:
        games = [self._show.under_way[place] for place in sorted(self._show.under_way)]
        form = self._form(width, height)
        heights = [_tile_lines(game.feature, form) for game in games]
        places = _packed(heights, _columns_in(width), self._room(form, height))
        columns: list[list[Watched]] = [[] for _ in range(_columns_in(width))]
        for game, place in zip(games, places, strict=True):
            if place is not None:
                columns[place].append(game)
        if games and not any(columns):
            columns[0].append(games[0])
        return columns

    # The parts

    def _header(self, form: _Form, width: int) -> RenderableType:
        show, now = self._show, time.monotonic()
        title = Text().append(" HUTCH ", style=f"bold black on {_ACCENT}").append("  ")
        title.append_text(self._title())
        pace = Text().append(show.pace.sparkline(now, width // _SPARK), style=_ACCENT)
        pace.append(f"  {show.pace.rate(now):,.0f}", style="bold")
        pace.append(" moves/s", style=_FAINT)
        first = Table.grid(expand=True)
        first.add_column(no_wrap=True)
        first.add_column(justify="right", ratio=1, no_wrap=True)
        first.add_row(title, pace)
        second = Table.grid(expand=True)
        second.add_column(ratio=1)
        second.add_column(justify="right")
        second.add_row(self._progress(), _faint(f"{show.pace.total:,} moves  {self._address}"))
        return Group(first, second, *[Text()] * (form.header_lines - 2))

    def _title(self) -> Text:
        match self._show.features:
            case [feature]:
                return Text(feature.ruleset.title, style="bold")
            case features:
                names = [Text(one.name, style=f"bold {self._inks[one.name]}") for one in features]
                return Text(" · ", style=_FAINT).join(names)

    def _progress(self) -> RenderableType:
        finished, games = len(self._show.finished), self._show.plan.games
        playing = sum([one.result is None for one in self._show.under_way.values()])
        if games is None:
            return _faint(f" {counted(finished, 'game')} finished, {playing} under way")
        line = Table.grid(padding=(0, 1))
        line.add_row(
            Text(""),
            ProgressBar(total=games, completed=finished, width=14, complete_style=_ACCENT),
            _faint(f"{finished:,} of {counted(games, 'game')} finished, {playing} under way"),
        )
        return line

    def _tile(self, game: Watched, form: _Form, width: int) -> RenderableType:
        feature = game.feature
        art = art_for(feature.name)
        title = Text().append(game.code, style=f"bold {self._inks[feature.name]}")
        if len(self._names) > 1:
            title.append(f" {feature.name}", style=self._inks[feature.name])
        title.append("  ")
        body: RenderableType
        if game.view is None or art is None:
            body = Text("\n" * (_board_lines(feature) - 1))
            title.append("dealing" if game.view is None else "playing", style=_FAINT)
        else:
            sitting = Sitting(
                view=game.view, cards=feature.cards, names=game.bots, events=game.events
            )
            body = art.board(sitting, width - (4 if form.framed else 1))
            over = game.result is not None and not form.framed
            title.append_text(_state(game) if over else art.headline(game.view))
        title.stylize_before("default")  # else it took the colour of the border
        border = _FAINT if game.result is None else _OVER
        if not form.framed:
            return Group(Rule(title, align="left", style=border), body)
        return Panel(
            body,
            title=title,
            title_align="left",
            subtitle=_state(game),
            subtitle_align="right",
            border_style=border,
            width=width,
            height=_tile_lines(feature, form),
        )

    def _footer(self, form: _Form, width: int, shown: int) -> list[RenderableType]:
        finished = self._show.finished
        hidden = len(self._show.under_way) - shown
        parts: list[RenderableType] = []
        match form.standings:
            case "table":
                parts.append(standings_table(finished, self._names))
                if width >= _WITH_RECENT:
                    lines = max(_RECENT, len(self._names) * len(self._bots()))
                    with_bots = width >= _WITH_BOTS
                    recent = finished[-lines:][::-1]
                    parts.append(recent_table(recent, self._names, with_bots=with_bots))
            case "lines":
                parts.append(brief_standings(finished, self._names))
            case "none":
                return []
        if hidden:
            parts.append(_faint(f"and {hidden} more under way"))
        grid = Table.grid(padding=(0, 2))
        grid.add_row(*parts)
        return [Text(), grid]


def _columns_in(width: int) -> int:
    return max(1, width // _TILE_WIDTH)


def _board_lines(feature: Feature) -> int:
    art = art_for(feature.name)
    return feature.seats if art is None else art.lines(feature.seats)


def _tile_lines(feature: Feature, form: _Form) -> int:
    return _board_lines(feature) + (2 if form.framed else 1)


def _packed(heights: Sequence[int], columns: int, room: int) -> list[int | None]:
    """The column of each tile: the one least filled; None for a tile that has no room there."""
    filled = [0] * columns
    places: list[int | None] = []
    for height in heights:
        column = filled.index(min(filled))
        if filled[column] + height > room:
            places.append(None)
            continue
        filled[column] += height
        places.append(column)
    return places


def _fit(features: Sequence[Feature], form: _Form, width: int, room: int) -> bool:
    """Whether a table of each has room."""
    heights = [_tile_lines(feature, form) for feature in features]
    return None not in _packed(heights, _columns_in(width), room)


def _state(game: Watched) -> Text:
    """How many moves were made and how fast, or how it ended."""
    text = Text().append(f"{game.pace.total} moves · ", style=_FAINT)
    if game.result is None:
        return text.append(f"{game.pace.rate(time.monotonic()):.0f}/s", style=_FAINT)
    if is_team_game(game.result):
        return text.append(f"finished with {game.result.team_score} points", style=f"bold {_OVER}")
    won = " and ".join([f"{game.bots[seat]} ({seat})" for seat in game.result.winners])
    return text.append(f"won by {won or 'nobody'}", style=f"bold {_OVER}")


def _faint(words: str) -> Text:
    return Text(words, style=_FAINT)
