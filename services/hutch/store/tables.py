"""Tables: the one write path of the whole service, and what may be read back."""

from __future__ import annotations

import asyncio
import secrets
from typing import Final

from hutch.runtime import metrics
from hutch.store.commits import (
    Commit,
    Committed,
    Conflict,
    Failure,
    LogEntry,
    Repeated,
    Stored,
    encode_failure,
)
from hutch.store.errors import StoreError
from hutch.store.keys import Keys, shard_of
from hutch.store.lanes import Argument, in_ms
from hutch.store.pipelining import Pipelining, Script

_TOO_EARLY: Final = 3
#: Whoever waits for a moment asks again after so long: Redis' clock may be set meanwhile.
_LOOK_AGAIN_S: Final = 0.25
_COMMIT = Script("commit")
_NOTE_FAILURE = Script("note_failure")


class TableStore:
    """Loads and commits tables. Everything it issues in one tick of the loop travels together.

    `finished_ttl_s` is how long a finished table is kept, in seconds: at least a day, because
    that long a request may be repeated. `unstarted_ttl_s` is how long one is that nobody starts.
    """

    def __init__(
        self,
        pipelining: Pipelining,
        keys: Keys,
        *,
        finished_ttl_s: int,
        unstarted_ttl_s: int,
    ) -> None:
        self._keys = keys
        self._pipelining = pipelining
        self._finished_ttl_ms = finished_ttl_s * 1000
        self._unstarted_ttl_ms = unstarted_ttl_s * 1000

    async def load(self, table_id: str) -> Stored | None:
        """The table as it is now, or None where there is none."""
        now_ms, epoch, reply = await self._pipelining.timed(
            shard_of(table_id),
            "HMGET",
            self._keys.table(table_id),
            "revision",
            "meta",
            "record",
            "resolved",
            "token",
            "trace",
        )
        revision, meta, record, resolved_ms, token, trace = reply
        if revision is None:
            return None
        return Stored(
            table_id,
            int(revision),
            epoch,
            meta or b"",
            record,
            now_ms,
            int(resolved_ms or 0),
            token,
            trace_of(trace, revision),
        )

    async def commit(self, commit: Commit) -> Committed | Conflict | Repeated:
        """Carry the change out, all of it or nothing, as soon as it is time for it.

        Once sent it is carried out even if the caller goes away, unless it comes before its time.
        After `StoreUnavailable` it may have been; committing it again tells, by its request id or
        as a conflict.
        """
        shard = shard_of(commit.table_id)
        token = secrets.token_bytes(9)
        keys = self._keys.of_commit(commit.table_id, shard)
        arguments = self._arguments(commit, shard, token)
        try:
            while True:
                epoch, reply = await self._pipelining.run_dated(shard, _COMMIT, keys, arguments)
                if reply[0] != _TOO_EARLY:
                    break
                await asyncio.sleep(min(reply[1] / 1_000_000, _LOOK_AGAIN_S))
        except StoreError:
            metrics.COMMITS.labels(outcome="failed").inc()
            raise
        match reply:
            case [0, revision, commit_ms]:
                metrics.COMMITS.labels(outcome="stored").inc()
                return Committed(revision, commit_ms, epoch, token)
            case [1, revision]:
                metrics.COMMITS.labels(outcome="conflict").inc()
                return Conflict(revision)
            case [2, revision, digest]:
                metrics.COMMITS.labels(outcome="repeated").inc()
                return Repeated(revision, digest)
            case _:
                raise StoreError(f"the commit script answered {reply!r}")

    async def find_request(self, table_id: str, request_id: str) -> Repeated | None:
        """What a request did when it was carried out, or None where it was not."""
        known = await self._pipelining.call(
            shard_of(table_id), "HGET", self._keys.table(table_id), f"q:{request_id}"
        )
        if known is None:
            return None
        revision, _, digest = known.partition(b" ")
        return Repeated(int(revision), digest)

    async def read_log(self, table_id: str, after_revision: int, limit: int) -> list[LogEntry]:
        """The first `limit` log entries after that revision, in order."""
        _, entries = await self.read_news(table_id, after_revision, limit)
        return entries

    async def read_news(
        self, table_id: str, after_revision: int, limit: int
    ) -> tuple[int, list[LogEntry]]:
        """The epoch, and the first `limit` log entries after that revision, in order."""
        epoch, entries = await self._pipelining.dated(
            shard_of(table_id),
            "XRANGE",
            self._keys.log(table_id),
            f"{after_revision + 1}-0",
            "+",
            "COUNT",
            limit,
        )
        return epoch, [_log_entry(entry_id, flat, epoch) for entry_id, flat in entries]

    async def read_inputs(self, table_id: str, start: int, limit: int) -> list[tuple[int, bytes]]:
        """`limit` inputs from the `start`-th on, each with its commit time in ms since 1970."""
        lines = await self._pipelining.call(
            shard_of(table_id), "LRANGE", self._keys.inputs(table_id), start, start + limit - 1
        )
        return [(int(ms), data) for ms, _, data in (line.partition(b" ") for line in lines)]

    async def count_inputs(self, table_id: str) -> int:
        """How many inputs the table has."""
        return int(
            await self._pipelining.call(shard_of(table_id), "LLEN", self._keys.inputs(table_id))
        )

    async def note_failure(self, table_id: str, failure: Failure) -> None:
        """Keep what went wrong last at a table, for operators; nothing where there is no table."""
        await self._pipelining.run(
            shard_of(table_id),
            _NOTE_FAILURE,
            [self._keys.table(table_id)],
            [encode_failure(failure)],
        )

    async def now_ms(self) -> int:
        """The time by Redis' clock, in ms since 1970."""
        return in_ms(await self._pipelining.call(0, "TIME"))

    def _arguments(self, commit: Commit, shard: int, token: bytes) -> list[Argument]:
        fields: list[Argument] = []
        if commit.meta is not None:
            fields += ("meta", commit.meta)
        if commit.record is not None:
            fields += ("record", commit.record)
        if commit.resolved_ms is not None:
            fields += ("resolved", commit.resolved_ms)
        if commit.trace_id is not None:
            fields += ("trace", b"%d %b" % (commit.expected_revision + 1, commit.trace_id))
        arguments: list[Argument] = [
            self._keys.namespace,
            commit.table_id,
            shard,
            commit.expected_revision,
            token,
            commit.onto,
            commit.request_id or "",
            commit.request_digest,
            "" if commit.due_ms is None else commit.due_ms,
            commit.hint_after_ms if commit.hint else "",
            self._finished_ttl_ms if commit.finished else "",
            self._unstarted_ttl_ms if commit.unstarted else "",
            f"{commit.listing.state} {commit.listing.ruleset}" if commit.listing else "",
            "" if commit.not_before_ms is None else commit.not_before_ms,
            int(commit.is_armed),
            len(fields),
            2 * len(commit.log),
            int(commit.inputs is not None),
            *fields,
        ]
        for part, face in commit.log.items():
            arguments += (part, face)
        if commit.inputs is not None:
            arguments.append(commit.inputs)
        arguments += commit.notes
        return arguments


def trace_of(trace: bytes | None, revision: bytes) -> bytes | None:
    """The trace id that was stored with that revision: one of an earlier commit is not of it."""
    if trace is None:
        return None
    since, _, trace_id = trace.partition(b" ")
    return trace_id if since == revision else None


def _log_entry(entry_id: bytes, flat: list[bytes], epoch: int) -> LogEntry:
    parts = iter(flat)
    next(parts)
    commit_ms = int(next(parts))
    fields = {part.decode(): face for part, face in zip(parts, parts, strict=True)}
    return LogEntry(int(entry_id.partition(b"-")[0]), commit_ms, fields, epoch)
