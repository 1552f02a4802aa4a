"""Worlds that a seat cannot tell from the real one, for bots that think ahead.

Heroes face down are dealt anew among those that fit what all saw: the tokens in the slots, and the
HP at which a Supreme was declared. Cards face down are shuffled.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from hutch.games.tale_of_carrot.board import Board, Declaration, Step
from hutch.games.tale_of_carrot.cards.heroes_lasting import COURT
from hutch.games.tale_of_carrot.moments import TaleTable
from hutch.games.tale_of_carrot.setup import HEROES_DRAWN, hero_pool
from hutch.games.tale_of_carrot.tables import HeroRow, Tables
from hutch.games.tale_of_carrot.words import tables_of

if TYPE_CHECKING:
    from random import Random

T = TypeVar("T")


def resample(t: TaleTable, seat: int | None, rng: Random) -> None:
    """Replace in place everything that `seat` cannot see (None: that the public cannot see)."""
    _deal_heroes(t, seat, rng)
    _shuffle_rabbits(t.board, seat, rng)
    t.board.adventures = _shuffled(t.board.adventures, rng)


def _shuffle_rabbits(board: Board, seat: int | None, rng: Random) -> None:
    """The deck, a Rabbit that somebody else drew, and a Mage's hand nobody else can know."""
    unseen = list(board.rabbits)
    hidden_held = bool(board.held) and board.holder != seat
    hands = [
        village
        for owner, village in enumerate(board.villages)
        if village.hand and owner != seat and not (village.hand_known or village.hand_counted)
    ]
    if hidden_held:
        unseen.append(board.held)
    unseen += [village.hand for village in hands]
    unseen = _shuffled(unseen, rng)
    for village in hands:
        village.hand = unseen.pop()
    if hidden_held:
        board.held = unseen.pop()
    board.rabbits = unseen


def _deal_heroes(t: TaleTable, seat: int | None, rng: Random) -> None:
    board = t.board
    tables = tables_of(t)
    known: set[str] = set()
    for owner, village in enumerate(board.villages):
        if owner == seat:
            known.update((village.hero, village.spare, *village.drawn))
        elif village.revealed:
            known.add(village.hero)
    unknown = [hero for hero in hero_pool(tables, t.seats, t.options) if hero not in known]
    pool = _shuffled(unknown, rng)
    hidden = [owner for owner in range(t.seats) if owner != seat]
    if board.step is Step.HEROES:
        for owner in hidden:
            village = board.villages[owner]
            if village.drawn:
                village.drawn = [pool.pop() for _ in range(HEROES_DRAWN)]
        return
    down = [owner for owner in hidden if not board.villages[owner].revealed]
    dealt = _dealt(board, tables, down, pool)
    for owner, hero in zip(down, dealt, strict=True):
        board.villages[owner].hero = hero
    left = [hero for hero in pool if hero not in dealt]
    for owner in hidden:
        board.villages[owner].spare = left.pop()


def _dealt(board: Board, tables: Tables, down: list[int], pool: list[str]) -> list[str]:
    """A Hero for each of those seats, all different and each fitting what was seen of it.

    The first in the order of `pool`, which is random. There always is one: the real Heroes fit.
    """
    if not down:
        return []
    fits = [[hero for hero in pool if _fits(board, tables.heroes[hero], owner)] for owner in down]
    chosen = _different(fits)
    assert chosen is not None, "the real Heroes fit"
    return chosen


def _different(choices: list[list[T]]) -> list[T] | None:
    """One of each list, none twice; None where that cannot be."""
    if not choices:
        return []
    for one in choices[0]:
        rest = _different([[other for other in more if other != one] for more in choices[1:]])
        if rest is not None:
            return [one, *rest]
    return None


def _fits(board: Board, hero: HeroRow, owner: int) -> bool:
    used = Counter(board.villages[owner].slots)
    if used - Counter(hero.icons):
        return False
    if board.in_use is not None and board.in_use.seat == owner and not board.in_use.from_reserve:
        used[board.in_use.token] += 1
        if used - Counter(hero.icons):
            return False
    return all(
        _could_declare(hero, declaration)
        for declaration in board.declared
        if declaration.seat == owner
    )


def _could_declare(hero: HeroRow, declaration: Declaration) -> bool:
    if declaration.hp > hero.hp_to_declare:
        return False
    match hero.ref:
        case "archer":
            return declaration.surrounded
        case "princess":
            return declaration.living >= COURT
    return True


def _shuffled(items: list[T], rng: Random) -> list[T]:
    return rng.sample(items, len(items))
