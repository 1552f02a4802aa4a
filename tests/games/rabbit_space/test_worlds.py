"""Worlds that a seat imagines: what it knows stays, what it cannot know is drawn anew."""

from __future__ import annotations

from random import Random

from hutch.engine.kernel import imagined
from hutch.games.rabbit_space import RULES
from hutch.games.rabbit_space.board import Board, Step
from tests.games.rabbit_space.arranging import Game, Seat, at, cards, dealt, refs


def world_of(game: Game, seat: int | None, seed: int = 1) -> Board:
    board = imagined(RULES, game.record, seat, Random(seed)).table.board
    assert isinstance(board, Board)
    return board


def test_in_a_team_only_the_draw_pile_and_the_cards_aside_are_unknown() -> None:
    game = dealt(2)

    world = world_of(game, 0)

    assert world.seats == game.board.seats
    assert world.pile != game.board.pile
    assert sorted(world.pile) == sorted(game.board.pile)


def test_a_rivals_hand_is_drawn_anew_and_the_own_is_kept() -> None:
    game = dealt(2, competitive=True)

    world = world_of(game, 0)

    assert world.seats[0] == game.board.seats[0]
    assert world.seats[1].hand != game.board.seats[1].hand
    assert len(world.seats[1].hand) == 4


def test_the_public_knows_no_hand() -> None:
    game = dealt(2, competitive=True)

    world = world_of(game, None)

    for own, real in zip(world.seats, game.board.seats, strict=True):
        assert own.hand != real.hand


def test_a_rivals_sealed_arrangement_is_imagined_from_its_imagined_hand() -> None:
    game = dealt(2, competitive=True)
    game.answer(1, *game.options(1)[:2])

    world = imagined(RULES, game.record, 0, Random(3))
    world.answer(0, world.ask_numbers[0], ())

    real = set(game.seat(1).hand)
    kept = set(world.table.board.seats[1].training_center)
    assert not kept & real


def test_cards_known_to_be_in_the_new_pile_are_not_imagined_aside() -> None:
    game = at(
        Step.SPEND_GOLD,
        Seat(gold=3, level_1="S1"),
        pile="B80 B01 B02",
        discard=" ".join([f"B{number}" for number in range(10, 40)]),
    ).answer(0, "ready")

    for seed in range(10):
        world = world_of(game, 0, seed)
        assert world.aside == cards("B80")
        assert sorted(world.pile) == sorted(game.board.pile)


def test_a_rivals_hand_is_imagined_of_cards_that_were_in_the_pile_it_was_drawn_from() -> None:
    # Seat 1 drew B21 from the second pile and B31 from the third; B80 is aside since the first.
    second, third = {"B20", "B21"}, {"B30", "B31", "B32"}
    game = at(
        Step.ARRANGE,
        Seat(hand="B01"),
        Seat(hand="B21 B31"),
        pile="B30 B32",
        aside="B80 B20",
        batch={1: "B20 B21 B01", 2: "B30 B31 B32"},
        competitive=True,
    )
    seen = set()

    for seed in range(40):
        world = world_of(game, 0, seed)
        old, new = refs(world.seats[1].hand).split()
        assert old in second
        assert new in third
        assert set(refs(world.aside).split()) == {"B80", *second - {old}}
        assert set(refs(world.pile).split()) == third - {new}
        seen |= {old, new}

    assert seen == second | third
