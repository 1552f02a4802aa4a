"""What the properties of every game need to know of this one."""

from __future__ import annotations

from typing import Final, get_args

from hutch.engine.table import Table
from hutch.games.rabbit_space.board import Board, Evolution, Mission
from tests.properties.profile import Profile


def cards(table: Table[Board]) -> list[int]:
    """All cards, wherever they lie."""
    board = table.board
    zones = [board.pile, board.discard, board.aside, board.command_center]
    for seat in board.seats:
        zones += [seat.hand, seat.training_center, seat.level_1, seat.level_2, seat.space]
        zones += [seat.moon, [seat.mission]]
    return sorted([card for zone in zones for card in zone])


def hidden(table: Table[Board], seat: int | None) -> dict[str, object]:
    """The draw pile, what is set aside, Events to come, and among rivals the hands of others."""
    board = table.board
    unseen: dict[str, object] = {"pile": tuple(board.pile), "aside": tuple(board.aside)}
    if board.events:
        unseen["events"] = tuple(board.events)
    if table.options.competitive:
        for other, own in enumerate(board.seats):
            if other != seat:
                unseen[f"hand {other}"] = tuple(own.hand)
    return unseen


PROFILE: Final = Profile(
    options=(
        {},
        {"competitive": True},
        {"absent": "bot"},
        {"competitive": True, "absent": "bot"},
        {"evolutions": list(get_args(Evolution))},
        {"evolutions": ["mercury", "titan"], "competitive": True},
        *[{"mission": mission} for mission in get_args(Mission) if mission],
        {"evolutions": list(get_args(Evolution)), "mission": "moon", "competitive": True},
    ),
    decisions=1_000,
    conserved=cards,
    hidden=hidden,
)
