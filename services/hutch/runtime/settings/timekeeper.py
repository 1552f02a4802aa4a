"""Settings of the timekeeper."""

from __future__ import annotations

from pydantic import Field

from hutch.runtime.settings.shared import Group, RedisSettings, RulesClientSettings, Settings
from hutch.runtime.settings.values import Seconds


class TimekeeperTimingSettings(Group):
    """How due timers are taken."""

    lease_seconds: Seconds = Field(
        default=0.5,
        description="A timer taken by a timekeeper is free for another after this time, should "
        "the first one die.",
    )
    poll_seconds: Seconds = Field(
        default=1.0,
        description="Redis is asked for due timers at least this often, whatever was announced.",
    )
    still_seconds: Seconds = Field(
        default=60.0,
        description="A table that nothing but the service could move counts as stuck after "
        "standing still for this time.",
    )
    idle_days: float = Field(
        default=90.0,
        ge=0,
        le=36_500,
        description="A game that waits for people, without a clock, and in which nothing has "
        "happened for so many days, is given up, as by `hutch fix --void`; 0: never.",
    )


class TimekeeperSettings(Settings):
    """`python -m hutch.timekeeper`."""

    title = "Timekeeper"
    redis: RedisSettings = RedisSettings()
    rules: RulesClientSettings = RulesClientSettings()
    timekeeper: TimekeeperTimingSettings = TimekeeperTimingSettings()
