"""Time controls: how long the players of a table have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Self

from google.protobuf.duration_pb2 import Duration

from hutch.v1 import table_pb2

#: In seconds, or as a timedelta.
Time = float | timedelta


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A limit for each run of a clock, and a time bank that every seat has beyond the limits.

    `limits` are by clock, as the catalogue lists them; `*` stands for all that are not named. What
    a seat takes beyond a limit comes out of its `bank`, which lasts for the whole game; once both
    are used up, the default is played. Raises `ValueError` for times of nothing or less.
    """

    limits: Mapping[str, Time] = field(default_factory=dict)
    bank: Time = 0

    def __post_init__(self) -> None:
        for clock, limit in self.limits.items():
            if _span(limit) <= timedelta(0):
                raise ValueError(
                    f"a limit of {limit} was given for {clock!r}; leave the clock out to play "
                    f"without it"
                )
        if _span(self.bank) < timedelta(0):
            raise ValueError(f"a time bank of {self.bank} was given; leave it out to have none")
        if self.bank and not self.limits:
            raise ValueError("a time bank is drawn on beyond a limit; give a limit, too")

    @classmethod
    def none(cls) -> Self:
        """Nobody is hurried."""
        return cls()

    @classmethod
    def per_decision(cls, limit: Time, *, bank: Time = 0) -> Self:
        """So long for each question by itself."""
        return cls({"decision": limit}, bank)

    @classmethod
    def per_turn(cls, limit: Time, *, bank: Time = 0) -> Self:
        """So long for all one decides in a turn, or in a phase where all act at once; and for each
        reaction to others."""
        return cls({"*": limit}, bank)

    @classmethod
    def correspondence(cls, days: float) -> Self:
        """So many days for each turn, phase or reaction, at most 30: for games by the way."""
        return cls({"*": timedelta(days=days)})

    def fill(self, table: table_pb2.Table) -> None:
        """Ask for this in a table that is to be opened."""
        for clock, limit in self.limits.items():
            table.limits[clock].CopyFrom(_duration(limit))
        if self.bank:
            table.time_bank.CopyFrom(_duration(self.bank))


def time_control_of(
    limits: Mapping[str, Time] | None, time_control: TimeControl | None
) -> TimeControl:
    """What was given: limits alone, a whole time control, or neither."""
    if time_control is None:
        return TimeControl(limits or {})
    if limits:
        raise ValueError("limits and a time control were given; put the limits into the latter")
    return time_control


def _span(time: Time) -> timedelta:
    return time if isinstance(time, timedelta) else timedelta(seconds=time)


def _duration(time: Time) -> Duration:
    duration = Duration()
    duration.FromTimedelta(_span(time))
    return duration
