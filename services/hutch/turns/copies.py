"""Copies: the last known states of tables, at hand for turns that go on from there."""

from __future__ import annotations

from collections import OrderedDict
from time import monotonic
from typing import Final

from hutch.store.commits import Stored
from hutch.turns.table_meta import TableMeta

#: A copy older than this is not trusted to tell the time.
FRESH_SECONDS: Final = 2.0
COPIES: Final = 4096


class Copies:
    """The copies of one process; those used least lately make room."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[Stored, TableMeta, float]] = OrderedDict()

    def keep(self, stored: Stored, meta: TableMeta) -> None:
        """Keep a table as it was stored or loaded just now."""
        self._kept[stored.table_id] = (stored, meta, monotonic())
        self._kept.move_to_end(stored.table_id)
        if len(self._kept) > COPIES:
            self._kept.popitem(last=False)

    def drop(self, table_id: str) -> None:
        """Forget a table that was changed elsewhere."""
        self._kept.pop(table_id, None)

    def meta(self, table_id: str) -> TableMeta | None:
        """What lies beside the game in the copy, however old that is."""
        kept = self._kept.get(table_id)
        return None if kept is None else kept[1]

    def fresh(self, table_id: str) -> tuple[Stored, TableMeta, int] | None:
        """A young copy, with the time now by Redis' clock."""
        kept = self._kept.get(table_id)
        if kept is None:
            return None
        stored, meta, since = kept
        age = monotonic() - since
        return (stored, meta, stored.now_ms + int(age * 1000)) if age < FRESH_SECONDS else None
