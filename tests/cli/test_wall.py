"""The wall: pace, standings, and as many games as there is room for."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from hutch.cli.exhibition import Exhibition, Feature, Plan, Watched
from hutch.cli.pace import Pace
from hutch.cli.standings import Finished, standings
from hutch.cli.wall import Wall
from hutch.client import Hutch, connect
from hutch.engine.kernel import deal
from hutch.games import RULESETS
from hutch.rabbit_space.v1 import rabbit_space_pb2
from hutch.v1 import catalog_service_pb2, table_pb2
from hutch.wire.views import view_of


def test_the_pace_is_that_of_the_last_seconds() -> None:
    pace = Pace(100.0)
    for tick in range(100):
        pace.count(3, 100.0 + tick / 10)
    assert pace.total == 300
    assert pace.rate(109.95) == pytest.approx(30, rel=0.1)
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


def finished(
    number: int,
    scores: list[int],
    winners: list[int],
    team: int | None,
    game: str = "rabbit-space",
) -> Finished:
    """A game of greedy, random, greedy, random."""
    return Finished(
        number=number,
        game=game,
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


def test_each_game_has_standings_of_its_own() -> None:
    team = finished(1, [30, 4, 20, 0], [0, 1, 2, 3], 54)
    rivals = finished(2, [0, 1, 0, 0], [1], None, game="tale-of-carrot")
    assert [(line.game, line.bot, line.mean, line.wins) for line in standings([team, rivals])] == [
        ("rabbit-space", "greedy", 25.0, None),
        ("rabbit-space", "random", 2.0, None),
        ("tale-of-carrot", "random", 0.5, 1),
        ("tale-of-carrot", "greedy", 0.0, 0),
    ]


RABBIT_SPACE = Feature(
    ruleset=catalog_service_pb2.Ruleset(ruleset="rabbit-space", title="Rabbit Space", max_seats=4),
    seats=4,
)


@pytest.fixture
async def exhibition() -> Exhibition:
    """An exhibition of which five games are under way and two are over."""
    async with connect("127.0.0.1:1") as hutch:
        shown = Exhibition(hutch, Plan(games=9, bots=("greedy", "random")))
        shown.features = (RABBIT_SPACE,)
        bots = ("greedy", "random", "greedy", "random")
        for place in range(5):
            table = hutch.table(f"table{place}")
            game = Watched(place + 1, RABBIT_SPACE, table, bots, dealt=5)
            game.moved_to(47)
            seats = [rabbit_space_pb2.SeatBoard(seat=seat, score=seat) for seat in range(4)]
            board = rabbit_space_pb2.Board(round=place + 1, seats=seats)
            game.view = table_pb2.View(rabbit_space=board, awaited_seats=[1])
            shown.under_way[place] = game
        shown.finished = [
            finished(6, [30, 4, 20, 0], [0, 1, 2, 3], 54),
            finished(7, [10, 12, 40, 8], [2], None),
        ]
        shown.under_way[4].result = shown.finished[0].result
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


NAMES = ("rabbit-space", "killer-bunnies", "tale-of-carrot")


def side_by_side(hutch: Hutch, tables: int) -> Exhibition:
    """So many tables of the games in turn, five players each where the game takes them, dealt."""
    shown = Exhibition(hutch, Plan(pace_s=0.25))
    shown.features = tuple(
        [
            Feature(
                ruleset=catalog_service_pb2.Ruleset(ruleset=name, title=name),
                seats=min(5, RULESETS[name].seats[-1]),
            )
            for name in NAMES
        ]
    )
    for place in range(tables):
        feature = shown.features[place % len(NAMES)]
        rules = RULESETS[feature.name]
        outcome = deal(rules, seats=feature.seats, options={}, seed=bytes([place]) * 32, at_ms=0)
        assert not hasattr(outcome, "reason"), outcome
        bots = ("greedy",) * feature.seats
        game = Watched(place + 1, feature, hutch.table(f"table{place}"), bots, dealt=0)
        game.view = view_of(outcome.live, None, 0)
        shown.under_way[place] = game
    return shown


@pytest.mark.parametrize(
    ("width", "height", "tables", "standings_at"),
    [
        (230, 60, 6, "mean points"),
        (150, 45, 6, "mean points"),
        (120, 40, 3, "mean points"),
        (100, 30, 3, "no game is over yet"),
        (80, 24, 3, ""),
    ],
)
async def test_one_of_each_game_is_shown_wherever_there_is_room_for_it(
    width: int, height: int, tables: int, standings_at: str
) -> None:
    async with connect("127.0.0.1:1") as hutch:
        wall = Wall(side_by_side(hutch, 8), "127.0.0.1:50551")
        assert wall.capacity(width, height) == tables
        wall = Wall(side_by_side(hutch, tables), "127.0.0.1:50551")
    drawn = lines(wall, width, height)
    assert len(drawn) <= height
    assert max(len(line) for line in drawn) <= width
    assert all(name in drawn[0] for name in NAMES)
    assert "moves/s" in drawn[0]
    text = "\n".join(drawn[1:])
    for name, part in zip(NAMES, ("Level 1", "$ Dolla", "Zone 1"), strict=True):
        assert name in text
        assert text.count(part) == tables // 3
    assert standings_at in text
    assert "more under way" not in text


async def test_a_terminal_too_small_for_all_games_shows_those_it_can() -> None:
    async with connect("127.0.0.1:1") as hutch:
        wall = Wall(side_by_side(hutch, 3), "127.0.0.1:50551")
    assert wall.capacity(60, 18) == 2
    drawn = lines(wall, 60, 18)
    assert len(drawn) <= 18
    assert max(len(line) for line in drawn) <= 60
    assert [one.feature.name for one in wall.visible(60, 18)] == list(NAMES[:2])


@pytest.mark.parametrize("width", [80, 100, 200])
async def test_in_a_narrow_terminal_the_bars_of_the_standings_give_way(width: int) -> None:
    async with connect("127.0.0.1:1") as hutch:
        exhibition = side_by_side(hutch, 3)
    exhibition.finished = [
        finished(4, [10, 0, 30, 0], [2], None, game="tale-of-carrot"),
        finished(5, [30, 4, 20, 0], [0, 1, 2, 3], 54),
    ]
    drawn = lines(Wall(exhibition, "127.0.0.1:50551"), width, 60)
    top = next(number for number, line in enumerate(drawn) if "mean points" in line)
    headings = drawn[top].split()
    assert headings[:7] == ["game", "bot", "mean", "points", "best", "worst", "wins"]
    assert headings[7] == "seats"
    greedy = drawn[top + 1].split()
    assert (greedy[0], greedy[3:8]) == ("rabbit-space", ["25.0", "30", "20", "·", "2"])
    assert 4 <= len(greedy[2]) <= 18
    assert drawn[top + 3].split()[0] == "tale-of-carrot"


async def test_the_standings_are_grouped_by_game() -> None:
    async with connect("127.0.0.1:1") as hutch:
        exhibition = side_by_side(hutch, 3)
    exhibition.finished = [
        finished(4, [0, 1, 0, 0], [1], None, game="tale-of-carrot"),
        finished(5, [30, 4, 20, 0], [0, 1, 2, 3], 54),
    ]
    wall = Wall(exhibition, "127.0.0.1:50551")
    table = [line.split() for line in lines(wall, 120, 40)[-5:]]
    assert table[0][:2] == ["game", "bot"]
    assert table[1][:2] == ["rabbit-space", "greedy"]
    assert table[2][0] == "random"
    assert table[3][:2] == ["tale-of-carrot", "random"]
    brief = [line.split() for line in lines(wall, 100, 30)[-3:]]
    assert brief[0] == ["rabbit-space", "greedy", "25.0", "random", "2.0"]
    assert brief[1] == ["killer-bunnies", "no", "game", "is", "over", "yet"]
    assert brief[2] == ["tale-of-carrot", "random", "0.5", "greedy", "0.0"]
