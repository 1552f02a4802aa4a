"""Analytics: a worker adds finished games to the tallies, credits campaigns with theirs, counts
them against nobody any more, and acknowledges the notes that told of them.

The note of a game stays in the outbox until all that is stored. A table is marked by the very
script that tallies it: a game is counted once, however often a worker is told of it, and whenever
one dies. A campaign settles its game once, whoever looks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import structlog

from hutch.runtime import metrics
from hutch.store.errors import StoreUnavailable
from hutch.store.outbox import Note
from hutch.store.store import Store
from hutch.store.tallies import Measure
from hutch.turns.allowances import release
from hutch.turns.campaign_ledger import Ledger
from hutch.turns.table_meta import SeatMeta, TableMeta, decode_meta
from hutch.wire.errors import Fault, Wrong

log = structlog.get_logger(__name__)

GROUP: Final = "analytics"
#: What stands for a strategy where no bot played from the deal to the end: a person, and a person
#: who had left, or was absent at the end.
PERSON: Final = "person"
LEFT: Final = "left"


class Tallier:
    """Tallies and credits the games that notes tell of."""

    def __init__(self, store: Store, ledger: Ledger) -> None:
        self._store = store
        self._ledger = ledger

    async def tally(self, notes: Sequence[Note]) -> None:
        """Tally the tables of those notes; what could not be done comes again with its note."""
        with suppress(StoreUnavailable):
            done = await asyncio.gather(*[self._settle(note) for note in notes])
            settled = [note for note, is_done in zip(notes, done, strict=True) if is_done]
            if settled:
                await self._store.outbox.acknowledge(GROUP, settled)

    async def _settle(self, note: Note) -> bool:
        """Whether there is nothing left to do for that note."""
        try:
            await self._tally(note.table_id)
        except StoreUnavailable:
            raise
        except Exception:  # one table's fault must not take the others along
            log.exception("tally_failed", table=note.table_id)
            return False
        return True

    async def _tally(self, table_id: str) -> None:
        stored = await self._store.tables.load(table_id)
        meta = decode_meta(stored.meta) if stored else None
        if meta is None or meta.state != "finished":
            log.error("nothing_to_tally", table=table_id, state=meta.state if meta else "gone")
            return
        turns = await self._store.tables.count_inputs(table_id) - 1  # the first is the deal
        ((dealt_ms, _),), ((ended_ms, _),) = await asyncio.gather(
            self._store.tables.read_inputs(table_id, 0, 1),
            self._store.tables.read_inputs(table_id, turns, 1),
        )
        measured = measures(meta, turns=turns, seconds=(ended_ms - dealt_ms) / 1000)
        if await self._store.tallies.add(table_id, measured):
            _count(meta)
        if meta.campaign:
            await self._credit(meta.campaign)
        await release(self._store.engagements, table_id, meta)

    async def _credit(self, campaign_id: str) -> None:
        """Settle the game of that campaign, so that its points do not go with the table."""
        try:
            await self._ledger.settled(campaign_id, ended=True)
        except Fault as fault:
            if fault.reason != Wrong.CAMPAIGN_NOT_FOUND:  # a team that is no more earns nothing
                raise


def measures(meta: TableMeta, *, turns: int, seconds: float) -> dict[Measure, float]:
    """What is measured at a finished game. `won` and `shared` are 1 or 0, and only among rivals:
    who plays for a common score wins with everybody or not at all."""
    rivals = meta.team is None
    kind = (meta.ruleset, "rivals" if rivals else "team", len(meta.seats))
    measured = {Measure(*kind, "turns"): float(turns), Measure(*kind, "seconds"): seconds}
    if meta.team is not None:
        measured[Measure(*kind, "team")] = meta.team
    for number, (seat, score) in enumerate(zip(meta.seats, meta.scores, strict=True)):
        place = (strategy_of(seat), number)
        measured[Measure(*kind, "score", *place)] = score
        if rivals:
            won = number in meta.winners
            measured[Measure(*kind, "won", *place)] = won
            measured[Measure(*kind, "shared", *place)] = won and len(meta.winners) > 1
    return measured


def strategy_of(seat: SeatMeta) -> str:
    """Under which name the results of a seat are tallied."""
    if seat.is_absent:
        return LEFT
    return seat.bot or PERSON


def _count(meta: TableMeta) -> None:
    metrics.GAMES_TALLIED.labels(ruleset=meta.ruleset).inc()
    for number, seat in enumerate(meta.seats):
        series = {"ruleset": meta.ruleset, "strategy": strategy_of(seat)}
        metrics.SEATS_TALLIED.labels(**series).inc()
        if meta.team is None and number in meta.winners:
            metrics.WINS_TALLIED.labels(**series).inc()
