"""Aims: what an answer did to each rival, against what its question left to choose from.

An option does some harm to each rival. What an answer leans against a rival is the harm of the one
that was chosen, less the mean of all, as a part of the most that the choice could make. So it lies
between -1 (spared as far as could be) and 1, and is 0 on average for who picks at random.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import fmean
from typing import Final, cast

from msgspec import Struct

from hutch.bots import Sight
from hutch.bots.tale_of_carrot import Table
from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Picks, picks
from hutch.killer_bunnies.v1 import board_pb2 as bunnies_pb

#: The harm that an option does, by seat; help is harm below zero.
Harm = Mapping[int, float]


class Aim(Struct, frozen=True):
    """What the answer of the seat `by` leans against each rival whom it could harm or spare."""

    by: int
    leans: Mapping[int, float]


def aim_of(live: Live, seat: int, answer: Picks) -> Aim | None:
    """The aim of an answer that the seat is about to give; None where it is at nobody."""
    harms = harms_of(live, seat)
    chosen = next((harm for option, harm in harms.items() if picks(option) == answer), None)
    if chosen is None:
        return None
    leans = {}
    for rival in sorted({seat for harm in harms.values() for seat in harm} - {seat}):
        of_all = [harm.get(rival, 0.0) for harm in harms.values()]
        most = max(of_all) - min(of_all)
        if most:
            leans[rival] = (chosen.get(rival, 0.0) - fmean(of_all)) / most
    return Aim(seat, leans) if leans else None


def harms_of(live: Live, seat: int) -> dict[str, Harm]:
    """The harm of each option that the seat is asked to choose from, where all are at somebody;
    else nothing."""
    ask = live.asks[seat]
    measure = _HARMS.get(live.rules.name, {}).get(ask.topic)
    if measure is None or len(ask.options) < 2:
        return {}
    harms = measure(live, seat, ask)
    return harms if len(harms) == len(ask.options) else {}


def _at_seats(live: Live, seat: int, ask: Ask) -> dict[str, Harm]:
    """One seat is harmed by each option: the one that it points at."""
    return {
        option.id: {int(point.value): 1.0}
        for option in ask.options
        for point in option.points
        if point.kind == "seat"
    }


def _at_bunnies(live: Live, seat: int, ask: Ask) -> dict[str, Harm]:
    """One bunny is harmed by each option, and so its owner."""
    board = cast("bunnies_pb.Board", live.look(None))
    owners = {bunny.card: bunny.seat for bunny in board.circle}
    return {
        option.id: {owners[str(point.value)]: 1.0}
        for option in ask.options
        for point in option.points
        if point.kind == "card" and point.value in owners
    }


def _by_rabbits(live: Live, seat: int, ask: Ask) -> dict[str, Harm]:
    """A rabbit is put in the place of another: what the one deals to each player, less what the
    other did."""
    table = Table(Sight(live, seat))
    card = str(ask.about[0].value)
    harms: dict[str, Harm] = {}
    for option in ask.options:
        owner, covered = table.place(option.id)
        harms[option.id] = {
            village.seat: float(
                table.damage(card, owner, village.seat)
                - (table.damage(covered, owner, village.seat) if covered else 0)
            )
            for village in table.villages
            if not village.fallen
        }
    return harms


_HARMS: Final[Mapping[str, Mapping[str, Callable[[Live, int, Ask], dict[str, Harm]]]]] = {
    "killer-bunnies": {
        "weapon.target": _at_bunnies,
        "roamer.target": _at_bunnies,
        "feed.target": _at_bunnies,
        "abduction.target": _at_bunnies,
        "defector.target": _at_bunnies,
        "clovers.target": _at_bunnies,
        "player.choose": _at_seats,
    },
    "tale-of-carrot": {
        "player.damage": _at_seats,
        "assassin.target": _at_seats,
        "rabbit.place": _by_rabbits,
    },
}
#: The games in which players can harm or spare one another by what they choose.
GAMES: Final = tuple(_HARMS)
