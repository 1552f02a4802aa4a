"""Boards in a terminal: drawn from the typed view alone, within the room there is."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from hutch.bots import STRATEGIES
from hutch.bots.strategy import Sight
from hutch.cli.boards import ART, art_of
from hutch.cli.exhibition import eager_picks
from hutch.engine.kernel import deal
from hutch.engine.live import Live
from hutch.games import RULESETS
from hutch.v1 import table_pb2
from hutch.wire.prompts import picks_of, prompt_set
from hutch.wire.views import view_of
from tests.cli.drawing import drawn

NAMES = ("greedy", "random", "greedy", "random")


def begun(game: str, seats: int, seed: int = 1) -> Live:
    """A game just dealt."""
    outcome = deal(RULESETS[game], seats=seats, options={}, seed=bytes([seed]) * 32, at_ms=0)
    assert not hasattr(outcome, "reason"), outcome
    return outcome.live


def moments(game: str, seats: int) -> Iterator[table_pb2.View]:
    """The public's view, move after move, of a game that bots play."""
    live, rng = begun(game, seats), Random(5)
    strategies = [STRATEGIES[game][name] for name in NAMES]
    yield view_of(live, None, 0)
    while live.result is None:
        seat = live.awaited()[0]
        number, picks = strategies[seat](Sight(live, seat), rng)
        assert live.answer(seat, number, picks) is None
        yield view_of(live, None, 0)


@pytest.mark.parametrize("game", sorted(RULESETS))
def test_whoever_is_absent_is_shown_so(game: str) -> None:
    view = view_of(begun(game, 3), None, 0)
    for absence in (
        table_pb2.ABSENCE_UNSPECIFIED,
        table_pb2.ABSENCE_AWAY,
        table_pb2.ABSENCE_FORFEITED,
    ):
        view.table.seats.add(absence=absence)
    text = "\n".join(drawn(view, ("Ada", "Ben", "Cleo"), 100))
    assert "away Ben" in text
    assert "gone Cle" in text


def test_every_game_has_a_board() -> None:
    assert {game.replace("-", "_") for game in RULESETS} == set(ART)


@pytest.mark.parametrize("width", [60, 76, 120, 160])
@pytest.mark.parametrize("game", sorted(RULESETS))
def test_a_board_keeps_within_its_lines_and_its_width_at_every_move(game: str, width: int) -> None:
    for number, view in enumerate(moments(game, 4)):
        if number % 7 == 0 or not view.awaited_seats:
            art = art_of(view)
            assert art is not None
            lines = drawn(view, NAMES, width)
            assert len(lines) == art.lines(4)
            assert max(len(line) for line in lines) <= width
            assert "\n" not in art.headline(view).plain


@pytest.mark.parametrize("game", sorted(RULESETS))
def test_the_eager_player_finishes_games_with_legal_answers(game: str) -> None:
    live, rng = begun(game, 3), Random(7)
    passed = 0
    while live.result is None:
        seat = live.awaited()[0]
        prompts = table_pb2.PromptSet.FromString(prompt_set(live.questions(seat))).prompts
        prompt = prompts[0]
        picks = eager_picks(prompt, rng)
        action = table_pb2.Action(prompt_id=prompt.prompt_id, picks=picks)
        assert live.answer(seat, prompt.prompt_id, picks_of(action)) is None
        passed += picks == list(prompt.default_picks)
    assert max(live.result.scores) > 0
    assert passed > 0
