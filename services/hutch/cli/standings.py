"""Standings: how strategies did, over all games that were finished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from msgspec import Struct

from hutch.v1 import table_pb2


class Finished(Struct, frozen=True, kw_only=True):
    """A game that came to its result."""

    number: int
    game: str
    table: str
    bots: tuple[str, ...]
    result: table_pb2.Result
    moves: int
    seconds: float


class Line(Struct, frozen=True, kw_only=True):
    """How one strategy did in one game. `wins` counts seats that won alone or with some of the
    others; None where all won or lost together."""

    game: str
    bot: str
    seats: int
    mean: float
    best: int
    worst: int
    wins: int | None


def standings(games: Sequence[Finished]) -> list[Line]:
    """The strategies by game, the games as they were first finished; within a game the highest
    mean score first."""
    lines: list[Line] = []
    for name in dict.fromkeys([game.game for game in games]):
        lines += _of_one_game(name, [game for game in games if game.game == name])
    return lines


def _of_one_game(name: str, games: Sequence[Finished]) -> list[Line]:
    scores: dict[str, list[int]] = {}
    wins: Counter[str] = Counter()
    for game in games:
        for seat, bot in enumerate(game.bots):
            scores.setdefault(bot, []).append(game.result.scores[seat])
            wins[bot] += seat in game.result.winners and not is_team_game(game.result)
    rivals = any(not is_team_game(game.result) for game in games)
    lines = [
        Line(
            game=name,
            bot=bot,
            seats=len(points),
            mean=fmean(points),
            best=max(points),
            worst=min(points),
            wins=wins[bot] if rivals else None,
        )
        for bot, points in scores.items()
    ]
    return sorted(lines, key=lambda line: (-line.mean, line.bot))


def is_team_game(result: table_pb2.Result) -> bool:
    """Whether all won or lost together."""
    return result.HasField("team_score")
