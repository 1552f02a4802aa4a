"""Retries: when to try again, and when to give up."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from random import random

from hutch.client.errors import HutchError


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How patient a client is. All in seconds.

    Waits double from `first_wait` to `longest_wait`, each shortened at random so that clients do
    not come back together. No try begins `give_up_after` seconds after the last sign of life.
    """

    first_wait: float = 0.1
    longest_wait: float = 2.0
    give_up_after: float = 60.0
    #: The deadline of one try of a unary call.
    try_timeout: float = 10.0
    #: A stream that says nothing for so long, not even a heartbeat, is taken for dead.
    silence: float = 45.0

    def __post_init__(self) -> None:
        for name in ("first_wait", "longest_wait", "give_up_after", "try_timeout", "silence"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be above 0 seconds")


class Backoff:
    """The waits of one request or stream."""

    def __init__(self, retries: Retries) -> None:
        self._retries = retries
        self.reset()

    def reset(self) -> None:
        """Start afresh: the service is alive."""
        self._cap = self._retries.first_wait
        self._since = time.monotonic()

    async def wait_after(self, error: HutchError) -> None:
        """Sleep until the next try is due. Raises `error` where another try is of no use."""
        wait = self._cap * random()
        if error.retry_after is not None:
            wait += error.retry_after
        left = self._since + self._retries.give_up_after - time.monotonic()
        if not error.is_transient or wait >= left:
            raise error
        self._cap = min(2 * self._cap, self._retries.longest_wait)
        await asyncio.sleep(wait)
