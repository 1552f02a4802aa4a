"""Deadlines of the rules: every pending Feed card, with the turn at whose end it is due."""

from __future__ import annotations

from hutch.engine.deadlines import Pending
from hutch.games.killer_bunnies.board import Game
from hutch.games.killer_bunnies.deciding import card_point, turn_clock
from hutch.games.killer_bunnies.feeding import due_turn, is_due

FEED_THE_BUNNY = "feed-the-bunny"


def pending(table: Game) -> list[Pending]:
    """KB-074: it runs on the turn clock from the moment its owner's turn starts."""
    board = table.board
    if board.stage == "over":
        return []
    return [
        Pending(
            FEED_THE_BUNNY,
            bunny.seat,
            about=(card_point(bunny.card), card_point(feed.card)),
            turn=due_turn(board, bunny, feed),
            clock=turn_clock(board.turn) if is_due(board, bunny, feed) else None,
        )
        for bunny in board.circle
        for feed in bunny.feeds
    ]
