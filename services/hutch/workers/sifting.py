"""Sifting: of what the broker hands out, only what we would have sent ourselves reaches Celery.

A broker is easier to write to than to keep closed. Celery takes a message that it cannot make sense
of for the end of the worker, and runs its own tasks and chains of them for whoever asks.
"""

from __future__ import annotations

from typing import Any

import structlog
from kombu.exceptions import KombuError
from kombu.messaging import Consumer

from hutch.runtime import metrics
from hutch.workers.seals import HEADER, Seals

log = structlog.get_logger(__name__)

OURS = "hutch."
#: What odd values in a header lead to.
_ODD = (TypeError, ValueError, LookupError, AttributeError)


class Sieve(Consumer):
    """Drops every message that is not a plain call of one of our tasks, or, where there are seals,
    not sealed."""

    seals: Seals | None = None

    def _receive_callback(self, message: Any) -> None:
        try:
            cause = self._objection(message)
            if not cause:
                super()._receive_callback(message)  # type: ignore[no-untyped-call]
                return
        except _ODD:
            log.exception("message_failed")
            cause = "odd"
        metrics.MESSAGES_DROPPED.labels(cause=cause).inc()
        log.error("message_dropped", cause=cause, bytes=len(message.body or b""))

    def _objection(self, message: Any) -> str:
        """Why the message is not taken; empty where it is."""
        if not is_plain_call(message):
            return "odd"
        if self.seals is None:
            return ""
        task, (arguments, *_) = message.headers["task"], message.decode()
        is_sealed = self.seals.is_sealed(message.headers.get(HEADER), task, arguments)
        return "" if is_sealed else "unsealed"


def is_plain_call(message: Any) -> bool:
    """Whether a message calls one of our tasks, now, with a list of arguments and nothing else."""
    headers = message.headers or {}
    task = headers.get("task")
    if message.content_type != "application/json" or not isinstance(task, str):
        return False
    if not task.startswith(OURS) or headers.get("eta") is not None:
        return False
    try:
        body = message.decode()
    except (KombuError, ValueError, RecursionError):
        return False
    match body:
        case [list(), {**named}, {**embedded}]:
            return not named and not any(embedded.values())
    return False
