"""Deadlines: moments at which the clock will act, as everybody may see them."""

from __future__ import annotations

from msgspec import Struct

from hutch.engine.prompts import Clock, Point


class Pending(Struct, frozen=True):
    """A deadline that the rules set, such as a Feed The Bunny due at the end of a turn.

    `clock` names the run of a clock that settles it (of seat `seat`), where one is running;
    `turn` is the turn, in the game's own count, at whose end it is due.
    """

    cause: str
    seat: int
    about: tuple[Point, ...] = ()
    turn: int | None = None
    clock: Clock | None = None


class Deadline(Struct, frozen=True):
    """A deadline with its time: `due_ms` since 1970, or None while no clock runs for it."""

    cause: str
    seat: int
    due_ms: int | None
    about: tuple[Point, ...] = ()
    turn: int | None = None
