"""Commands: what the outside may ask of a game."""

from __future__ import annotations

from msgspec import Struct

from hutch.engine.prompts import Picks


class Submit(Struct, frozen=True, tag="s", array_like=True):
    """A seat answers the question of that number."""

    seat: int
    number: int
    picks: Picks


class Tick(Struct, frozen=True, tag="t", array_like=True):
    """The clock plays the default wherever time has run out."""


class PlayDefault(Struct, frozen=True, tag="d", array_like=True):
    """The default is played for a seat that is awaited, though its time has not run out."""

    seat: int


class Leave(Struct, frozen=True, tag="l", array_like=True):
    """The player of a seat leaves the game."""

    seat: int


class Rejoin(Struct, frozen=True, tag="r", array_like=True):
    """Somebody takes over a seat that was left."""

    seat: int


class Undo(Struct, frozen=True, tag="u", array_like=True):
    """A seat takes its last answer back."""

    seat: int


class Credit(Struct, frozen=True, tag="c", array_like=True):
    """Nobody could answer in that time (milliseconds since 1970), so no clock is to count it."""

    from_ms: int
    until_ms: int


Command = Submit | Tick | PlayDefault | Leave | Rejoin | Undo | Credit
