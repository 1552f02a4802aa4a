"""Settings: every one a `HUTCH_…` variable of the environment, checked before a process starts.

A process reads one class, composed of small groups: `HUTCH_LOG_LEVEL` is the field `level` of the
group `log`. `hutch.runtime.variables` reads them.
"""

from __future__ import annotations

from typing import Final

from hutch.runtime.settings.cli import ClientSettings, StackSettings
from hutch.runtime.settings.gateway import GatewaySettings
from hutch.runtime.settings.rules import RulesSettings
from hutch.runtime.settings.shared import Settings
from hutch.runtime.settings.timekeeper import TimekeeperSettings
from hutch.runtime.settings.workers import WorkerSettings

PROCESSES: Final[tuple[type[Settings], ...]] = (
    Settings,
    RulesSettings,
    GatewaySettings,
    TimekeeperSettings,
    WorkerSettings,
    StackSettings,
    ClientSettings,
)
