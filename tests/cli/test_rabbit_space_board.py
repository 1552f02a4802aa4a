"""Rabbit Space as the terminal shows it."""

from __future__ import annotations

import pytest

from hutch.cli.boards import art_of
from hutch.rabbit_space.v1 import rabbit_space_pb2
from hutch.v1 import table_pb2
from tests.cli.drawing import drawn


def rabbit_space(**own: object) -> table_pb2.View:
    """A view of one player's board."""
    seat = rabbit_space_pb2.SeatBoard(**own)  # type: ignore[arg-type]
    board = rabbit_space_pb2.Board(
        round=3, step=rabbit_space_pb2.STEP_SPEND_GOLD, seats=[seat], team_score=12
    )
    return table_pb2.View(rabbit_space=board, awaited_seats=[0])


def test_rabbit_space_says_where_the_game_is() -> None:
    view = rabbit_space()
    art = art_of(view)
    assert art is not None
    assert art.headline(view).plain == "round 3 of 7 · spending Gold · team 12"


def test_rabbit_space_tells_no_round_before_the_first() -> None:
    view = rabbit_space()
    view.rabbit_space.round = 0
    view.rabbit_space.step = rabbit_space_pb2.STEP_TURN_STATIONS
    view.rabbit_space.mission = "venus"
    art = art_of(view)
    assert art is not None
    assert art.headline(view).plain == "turning Space Stations · Venus · team 12"


def test_rabbit_space_shows_tracks_cards_by_cost_and_points() -> None:
    placed = [rabbit_space_pb2.PlacedCard(card=card) for card in ("S1", "B20")]
    view = rabbit_space(carrots=7, gold=14, helmets=3, level_1=placed, score=9)
    line = drawn(view, ["ada"], 76)[1]
    assert line.split() == ["▸", "ada", "7", "14", "3", "3", "10", "9"]
    roomy = drawn(view, ["ada"], 120)[1]
    assert "◆◆◆◇◇◇◇" in roomy
    assert roomy.index("█") < roomy.index("14")


@pytest.mark.parametrize(
    ("width", "helmets"), [(71, "Helm"), (76, "Helm"), (96, "Helmets"), (160, "Helmets")]
)
def test_rabbit_space_heads_its_columns_in_words(width: int, helmets: str) -> None:
    headings = drawn(rabbit_space(), ["ada"], width)[0]
    places = ["Training", "Level", "1", "Level", "2", "Space", "pts"]
    assert headings.split() == ["Carrots", "Gold", helmets, *places]


def test_rabbit_space_sets_numbers_below_the_end_of_their_headings() -> None:
    headings, line = drawn(rabbit_space(carrots=12, gold=20, helmets=7), ["ada"], 76)
    for heading, number in (("Carrots", "12"), ("Gold", "20"), ("Helm", "7")):
        end = headings.index(heading) + len(heading)
        assert line[:end].endswith(f" {number}")


@pytest.mark.parametrize("many", [1, 2, 3, 4, 5, 30])
def test_costs_and_what_is_left_out_are_told_apart_without_colours(many: int) -> None:
    placed = [rabbit_space_pb2.PlacedCard(card="B20")] * many
    words = drawn(rabbit_space(training_center=placed), ["ada"], 76)[1].split()[5:-1]
    more = int(words.pop()) if words[-1].startswith("+") else 0
    assert words == ["10"] * (many - more)


def test_cards_that_there_is_no_room_for_are_counted() -> None:
    placed = [rabbit_space_pb2.PlacedCard(card="S1")] * 30
    line = drawn(rabbit_space(level_1=placed), ["ada"], 76)[1]
    shown, _, more = line.partition("+")
    assert shown.count(" 3") + int(more.split()[0]) == 30


def test_a_card_that_the_catalogue_does_not_know_is_shown_as_such() -> None:
    placed = [rabbit_space_pb2.PlacedCard(card="Z9")]
    assert " ?" in drawn(rabbit_space(space=placed), ["ada"], 76)[1]


@pytest.mark.parametrize(
    ("board", "said"),
    [
        ({"mission": "pluto", "event_colour": "blue"}, "Pluto: blue costs less"),
        ({"mission": "ceres"}, "Ceres: 0 of 3 slots"),
        ({"mission": "moon"}, "Moon"),
    ],
)
def test_rabbit_space_says_which_mission_is_played(board: dict[str, str], said: str) -> None:
    view = table_pb2.View(
        rabbit_space=rabbit_space_pb2.Board(
            round=2,
            step=rabbit_space_pb2.STEP_KEEP,
            **board,  # type: ignore[arg-type]
        )
    )
    art = art_of(view)
    assert art is not None
    assert art.headline(view).plain == f"round 2 of 7 · keeping resources · {said}"
