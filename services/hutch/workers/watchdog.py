"""The watchdog: ends a worker that is alive but deaf, so that it is started again.

A Celery worker may lose its broker without noticing, or hang in a bot that never answers. So each
worker sends itself a message through the broker, again and again. One that does not come back in
time may have died with the broker; a second one in a row ends the process. While the broker is down
nothing can be sent, and nothing is concluded.
"""

from __future__ import annotations

import os
import threading
from socket import gethostname
from time import monotonic

import structlog
from celery import Celery
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

CANARY = "hutch.canary"
EVERY_SECONDS = 2.0
PATIENCE_SECONDS = 5.0
MISSED = 2
#: The status of a process that only has to be started again (EX_TEMPFAIL).
START_ANEW_STATUS = 75


class Watchdog:
    """Watches this worker. `address` tells workers of one host apart, and is the same after a
    restart, so that a killed worker leaves no queue of its own behind for ever."""

    def __init__(
        self,
        app: Celery,
        address: str,
        *,
        every_seconds: float = EVERY_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._every_seconds = every_seconds
        self._patience_seconds = patience_seconds
        self.queue = f"canary-{gethostname()}-{address.rpartition(':')[2]}"
        self._app = app
        self._sent_at: float | None = None
        self._missed = 0
        app.task(name=CANARY)(self._came_back)
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        """Begin to watch: the worker is connected."""
        if not self._thread.is_alive():
            self._thread.start()

    def _came_back(self) -> None:
        self._sent_at = None
        self._missed = 0

    def _watch(self) -> None:
        try:
            self._go_round()
        except Exception:  # such as MemoryError: a worker that nobody watches is started again
            log.exception("watchdog_failed")
            os._exit(START_ANEW_STATUS)

    def _go_round(self) -> None:
        pause = threading.Event()
        while not pause.wait(self._every_seconds):
            if self._sent_at is None:
                self._send()
            elif monotonic() - self._sent_at > self._patience_seconds:
                self._missed += 1
                if self._missed == MISSED:
                    log.critical("deaf", missed=MISSED, patience_seconds=self._patience_seconds)
                    os._exit(START_ANEW_STATUS)
                self._send()

    def _send(self) -> None:
        self._sent_at = monotonic()  # before it is sent: it may be back sooner than we are
        try:
            self._app.send_task(
                CANARY,
                queue=self.queue,
                expires=self._patience_seconds,
                ignore_result=True,
                retry=False,
            )
        except (KombuError, RedisError, OSError) as fault:
            self._sent_at = None
            log.warning("broker_unavailable", error=str(fault)[:200])
