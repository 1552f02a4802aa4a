"""Updates: what a watcher is told, each once and in order however often the stream was cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hutch.client.errors import HutchError
from hutch.v1 import table_pb2, table_service_pb2

_OVER: Final = (table_pb2.TABLE_STATE_FINISHED, table_pb2.TABLE_STATE_ABANDONED)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Replaces all that is known: comes first, after a gap, and after an undo."""

    view: table_pb2.View
    resume_token: bytes


@dataclass(frozen=True, slots=True)
class Batch:
    """The next revision: what happened, and what the seat is asked now."""

    batch: table_pb2.EventBatch
    resume_token: bytes


@dataclass(frozen=True, slots=True)
class TableChanged:
    """The table itself changed: its seats were filled, it started or ended, a player left, was
    absent or came back.

    The batch of the same revision, where there is one, comes right after it.
    """

    table: table_pb2.Table
    resume_token: bytes


@dataclass(frozen=True, slots=True)
class Ended:
    """The last update: the game is over. `result` is None where it was given up before that."""

    result: table_pb2.Result | None


Update = Snapshot | Batch | TableChanged | Ended


class OutOfStep(Exception):
    """A revision is missing; only a snapshot helps."""


class Follower:
    """Follows one table as a seat or the public sees it: `name` says which.

    `token` resumes after the last update taken, on any gateway. `prompts`, `deadlines` and
    `awaited_seats` are as of `revision`, the last that a batch or a snapshot told (None before the
    first). `epoch` is that of the last snapshot, 0 before the first.
    """

    def __init__(self, name: str, token: bytes = b"") -> None:
        self.name = name
        self.token = token
        self.revision: int | None = None
        self.epoch = 0
        self.prompts: list[table_pb2.Prompt] = []
        self.deadlines: list[table_pb2.Deadline] = []
        self.awaited_seats: tuple[int, ...] = ()
        self.ended = False
        self._table: table_pb2.Table | None = None
        self._table_revision = 0
        self._only_snapshot = False

    def restart(self) -> None:
        """Forget the place; nothing but a snapshot is taken next."""
        self.token = b""
        self._only_snapshot = True

    def must_restart(self, error: HutchError) -> bool:
        """Whether the error is about the place alone, which is forgotten then."""
        if error.reason != "RESUME_TOKEN_INVALID" or not self.token:
            return False
        self.restart()
        return True

    def request(self) -> table_service_pb2.WatchTableRequest:
        """What asks for everything after the last update taken."""
        return table_service_pb2.WatchTableRequest(name=self.name, resume_token=self.token)

    def take(self, response: table_service_pb2.WatchTableResponse) -> list[Update]:
        """The updates in a response: none where it says nothing new. Raises `OutOfStep`."""
        kind = response.WhichOneof("update")
        if self._only_snapshot and kind != "snapshot":
            return []
        updates: list[Update] = []
        match kind:
            case "snapshot":
                updates = self._snapshot(response.snapshot, response.resume_token)
            case "batch":
                updates = self._batch(response.batch, response.resume_token)
            case "table":
                updates = self._changed(response.table, response.resume_token)
        if response.resume_token:
            self.token = response.resume_token
        return updates

    def _snapshot(self, view: table_pb2.View, token: bytes) -> list[Update]:
        self._only_snapshot = False
        self.revision = view.revision
        self.epoch = view.epoch
        self.prompts = list(view.prompts.prompts)
        self.deadlines = list(view.deadlines)
        self.awaited_seats = tuple(view.awaited_seats)
        self._table = view.table
        self._table_revision = view.revision
        if view.table.state not in _OVER:
            return [Snapshot(view, token)]
        return [Snapshot(view, token), self._end(view.table)]

    def _batch(self, batch: table_pb2.EventBatch, token: bytes) -> list[Update]:
        if self.revision is not None:
            if batch.revision <= self.revision:
                return []
            if batch.revision > max(self.revision, self._table_revision) + 1:
                raise OutOfStep
        self.revision = batch.revision
        if batch.HasField("prompts"):
            self.prompts = list(batch.prompts.prompts)
        self.deadlines = list(batch.deadlines)
        self.awaited_seats = tuple(batch.awaited_seats)
        updates: list[Update] = [Batch(batch, token)]
        if batch.HasField("result"):
            self.ended = True
            updates.append(Ended(batch.result))
        return updates

    def _changed(self, table: table_pb2.Table, token: bytes) -> list[Update]:
        if table == self._table:
            return []
        self._table = table
        self._table_revision = table.revision
        # A finished table's last batch is still to come; one that was given up has none.
        if table.state == table_pb2.TABLE_STATE_ABANDONED:
            return [TableChanged(table, token), self._end(table)]
        return [TableChanged(table, token)]

    def _end(self, table: table_pb2.Table) -> Ended:
        self.ended = True
        return Ended(table.result if table.HasField("result") else None)
