"""The oracle: a finished game once more, by the pure rules from its input log, held against what
the service stored and told."""

from __future__ import annotations

from msgspec import Struct

from hutch.engine.kernel import Outcome
from hutch.engine.replay import decode_logged, decode_opening, replay
from hutch.games import find
from hutch.store.store import Store

PAGE = 100_000


class Verdict(Struct, frozen=True):
    """What the rules make of a table's input log. `faults` is empty where all agrees."""

    scores: tuple[int, ...]
    turns: int
    faults: tuple[str, ...]


async def judge(store: Store, table_id: str) -> Verdict:
    """Replay a finished table and compare: the result, one log entry for each revision, one
    revision for each turn, every turn stored once."""
    stored = await store.tables.load(table_id)
    assert stored is not None, f"table {table_id} is lost"
    inputs = [data for _, data in await store.tables.read_inputs(table_id, 0, PAGE)]
    log = await store.tables.read_log(table_id, 0, PAGE)
    opening = decode_opening(inputs[0])
    rules = find(opening.ruleset, opening.rules_revision)
    assert rules is not None
    faults = []
    outcome = None
    for outcome in replay(rules, opening, [decode_logged(data) for data in inputs[1:]]):
        if not isinstance(outcome, Outcome):
            faults.append(f"the rules refuse a stored turn: {outcome.sentence}")
            break
    revisions = [entry.revision for entry in log]
    if revisions != list(range(1, stored.revision + 1)):
        faults.append(f"revision {stored.revision}, but the log has {revisions}")
    told = [entry for entry in log if "s" in entry.fields]
    if len(told) != len(inputs):
        faults.append(f"{len(inputs)} turns with the deal are stored and {len(told)} were told")
    scores: tuple[int, ...] = ()
    if isinstance(outcome, Outcome):
        if outcome.live.result is None:
            faults.append("the stored turns do not end the game")
        else:
            scores = outcome.live.result.scores
    return Verdict(scores, len(inputs) - 1, tuple(faults))
