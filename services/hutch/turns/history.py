"""History: all that is stored of what happened at a table, and whether rules tell the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hutch.engine.kernel import Outcome
from hutch.engine.replay import Logged, Opening, decode_logged, decode_opening
from hutch.store.commits import LogEntry
from hutch.store.tables import TableStore
from hutch.turns.telling import PUBLIC, SHARED
from hutch.wire.views import OpenNumbers, batch_parts

_PAGE: Final = 500


async def all_inputs(store: TableStore, table_id: str) -> list[tuple[int, bytes]]:
    """Every input of a table, each with its commit time in ms since 1970."""
    inputs: list[tuple[int, bytes]] = []
    while page := await store.read_inputs(table_id, len(inputs), _PAGE):
        inputs += page
    return inputs


def decoded(inputs: Sequence[tuple[int, bytes]]) -> tuple[Opening, list[Logged]]:
    """What a game was dealt from, and the commands that it accepted: for `replay`."""
    (_, opening), *log = inputs
    return decode_opening(opening), [decode_logged(data) for _, data in log]


async def whole_log(store: TableStore, table_id: str) -> list[LogEntry]:
    """Every entry of a table's log."""
    log: list[LogEntry] = []
    while page := await store.read_log(table_id, log[-1].revision if log else 0, _PAGE):
        log += page
    return log


def fault_in_told(outcome: Outcome, before: OpenNumbers, entry: LogEntry, at_ms: int) -> str:
    """How what the rules tell of a step, resolved at that time, differs from the log's entry of it;
    "" where it does not. `before` are the questions that were open until then."""
    shared, faces = batch_parts(
        outcome.live, outcome.events, before, revision=entry.revision, at_ms=at_ms
    )
    audiences = [*map(str, range(outcome.live.table.seats)), PUBLIC]
    ours = {SHARED: shared, **dict(zip(audiences, faces, strict=True))}
    differing = [name for name, part in ours.items() if entry.fields.get(name, b"") != part]
    if not differing:
        return ""
    return f"the rules tell something else than was told then, in the parts {' '.join(differing)}"
