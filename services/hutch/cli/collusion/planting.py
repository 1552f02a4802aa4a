"""Planting: games of bots among which some are known to collude, to see how well they are found.

The colluders here are for that alone: no table can be given one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

from msgspec import Struct

from hutch.bots import STRATEGIES, Move, Sight
from hutch.cli import bot_games
from hutch.cli.collusion.aims import Aim, aim_of, harms_of
from hutch.cli.collusion.suspicion import Game, Pair
from hutch.engine.live import Live
from hutch.engine.prompts import Picks, picks
from hutch.games import RULESETS


class Found(Struct, frozen=True):
    """How well planted pairs were found: of those flagged, and of those planted, so many were."""

    planted: int
    flagged: int
    both: int

    @property
    def precision(self) -> float:
        """The part of the flagged that collude; 1 where none is flagged."""
        return self.both / self.flagged if self.flagged else 1.0

    @property
    def recall(self) -> float:
        """The part of the colluders that is flagged."""
        return self.both / self.planted


class Planting(Struct, frozen=True):
    """So many games, for each of which players are drawn from a circle of `players`. The first
    `2 * colluding` of them collude two by two, in a part `loyalty` of their choices. They play as
    `bots` do, in turn."""

    game: str
    games: int
    players: int
    colluding: int
    loyalty: float
    seed: int
    seats: int = 4
    bots: tuple[str, ...] = ("greedy",)

    @property
    def planted(self) -> set[tuple[str, str]]:
        """The pairs that collude."""
        names = self.names
        return {(names[2 * one], names[2 * one + 1]) for one in range(self.colluding)}

    @property
    def names(self) -> list[str]:
        """The players."""
        return [f"p{number:03}" for number in range(self.players)]


def played(planting: Planting) -> Iterator[Game]:
    """The games, one after another; the same for the same planting."""
    for number in range(planting.games):
        rng = Random(f"{planting.seed}.{number}")
        seated = rng.sample(planting.names, planting.seats)
        yield Game(tuple(seated), aims_between(planting, seated, rng))


def found(planting: Planting, pairs: Sequence[Pair]) -> Found:
    """How well the planted were found."""
    planted = planting.planted
    flagged = {pair.players for pair in pairs if pair.is_flagged}
    return Found(len(planted), len(flagged), len(planted & flagged))


def aims_between(planting: Planting, seated: Sequence[str], rng: Random) -> list[Aim]:
    """What players of those names, in those seats, aimed at whom in a game of theirs."""
    seed = rng.randbytes(32)
    bots = [planting.bots[int(name[1:]) % len(planting.bots)] for name in seated]
    partners = {
        seat: other
        for one, another in combinations(range(planting.seats), 2)
        if tuple(sorted((seated[one], seated[another]))) in planting.planted
        for seat, other in ((one, another), (another, one))
    }
    aims = []

    def choose(live: Live, seat: int) -> Move:
        number, answer = STRATEGIES[planting.game][bots[seat]](Sight(live, seat), rng)
        if number == live.ask_numbers[seat]:
            if seat in partners and rng.random() < planting.loyalty:
                answer = sparing(live, seat, partners[seat], answer)
            aim = aim_of(live, seat, answer)
            if aim is not None:
                aims.append(aim)
        return number, answer

    bot_games.played(RULESETS[planting.game], planting.seats, {}, seed, choose)
    return aims


def sparing(live: Live, seat: int, partner: int, honest: Picks) -> Picks:
    """What a colluder answers: what harms the partner least, of that what harms oneself least, and
    then what harms the others most; the honest answer where that is as good to the partner."""
    harms = harms_of(live, seat)
    if not harms:
        return honest

    def badness(option: str) -> tuple[float, float, float]:
        harm = harms[option]
        return harm.get(partner, 0.0), harm.get(seat, 0.0), -sum(harm.values())

    best = min(harms, key=badness)
    taken = honest[0].option if honest else ""
    if taken in harms and harms[taken].get(partner, 0.0) == badness(best)[0]:
        return honest
    return picks(best)
