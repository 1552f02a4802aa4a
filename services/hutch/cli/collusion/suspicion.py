"""Suspicion: which pairs of players spare each other more than chance and habit explain.

Whoever leads is harmed by all, and whoever cannot be reached by nobody. So what a player leans
against another is held against what the *others at the same table* lean against that one. In each
game a pair has one number: how much less the two harm each other than the others harm them, on
average of both. What sitting side by side, or opposite, makes of it is taken off: the mean of all
pairs that sat so.

What is left has a mean of about 0 without collusion, and not quite: who plays for the leader's fall
and who plays at random do not mind the same rivals. `HABIT` is allowed for that. Over a pair's
games the mean beyond it is compared with its error; the spread is taken from all pairs, for few
have many games together. There are many pairs, so that some look odd by chance: those are flagged
of which, after Benjamini and Hochberg, no more than a given part is expected to be honest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import sqrt
from statistics import NormalDist, fmean
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from hutch.cli.collusion.aims import Aim

#: Of those that are flagged, so many may be expected to be honest.
FALSE_SHARE: Final = 0.05
#: So much less harm, of the most that choices could make, may be the way that two happen to play.
HABIT: Final = 0.15
#: Pairs with fewer games together are not judged.
FEWEST_GAMES: Final = 5


class Game(Struct, frozen=True):
    """A finished game: who sat where, and all that was aimed at somebody. Seats of nobody that is
    to be judged have an empty name."""

    players: tuple[str, ...]
    aims: Sequence[Aim]


class Pair(Struct, frozen=True):
    """Two players, over their games together. `spared` is by how much less they harm each other
    than others harm them (0: as others do), `errors` what is beyond habit in standard errors,
    `chance` how often so much comes by chance."""

    players: tuple[str, str]
    games: int
    spared: float
    errors: float
    chance: float
    is_flagged: bool


def pairs_of(
    games: Iterable[Game],
    *,
    false_share: float = FALSE_SHARE,
    fewest_games: int = FEWEST_GAMES,
) -> list[Pair]:
    """All pairs with enough games together, the oddest first."""
    met = [one for game in games for one in _met(game)]
    usual = {seated: fmean(values) for seated, values in _grouped(met, by="seated").items()}
    centred = [replace(one, spared=one.spared - usual[one.seated]) for one in met]
    spread = sqrt(fmean([one.spared**2 for one in centred])) if centred else 0.0
    judged = {
        players: values
        for players, values in _grouped(centred, by="players").items()
        if len(values) >= fewest_games
    }
    if not spread:
        return []
    errors = {
        players: (fmean(spared) - HABIT) * sqrt(len(spared)) / spread
        for players, spared in judged.items()
    }
    oddest = sorted(judged, key=lambda players: (-errors[players], players))
    chances = [_NORMAL.cdf(-errors[players]) for players in oddest]
    flagged = _flagged(chances, false_share)
    return [
        Pair(pair, len(judged[pair]), fmean(judged[pair]), errors[pair], chance, place < flagged)
        for place, (pair, chance) in enumerate(zip(oddest, chances, strict=True))
    ]


_NORMAL: Final = NormalDist()


class _Met(Struct, frozen=True):
    """Two players in a game: how many sat there and how far apart the two, and how much less than
    the others they harmed each other."""

    players: tuple[str, str]
    seated: tuple[int, int]
    spared: float


def _met(game: Game) -> Iterator[_Met]:
    """The pairs of players of a game of whom there is something to tell."""
    leans: dict[tuple[int, int], list[float]] = {}
    for aim in game.aims:
        for rival, lean in aim.leans.items():
            leans.setdefault((aim.by, rival), []).append(lean)
    means = {direction: fmean(values) for direction, values in leans.items()}
    seats = len(game.players)
    for one, other in combinations(range(seats), 2):
        spared = []
        for by, rival in ((one, other), (other, one)):
            others = [
                means[third, rival]
                for third in range(seats)
                if third not in (by, rival) and (third, rival) in means
            ]
            if others and (by, rival) in means:
                spared.append(fmean(others) - means[by, rival])
        first, second = sorted((game.players[one], game.players[other]))
        if spared and first and first != second:
            apart = min(other - one, seats + one - other)
            yield _Met((first, second), (seats, apart), fmean(spared))


def _grouped(met: Iterable[_Met], *, by: Literal["players", "seated"]) -> dict[Any, list[float]]:
    groups: dict[Any, list[float]] = {}
    for one in met:
        groups.setdefault(getattr(one, by), []).append(one.spared)
    return groups


def _flagged(chances: Sequence[float], false_share: float) -> int:
    """How many of the chances, the smallest first, are flagged after Benjamini and Hochberg."""
    most = len(chances)
    return max(
        [place for place, chance in enumerate(chances, 1) if chance <= false_share * place / most],
        default=0,
    )
