"""The end: forfeits, the small Carrots, and the Magic Carrot (KB-168 to KB-173)."""

from __future__ import annotations

from hutch.engine.records import Result
from hutch.games.killer_bunnies.board import Board, Game, is_deserted
from hutch.games.killer_bunnies.circle import has_bunny
from hutch.games.killer_bunnies.events.bunnies import FeedsDiscarded
from hutch.games.killer_bunnies.events.turns import (
    CarrotsForfeited,
    HandsCompared,
    SmallCarrotTurned,
    StageReached,
)
from hutch.games.killer_bunnies.purse import has


def finish(table: Game) -> Result:
    """From the last Carrot to the winner. The scores are Carrots."""
    board = table.board
    table.emit(StageReached("over"))
    for bunny in board.circle:
        if bunny.feeds:  # KB-082
            table.emit(FeedsDiscarded(bunny.card, [feed.card for feed in bunny.feeds], False))
    if is_deserted(board):
        # O-61: only one player is left, or none at all.
        return Result(_scores(board), tuple(board.order[:1]))
    _forfeit(table)
    while board.small_carrots:
        table.emit(SmallCarrotTurned(board.small_carrots[-1]))
    magic = board.turned[-1]
    winners = [
        seat
        for seat in board.order
        if magic in board.seats[seat].carrots and _is_alive(board, seat)
    ]
    return Result(_scores(board), tuple(winners))


def _scores(board: Board) -> tuple[int, ...]:
    return tuple([len(seat.carrots) for seat in board.seats])


def _is_alive(board: Board, seat: int) -> bool:
    """Whether a player has a bunny, be it an abducted one (KB-172)."""
    return has_bunny(board, seat) or (board.away is not None and board.away.seat == seat)


def _forfeit(table: Game) -> None:
    """All without a bunny give their Carrots to one receiver at the same moment (O-59)."""
    board = table.board
    receiver = _receiver(table)
    if receiver is None:
        return
    for seat in board.order:
        carrots = board.seats[seat].carrots
        if carrots and not _is_alive(board, seat):
            table.emit(CarrotsForfeited(seat, receiver, list(carrots)))


def _receiver(table: Game) -> int | None:
    """The player with a bunny in the circle and the most Dolla (KB-170, KB-171)."""
    board = table.board
    losers = [seat for seat in board.order if not _is_alive(board, seat)]
    able = [seat for seat in board.order if has_bunny(board, seat)]
    able = able or [seat for seat in board.order if _is_alive(board, seat)]
    if not able or not any(board.seats[seat].carrots for seat in losers):
        return None
    most = max(has(table, seat, "dolla") for seat in able)
    tied = [seat for seat in able if has(table, seat, "dolla") == most]
    if len(tied) == 1:
        return tied[0]
    best = max(tied, key=lambda seat: (max(board.seats[seat].hand, default=0), -seat))
    table.emit(HandsCompared(best, max(board.seats[best].hand, default=0)))
    return best
