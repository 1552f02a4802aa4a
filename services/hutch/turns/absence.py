"""Absence: who is absent from a game, and what then becomes of the seat. See decision 11.

Everything here changes what is stored beside the game; what becomes of a seat's cards is the rules'
own affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec

from hutch import games
from hutch.bots import STRATEGIES
from hutch.runtime import metrics
from hutch.turns.table_meta import AbsenceMeta, Absent, SeatMeta, TableMeta
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault, Wrong

#: Plays for an absent player: the first of these that a game has.
STAND_INS: Final = ("greedy", "random")
#: How often in a row time must run out, at tables that do not say.
AFTER_TIMEOUTS: Final = 3
MOST_TIMEOUTS: Final = 100

#: Changes what is stored beside a game.
Amend = Callable[[TableMeta], None]

_POLICIES: Final[dict[int, Absent]] = {
    pb.ABSENCE_UNSPECIFIED: "bot",
    pb.ABSENCE_AWAY: "away",
    pb.ABSENCE_BOT: "bot",
    pb.ABSENCE_FORFEITED: "forfeited",
}


def policy_of(wished: pb.AbsencePolicy) -> AbsenceMeta:
    """What a table does about absent players. Raises `Fault`."""
    seat = _POLICIES.get(wished.seat)
    if seat is None:
        raise Fault(
            Wrong.ARGUMENT_INVALID,
            f"There is no absence {wished.seat}; there are AWAY, BOT and FORFEITED.",
            {"field": "table.absence.seat"},
        )
    after = wished.after_timeouts if wished.HasField("after_timeouts") else AFTER_TIMEOUTS
    if not 0 <= after <= MOST_TIMEOUTS:
        raise Fault(
            Wrong.ARGUMENT_INVALID,
            f"after_timeouts is {after}; 0 (never by time) to {MOST_TIMEOUTS} is allowed.",
            {"field": "table.absence.after_timeouts"},
        )
    return AbsenceMeta(seat, after)


def awaits_service(meta: TableMeta, awaited: Iterable[int]) -> bool:
    """Whether workers have something to do at a table that waits for those seats."""
    for seat in awaited:  # at every commit: spelt out for speed
        place = meta.seats[seat]
        if place.bot or place.absence is not None:
            return True
    return meta.absence.seat == "forfeited" and forfeiting(meta) is not None


def forfeiting(meta: TableMeta) -> int | None:
    """A seat whose player ran out of time for good, and whom the game still has to be told of."""
    for index, seat in enumerate(meta.seats):
        if seat.absence == "forfeited" and not seat.left:
            return index
    return None


def attended(meta: TableMeta, by: str, seat: int, timed_out: Sequence[int]) -> Amend | None:
    """What a turn tells of who is there; None where that is nothing new.

    `seat` has acted, where a person did; of `timed_out` the time ran out.
    """
    if by == "person":
        place = meta.seats[seat]
        return (lambda meta: come_back(meta, seat)) if place.is_absent or place.timeouts else None
    if meta.absence.after_timeouts:
        late = {one for one in timed_out if _is_present(meta.seats[one])}
        if late:
            return lambda meta: _count(meta, late)
    return None


def come_back(meta: TableMeta, seat: int) -> None:
    """The player of the seat is there (again)."""
    place = meta.seats[seat]
    meta.seats[seat] = SeatMeta(place.player, place.display_name, salt=place.salt)


def go_absent(meta: TableMeta, seat: int) -> None:
    """The player of the seat is absent: it becomes what the table's policy says."""
    place = meta.seats[seat]
    absence = meta.absence.seat
    bot = ""
    if absence == "bot":
        known = STRATEGIES[meta.ruleset]
        bot = next(name for name in STAND_INS if name in known)
    meta.seats[seat] = msgspec.structs.replace(place, bot=bot, absence=absence)


def give_up(meta: TableMeta, seat: int) -> None:
    """The player of the seat has left, and the game has been told."""
    go_absent(meta, seat)
    meta.seats[seat].left = True


def count_changes(before: TableMeta, after: TableMeta) -> None:
    """Count who became absent, came back, or was replaced by what was just stored."""
    for was, place in zip(before.seats, after.seats, strict=True):
        if was.is_absent == place.is_absent:
            continue
        change: str = place.absence or before.absence.seat
        if not place.is_absent:
            change = "back" if place.player == was.player else "taken"
        metrics.ATTENDANCES.labels(ruleset=after.ruleset, change=change).inc()


def options_under(meta: TableMeta) -> dict[str, Any]:
    """What the table's policy means for the game's own options."""
    return dict(games.RULESETS[meta.ruleset].absence.get(meta.absence.seat, {}))


def _is_present(place: SeatMeta) -> bool:
    return bool(place.player) and not place.is_absent


def _count(meta: TableMeta, late: Iterable[int]) -> None:
    for seat in late:
        meta.seats[seat].timeouts += 1
        if meta.seats[seat].timeouts >= meta.absence.after_timeouts:
            go_absent(meta, seat)
