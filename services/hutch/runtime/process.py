"""Process: the start that all processes share, so that each `__main__` holds only its own work."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Generic, NoReturn, TypeVar

import grpc.aio
import structlog

from hutch.games import install_cards
from hutch.runtime import metrics
from hutch.runtime.drain import run_until_signalled
from hutch.runtime.exposition import Exposition
from hutch.runtime.health import Health
from hutch.runtime.logs import configure_logs
from hutch.runtime.parent import die_with_parent
from hutch.runtime.settings.shared import Settings
from hutch.runtime.variables import SettingsError, load, unknown_variables

AnySettings = TypeVar("AnySettings", bound=Settings)

BAD_SETTINGS_STATUS = 78  # EX_CONFIG: starting again will not help.
USAGE_STATUS = 2
_SETTINGS = "Settings are variables of the environment; `hutch settings` prints them all."

#: New objects before the youngest are looked through for circles, and how often the older ones are.
COLLECTED_AFTER = (20_000, 20, 50)


class Process(Generic[AnySettings]):
    """A process that has its settings, logs, health and metrics.

    Raises:
        SystemExit: the settings do not fit, or the port for metrics is taken.
    """

    def __init__(self, name: str, kind: type[AnySettings]) -> None:
        self.name = name
        try:
            self.settings = load(kind)
        except SettingsError as fault:
            _exit(f"hutch {name}: cannot start.\n{fault}")
        configure_logs(self.settings.log, process=name)
        self.log = structlog.get_logger(f"hutch.{name}")
        for sentence in unknown_variables().values():
            self.log.warning(sentence)
        if self.settings.cards.dir is not None:
            self._install_cards(self.settings.cards.dir)
        if self.settings.die_with_parent:
            grace = self.settings.drain.notice_seconds + self.settings.drain.grace_seconds
            die_with_parent(self.settings.die_with_parent, grace_seconds=grace + 5)
        self.health = Health()
        metrics.READY.labels().set_function(lambda: float(self.health.ready))
        try:
            self.exposition = Exposition(self.settings.metrics.bind, self.health)
        except OSError as fault:
            bind = self.settings.metrics.bind
            self.refuse(f"{bind} (HUTCH_METRICS_BIND) cannot be listened at: {fault.strerror}.")
        self.log.info("starting", metrics=self.exposition.address)

    def refuse(self, sentence: str) -> NoReturn:
        """Stop at the start, for what cannot be mended by starting again."""
        _exit(f"hutch {self.name}: cannot start.\n{sentence}")

    def listen(
        self,
        server: grpc.aio.Server,
        bind: str,
        door: grpc.ServerCredentials | None,
        *,
        variable: str,
    ) -> int:
        """Let that server listen at the address that the variable says, behind TLS where there is
        a `door`: the port. Stops at the start where it cannot."""
        try:
            if door is None:
                return server.add_insecure_port(bind)
            return server.add_secure_port(bind, door)
        except RuntimeError:  # it has written why, in a line of its own
            self.refuse(
                f"{bind} ({variable}) cannot be listened at: the port is taken, or the host is "
                "none of this machine's."
            )

    def _install_cards(self, folder: Path) -> None:
        try:
            self.log.info("cards", games=install_cards(folder))
        except (ValueError, OSError) as fault:
            _exit(f"hutch {self.name}: cannot play with the cards in {folder}: {fault}")

    def run(self, main: Callable[[Process[AnySettings], asyncio.Event], Awaitable[None]]) -> None:
        """Run `main(process, stop)` until it returns; `stop` is set when it is to."""

        async def beating(stop: asyncio.Event) -> None:
            heart = asyncio.create_task(self.health.keep_beating())
            try:
                await main(self, stop)
            finally:
                heart.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await heart

        # What was imported stays for good. Looking through it again and again is what most of a
        # full collection would do, with all calls held up for as long.
        gc.collect()
        gc.freeze()
        # The rest is mostly freed without being looked for: collections need not come every 700
        # objects, where they take a tenth of what a turn costs the rules.
        gc.set_threshold(*COLLECTED_AFTER)
        run_until_signalled(beating)
        self.log.info("stopped")


def take_no_arguments(about: str | None) -> None:
    """End the program where it is given any, with what it is `about`."""
    if sys.argv[1:]:
        show_usage(about)


def show_usage(about: str | None) -> NoReturn:
    """End the program with what it is `about`: as was asked, or for arguments it does not take."""
    match sys.argv[1:]:
        case ["--help" | "-h"]:
            print(f"{about}\n{_SETTINGS}")
            raise SystemExit
        case given:
            wrong = f"It cannot be run with {' '.join(given) or 'no arguments'}."
            print(f"{about}\n{wrong} {_SETTINGS}", file=sys.stderr)
            raise SystemExit(USAGE_STATUS)


def _exit(sentences: str) -> NoReturn:
    print(sentences, file=sys.stderr)
    raise SystemExit(BAD_SETTINGS_STATUS)
