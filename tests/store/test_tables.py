"""Tables: what is committed is stored, once, and all of it."""

from hutch.store.commits import Commit, Committed
from hutch.store.store import Store


async def test_a_committed_table_loads_as_it_was_committed(store: Store) -> None:
    commit = Commit(table_id="t", expected_revision=0, meta=b"meta", record=b"record")
    made = await store.tables.commit(commit)
    stored = await store.tables.load("t")
    assert isinstance(made, Committed)
    assert stored is not None
    assert (stored.revision, stored.meta, stored.record) == (1, b"meta", b"record")
