"""What Evolutions and missions add to the round: Robots, Scientists and Space Stations."""

from __future__ import annotations

from functools import partial

from hutch.engine.asking import each
from hutch.engine.prompts import Reply
from hutch.engine.rules import Script
from hutch.engine.table import Table
from hutch.games.rabbit_space.board import Board
from hutch.games.rabbit_space.cards import Deck
from hutch.games.rabbit_space.evolutions import dearest, keepable, promotable
from hutch.games.rabbit_space.missions import SIDES
from hutch.games.rabbit_space.module_events import Kept, RobotPromoted, RobotWaits, StationTurned
from hutch.games.rabbit_space.questions import keep_of, keeping, question


def robot_sent(deck: Deck, table: Table[Board], seat: int, card: int) -> None:
    """RS-036: a Robot that went into Space promotes a Rabbit card, by choice where there is one."""
    if deck.kinds[card] != "robot":
        return
    match promotable(deck, table.board.seats[seat]):
        case []:
            return
        case [only]:
            table.emit(RobotPromoted(seat, only))
        case _:
            table.emit(RobotWaits(seat))


def promote_by_default(deck: Deck, table: Table[Board]) -> None:
    """Robots whose owners left before they chose do their duty all the same."""
    for seat, own in enumerate(table.board.seats):
        if own.robot:
            table.emit(RobotPromoted(seat, dearest(deck, promotable(deck, own))))


def keep(deck: Deck, table: Table[Board]) -> Script[None]:
    """RS-039: all choose at once what their Scientists keep."""
    board = table.board

    def do(reply: Reply) -> bool:
        table.emit(Kept(reply.seat, *keep_of(reply.picks)))
        return False

    yield from each(table, range(table.seats), partial(question, deck, table), do)
    for index, own in enumerate(board.seats):
        if not own.ready and keepable(deck, own):  # all may be kept, or nobody was there
            table.emit(Kept(index, *keep_of(keeping(deck, own))))


def turn_stations(deck: Deck, table: Table[Board]) -> Script[None]:
    """RS-048: all choose a side of their Space Station, for good."""

    def do(reply: Reply) -> bool:
        table.emit(StationTurned(reply.seat, reply.option))
        return False

    yield from each(table, range(table.seats), partial(question, deck, table), do)
    for index, own in enumerate(table.board.seats):
        if not own.side:  # nobody was there to decide
            table.emit(StationTurned(index, SIDES[0]))
