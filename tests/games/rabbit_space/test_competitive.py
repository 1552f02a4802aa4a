"""The competitive variant: who wins, and what rivals see of each other."""

from __future__ import annotations

import pytest

from hutch.engine.kernel import deal
from hutch.engine.refusals import Reason, Refusal
from hutch.games.rabbit_space import RULES
from hutch.games.rabbit_space.board import FACE_DOWN, Step
from hutch.games.rabbit_space.events import Arranged, CardsDrawn, GiftLaidOut
from hutch.rabbit_space.v1 import rabbit_space_pb2 as pb
from tests.games.rabbit_space.arranging import SEED, Game, Seat, at, dealt, refs


def last_round_over(*seats: Seat) -> Game:
    """Rivals at the end of round 7; the last of them has just become ready."""
    spender = Seat(gold=3, level_1="S1", space=seats[-1].space)
    game = at(Step.SPEND_GOLD, *seats[:-1], spender, turn=7, competitive=True)
    return game.answer(len(seats) - 1, "ready")


@pytest.mark.rule("RS-049")
def test_the_highest_single_score_wins() -> None:
    result = last_round_over(Seat(space="B12"), Seat(space="B20"), Seat()).live.result

    assert result is not None
    assert (result.scores, result.winners, result.team) == ((6, 10, 0), (1,), None)


@pytest.mark.rule("RS-049")
def test_all_with_the_highest_score_share_the_win() -> None:
    result = last_round_over(Seat(space="B20"), Seat(space="B12 B06"), Seat()).live.result

    assert result is not None
    assert result.winners == (0, 1)


@pytest.mark.rule("RS-049")
def test_it_takes_2_to_compete() -> None:
    outcome = deal(RULES, seats=1, options={"competitive": True}, seed=SEED, at_ms=0)

    assert isinstance(outcome, Refusal)
    assert outcome.reason is Reason.BAD_OPTIONS
    assert "at least 2 players" in outcome.sentence


@pytest.mark.rule("RS-049")
def test_a_seat_whose_player_left_cannot_win() -> None:
    game = at(
        Step.SPEND_GOLD,
        Seat(space="B20"),
        Seat(space="B12"),
        Seat(gold=3, level_1="S1"),
        turn=7,
        competitive=True,
    )

    result = game.leave(0).answer(2, "ready").live.result

    assert result is not None
    assert (result.scores, result.winners) == ((10, 6, 0), (1,))


@pytest.mark.rule("RS-049")
def test_a_seat_that_was_taken_over_can_win() -> None:
    game = at(
        Step.SPEND_GOLD, Seat(space="B20"), Seat(gold=3, level_1="S1"), turn=7, competitive=True
    )

    result = game.leave(0).rejoin(0).answer(1, "ready").live.result

    assert result is not None
    assert result.winners == (0,)


@pytest.mark.rule("RS-049")
def test_nobody_wins_where_everybody_left() -> None:
    result = dealt(2, competitive=True).leave(0).leave(1).live.result

    assert result is not None
    assert result.winners == ()


def test_a_rivals_hand_is_hidden_and_the_own_is_not() -> None:
    game = dealt(2, competitive=True)

    own, rival = game.view(0).seats
    assert len(own.hand) == 4
    assert (list(rival.hand), rival.hand_size) == ([], 4)
    assert [len(seat.hand) for seat in game.view(None).seats] == [0, 0]


def test_a_rivals_draw_is_told_face_down() -> None:
    [drawn] = dealt(2, competitive=True).told(CardsDrawn)

    face = drawn.face(0)
    assert face.cards == (drawn.cards[0], (FACE_DOWN,) * 4)
    told = RULES.tell(face)
    assert isinstance(told, pb.CardsDrawn)
    assert (list(told.hands[1].cards), told.hands[1].count) == ([], 4)
    assert drawn.face(None).cards == ((FACE_DOWN,) * 4,) * 2


def test_partners_see_each_others_hands() -> None:
    game = dealt(2)

    assert [len(seat.hand) for seat in game.view(0).seats] == [4, 4]
    [drawn] = game.told(CardsDrawn)
    assert drawn.face(1) == drawn


def test_an_arrangement_is_sealed_until_all_are_in() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01 B02"), Seat(hand="B11 B12"), competitive=True)
    before = [game.view(seat).SerializeToString() for seat in (1, None)]

    game.answer(0, "B02")

    assert game.events == []
    for seat, view in zip((1, None), before, strict=True):
        seen = game.view(seat)
        assert seen.seats[0].ready
        seen.seats[0].ready = False
        assert seen.SerializeToString() == view
    assert [placed.card for placed in game.view(0).seats[0].training_center] == ["B02"]
    assert list(game.view(0).seats[0].hand) == ["B01"]

    game.answer(1)
    assert [refs(event.training_center) for event in game.told(Arranged)] == ["B02", ""]
    assert [placed.card for placed in game.view(1).seats[0].training_center] == ["B02"]


def test_a_gift_is_sealed_until_all_are_in() -> None:
    giver = Seat(carrots=4, training_center="B01")
    game = at(Step.GIVE_CARROTS, giver, Seat(carrots=4), competitive=True)

    game.answer(0, "1:2")

    assert game.events == []
    assert game.view(0).seats[0].gift.amount == 2
    assert not game.view(1).seats[0].HasField("gift")
    game.answer(1)
    assert [event.seat for event in game.told(GiftLaidOut)] == [0, 1]
    assert [own.carrots for own in game.board.seats] == [2, 6]


def test_a_sealed_choice_is_final() -> None:
    game = at(Step.ARRANGE, Seat(hand="B01 B02"), Seat(hand="B11 B12"), competitive=True)

    game.answer(0, "B02")

    assert game.live.questions(0) == []
    assert isinstance(game.live.undo(0), Refusal)


def test_boards_tracks_space_and_the_discard_pile_are_public() -> None:
    game = at(
        Step.SPEND_GOLD,
        Seat(gold=5, helmets=4, training_center="B01", level_1="S1", level_2="B12", space="B20"),
        Seat(gold=3, level_1="S2"),
        discard="B30 B31",
        competitive=True,
    )

    board = game.view(None)
    own = board.seats[0]
    assert (own.gold, own.helmets, own.score) == (5, 4, 10)
    zones = (own.training_center, own.level_1, own.level_2, own.space)
    assert [[placed.card for placed in zone] for zone in zones] == [
        ["B01"],
        ["S1"],
        ["B12"],
        ["B20"],
    ]
    assert list(board.discard_pile) == ["B30", "B31"]
    assert board.draw_pile_size == 88 - 7
    assert not board.HasField("team_score")
