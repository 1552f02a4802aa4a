"""The wall: pace, standings, and as many games as there is room for."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from hutch.cli.exhibition import Exhibition, Plan, Watched
from hutch.cli.pace import Pace
from hutch.cli.standings import Finished, standings
from hutch.cli.wall import Wall
from hutch.client import connect
from hutch.rabbit_space.v1 import rabbit_space_pb2
from hutch.v1 import catalog_service_pb2, table_pb2


def test_the_pace_is_that_of_the_last_seconds() -> None:
    pace = Pace(100.0)
    for tick in range(100):
        pace.count(3, 100.0 + tick / 10)
    assert pace.total == 300
    assert pace.rate(109.95) == pytest.approx(30, rel=0.1)
    assert pace.average(110.0) == pytest.approx(30)
    assert pace.rate(120.0) == 0


def test_the_first_moment_has_no_pace() -> None:
    pace = Pace(100.9)
    pace.count(5, 100.95)
    assert pace.rate(101.0) == 0
    assert pace.rate(101.9) == pytest.approx(5)


def test_the_sparkline_shows_full_seconds_the_newest_at_the_right() -> None:
    pace = Pace(10.0)
    for second, moves in enumerate([0, 7, 14]):
        pace.count(moves, 10.5 + second)
    assert pace.sparkline(13.2, 6) == "   ▁▄█"
    assert pace.sparkline(60.0, 4) == "    "


def finished(number: int, scores: list[int], winners: list[int], team: int | None) -> Finished:
    """A game of greedy, random, greedy, random."""
    return Finished(
        number=number,
        table=f"table{number}",
        bots=("greedy", "random", "greedy", "random"),
        result=table_pb2.Result(scores=scores, winners=winners, team_score=team),
        moves=100,
        seconds=1.0,
    )


def test_the_best_mean_stands_first_and_wins_count_among_rivals_alone() -> None:
    team = finished(1, [30, 4, 20, 0], [0, 1, 2, 3], 54)
    rivals = finished(2, [10, 12, 40, 8], [2], None)
    first, second = standings([team, rivals])
    assert (first.bot, first.seats, first.mean, first.best, first.worst) == (
        "greedy", 4, 25.0, 40, 10,
    )  # fmt: skip
    assert (second.bot, second.mean) == ("random", 6.0)
    assert (first.wins, second.wins) == (1, 0)
    assert standings([]) == []


@pytest.fixture
async def exhibition() -> Exhibition:
    """An exhibition of which five games are under way and two are over."""
    async with connect("127.0.0.1:1") as hutch:
        shown = Exhibition(hutch, Plan(games=9, bots=("greedy", "random")))
        shown.ruleset = catalog_service_pb2.Ruleset(title="Rabbit Space", max_seats=4)
        bots = ("greedy", "random", "greedy", "random")
        for place in range(5):
            game = Watched(place + 1, hutch.table(f"table{place}"), bots, dealt=5)
            game.moved_to(47)
            seats = [rabbit_space_pb2.SeatBoard(seat=seat, score=seat) for seat in range(4)]
            board = rabbit_space_pb2.Board(round=place + 1, seats=seats)
            game.view = table_pb2.View(rabbit_space=board, awaited_seats=[1])
            shown.under_way[place] = game
        shown.finished = [
            finished(6, [30, 4, 20, 0], [0, 1, 2, 3], 54),
            finished(7, [10, 12, 40, 8], [2], None),
        ]
        shown.under_way[0].result = shown.finished[0].result
        return shown


def lines(wall: Wall, width: int, height: int) -> list[str]:
    """What the wall looks like in a terminal of that size."""
    console = Console(width=width, height=height, file=StringIO(), color_system=None)
    with console.capture() as capture:
        console.print(wall.draw(width, height))
    return capture.get().splitlines()


@pytest.mark.parametrize(
    ("width", "height", "games"), [(80, 24, 2), (120, 40, 4), (160, 48, 5), (80, 10, 1)]
)
def test_the_wall_shows_the_games_there_is_room_for_and_counts_the_others(
    exhibition: Exhibition, width: int, height: int, games: int
) -> None:
    wall = Wall(exhibition, "127.0.0.1:50551")
    drawn = lines(wall, width, height)
    assert len(wall.visible(width, height)) == games
    assert max(len(line) for line in drawn) <= width
    assert len(drawn) <= height or games == 1
    text = "\n".join(drawn)
    assert sum(f"round {number} of 7" in text for number in range(1, 6)) == games
    assert ("more under way" in text) == (games < 5)


def test_the_wall_says_who_is_awaited_how_fast_it_goes_and_how_it_ended(
    exhibition: Exhibition,
) -> None:
    text = "\n".join(lines(Wall(exhibition, "127.0.0.1:50551"), 160, 48))
    assert "▸ random" in text
    assert "42 moves" in text
    assert "moves/s" in text
    assert "2 of 9 games finished, 4 under way" in text
    assert "finished with 54 points" in text
    assert "team 54" in text
    assert "25.0" in text
