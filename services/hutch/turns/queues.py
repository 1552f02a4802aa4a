"""Queues: whoever wants the same table stands in line, and one at a time is let in."""

from __future__ import annotations

import asyncio
from collections import deque


class Queues:
    """A queue for every table that somebody is at; of others nothing is kept."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}

    def waiting(self, table_id: str) -> int:
        """How many wait to be let in."""
        return len(self._queues.get(table_id, ()))

    async def enter(self, table_id: str) -> None:
        """Wait until nobody is at that table. Whoever has entered must `leave`."""
        queue = self._queues.get(table_id)
        if queue is None:
            self._queues[table_id] = deque()
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # let in at this very moment: the next one is
                self.leave(table_id)
            raise

    def leave(self, table_id: str) -> None:
        """Let the next one in."""
        queue = self._queues[table_id]
        while queue:
            turn = queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        del self._queues[table_id]
