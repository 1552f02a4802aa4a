"""Studies: what the balance of each game is asked about.

A game either has sides of which one wins (a Hero, a seat), or modules with which more or less is
scored. A game without a study of its own is asked about its seats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import cycle, islice
from typing import Any, Final, Literal, get_args

from msgspec import Struct

from hutch.engine.live import Live
from hutch.engine.rules import Rules
from hutch.games.rabbit_space.board import Evolution, Mission
from hutch.games.tale_of_carrot.board import Board as TaleBoard

#: A side and its share of the win, or a module and a score.
Observation = tuple[str, float]


class Setting(Struct, frozen=True):
    """A table that games are played at; `label` is what its observations may go by."""

    label: str
    seats: int
    options: Mapping[str, Any] = {}


class Study(Struct, frozen=True):
    """What to play, and what to note of a finished game."""

    #: `wins`: shares of wins, to be compared with the fair share. `scores`: points.
    kind: Literal["wins", "scores"]
    #: What the observations are by: `Hero`, `module`, `seat`.
    by: str
    settings: tuple[Setting, ...]
    observe: Callable[[Setting, Live], list[Observation]]
    #: Questions that are answered at random, so that all sides are played alike.
    at_random: frozenset[str] = frozenset()

    def games(self, number: int) -> Iterable[Setting]:
        """That many tables, the settings in turn."""
        return islice(cycle(self.settings), number)


def share(winners: tuple[int, ...], seat: int) -> float:
    """A seat's share of the win: a win together is divided."""
    return 1 / len(winners) if seat in winners else 0.0


def study_of(rules: Rules) -> Study:
    """The study of that game."""
    make = _STUDIES.get(rules.name, _by_seat)
    return make(rules)


def _by_seat(rules: Rules) -> Study:
    def observe(setting: Setting, live: Live) -> list[Observation]:
        assert live.result is not None
        winners = live.result.winners
        return [(f"seat {seat}", share(winners, seat)) for seat in range(setting.seats)]

    settings = tuple([Setting(f"{seats} players", seats) for seats in rules.seats if seats > 1])
    return Study("wins", "seat", settings, observe)


def _by_hero(rules: Rules) -> Study:
    def observe(setting: Setting, live: Live) -> list[Observation]:
        assert live.result is not None
        board: TaleBoard = live.table.board
        winners = live.result.winners
        # Times the number of players: 1 is fair at every table.
        return [
            (tables.heroes[village.hero].name, setting.seats * share(winners, seat))
            for seat, village in enumerate(board.villages)
        ]

    tables = rules.tables
    settings = tuple([Setting(f"{seats} players", seats) for seats in rules.seats])
    return Study("wins", "Hero", settings, observe, frozenset({"hero.keep"}))


def _by_module(rules: Rules) -> Study:
    def observe(setting: Setting, live: Live) -> list[Observation]:
        assert live.result is not None
        return [(setting.label, float(score)) for score in live.result.scores]

    modules: list[tuple[str, dict[str, Any]]] = [("base game", {})]
    modules += [(planet.capitalize(), {"evolutions": [planet]}) for planet in get_args(Evolution)]
    modules += [
        (planet.capitalize(), {"mission": planet}) for planet in get_args(Mission) if planet
    ]
    modules.append(("all Evolutions", {"evolutions": list(get_args(Evolution))}))
    settings = tuple(
        [
            Setting(label, seats, options)
            for seats in rules.seats
            if seats > 1
            for label, options in modules
        ]
    )
    return Study("scores", "module", settings, observe)


_STUDIES: Final[Mapping[str, Callable[[Rules], Study]]] = {
    "rabbit-space": _by_module,
    "tale-of-carrot": _by_hero,
}
