"""Tale of Carrot as the terminal shows it."""

from __future__ import annotations

from hutch.cli.boards import ART
from hutch.games.tale_of_carrot.board import Step
from hutch.v1 import table_pb2
from tests.cli import drawing
from tests.games.tale_of_carrot.arranging import Game


def drawn(game: Game, width: int) -> list[str]:
    """The lines of the board as the public sees it."""
    view = table_pb2.View(
        tale_of_carrot=game.live.look(None),  # type: ignore[arg-type]
        awaited_seats=game.live.awaited(),
    )
    seats = len(view.tale_of_carrot.villages)
    lines = drawing.drawn(view, [f"bot {seat}" for seat in range(seats)], width)
    assert len(lines) == ART["tale_of_carrot"].lines(seats)
    return lines


def test_a_village_shows_hp_cards_tokens_and_a_hero_only_when_revealed() -> None:
    game = Game(
        step=Step.TOKENS,
        heroes={0: "thief", 1: "pizza_maker!"},
        hp={1: 4},
        slots={1: ["adventure"]},
        zones={1: ["R28"]},
        fallen=[2],
        pizzas={1: 2},
    )
    _, first, second, third, _ = drawn(game, 100)
    assert first.startswith("▸ bot 0")
    assert "face down" in first
    for shown in (" 4 ■■■■······", "2+2 2", "●○○", "Pizza Maker", "Pizza 2"):
        assert shown in second
    assert "fallen" in third
    assert "○" not in third


def test_what_a_cards_numbers_are_is_said_where_there_is_room() -> None:
    for width, said in (
        (96, "Hero (hits left own right)"),
        (76, "Hero (hits left own right)"),
        (70, "Hero (left own right)"),
        (60, "Hero"),
    ):
        headings = drawn(Game(), width)[0]
        assert " ".join(headings.split()).endswith(f"tokens {said}")


def test_the_board_fits_a_narrow_terminal() -> None:
    for line in drawn(Game(6, zones={3: ["R39", "golemiglio"]}), 70):
        assert len(line) <= 70
