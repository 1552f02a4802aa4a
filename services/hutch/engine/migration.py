"""Migration: a running game goes over to newer rules, if they would have led to where it stands."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from hutch.engine.kernel import Outcome
from hutch.engine.records import Record
from hutch.engine.refusals import Reason, Refusal
from hutch.engine.replay import Logged, Opening, replay
from hutch.engine.rules import Rules


def taken_over(
    newer: Rules, record: Record, opening: Opening, log: Iterable[Logged]
) -> Record | Refusal:
    """The record under the newer rules, proved by replaying the whole game under them.

    The proof is the record's trail: the boards at all checkpoints must be the same, so the rules
    that the game was played under need not be at hand. Possible only where the record stands at a
    checkpoint; otherwise, and where anything differs, the game stays on its own revision.
    """
    if record.inputs:
        return _stays(record, "it is between two checkpoints; try again when the step is done")
    outcome: Outcome | None = None
    for step, resolved in enumerate(replay(newer, opening, log)):
        if isinstance(resolved, Refusal):
            return _stays(record, f"the newer rules refuse step {step}: {resolved.sentence}")
        outcome = resolved
    assert outcome is not None  # a replay begins with the deal
    again = outcome.record
    for name in ("ruleset", "seats", "options", "seed", "trail", "board", "draws", "gone"):
        if getattr(again, name) != getattr(record, name):
            return _stays(record, f"the newer rules lead to another {name}")
    if again.inputs or again.result != record.result:
        return _stays(record, "the newer rules lead to another step of the game")
    return replace(record, rules_revision=newer.revision)


def _stays(record: Record, why: str) -> Refusal:
    return Refusal(
        Reason.NOT_TAKEN_OVER,
        f"The game stays on revision {record.rules_revision} of {record.ruleset!r}: {why}.",
        {"ruleset": record.ruleset, "revision": str(record.rules_revision)},
    )
