"""Standings: how strategies did, over all games that were finished."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from msgspec import Struct

from hutch.v1 import table_pb2


class Finished(Struct, frozen=True, kw_only=True):
    """A game that came to its result."""

    number: int
    table: str
    bots: tuple[str, ...]
    result: table_pb2.Result
    moves: int
    seconds: float


class Line(Struct, frozen=True, kw_only=True):
    """How one strategy did. `wins` counts seats that won alone or with some of the others."""

    bot: str
    seats: int
    mean: float
    best: int
    worst: int
    wins: int


def standings(games: Sequence[Finished]) -> list[Line]:
    """The strategies, the highest mean score first."""
    scores: dict[str, list[int]] = {}
    wins: dict[str, int] = {}
    for game in games:
        for seat, bot in enumerate(game.bots):
            scores.setdefault(bot, []).append(game.result.scores[seat])
            won = seat in game.result.winners and not is_team_game(game.result)
            wins[bot] = wins.get(bot, 0) + won
    lines = [
        Line(
            bot=bot,
            seats=len(points),
            mean=fmean(points),
            best=max(points),
            worst=min(points),
            wins=wins[bot],
        )
        for bot, points in scores.items()
    ]
    return sorted(lines, key=lambda line: (-line.mean, line.bot))


def is_team_game(result: table_pb2.Result) -> bool:
    """Whether all won or lost together."""
    return result.HasField("team_score")
