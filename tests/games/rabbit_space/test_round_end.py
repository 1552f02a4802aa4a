"""Phase 4 and the end: reset, Helmets, the card set aside, the score."""

from __future__ import annotations

import pytest

from hutch.games.rabbit_space.board import FACE_DOWN, Step
from hutch.games.rabbit_space.events import (
    CardSetAside,
    Counted,
    GameEnded,
    RoundBegan,
    TracksReset,
)
from tests.games.rabbit_space.arranging import Game, Seat, at, dealt, refs


def round_over(*seats: Seat, turn: int = 1, pile: str | None = None) -> Game:
    """The last player spends nothing, and the round ends."""
    spender = Seat(gold=3, level_1="S1")
    game = at(Step.SPEND_GOLD, *seats, spender, turn=turn, pile=pile)
    return game.answer(len(seats), "ready")


@pytest.mark.rule("RS-027")
def test_what_was_not_spent_is_lost() -> None:
    game = round_over(Seat(carrots=5, gold=9, helmets=6))

    assert game.told(TracksReset) == [TracksReset()]
    assert (game.seat(0).carrots, game.seat(0).gold, game.seat(0).helmets) == (0, 0, 2)


@pytest.mark.rule("RS-028")
def test_helmets_are_2_and_the_icons_in_front() -> None:
    # 1 (B41, Trainee) + 1 (B12, Trainee) + 2 (B55, Astronaut)
    game = round_over(Seat(training_center="B41", level_1="B12", level_2="B55"))

    assert game.seat(0).helmets == 2 + 4


@pytest.mark.rule("RS-028")
def test_helmets_go_up_to_7() -> None:
    game = round_over(Seat(level_2="B55 B57 B59"))

    assert game.seat(0).helmets == 7
    assert game.told(Counted)[0].lost == (1, 0)


@pytest.mark.rule("RS-028", "RS-017")
def test_a_helmet_bonus_is_paid_beside_another_card_of_its_colour() -> None:
    assert round_over(Seat(level_1="B42 B43")).seat(0).helmets == 2 + 2
    assert round_over(Seat(level_1="B42 B01")).seat(0).helmets == 2


@pytest.mark.rule("RS-029")
def test_the_top_card_of_the_draw_pile_is_set_aside_unseen() -> None:
    game = round_over(Seat(), pile="B80 B01 B02 B03 B04 B05 B06 B07 B08")

    assert refs(game.board.aside) == "B80"
    [aside] = game.told(CardSetAside)
    for seat in (0, 1, None):
        assert aside.face(seat) == CardSetAside(FACE_DOWN)
        assert game.view(seat).set_aside_count == 1


@pytest.mark.rule("RS-029", "RS-012")
def test_the_card_set_aside_may_come_from_a_new_pile() -> None:
    game = at(
        Step.SPEND_GOLD, Seat(gold=3, level_1="S1"), turn=7, pile="", discard="B01 B02 B03"
    ).answer(0, "ready")

    assert len(game.board.aside) == 1
    assert len(game.board.pile) == 2


@pytest.mark.rule("RS-029", "RS-009")
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_game_is_over_after_7_rounds_with_7_cards_aside(players: int) -> None:
    game = dealt(players)
    rounds = 1

    while game.live.result is None:
        game.defaults()
        rounds += len(game.told(RoundBegan))

    assert rounds == 7
    assert len(game.board.aside) == 7
    assert game.board.step is Step.OVER
    assert game.awaited == ()


@pytest.mark.rule("RS-029")
def test_the_game_is_over_after_7_rounds_even_if_no_card_was_left_to_set_aside() -> None:
    game = round_over(Seat(), turn=7, pile="")

    assert game.board.aside == []
    assert game.live.result is not None


@pytest.mark.rule("RS-030", "RS-009")
def test_a_score_is_the_sum_of_the_values_in_space_and_the_teams_is_the_sum_of_all() -> None:
    game = round_over(
        Seat(space="B12 B20", level_2="B19"),  # 6 + 10
        Seat(space="S5"),  # 7
        turn=7,
    )

    result = game.live.result
    assert result is not None
    assert result.scores == (16, 7, 0)
    assert result.team == 23
    assert result.winners == (0, 1, 2)
    assert game.told(GameEnded) == [GameEnded((16, 7, 0), (0, 1, 2), 23)]


@pytest.mark.rule("RS-031")
def test_otherwise_a_new_round_starts() -> None:
    game = round_over(Seat(), turn=6)

    assert game.told(RoundBegan) == [RoundBegan(7)]
    assert (game.board.round, game.board.step) == (7, Step.ARRANGE)
    assert len(game.seat(0).hand) == 4
