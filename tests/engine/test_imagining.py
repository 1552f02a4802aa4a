"""Forks and imagined worlds: a bot may think ahead, and never with what it must not know."""

from __future__ import annotations

from random import Random

import pytest

from hutch.engine import kernel
from hutch.engine.commands import Undo
from hutch.engine.kernel import imagined
from hutch.engine.live import Live
from hutch.engine.records import encode_record
from hutch.engine.refusals import Refusal
from hutch.engine.sampling import random_picks
from tests.engine import toy
from tests.engine.arranging import answer, asked, dealt, take
from tests.engine.toy import GAME


def in_the_auction() -> Live:
    """Four seats, of which 1 and 2 have sealed their bids."""
    live = dealt(GAME, seats=4).live
    for seat in (1, 2):
        answer(live, seat, asked(live, seat).ask.options[-1].id)
    live.forget_events()
    return live


def go_on(live: Live, answers: int, seed: int) -> list[bytes]:
    """The boards of the game as it goes on at random."""
    rng = Random(seed)
    boards = []
    for _ in range(answers):
        if live.result is not None:
            break
        seat = rng.choice(live.awaited())
        question = asked(live, seat)
        assert live.answer(seat, question.number, random_picks(question.ask, rng)) is None
        boards.append(live.rules.encode_board(live.table.board))
    return boards


# Forks


def test_a_fork_stands_where_the_game_does_and_goes_its_own_way() -> None:
    live = in_the_auction()
    record = encode_record(live.record())

    twin = live.fork()

    assert encode_record(twin.record()) == record
    assert twin.table.events == []
    go_on(twin, 20, seed=3)
    assert encode_record(live.record()) == record


def test_a_fork_has_the_same_future() -> None:
    live = in_the_auction()
    assert go_on(live.fork(), 60, seed=4) == go_on(live, 60, seed=4)


# Imagined worlds


@pytest.mark.parametrize("seat", [0, 1, 3, None])
def test_a_seat_cannot_tell_an_imagined_world_from_the_real_one(seat: int | None) -> None:
    live = in_the_auction()
    for seed in range(20):
        world = imagined(GAME, live.record(), seat, Random(seed))
        assert world.look(seat) == live.look(seat)
        assert world.awaited() == live.awaited()
        if seat is not None:
            assert world.questions(seat) == live.questions(seat)


def test_what_is_hidden_is_drawn_anew() -> None:
    live = in_the_auction()
    hands = {
        tuple(imagined(GAME, live.record(), 0, Random(seed)).table.board.hands[1])
        for seed in range(20)
    }
    assert len(hands) > 15


def test_sealed_choices_of_others_are_drawn_from_the_hands_imagined_for_them() -> None:
    live = in_the_auction()
    choices = set()
    for seed in range(40):
        world = imagined(GAME, live.record(), 0, Random(seed))
        bid = int(world.table.sealed[1].picks[0].option)
        assert bid in world.table.board.hands[1]
        choices.add(bid)
    assert len(choices) > 10, "the real choice is no likelier than others"


def test_ones_own_sealed_choice_is_known() -> None:
    live = in_the_auction()
    for seed in range(5):
        world = imagined(GAME, live.record(), 1, Random(seed))
        assert world.table.sealed[1].picks == live.table.sealed[1].picks


def test_a_world_goes_on_in_which_somebody_sealed_a_choice_and_left() -> None:
    live = in_the_auction()
    assert live.leave(1) is None
    for seed in range(10):
        world = imagined(GAME, live.record(), 0, Random(seed))
        assert world.awaited() == live.awaited()
        go_on(world, 1000, seed)
        assert world.result is not None


def test_others_are_asked_about_the_cards_imagined_for_them() -> None:
    live = in_the_auction()
    for seed in range(20):
        world = imagined(GAME, live.record(), 0, Random(seed))
        options = [int(one.id) for one in asked(world, 3).ask.options]
        assert options == world.table.board.hands[3]


def test_an_imagined_world_plays_to_its_end() -> None:
    live = in_the_auction()
    for seed in range(10):
        world = imagined(GAME, live.record(), 0, Random(seed))
        go_on(world, 1000, seed)
        assert world.result is not None


def test_dice_of_an_imagined_world_are_its_own() -> None:
    live = in_the_auction()
    dice = {
        imagined(GAME, live.record(), 0, Random(seed)).table.chance.below("dice", 1 << 60)
        for seed in range(10)
    }
    assert len(dice) == 10
    assert live.table.chance.below("dice", 1 << 60) not in dice


def test_an_imagined_world_gives_no_record_of_the_real_one_away() -> None:
    world = imagined(GAME, in_the_auction().record(), 0, Random(1), keep=True)
    with pytest.raises(RuntimeError, match="imagined"):
        world.record()


def test_from_its_next_checkpoint_on_an_imagined_world_has_a_record_of_its_own() -> None:
    live = in_the_auction()
    world = imagined(GAME, live.record(), 0, Random(1), keep=True)
    for seat in (0, 3):
        answer(world, seat, asked(world, seat).ask.options[0].id)

    record = world.record()

    assert record.seed != live.record().seed
    assert GAME.decode_board(record.board) == world.table.board
    assert go_on(Live(GAME, record), 50, seed=2) == go_on(world, 50, seed=2)


@pytest.mark.parametrize("answers", [0, 1, 2, 12])
def test_an_imagined_world_forks_into_the_same_world(answers: int) -> None:
    world = imagined(GAME, in_the_auction().record(), 0, Random(9), keep=True)
    go_on(world, answers, seed=5)

    twin = world.fork()

    assert twin.table.board == world.table.board
    assert [twin.questions(seat) for seat in range(4)] == [
        world.questions(seat) for seat in range(4)
    ]
    assert twin.table.events == []
    assert go_on(twin, 50, seed=6) == go_on(world, 50, seed=6)


def test_imagining_within_a_card_played_in_between() -> None:
    live = dealt(toy.rules(setup=_known_hands), seats=2).live
    take(live, 1, "5")
    assert asked(live, 1).ask.topic == "shouted"
    world = imagined(live.rules, live.record(), 0, Random(3))
    assert world.questions(1)[0].ask.topic == "shouted"
    go_on(world, 200, seed=1)
    assert world.result is not None


def _known_hands(table: toy.Tabled) -> None:
    table.emit(toy.Dealt(((1, 2, 3), (5, 6, 7)), (8, 9, 10, 11, 12, 13)))


def test_a_finished_game_leaves_nothing_to_imagine() -> None:
    live = dealt(GAME).live
    go_on(live, 1000, seed=1)
    board = GAME.encode_board(live.table.board)
    world = imagined(GAME, live.record(), 0, Random(1))
    assert GAME.encode_board(world.table.board) == board
    assert world.result == live.result


def test_without_keep_there_is_no_record_no_fork_and_no_undo() -> None:
    live = Live(GAME, dealt(GAME).record, keep=False)
    answer(live, 0, asked(live, 0).ask.options[0].id)
    with pytest.raises(RuntimeError, match="keep=True"):
        live.record()
    with pytest.raises(RuntimeError, match="keep=True"):
        live.fork()
    assert isinstance(kernel.resolve(GAME, live, Undo(0), at_ms=0), Refusal)


def test_a_game_goes_the_same_way_with_and_without_keep() -> None:
    record = dealt(GAME, seats=4).record
    kept, fast = Live(GAME, record), Live(GAME, record, keep=False)
    assert go_on(kept, 1000, seed=8) == go_on(fast, 1000, seed=8)
    assert kept.result == fast.result is not None
