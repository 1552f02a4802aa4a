"""Art: what drawing a game's board takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct
from rich.console import RenderableType
from rich.text import Text

from hutch.v1 import catalog_service_pb2, table_pb2

_ABSENT: Final[Mapping[table_pb2.Absence.ValueType, str]] = {
    table_pb2.ABSENCE_UNSPECIFIED: "",
    table_pb2.ABSENCE_AWAY: "away",
    table_pb2.ABSENCE_BOT: "bot",
    table_pb2.ABSENCE_FORFEITED: "gone",
}
#: The cards of the game, by the name that views give them.
Cards = Mapping[str, catalog_service_pb2.Card]


class Sitting(Struct, frozen=True, kw_only=True):
    """What there is to draw: the view, the cards, how the players are called, by seat, and what
    happened last, the newest at the end."""

    view: table_pb2.View
    cards: Cards
    names: Sequence[str]
    events: Sequence[table_pb2.Event] = ()

    def called(self, seat: int) -> str:
        """How the player of a seat is called; where they are absent, with what became of it."""
        seats = self.view.table.seats
        word = _ABSENT[seats[seat].absence] if seat < len(seats) else ""
        return f"{word} {self.names[seat]}" if word else self.names[seat]


class Art(Struct, frozen=True, kw_only=True):
    """How one game is drawn. `board` draws as many lines as `lines` says, in that width."""

    #: Where the game is, in a few words: the round, the phase.
    headline: Callable[[table_pb2.View], Text]
    board: Callable[[Sitting, int], RenderableType]
    lines: Callable[[int], int]
    #: Points by seat.
    scores: Callable[[table_pb2.View], Sequence[int]]
