"""Commands: what the outside may ask of a game."""

from __future__ import annotations

from hutch.engine.prompts import Picks
from msgspec import Struct


class Submit(Struct, frozen=True, tag="submit"):
    """A seat answers the question of that number."""

    seat: int
    number: int
    picks: Picks


class Tick(Struct, frozen=True, tag="tick"):
    """The clock plays the default wherever time has run out."""


class Leave(Struct, frozen=True, tag="leave"):
    """The player of a seat leaves the game."""

    seat: int


class Rejoin(Struct, frozen=True, tag="rejoin"):
    """Somebody takes over a seat that was left."""

    seat: int


class Undo(Struct, frozen=True, tag="undo"):
    """A seat takes its last answer back."""

    seat: int


Command = Submit | Tick | Leave | Rejoin | Undo
