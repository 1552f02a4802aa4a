"""The clock alone brings a game to its end."""

from __future__ import annotations

from hutch.engine.commands import Tick
from tests.properties.play import again, resolved
from tests.properties.profile import Setting


def the_clock_finishes_the_game(setting: Setting, seed: int) -> None:
    """Nobody answers anything: at every moment a deadline is pending, and defaults lead on."""
    game = setting.deal(seed, clocks=True)
    ticks = 0
    while game.live.result is None:
        due_ms = game.live.next_due_ms()
        assert due_ms is not None, f"{setting}: stuck: {game.live.awaited()} awaited for ever"
        for seat in game.live.awaited():
            assert game.live.questions(seat)[0].deadline_ms is not None
        game = resolved(setting, again(game.record), Tick(), at_ms=due_ms)
        ticks += 1
        assert ticks <= setting.profile.decisions, f"{setting}: {ticks} ticks and no end"
    assert game.live.next_due_ms() is None


def defaults_alone_finish_the_game(setting: Setting, seed: int) -> None:
    """So do the defaults of all seats, one after another."""
    live = setting.deal(seed).live
    for _ in range(setting.profile.decisions):
        if live.result is not None:
            return
        assert live.play_default(live.awaited()[0]) is None
    raise AssertionError(f"{setting}: defaults alone do not finish the game")
