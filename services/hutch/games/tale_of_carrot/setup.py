"""The options of a table, its pool of Heroes, and the deal (TC-009 to TC-016)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

from msgspec import Struct

from hutch.games.tale_of_carrot.events import HeroesDrawn, TableLaid
from hutch.games.tale_of_carrot.moments import TaleTable
from hutch.games.tale_of_carrot.tables import GOLEMIGLIO, Tables
from hutch.games.tale_of_carrot.words import tables_of

HEROES_DRAWN: Final = 2


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What a table may choose.

    `heroes`: all, or the short list for a first game (TC-016). `without`: Heroes taken out of the
    pool. `jester_at_three`: whether the Jester is in the pool with three players, where he wins
    more than his share (O19). `timing`: `windows` in turn order (TC-032), or `party`, in which
    anybody may be first in the same windows (O09). `leaving`: whether a seat whose player left is
    played on (`play-on`) or falls at the end of the turn (`forfeit`, O57).
    """

    heroes: Literal["all", "first-game"] = "all"
    without: tuple[str, ...] = ()
    jester_at_three: bool = True
    timing: Literal["windows", "party"] = "windows"
    leaving: Literal["play-on", "forfeit"] = "play-on"


@lru_cache(maxsize=256)
def hero_pool(tables: Tables, seats: int, options: Options) -> tuple[str, ...]:
    """The Heroes that may be dealt, in the order of the table."""
    return tuple(
        [
            ref
            for ref, hero in tables.heroes.items()
            if (options.heroes == "all" or hero.first_game)
            and ref not in options.without
            and (seats > 3 or options.jester_at_three or ref != "jester")
        ]
    )


@lru_cache(maxsize=256)
def highest_number(tables: Tables, seats: int, options: Options) -> int:
    """The most HP at which some Hero of the pool can be declared (O10)."""
    return max(tables.heroes[ref].hp_to_declare for ref in hero_pool(tables, seats, options))


def fault_of(tables: Tables, seats: int, options: Options) -> str:
    """Why a game of that many cannot be dealt with those options; "" where it can."""
    for ref in options.without:
        if ref not in tables.heroes:
            return f"There is no Hero {ref!r} to leave out; they are {', '.join(tables.heroes)}."
    left = len(hero_pool(tables, seats, options))
    if left < HEROES_DRAWN * seats:
        return (
            f"{seats} players draw {HEROES_DRAWN * seats} Heroes, and only {left} are left in "
            f"the pool; leave out fewer."
        )
    return ""


def deal(t: TaleTable) -> None:
    """Shuffle, lay everything out, draw two Heroes each, and choose the first player by lot."""
    tables = tables_of(t)
    chance = t.chance
    t.emit(
        TableLaid(
            first=chance.below("first", t.seats),
            rabbits=tuple(chance.shuffled("decks", list(tables.rabbits))),
            adventures=tuple(chance.shuffled("decks", list(tables.adventures))),
            supply=tuple(tables.supply.items()),
            golemiglios=tables.support[GOLEMIGLIO],
        )
    )
    heroes = chance.shuffled("heroes", hero_pool(tables, t.seats, t.options))
    for seat in range(t.seats):
        drawn = heroes[HEROES_DRAWN * seat : HEROES_DRAWN * (seat + 1)]
        t.emit(HeroesDrawn(seat, tuple(drawn)))
