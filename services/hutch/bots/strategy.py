"""Strategies: how a bot chooses, from what its seat may see and nothing else."""

from __future__ import annotations

from functools import cached_property
from random import Random
from typing import Protocol

from google.protobuf.message import Message

from hutch.engine.kernel import imagined
from hutch.engine.live import Live
from hutch.engine.prompts import Picks, Question
from hutch.engine.rules import Rules

#: The number of the question answered, and the picks.
Move = tuple[int, Picks]


class Sight:
    """What a seat may see of a game. The game itself stays out of a strategy's reach."""

    def __init__(self, live: Live, seat: int) -> None:
        self._live = live
        self.seat = seat

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._live.rules

    @cached_property
    def questions(self) -> list[Question]:
        """What is open to the seat: its ask first, then its offer."""
        return self._live.questions(self.seat)

    @cached_property
    def view(self) -> Message:
        """The typed board as the seat sees it."""
        return self._live.look(self.seat)

    def world(self, rng: Random) -> Live:
        """A game that the seat cannot tell from the real one, to think ahead in.

        What is hidden from the seat is drawn anew with each call. Needs a live game that keeps its
        record.
        """
        return imagined(self.rules, self._live.record(), self.seat, rng)


class Strategy(Protocol):
    """A way to play: one call, one answer to one of the seat's questions."""

    def __call__(self, sight: Sight, rng: Random) -> Move:
        """The answer of a seat that has at least one question open."""
        ...
