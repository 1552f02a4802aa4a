"""`hutch stats`: how finished games went, by strategy, straight from Redis."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import partial, reduce
from math import sqrt
from operator import add
from pathlib import Path
from typing import Annotated, Final

import typer
from msgspec import Struct, to_builtins
from rich.console import Console
from rich.table import Table

from hutch.cli.operations import DataFolder, carry_out, opened
from hutch.cli.sentences import counted
from hutch.store.tallies import Measure, Spread

#: The two-sided 95 % quantiles of Student's distribution, from one degree of freedom on.
STUDENT: Final = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)

Spreads = Mapping[Measure, Spread]


class Estimate(Struct, frozen=True):
    """A mean with its 95 % confidence interval, mean ± `margin`: None for a single number."""

    mean: float
    margin: float | None
    least: float
    most: float


class Line(Struct, frozen=True):
    """How a strategy did. `seat` None: at all seats. `wins`, of which some `shared`, are None where
    all play for a common score."""

    strategy: str
    seat: int | None
    seats: int
    score: Estimate
    wins: int | None
    shared: int | None


class Games(Struct, frozen=True, kw_only=True):
    """Games that compare: of one ruleset and form, at tables of so many seats. `turns` are the
    answers stored; `team` is the common score, if there is one."""

    ruleset: str
    form: str
    seats: int
    games: int
    turns: Estimate
    seconds: Estimate
    team: Estimate | None
    lines: list[Line]


def stats(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    by_seat: Annotated[bool, typer.Option("--by-seat", help="A line for each seat, too.")] = False,
    data: DataFolder = None,
) -> None:
    """Show the results of all finished games, by strategy."""
    found = summary(carry_out("stats", partial(_read, data)), by_seat=by_seat)
    if as_json:
        print(json.dumps(to_builtins(found), indent=1))
    else:
        _show(found, Console(highlight=False))


def summary(spreads: Spreads, *, by_seat: bool = False) -> list[Games]:
    """What the tallies say, in the order of rulesets and seats, the best strategy first."""
    return [
        Games(
            ruleset=turns.ruleset,
            form=turns.form,
            seats=turns.seats,
            games=spreads[turns].count,
            turns=estimate(spreads[turns]),
            seconds=estimate(spreads[turns._replace(what="seconds")]),
            team=estimate(team) if (team := spreads.get(turns._replace(what="team"))) else None,
            lines=_lines({m: s for m, s in spreads.items() if m[:3] == turns[:3]}, by_seat),
        )
        for turns in sorted(measure for measure in spreads if measure.what == "turns")
    ]


def estimate(spread: Spread) -> Estimate:
    """The mean of what those numbers are a sample of."""
    margin = None
    if spread.count > 1:
        margin = student(spread.count - 1) * sqrt(spread.variance / spread.count)
    return Estimate(spread.mean, margin, spread.least, spread.most)


def student(freedom: int) -> float:
    """The two-sided 95 % quantile of Student's distribution, to a thousandth."""
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    # The expansion of the quantile by the inverse of the degrees of freedom.
    return 1.95996 + 2.37227 / freedom + 2.82250 / freedom**2 + 2.55585 / freedom**3


def _lines(spreads: Spreads, by_seat: bool) -> list[Line]:
    scores = [measure for measure in spreads if measure.what == "score"]
    places: set[tuple[str, int | None]] = {(measure.strategy, None) for measure in scores}
    if by_seat:
        places |= {(measure.strategy, measure.seat) for measure in scores}
    lines = [_line(spreads, strategy, seat) for strategy, seat in places]
    best = {line.strategy: -line.score.mean for line in lines if line.seat is None}
    return sorted(
        lines,
        key=lambda line: (
            best[line.strategy],
            line.strategy,
            -1 if line.seat is None else line.seat,
        ),
    )


def _line(spreads: Spreads, strategy: str, seat: int | None) -> Line:
    def total(what: str) -> Spread | None:
        parts = [
            spread
            for measure, spread in spreads.items()
            if (measure.what, measure.strategy) == (what, strategy) and seat in (None, measure.seat)
        ]
        return reduce(add, parts) if parts else None

    score, won, shared = total("score"), total("won"), total("shared")
    assert score is not None
    return Line(
        strategy,
        seat,
        score.count,
        estimate(score),
        None if won is None else int(won.total),
        None if shared is None else int(shared.total),
    )


async def _read(data: Path | None) -> Spreads:
    async with opened(data) as store:
        return await store.tallies.read()


def _show(found: Iterable[Games], console: Console) -> None:
    nothing = True
    for games in found:
        nothing = False
        team = f", {_told(games.team)} points together" if games.team else ""
        console.print(
            f"[bold]{games.ruleset}[/bold], {counted(games.seats, 'seat')} ({games.form}): "
            f"{counted(games.games, 'game')} of {_told(games.turns)} turns, "
            f"{_told(games.seconds)} s{team}",
            soft_wrap=not console.is_terminal,  # a program reads lines, a person words
        )
        console.print(_table(games.lines))
    if nothing:
        console.print("no game is tallied yet")


def _table(lines: list[Line]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 1))
    table.add_column("strategy", min_width=10)
    for heading in ("seat", "played", "mean points", "least", "most", "wins", "shared"):
        table.add_column(heading, justify="right")
    for line in lines:
        wins = "" if line.wins is None else f"{line.wins:,} ({line.wins / line.seats:.0%})"
        table.add_row(
            line.strategy,
            "all" if line.seat is None else str(line.seat),
            f"{line.seats:,}",
            _told(line.score),
            f"{line.score.least:g}",
            f"{line.score.most:g}",
            wins,
            "" if line.shared is None else f"{line.shared:,}",
        )
    return table


def _told(one: Estimate) -> str:
    return f"{one.mean:.1f}" + ("" if one.margin is None else f" ± {one.margin:.1f}")
