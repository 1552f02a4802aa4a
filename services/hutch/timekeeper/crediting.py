"""Crediting: after an outage the clocks of all tables are put off, so that everybody soon sees the
deadlines that hold.

No clock depends on it: whatever happens at a table, its clocks are put off first (see `TurnPath`).
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

import structlog

from hutch.store.errors import StoreUnavailable
from hutch.store.keys import ALL_SHARDS
from hutch.store.store import Store
from hutch.turns.outages import Outages
from hutch.turns.turn_path import TurnPath
from hutch.wire.errors import Fault

log = structlog.get_logger(__name__)

PERIOD_SECONDS = 0.5
#: Tables that are looked at together.
TOGETHER = 64


class Crediting:
    """Looks for outages that are over, and credits all tables whose clocks ran through them."""

    def __init__(self, path: TurnPath, store: Store, outages: Outages) -> None:
        self._path = path
        self._store = store
        self._outages = outages
        #: When the last outage was over that all tables were credited with.
        self._done_ms = 0

    async def run(self, stop: asyncio.Event) -> None:
        """Look again and again, until `stop` is set."""
        while not stop.is_set():
            try:
                with suppress(StoreUnavailable):
                    await self.look()
            except Exception:  # without it, nobody would see what deadlines hold
                log.exception("crediting_failed")
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), PERIOD_SECONDS)

    async def look(self) -> None:
        """Credit all tables if an outage is over that they were not credited with."""
        outages = await self._outages.since(self._done_ms)
        if not outages or await self._outages.is_on():
            return
        last = outages[-1]
        # A planned stop was one too; what could not be reached was warned of while it was.
        log.info("outage_is_over", from_ms=last.from_ms, until_ms=last.until_ms)
        for shard in ALL_SHARDS:
            tables = await self._store.timers.armed(shard)
            for start in range(0, len(tables), TOGETHER):
                together = tables[start : start + TOGETHER]
                await asyncio.gather(*[self._credit(table_id) for table_id in together])
        self._done_ms = last.until_ms

    async def _credit(self, table_id: str) -> None:
        try:
            await self._path.credit(table_id)
        except Fault as fault:  # it will be credited before anything else happens there
            log.warning("not_credited", table=table_id, reason=fault.reason)
        except StoreUnavailable:
            raise
        except Exception:  # what fails at one table must not keep it from all others
            log.exception("not_credited", table=table_id)
