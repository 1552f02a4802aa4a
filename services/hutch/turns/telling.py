"""Telling: what a table's log says of a turn, to each of those who may look."""

from __future__ import annotations

from collections.abc import Mapping

from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.store.commits import Stored
from hutch.turns.absence import Amend
from hutch.turns.table_meta import TableMeta, decode_meta, table_message

#: The fields of a log entry, beside the parts of the seats, `0`, `1` …: what all may see, the
#: public's part, that a fresh view is needed, the table where it changed.
SHARED = "s"
PUBLIC = "p"
REWOUND = "r"
TABLE = "t"


def batch_of(fields: Mapping[str, bytes], seat: int | None) -> bytes:
    """What a log entry tells a seat, or the public, of a turn: an `EventBatch`; empty where it is
    of none."""
    return fields.get(SHARED, b"") + fields.get(PUBLIC if seat is None else str(seat), b"")


def told(
    table_id: str,
    stored: Stored,
    meta: TableMeta,
    outcome: rules_pb.Outcome,
    amend: Amend | None,
) -> tuple[TableMeta | None, dict[str, bytes]]:
    """What changes of the table beside the game (None: nothing), and the log entry's fields."""
    fields = {SHARED: outcome.shared}
    last = len(outcome.faces) - 1
    for index, face in enumerate(outcome.faces):
        if face:
            fields[PUBLIC if index == last else str(index)] = face
    if outcome.rewound:
        fields[REWOUND] = b"1"
    over = outcome.HasField("result")
    if amend is None and not over:
        return None, fields
    changed = decode_meta(stored.meta)
    if amend is not None:
        amend(changed)
    if over:
        changed.state = "finished"
        changed.scores = list(outcome.result.scores)
        changed.winners = list(outcome.result.winners)
        changed.team = outcome.result.team_score if outcome.result.HasField("team_score") else None
    message = table_message(table_id, changed, stored.revision + 1)
    fields[TABLE] = message.SerializeToString()
    return changed, fields
