"""A board is what the events made of it, and events stay as they were told."""

from __future__ import annotations

from typing import Any

import msgspec

from hutch.engine.events import Event
from tests.properties.play import steps
from tests.properties.profile import Setting


def events_make_the_board(setting: Setting, seed: int) -> None:
    """Applying what was told to an empty board gives the board, after every answer."""
    rules, game = setting.rules, setting.deal(seed)
    board = rules.new_board(setting.seats, game.live.table.options)
    told: list[tuple[Event, bytes]] = []
    for index, live in enumerate(steps(setting, seed)):
        events = live.forget_events() if index else game.events
        for event in events:
            told.append((event, _encoded(event)))
            event.apply(board)
        here = rules.encode_board(live.table.board)
        assert rules.encode_board(board) == here, f"{setting}: after {events}"
    for event, as_told in told:
        assert _encoded(event) == as_told, f"{setting}: changed after it was told: {event}"


def _encoded(event: Any) -> bytes:
    return msgspec.msgpack.encode(event)
