"""Placing: where a bunny goes in its owner's segment of the ring (KB-051, O-19)."""

from __future__ import annotations

from collections.abc import Iterable

from hutch.engine.prompts import Ask
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Game
from hutch.games.killer_bunnies.circle import bunnies_of, find, segment_start
from hutch.games.killer_bunnies.deaths import drop_miniliths
from hutch.games.killer_bunnies.deciding import decide, number_option, question, value_of
from hutch.games.killer_bunnies.events.bunnies import BunnyJoined, BunnyMoved, Origin


def choose_place(table: Game, seat: int, card: int) -> Script[int]:
    """A place in the seat's segment, as an index of the ring without that bunny.

    Option `place:0` is the owner's right end, the last one the left end.
    """
    board = table.board
    own = [bunny for bunny in bunnies_of(board, seat) if bunny.card != card]
    spot = 0
    if own:
        options = [number_option("place", place) for place in range(len(own) + 1)]

        def build() -> Ask:
            return question(board, seat, "bunny.place", options, about=card, lays=True)

        reply = yield from decide(table, seat, build, interruptible=False)
        spot = value_of(reply.option)
    moving = find(board, card)
    start = segment_start(board, seat)
    if moving is not None and board.circle.index(moving) < start:
        start -= 1
    return start + spot


def join_circle(table: Game, seat: int, card: int, origin: Origin) -> Script[None]:
    """A bunny comes into the circle where its owner likes."""
    place = yield from choose_place(table, seat, card)
    table.emit(BunnyJoined(seat, card, place, origin))


def change_owners(table: Game, moves: Iterable[tuple[int, int]]) -> Script[None]:
    """Bunnies go to other players, with all that is on them (O-45): bunny and seat of each.

    They go at once: who gets one bunny for another is never without, and keeps The Minilith.
    """
    for card, seat in moves:
        bunny = find(table.board, card)
        if bunny is not None and bunny.seat != seat:
            place = yield from choose_place(table, seat, card)
            table.emit(BunnyMoved(seat, card, place))
    drop_miniliths(table)
