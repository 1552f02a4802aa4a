"""A board is what the events made of it, and events stay as they were told."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from hutch.engine.events import Event
from tests.properties.play import resolved, some_answer
from tests.properties.profile import Setting


def events_make_the_board(setting: Setting, seed: int) -> None:
    """Applying what was told to an empty board gives the board, after every answer."""
    rules, rng = setting.rules, Random(seed)
    game = setting.deal(seed)
    board = rules.new_board(setting.seats, game.live.table.options)
    told: list[tuple[Event, bytes]] = []
    while True:
        for event in game.events:
            told.append((event, _encoded(event)))
            event.apply(board)
        here = rules.encode_board(game.live.table.board)
        assert rules.encode_board(board) == here, f"{setting}: after {game.events}"
        if game.live.result is not None:
            break
        game = resolved(setting, game.record, some_answer(game.live, rng))
    for event, as_told in told:
        assert _encoded(event) == as_told, f"{setting}: changed after it was told: {event}"


def _encoded(event: Any) -> bytes:
    return msgspec.msgpack.encode(event)
