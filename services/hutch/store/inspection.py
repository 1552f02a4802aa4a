"""Inspection: how a table stands in Redis, with its timer, its hint and what went wrong last.

For operators and for the watch over tables that stand still; nothing here changes anything.
"""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec import Struct

from hutch.store.commits import Failure, Stored, decode_failure
from hutch.store.hints import DeadLetter, dead_letter
from hutch.store.keys import Keys, shard_of
from hutch.store.pipelining import Pipelining
from hutch.store.pulse import Heard, Pulse
from hutch.store.tables import trace_of

# All members of the index that begin with the word `playing`: a `!` sorts behind every space.
_PLAYING = ("[playing ", "(playing!")


class ArmedTimer(Struct, frozen=True):
    """A timer, in ms since 1970. `claimed_until_ms`: a timekeeper has it until then."""

    due_ms: int
    claimed_until_ms: int | None


class ArmedHint(Struct, frozen=True):
    """A hint: when it is given next, in ms since 1970, and how often it was for this revision."""

    next_ms: int
    given: int


class Inspected(Struct, frozen=True):
    """A table as it stands, and the pulse. `attempts` of bots are of this revision; `commit_ms`
    made it."""

    stored: Stored
    commit_ms: int
    timer: ArmedTimer | None
    hint: ArmedHint | None
    attempts: int
    dead_letters: tuple[DeadLetter, ...]
    failure: Failure | None
    heard: Heard


class Standing(Struct, frozen=True):
    """What can be told of a table without its game. Times in ms since 1970."""

    table_id: str
    revision: int
    commit_ms: int
    hinted: bool
    due_ms: int | None


class Inspection:
    """Looks at tables."""

    def __init__(self, pipelining: Pipelining, keys: Keys, pulse: Pulse) -> None:
        self._pipelining = pipelining
        self._keys = keys
        self._pulse = pulse

    async def look(self, table_id: str) -> Inspected | None:
        """The table and all that is armed for it; None where there is none."""
        shard = shard_of(table_id)
        due, hints, claims, dead = self._keys.of_shard(shard, "due", "hints", "claims", "dead")
        fields = ("revision", "meta", "record", "resolved", "at", "failure", "trace")
        call = self._pipelining.call
        (now_ms, epoch, held), score, next_ms, claimed, letters, heard = await asyncio.gather(
            self._pipelining.timed(shard, "HMGET", self._keys.table(table_id), *fields),
            call(shard, "ZSCORE", due, table_id),
            call(shard, "ZSCORE", hints, table_id),
            call(shard, "HMGET", claims, f"d:{table_id}", f"h:{table_id}", f"a:{table_id}"),
            call(shard, "XRANGE", dead, "-", "+"),
            self._pulse.listen(),
        )
        revision, meta, record, resolved_ms, commit_ms, failure, trace = held
        if revision is None:
            return None
        true_due, given, attempts = claimed
        return Inspected(
            stored=Stored(
                table_id,
                int(revision),
                epoch,
                meta or b"",
                record,
                now_ms,
                int(resolved_ms or 0),
                trace_id=trace_of(trace, revision),
            ),
            commit_ms=int(commit_ms),
            timer=None if score is None else _timer(score, true_due),
            hint=None if next_ms is None else ArmedHint(int(float(next_ms)), int(given or 0)),
            attempts=int(attempts or 0),
            dead_letters=tuple(
                [one for one in map(dead_letter, letters) if one.table_id == table_id]
            ),
            failure=None if failure is None else decode_failure(failure),
            heard=heard,
        )

    async def playing(self, shard: int, start: int, limit: int) -> list[Standing]:
        """`limit` of the tables of a shard that are playing, from the `start`-th on.

        What is armed was read before the revision: where that is older than the call, they belong
        together.
        """
        index, due, hints, claims = self._keys.of_shard(shard, "index", "due", "hints", "claims")
        call = self._pipelining.call
        members = await call(shard, "ZRANGE", index, *_PLAYING, "BYLEX", "LIMIT", start, limit)
        if not members:
            return []
        tables = [member.rpartition(b" ")[2].decode() for member in members]
        scores, next_hints, true_dues = await asyncio.gather(
            call(shard, "ZMSCORE", due, *tables),
            call(shard, "ZMSCORE", hints, *tables),
            call(shard, "HMGET", claims, *[f"d:{table}" for table in tables]),
        )
        held = await asyncio.gather(
            *[call(shard, "HMGET", self._keys.table(table), "revision", "at") for table in tables]
        )
        return [
            Standing(
                table_id=table,
                revision=int(revision),
                commit_ms=int(commit_ms),
                hinted=next_hint is not None,
                due_ms=None if score is None else _timer(score, true_due).due_ms,
            )
            for table, (revision, commit_ms), score, next_hint, true_due in zip(
                tables, held, scores, next_hints, true_dues, strict=True
            )
            if revision is not None
        ]


def _timer(score: Any, true_due: bytes | None) -> ArmedTimer:
    """A claimed timer is scored by the end of its lease."""
    at_ms = int(float(score))
    if true_due is None:
        return ArmedTimer(at_ms, None)
    return ArmedTimer(int(float(true_due)), at_ms)
