"""Migration: a running game goes over to newer rules, if they would have led to where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hutch.engine.kernel import Outcome
from hutch.engine.records import Record
from hutch.engine.refusals import Reason, Refusal
from hutch.engine.replay import Logged, Opening, replay
from hutch.engine.rules import Rules

#: Compares more of a step, which comes by its number from 0 (the deal) on, than its record tells:
#: how the newer rules differ there, or "". The outcome moves on with the next step.
Witness = Callable[[int, Outcome], str]


def taken_over(
    newer: Rules,
    record: Record,
    opening: Opening,
    log: Iterable[Logged],
    witness: Witness = lambda step, outcome: "",
) -> Record | Refusal:
    """The record under the newer rules, proved by replaying the whole game under them.

    The proof is that they lead to the very same record, but for the revision. Its trail is of the
    boards at all checkpoints, so the rules that the game was played under need not be at hand.
    Possible only at a checkpoint: what the board became since the last one is not in the record.
    Otherwise, and where anything differs, the game stays on its own revision.
    """
    if record.inputs:
        return _stays(record, "it is between two checkpoints; try again when the step is done")
    outcome: Outcome | None = None
    for step, resolved in enumerate(replay(newer, opening, log)):
        if isinstance(resolved, Refusal):
            return _stays(record, f"the newer rules refuse step {step}: {resolved.sentence}")
        if difference := witness(step, resolved):
            return _stays(record, difference)
        outcome = resolved
    assert outcome is not None  # a replay begins with the deal
    again = outcome.record
    for name in Record.__struct_fields__:
        if name != "rules_revision" and getattr(again, name) != getattr(record, name):
            return _stays(record, f"the newer rules lead to another {name}")
    return again


def _stays(record: Record, why: str) -> Refusal:
    return Refusal(
        Reason.NOT_TAKEN_OVER,
        f"The game stays on revision {record.rules_revision} of {record.ruleset!r}: {why}.",
        {"ruleset": record.ruleset, "revision": str(record.rules_revision)},
    )
