"""Migrating: tables on which a game is on go over to newer rules, where those prove that they may.

The newer rules must lead to the very record that is stored (see `hutch.engine.migration`), and must
have told everybody the same at every step. So whoever plays sees no difference, and the recording
is verified by the newer rules as if it had been played under them from the deal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from hutch import games
from hutch.engine.kernel import Outcome
from hutch.engine.live import Live
from hutch.engine.migration import taken_over
from hutch.engine.records import Record, decode_record, encode_record
from hutch.engine.refusals import Refusal
from hutch.engine.replay import Logged, Opening
from hutch.engine.rules import Rules
from hutch.store.commits import Committed, LogEntry, Stored
from hutch.store.tables import TableStore
from hutch.turns.absence import awaits_service
from hutch.turns.contention import TRIES, stand_back
from hutch.turns.diagnosis import Unreadable
from hutch.turns.history import all_inputs, decoded, fault_in_told, whole_log
from hutch.turns.table_meta import decode_meta
from hutch.turns.telling import SHARED
from hutch.turns.turn_path import TurnPath
from hutch.wire.errors import busy
from hutch.wire.failures import where_of
from hutch.wire.views import NOTHING_OPEN, open_numbers


class Moved(Exception):
    """Something happened at a table while it was being examined, or since."""


class Examined(Struct, frozen=True):
    """A table whose game is on, and of older rules than the newest. `record` is its game under
    those; None where it stays as it is, and then `why` says so in a sentence."""

    stored: Stored
    newer: Rules
    record: Record | None
    why: str = ""


async def examined(store: TableStore, table_id: str) -> Examined | None:
    """Whether the game at a table may go over to the newest rules that are at hand here. None where
    no game is on, or where none are newer than its own. Raises `Moved`, and `Unreadable` for what
    is damaged or of another release."""
    try:
        return await _examined(store, table_id)
    except msgspec.MsgspecError as fault:
        raise Unreadable(f"What is stored of it cannot be read: {where_of(fault)}.") from fault


async def _examined(store: TableStore, table_id: str) -> Examined | None:
    stored = await store.load(table_id)
    if stored is None or stored.record is None:
        return None
    record = decode_record(stored.record)
    newer = games.successor(record.ruleset, record.rules_revision)
    if newer is None or decode_meta(stored.meta).state != "playing":
        return None
    inputs, log = await asyncio.gather(all_inputs(store, table_id), whole_log(store, table_id))
    told = [entry for entry in log if SHARED in entry.fields]
    if not log or log[-1].revision != stored.revision or len(told) != len(inputs):
        now = await store.load(table_id)
        if now is not None and now.token == stored.token:
            raise Unreadable("Parts of its history are missing.")
        raise Moved
    opening, logged = decoded(inputs)
    try:
        proved = taken_over(newer, record, opening, logged, _AsTold(opening, logged, told))
    except Exception as fault:  # one table's fault must not keep it from all others
        return Examined(stored, newer, None, f"The newer rules fail on it: {where_of(fault)}.")
    match proved:
        case Refusal(sentence=why):
            return Examined(stored, newer, None, why)
        case Record():
            return Examined(stored, newer, proved)


async def take_over(path: TurnPath, table: Examined) -> None:
    """Let the table's game go over, which it can. Raises `Moved`, and nothing has changed, where
    something happened there since it was examined."""
    assert table.record is not None
    live = Live(table.newer, table.record)
    meta = decode_meta(table.stored.meta)
    meta.rules_revision = table.newer.revision
    done = await path.commit_meta(
        table.stored.table_id,
        table.stored,
        meta,
        record=encode_record(table.record),
        due_ms=live.next_due_ms(),
        hint=awaits_service(meta, live.awaited()),
    )
    if not isinstance(done, Committed):
        raise Moved


async def migrated(path: TurnPath, table_id: str, *, write: bool) -> Examined | None:
    """As `examined`; with `write`, a game that can go over has done so. Raises `Fault` BUSY, and
    `Unreadable`."""
    for attempt in range(TRIES):
        try:
            table = await examined(path.store, table_id)
            if write and table is not None and table.record is not None:
                await take_over(path, table)
        except Moved:
            await stand_back(attempt)
        else:
            return table
    raise busy("Others keep changing this table; try again.")


class _AsTold:
    """Whether everybody was told at each step what the newer rules tell."""

    def __init__(
        self, opening: Opening, logged: Sequence[Logged], told: Sequence[LogEntry]
    ) -> None:
        times = [opening.at_ms, *[one.at_ms for one in logged]]
        self._told = list(zip(times, told, strict=True))
        self._before = NOTHING_OPEN

    def __call__(self, step: int, outcome: Outcome) -> str:
        at_ms, entry = self._told[step]
        fault = fault_in_told(outcome, self._before, entry, at_ms)
        self._before = open_numbers(outcome.live)
        return f"at revision {entry.revision} {fault}" if fault else ""
