"""`hutch stats`: what it makes of the tallies, and how it shows them."""

from __future__ import annotations

import io
from math import isclose, sqrt
from statistics import fmean, variance

import pytest
from rich.console import Console

from hutch.cli.stats import _show, estimate, student, summary
from hutch.store.tallies import Measure, Spread

KIND = ("carrots", "rivals", 2)


def spread_of(*values: float) -> Spread:
    squares = sum(value * value for value in values)
    return Spread(len(values), sum(values), squares, min(values), max(values))


#: Three games: greedy at seat 0 and random at seat 1, once the other way round.
TALLIES = {
    Measure(*KIND, "turns"): spread_of(10, 12, 14),
    Measure(*KIND, "seconds"): spread_of(1.0, 2.0, 3.0),
    Measure(*KIND, "score", "greedy", 0): spread_of(5, 9),
    Measure(*KIND, "score", "greedy", 1): spread_of(7),
    Measure(*KIND, "score", "random", 1): spread_of(5, 3),
    Measure(*KIND, "score", "random", 0): spread_of(-1),
    Measure(*KIND, "won", "greedy", 0): spread_of(1, 1),
    Measure(*KIND, "won", "greedy", 1): spread_of(1),
    Measure(*KIND, "won", "random", 1): spread_of(1, 0),
    Measure(*KIND, "won", "random", 0): spread_of(0),
    Measure(*KIND, "shared", "greedy", 0): spread_of(1, 0),
    Measure(*KIND, "shared", "greedy", 1): spread_of(0),
    Measure(*KIND, "shared", "random", 1): spread_of(1, 0),
    Measure(*KIND, "shared", "random", 0): spread_of(0),
}


def test_a_mean_has_the_interval_of_student() -> None:
    values = (5.0, 9.0, 7.0, -1.0)
    found = estimate(spread_of(*values))
    assert found.mean == fmean(values)
    assert found.margin is not None
    assert isclose(found.margin, 3.182 * sqrt(variance(values) / 4))


def test_a_single_number_has_no_interval() -> None:
    assert estimate(spread_of(5)).margin is None


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.706), (10, 2.228), (11, 2.201), (30, 2.042), (120, 1.980), (10**6, 1.960)],
)
def test_the_quantiles_are_those_of_the_tables(freedom: int, quantile: float) -> None:
    assert student(freedom) == pytest.approx(quantile, abs=6e-4)


def test_strategies_are_summed_over_their_seats_and_the_best_comes_first() -> None:
    (games,) = summary(TALLIES)
    assert (games.games, games.turns.mean, games.seconds.mean) == (3, 12, 2)
    greedy, random = games.lines
    assert (greedy.strategy, greedy.seats, greedy.wins, greedy.shared) == ("greedy", 3, 3, 1)
    assert (random.strategy, random.seats, random.wins, random.shared) == ("random", 3, 1, 1)
    assert (random.score.least, random.score.most) == (-1, 5)


def test_seats_are_told_apart_where_that_is_asked_for() -> None:
    (games,) = summary(TALLIES, by_seat=True)
    assert [(line.strategy, line.seat, line.seats) for line in games.lines] == [
        ("greedy", None, 3),
        ("greedy", 0, 2),
        ("greedy", 1, 1),
        ("random", None, 3),
        ("random", 0, 1),
        ("random", 1, 2),
    ]


def test_a_team_has_its_common_score_and_no_wins() -> None:
    kind = ("carrots", "team", 1)
    tallies = {
        Measure(*kind, "turns"): spread_of(3),
        Measure(*kind, "seconds"): spread_of(1),
        Measure(*kind, "team"): spread_of(8),
        Measure(*kind, "score", "greedy", 0): spread_of(8),
    }
    (games,) = summary(tallies)
    assert games.team is not None
    assert games.team.mean == 8
    assert (games.lines[0].wins, games.lines[0].shared) == (None, None)


def test_it_is_shown_as_a_table() -> None:
    page = io.StringIO()
    _show(summary(TALLIES), Console(file=page, width=100))
    shown = page.getvalue()
    assert "3 games of 12.0 ± 5.0 turns" in shown
    assert any(
        line.split()[:6] == ["greedy", "all", "3", "7.0", "±", "5.0"] for line in shown.splitlines()
    )


def test_its_headings_have_room_in_a_line_of_80_columns() -> None:
    page = io.StringIO()
    _show(summary(TALLIES), Console(file=page, width=80))
    headings = [line.split() for line in page.getvalue().splitlines() if " strategy " in line]
    words = ["strategy", "seat", "played", "mean", "points", "least", "most", "wins", "shared"]
    assert headings == [words] * len(summary(TALLIES))


def test_without_games_it_says_so() -> None:
    page = io.StringIO()
    _show([], Console(file=page))
    assert page.getvalue() == "no game is tallied yet\n"
