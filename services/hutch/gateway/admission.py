"""Admission: so much at once, so that whatever is let in is done soon.

What comes while all places are taken waits for one, first come, first served, and is turned away
after a while. Not sooner: to refuse an action takes a gateway about as much as to carry
it out, and a player who waits sends no other. Those who are turned away are told to come back one
after another, slowly enough that most will find a place.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from hutch.wire.errors import Fault, Wrong

#: Whoever is turned away is told to wait so long at least, and at most.
_RETRY_SECONDS: Final = (0.5, 10.0)
#: So many are carried out for each that is told to come back: others come too.
_OTHERS: Final = 4


class Admission:
    """`at_once` places, each taken for as long as a block lasts: `async with admission:`. Raises
    `Fault` OVERLOADED for who gets none within `patience_seconds`."""

    def __init__(self, what: str, at_once: int, patience_seconds: float) -> None:
        self._what = what
        self._at_once = at_once
        self._free = at_once
        self._patience_seconds = patience_seconds
        #: Each becomes true with a place, or false without.
        self._waiting: deque[asyncio.Future[bool]] = deque()
        #: How many who waited got a place, and when those who were turned away are all back.
        self._placed = 0
        self._all_back = 0.0

    async def __aenter__(self) -> None:
        if self._free:
            self._free -= 1
        else:
            await self._wait()

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    def _leave(self) -> None:
        """Give the place to who came first, or back."""
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(True)
                self._placed += 1
                return
        self._free += 1

    async def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        place: asyncio.Future[bool] = loop.create_future()
        self._waiting.append(place)
        placed_before = self._placed
        patience = loop.call_later(self._patience_seconds, _give_up, place)
        try:
            has_place = await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.result():
                self._leave()
            raise
        finally:
            patience.cancel()
        if not has_place:
            wait_ms = int(1000 * self._time_to_come_back(self._placed - placed_before))
            raise Fault(
                Wrong.OVERLOADED,
                f"{self._at_once} {self._what} are under way, and others wait; wait {wait_ms} ms.",
                retry_after_ms=wait_ms,
            )

    def _time_to_come_back(self, placed: int) -> float:
        """For one more who is turned away, where that many got a place while it waited; seconds."""
        now = asyncio.get_running_loop().time()
        self._all_back = max(now, self._all_back) + _OTHERS * self._patience_seconds / (placed + 1)
        least, most = _RETRY_SECONDS
        return max(least, min(most, self._all_back - now))


def _give_up(place: asyncio.Future[bool]) -> None:
    if not place.done():
        place.set_result(False)
