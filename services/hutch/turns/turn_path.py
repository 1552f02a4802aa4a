"""The turn path: load, resolve, commit, answer. Everything that happens in a game goes through it.

The table's last known state is kept at hand, so that most turns need one trip to the rules and one
to Redis. The commit compares revisions, so a stale copy can never be built on; and before anything
is refused from one, the table is loaded afresh.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import msgspec

from hutch.engine.refusals import Reason
from hutch.engine.replay import encode_logged
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.runtime import metrics
from hutch.runtime.tracing import followed, sampled_id
from hutch.store.commits import (
    Commit,
    Committed,
    Conflict,
    Failure,
    Listing,
    LogEntry,
    Repeated,
    Stored,
)
from hutch.store.errors import StoreUnavailable
from hutch.store.tables import TableStore
from hutch.turns.absence import attended, awaits_service, count_changes
from hutch.turns.contention import TRIES, stand_back
from hutch.turns.copies import Copies
from hutch.turns.outages import Outages
from hutch.turns.queues import Queues
from hutch.turns.resolver import FAILURE, command_of
from hutch.turns.rules_link import RulesLink
from hutch.turns.table_meta import TableMeta, decode_meta, encode_meta, table_message
from hutch.turns.telling import TABLE, batch_of, told
from hutch.turns.turn import Accepted, Check, Turn
from hutch.wire.errors import Fault, Wrong, busy, refusal_fault

#: Told of every commit made here: the table, and what its log now ends with.
Listener = Callable[[str, LogEntry], None]


class TurnPath:
    """Plays turns on tables. One for each process; safe for any number of tasks.

    Without `outages` clocks are not credited with any.
    """

    def __init__(self, store: TableStore, rules: RulesLink, outages: Outages | None = None) -> None:
        self.store = store
        self.rules = rules
        self._outages = outages
        self._listener: Listener | None = None
        self._copies = Copies()
        #: One writer a table within this process: others would only lose the race in Redis.
        self._queues = Queues()

    def listen(self, listener: Listener) -> None:
        """Tell `listener` of every commit made here, as soon as it is stored."""
        self._listener = listener

    async def load(self, table_id: str) -> tuple[Stored, TableMeta]:
        """The table as stored now. Raises `Fault` TABLE_NOT_FOUND."""
        stored = await self.store.load(table_id)
        if stored is None:
            self.forget(table_id)
            raise Fault(
                Wrong.TABLE_NOT_FOUND,
                f"There is no table {table_id}; it never was, or its time is over.",
            )
        # Callers change what they are given; the copy stays as it is stored.
        self._copies.keep(stored, decode_meta(stored.meta))
        return stored, decode_meta(stored.meta)

    async def play(self, turn: Turn) -> Accepted:
        """Play a turn: stored when this returns. Raises `Fault`."""
        if turn.check is not None and not self._may(turn, turn.check):
            # Looked at again before standing in line: who may not play is in nobody's way.
            _, meta = await self.load(turn.table_id)
            try:
                turn.check(meta)
            except Fault:
                if (known := await self._known(turn)) is not None:
                    return known
                raise
        await self._queues.enter(turn.table_id)
        try:
            return await self._play(turn)
        finally:
            self._queues.leave(turn.table_id)

    async def credit(self, table_id: str) -> None:
        """Put the table's clocks off by the outages that they ran through. Raises `Fault`."""
        await self._queues.enter(table_id)
        try:
            for _ in range(TRIES):
                stored, meta = await self.load(table_id)
                if await self._credited(stored, meta, stored.now_ms) is not None:
                    return
            raise busy("Others keep changing this table; try again.")
        finally:
            self._queues.leave(table_id)

    async def commit_meta(
        self, table_id: str, stored: Stored | None, meta: TableMeta, **more: object
    ) -> Committed | Conflict | Repeated:
        """Store a change of what lies beside the game; watchers are told the table."""
        revision = (stored.revision if stored else 0) + 1
        fields = {TABLE: table_message(table_id, meta, revision).SerializeToString()}
        commit = Commit(
            table_id=table_id,
            expected_revision=revision - 1,
            onto=stored.token if stored else b"",
            meta=encode_meta(meta),
            log=fields,
            listing=Listing(meta.state, meta.ruleset),
            trace_id=sampled_id(),
            **more,  # type: ignore[arg-type]
        )
        done = await self.store.commit(commit)
        self.forget(table_id)
        if isinstance(done, Committed):
            if stored is not None:
                count_changes(decode_meta(stored.meta), meta)
            self.announce(table_id, LogEntry(done.revision, done.commit_ms, fields, done.epoch))
        return done

    def announce(self, table_id: str, entry: LogEntry) -> None:
        """Tell the listener of a commit made here."""
        if self._listener is not None:
            self._listener(table_id, entry)

    def forget(self, table_id: str) -> None:
        """Drop the copy of a table: it was changed elsewhere."""
        self._copies.drop(table_id)

    def _may(self, turn: Turn, check: Check) -> bool:
        """Whether it may be done, as far as the copy at hand tells."""
        meta = self._copies.meta(turn.table_id)
        if meta is None:
            return False
        try:
            check(meta)
        except Fault:
            return False
        return True

    async def _play(self, turn: Turn) -> Accepted:
        fresh = False
        for attempt in range(TRIES):
            stored, meta, now_ms = await self._at_hand(turn.table_id, fresh=fresh)
            resolved_ms, outages = stored.resolved_ms, self._outages
            if outages is not None and not outages.none_since(resolved_ms, now_ms):
                table = await self._credited(stored, meta, now_ms)
                if table is None:
                    fresh = True
                    continue
                stored, meta = table
            try:
                at_ms = max(now_ms, stored.resolved_ms, turn.since_ms)
                accepted = await self._try(turn, stored, meta, at_ms)
            except Fault as fault:
                if fault.reason == Wrong.BUSY:
                    raise  # the table has nothing to do with it
                if fresh:
                    if (known := await self._known(turn)) is not None:
                        return known
                    raise
                fresh = True  # refused from a copy: look again before saying so
                continue
            if accepted is not None:
                return accepted
            fresh = True
            if attempt:
                await stand_back(attempt)
        raise busy("Others keep changing this table; retry with the same request_id.")

    async def _credited(
        self, stored: Stored, meta: TableMeta, now_ms: int
    ) -> tuple[Stored, TableMeta] | None:
        """The table, its clocks put off by all outages that were not over when its last command was
        resolved; None where somebody else moved first.

        No command is resolved but by way of here. So those that were over had been credited, and
        what happens at a table costs nobody the time in which nobody could answer.
        """
        if self._outages is None or not meta.limits_ms or meta.state != "playing":
            return stored, meta
        for outage in await self._outages.since(stored.resolved_ms, now_ms):
            credit = rules_pb.Credit(from_ms=outage.from_ms, until_ms=outage.until_ms)
            turn = Turn(
                table_id=stored.table_id,
                request=rules_pb.ResolveRequest(credit=credit),
                seat=0,
                by="clock",
            )
            try:
                accepted = await self._try(turn, stored, meta, outage.until_ms)
            except Fault as fault:
                if fault.reason != Reason.NOTHING_DUE:
                    raise
                continue  # no clock ran through it
            if accepted is None:
                return None
            assert accepted.stored is not None  # it has no request id that could be repeated
            stored = accepted.stored
        return stored, meta

    async def _try(
        self, turn: Turn, stored: Stored, meta: TableMeta, now_ms: int
    ) -> Accepted | None:
        """One try: None where somebody else moved first."""
        if turn.check is not None:
            turn.check(meta)
        if stored.record is None or meta.state != "playing":
            raise not_playing(turn.table_id, meta)
        if turn.epoch and turn.epoch != stored.epoch:
            raise Fault(
                Wrong.EPOCH_OVER,
                "The store went back in time, or may have, since the table was looked at; "
                "look again and decide anew.",
                {"revision": str(stored.revision), "epoch": str(stored.epoch)},
            )
        if turn.expected_revision and turn.expected_revision != stored.revision:
            raise Fault(
                Wrong.REVISION_CONFLICT,
                f"The table is at revision {stored.revision}, not {turn.expected_revision}; "
                f"look again and decide anew.",
                {"revision": str(stored.revision)},
            )
        request = turn.request
        request.record = stored.record
        request.at_ms = now_ms
        request.revision = stored.revision + 1
        name_trace(request)
        response = await self.rules.resolve(turn.table_id, request)
        if response.HasField("refusal"):
            refusal = response.refusal
            if refusal.reason == Wrong.INTERNAL:
                await self._note_failure(stored, request, refusal.facts.get(FAILURE, ""))
            raise refusal_fault(refusal)
        return await self._commit(turn, stored, meta, response.outcome, now_ms)

    async def _note_failure(
        self, stored: Stored, request: rules_pb.ResolveRequest, what: str
    ) -> None:
        """Keep the command that the rules failed on, so that it can be tried again elsewhere."""
        logged = encode_logged(request.at_ms, command_of(request))
        failure = Failure(
            request.at_ms, stored.revision, f"the rules: {what}", logged, request.trace_id.hex()
        )
        with suppress(StoreUnavailable):
            await self.store.note_failure(stored.table_id, failure)

    async def _commit(
        self,
        turn: Turn,
        stored: Stored,
        meta: TableMeta,
        outcome: rules_pb.Outcome,
        now_ms: int,
    ) -> Accepted | None:
        amend = turn.amend or attended(meta, turn.by, turn.seat, outcome.timed_out)
        new_meta, fields = told(turn.table_id, stored, meta, outcome, amend)
        over = new_meta is not None and new_meta.state == "finished"
        commit = Commit(
            table_id=turn.table_id,
            expected_revision=stored.revision,
            onto=stored.token,
            is_armed=stored.is_armed,
            meta=None if new_meta is None else encode_meta(new_meta),
            record=outcome.record,
            resolved_ms=now_ms,
            log=fields,
            inputs=outcome.inputs,
            due_ms=outcome.due_ms or None,
            hint=awaits_service(new_meta or meta, outcome.awaited),
            not_before_ms=turn.not_before_ms,
            hint_after_ms=turn.hint_after_ms,
            notes=(_finished_note(turn.table_id, meta.ruleset),) if over else (),
            request_id=turn.request_id,
            request_digest=turn.digest,
            finished=over,
            listing=None if new_meta is None else Listing(new_meta.state, meta.ruleset),
            # Whoever plays on is in the trace of the player before, and hands it on no further.
            trace_id=sampled_id() if turn.by == "person" else None,
        )
        done = await self.store.commit(commit)
        match done:
            case Conflict():
                self.forget(turn.table_id)
                return None
            case Repeated(revision=revision, digest=digest):
                return await self._repeat(turn, revision, digest)
            case Committed(revision, commit_ms, epoch, token):
                now_stored = Stored(
                    table_id=turn.table_id,
                    revision=revision,
                    epoch=epoch,
                    meta=stored.meta if commit.meta is None else commit.meta,
                    record=outcome.record,
                    now_ms=commit_ms,
                    resolved_ms=now_ms,
                    token=token,
                    trace_id=commit.trace_id,
                    is_armed=commit.due_ms is not None or commit.hint,
                )
                self._copies.keep(now_stored, new_meta or meta)
                metrics.ACTIONS.labels(ruleset=meta.ruleset, by=turn.by).inc()
                if new_meta is not None:
                    count_changes(meta, new_meta)
                if over:
                    metrics.GAMES_FINISHED.labels(ruleset=meta.ruleset).inc()
                self.announce(turn.table_id, LogEntry(revision, commit_ms, fields, epoch))
                batch = outcome.shared + outcome.faces[turn.seat]
                return Accepted(revision, batch, now_stored, tuple(outcome.awaited))

    async def _known(self, turn: Turn) -> Accepted | None:
        """What this very request led to earlier, if it was stored."""
        if turn.request_id is None:
            return None
        known = await self.store.find_request(turn.table_id, turn.request_id)
        if known is None:
            return None
        return await self._repeat(turn, known.revision, known.digest)

    async def _repeat(self, turn: Turn, revision: int, digest: bytes) -> Accepted:
        """The stored outcome of a request that came again."""
        if digest != turn.digest:
            raise Fault(
                Wrong.REQUEST_ID_REUSED,
                f"request_id {turn.request_id} was used for something else; use a fresh UUID.",
            )
        entries = await self.store.read_log(turn.table_id, revision - 1, 1)
        if not entries or entries[0].revision != revision:
            raise Fault(
                Wrong.TABLE_NOT_FOUND, f"The log of table {turn.table_id} is not kept any more."
            )
        return Accepted(revision, batch_of(entries[0].fields, turn.seat))

    async def _at_hand(self, table_id: str, *, fresh: bool) -> tuple[Stored, TableMeta, int]:
        """The table with the time in Redis' clock: from the copy kept here, if it is young."""
        if not fresh and (copy := self._copies.fresh(table_id)) is not None:
            return copy
        stored, meta = await self.load(table_id)
        return stored, meta, stored.now_ms


def name_trace(request: rules_pb.ResolveRequest | rules_pb.DealRequest) -> None:
    """Say in a request whose call it comes of."""
    trace = followed()
    if trace is not None:
        request.trace_id = trace.trace_id
        request.is_sampled = trace.is_sampled


def not_playing(table_id: str, meta: TableMeta) -> Fault:
    """For whatever a game must be on for."""
    return Fault(
        Wrong.TABLE_NOT_PLAYING,
        f"No game is on at table {table_id}: it is {meta.state}.",
        {"state": meta.state},
    )


def _finished_note(table_id: str, ruleset: str) -> bytes:
    return msgspec.json.encode({"kind": "finished", "table": table_id, "ruleset": ruleset})
