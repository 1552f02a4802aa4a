"""Wishes: which tables are opened, of which games, and who sits there."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Literal

from msgspec import Struct

from tests.chaos.plan import Plan

#: How a person plays: over a Play stream; with unary calls, some of them sent twice; or with unary
#: calls by what a Watch stream tells.
Manner = Literal["stream", "unary", "watch"]


class Person(Struct, frozen=True):
    """Somebody at a table. `idles` is how often a question with a clock is left alone, `undoes` how
    often an answer is taken back, `leaves_after` so many answers the seat is given up."""

    manner: Manner
    idles: float
    undoes: float
    leaves_after: int | None


class Wish(Struct, frozen=True):
    """A table: `bots` by seat, `people` by seat; `watched` by somebody outside."""

    number: int
    ruleset: str
    seats: int
    options: Mapping[str, Any]
    limits: Mapping[str, float]
    bots: Mapping[int, str]
    people: Mapping[int, Person]
    watched: bool


class Game(Struct, frozen=True):
    """What tables of a game are like: mostly such as are soon over. People who play at random
    `stay` to the end; in Killer Bunnies that would take thousands of turns, so bots take over."""

    ruleset: str
    share: int
    seats: tuple[int, ...]
    strategies: tuple[str, ...]
    clocks: tuple[str, ...]
    options: Mapping[str, Any] = {}
    stay: bool = True


GAMES = (
    Game("rabbit-space", 14, (1, 1, 2, 2, 3, 4), ("random", "greedy"), ("phase",)),
    Game("tale-of-carrot", 5, (3, 3, 3, 4), ("random", "greedy"), ("decision", "window")),
    Game(
        "killer-bunnies",
        1,
        (2, 2, 3),
        ("greedy",),
        ("turn", "reaction", "decision"),
        {"starting_carrots": 1},
        stay=False,
    ),
)
MANNERS: tuple[Manner, ...] = ("stream", "unary", "watch")
WITH_PEOPLE = 0.15
WITH_CLOCKS = 0.4
WATCHED = 0.1
LEAVING = 0.2
CLOCK_SECONDS = (0.2, 1.5)


def wish(plan: Plan, number: int) -> Wish:
    """The table of that number. The first are one of each game with somebody of each manner."""
    rng = plan.rng("table", number)
    if number < len(GAMES) * len(MANNERS):
        game = GAMES[number % len(GAMES)]
        manner = MANNERS[number // len(GAMES)]
        people = {0: _person(manner, game, rng)}
    else:
        game = rng.choices(GAMES, [game.share for game in GAMES])[0]
        people = {}
    seats = rng.choice(game.seats)
    if not people and rng.random() < WITH_PEOPLE:
        chosen = rng.sample(range(seats), rng.choice((1, 1, 2)) if seats > 1 else 1)
        people = {seat: _person(rng.choice(MANNERS), game, rng) for seat in chosen}
    limits = {}
    if rng.random() < WITH_CLOCKS:
        limits = {clock: round(rng.uniform(*CLOCK_SECONDS), 1) for clock in game.clocks}
    return Wish(
        number=number,
        ruleset=game.ruleset,
        seats=seats,
        options=game.options,
        limits=limits,
        bots={seat: rng.choice(game.strategies) for seat in range(seats) if seat not in people},
        people=people,
        watched=rng.random() < WATCHED,
    )


def _person(manner: Manner, game: Game, rng: Random) -> Person:
    return Person(
        manner=manner,
        idles=rng.choice((0.0, 0.1)),
        undoes=rng.choice((0.0, 0.1)),
        leaves_after=rng.randint(2, 40) if not game.stay or rng.random() < LEAVING else None,
    )
