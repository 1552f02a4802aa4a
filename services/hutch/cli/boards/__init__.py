"""Boards: how each game looks in a terminal, drawn from its typed view alone.

A game is one module with an `ART`, and one line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hutch.cli.boards import killer_bunnies, rabbit_space, tale_of_carrot
from hutch.cli.boards.art import Art
from hutch.v1 import table_pb2

#: By the field of `View.board` that holds the game's board.
ART: Final[Mapping[str, Art]] = {
    "killer_bunnies": killer_bunnies.ART,
    "rabbit_space": rabbit_space.ART,
    "tale_of_carrot": tale_of_carrot.ART,
}


def art_of(view: table_pb2.View) -> Art | None:
    """How the board of that view is drawn; None before the deal, or where we cannot draw it."""
    return ART.get(view.WhichOneof("board") or "")


def art_for(game: str) -> Art | None:
    """How the boards of that game are drawn, e.g. of `rabbit-space`; None where we cannot."""
    return ART.get(game.replace("-", "_"))
