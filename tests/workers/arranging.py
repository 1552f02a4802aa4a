"""Finished tables for the tests of the workers, stored without being played."""

from __future__ import annotations

import msgspec

from hutch.store.commits import Commit, Committed
from hutch.store.store import Store
from hutch.turns.table_meta import SeatMeta, TableMeta, encode_meta


async def finish(
    store: Store,
    table_id: str,
    *,
    answers: int = 1,
    scores: list[int] | None = None,
    campaign: str = "",
) -> None:
    """Store a finished table of two rivals, with the note that a game leaves at its end."""
    meta = TableMeta(
        ruleset="rabbit-space",
        host="host",
        seats=[SeatMeta(bot="greedy"), SeatMeta(bot="random")],
        options={},
        limits_ms={},
        secret=b"",
        created_ms=0,
        state="finished",
        scores=[7, 3] if scores is None else scores,
        winners=[0],
        campaign=campaign,
    )
    note = {"kind": "finished", "table": table_id, "ruleset": meta.ruleset}
    for revision in range(answers + 1):
        is_over = revision == answers
        commit = Commit(
            table_id=table_id,
            expected_revision=revision,
            meta=encode_meta(meta),
            inputs=b"%d" % revision,
            finished=is_over,
            notes=(msgspec.json.encode(note),) if is_over else (),
        )
        assert isinstance(await store.tables.commit(commit), Committed)
