"""Drawing: boards as lines of text, from views."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from rich.console import Console

from hutch.cli.boards import art_of
from hutch.cli.boards.art import Sitting
from hutch.games import RULESETS
from hutch.v1 import catalog_service_pb2, table_pb2


def catalogue(game: str) -> dict[str, catalog_service_pb2.Card]:
    """The cards of a game, as the service tells them."""
    return {
        card.ref: catalog_service_pb2.Card(card=card.ref, name=card.name, facts=card.facts)
        for card in RULESETS[game].catalogue()
    }


def drawn(view: table_pb2.View, names: Sequence[str], width: int) -> list[str]:
    """The lines of a board."""
    art = art_of(view)
    assert art is not None
    game = str(view.WhichOneof("board")).replace("_", "-")
    console = Console(width=width, file=StringIO(), color_system=None, legacy_windows=False)
    with console.capture() as capture:
        console.print(art.board(Sitting(view=view, cards=catalogue(game), names=names), width))
    return [line.rstrip() for line in capture.get().splitlines()]
