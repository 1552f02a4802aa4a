"""The oracle: a game once more, by the pure rules from its input log, held against what the service
stored, what it told, and what its clients know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from uuid import UUID

from msgspec import Struct

from hutch.engine.commands import Command, Submit, Undo
from hutch.engine.kernel import Outcome
from hutch.engine.records import encode_record
from hutch.engine.replay import decode_logged, decode_opening, replay
from hutch.games import find
from hutch.store.commits import LogEntry, Stored
from hutch.store.store import Store
from hutch.turns.table_meta import TableMeta, decode_meta
from hutch.v1 import table_pb2

PAGE = 100_000


class Told(Struct, frozen=True):
    """A batch that a seat, or the public (None), was told: its fingerprint."""

    audience: int | None
    revision: int
    batch: bytes


class Answer(Struct, frozen=True):
    """What a client asked for, the revision that it was told this made (None: it was refused), and
    the id it came under."""

    command: Submit | Undo
    revision: int | None
    request: UUID


class Verdict(Struct, frozen=True):
    """What the rules make of a table's input log. `faults` is empty where all agrees."""

    finished: bool
    scores: tuple[int, ...]
    turns: int
    faults: tuple[str, ...]


def fingerprint(batch: table_pb2.EventBatch) -> bytes:
    """What tells a batch from all others, however it was encoded."""
    return blake2b(batch.SerializeToString(deterministic=True), digest_size=16).digest()


async def judge(
    store: Store, table_id: str, answers: Sequence[Answer] = (), told: Sequence[Told] = ()
) -> Verdict:
    """Replay a table, finished or not, and compare.

    The stored game is the one that the stored turns lead to; every revision has one log entry, and
    every turn one revision; what clients know of their answers is so, and the log has the batches
    that they were told.
    """
    stored = await store.tables.load(table_id)
    while stored is not None:
        inputs = [data for _, data in await store.tables.read_inputs(table_id, 0, PAGE)]
        log = await store.tables.read_log(table_id, 0, PAGE)
        before, stored = stored, await store.tables.load(table_id)
        if stored is not None and stored.revision == before.revision:
            break  # it did not move while it was read
    else:
        return Verdict(False, (), 0, ("the table is lost",))
    meta = decode_meta(stored.meta)
    faults = [*_faults_of_log(stored, log, len(inputs)), *_faults_of_told(log, told)]
    commands = [decode_logged(data) for data in inputs[1:]]
    scores: tuple[int, ...] = ()
    if inputs:
        opening = decode_opening(inputs[0])
        rules = find(opening.ruleset, meta.rules_revision)
        assert rules is not None
        outcome = None
        for outcome in replay(rules, opening, commands):
            if not isinstance(outcome, Outcome):
                faults.append(f"the rules refuse a stored turn: {outcome.sentence}")
                break
        if isinstance(outcome, Outcome):
            faults += _faults_of_state(stored, meta, outcome)
            if outcome.live.result is not None:
                scores = outcome.live.result.scores
    elif meta.state not in ("gathering", "abandoned"):
        faults.append(f"the table is {meta.state}, but no turn is stored")
    turns = [entry.revision for entry in log if "s" in entry.fields]
    made = dict(zip(turns[1:], [logged.command for logged in commands], strict=False))
    faults += _faults_of_answers(made, answers)
    for answer in answers:
        known = await store.tables.find_request(table_id, answer.request.hex)
        if (known.revision if known else None) != answer.revision:
            faults.append(f"of {answer} it is remembered: {known}")
    return Verdict(meta.state == "finished", scores, len(commands), tuple(faults))


def _faults_of_log(stored: Stored, log: list[LogEntry], turns: int) -> Iterator[str]:
    revisions = [entry.revision for entry in log]
    if revisions != list(range(1, stored.revision + 1)):
        missing = sorted(set(range(1, stored.revision + 1)) - set(revisions))
        yield (
            f"revision {stored.revision}, but the log has {len(revisions)} entries up to "
            f"{max(revisions, default=0)}; missing: {missing[:10]}"
        )
    told = [entry.revision for entry in log if "s" in entry.fields]
    if len(told) != turns:
        yield f"{turns} turns with the deal are stored and {len(told)} were told"
    others = [entry for entry in log if "s" not in entry.fields]
    if any(entry.fields.keys() != {"t"} for entry in others):
        yield "something was stored that is neither a turn nor of the table"


def _faults_of_told(log: list[LogEntry], told: Sequence[Told]) -> Iterator[str]:
    entries = {entry.revision: entry.fields for entry in log}
    for one in told:
        fields = entries.get(one.revision, {})
        audience = "p" if one.audience is None else str(one.audience)
        batch = table_pb2.EventBatch.FromString(fields.get("s", b"") + fields.get(audience, b""))
        if fingerprint(batch) != one.batch:
            yield f"at revision {one.revision} {audience} was told something else than the log has"


def _faults_of_state(stored: Stored, meta: TableMeta, outcome: Outcome) -> Iterator[str]:
    result = outcome.live.result
    if encode_record(outcome.record) != stored.record:
        yield "the stored turns lead to another game than is stored"
    if (result is None) != (meta.state != "finished"):
        yield f"the table is {meta.state}, but the stored turns lead to {result}"
    elif result is not None and list(result.scores) != meta.scores:
        yield f"scores {meta.scores} are stored, but the stored turns lead to {result.scores}"


def _faults_of_answers(made: dict[int, Command], answers: Sequence[Answer]) -> Iterator[str]:
    answered: dict[tuple[int, int], list[int]] = {}
    for revision, command in made.items():
        if isinstance(command, Submit):
            answered.setdefault((command.seat, command.number), []).append(revision)
    for (seat, number), revisions in answered.items():
        if len(revisions) > 1:
            yield f"question {number} of seat {seat} was answered at revisions {revisions}"
    # Of one that was refused, only its request tells: a bot may have given the same answer for a
    # player who came too late.
    for answer in answers:
        if answer.revision is not None and made.get(answer.revision) != answer.command:
            yield f"{answer} was acknowledged, but made of {made.get(answer.revision)}"
