"""The outbox: every group gets every note, at least once, and none stays for ever."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from hutch.store.commits import Commit
from hutch.store.errors import StoreError
from hutch.store.keys import shard_of
from hutch.store.outbox import PENDING_PAGE, Note
from hutch.store.store import Store
from tests.redis_servers import eventually

GROUP = "archive"
#: Doubled six times it is still less than the longest that a note is left alone.
IDLE_MS = 9_000


async def leave(store: Store, *notes: bytes, table_id: str = "t", revision: int = 0) -> None:
    await store.tables.commit(Commit(table_id=table_id, expected_revision=revision, notes=notes))


async def read(store: Store, consumer: str = "one", group: str = GROUP) -> list[Note]:
    return await store.outbox.read(group, consumer, 100)


async def left_idle(store: Store, notes: list[Note], idle_ms: int) -> None:
    """Have it that notes of table `t` were got so long ago, by whoever got them."""
    (key,) = store.keys.of_shard(shard_of("t"), "outbox")
    entries = [note.entry for note in notes]
    claim = ("XCLAIM", key, GROUP, "dies", 0, *entries, "IDLE", idle_ms, "JUSTID")
    await store.pipelining.call(shard_of("t"), *claim)


async def test_a_group_gets_each_note_once_and_in_the_order_of_its_table(store: Store) -> None:
    await store.outbox.ensure_group(GROUP)
    await leave(store, b"1", b"\x00\xff")
    await leave(store, b"3", revision=1)
    notes = await read(store)
    assert [(note.table_id, note.body) for note in notes] == [
        ("t", b"1"),
        ("t", b"\x00\xff"),
        ("t", b"3"),
    ]
    assert await read(store, "other") == []


async def test_notes_left_before_the_group_was_made_are_read(store: Store) -> None:
    await leave(store, b"early")
    await store.outbox.ensure_group(GROUP)
    await store.outbox.ensure_group(GROUP)
    assert [note.body for note in await read(store)] == [b"early"]


async def test_consumers_share_the_notes_of_many_tables(store: Store) -> None:
    await store.outbox.ensure_group(GROUP)
    tables = [f"table-{number}" for number in range(100)]
    await asyncio.gather(*[leave(store, one.encode(), table_id=one) for one in tables])
    shares = await asyncio.gather(*[read(store, f"consumer-{n}") for n in range(4)])
    assert sorted(note.table_id for share in shares for note in share) == sorted(tables)


async def test_the_notes_of_a_consumer_that_died_are_claimed_by_another(store: Store) -> None:
    reclaim = partial(store.outbox.reclaim, GROUP, "heir", 10, shards=[shard_of("t")])
    await store.outbox.ensure_group(GROUP)
    await leave(store, b"n")
    (taken,) = await read(store, "dies")
    assert await reclaim(60_000) == []
    reclaimed = await eventually(partial(reclaim, 20))
    assert reclaimed == [taken]
    await store.outbox.acknowledge(GROUP, reclaimed)
    assert await reclaim(0) == []


async def test_notes_in_good_hands_do_not_hide_those_of_the_dead(store: Store) -> None:
    shards = [shard_of("t")]
    await store.outbox.ensure_group(GROUP)
    await leave(store, *[b"%d" % number for number in range(30)])
    notes = await store.outbox.read(GROUP, "dies", 30, shards)
    await left_idle(store, notes, 2 * IDLE_MS)
    reclaim = partial(store.outbox.reclaim, GROUP, idle_ms=IDLE_MS, shards=shards)
    heirs = await reclaim("heir", 20)
    assert heirs == notes[:20]
    (note,) = await reclaim("another", 1)
    assert note not in heirs


async def test_a_note_that_comes_back_is_left_alone_for_longer_and_holds_up_no_other(
    store: Store,
) -> None:
    await store.outbox.ensure_group(GROUP)
    await leave(store, b"1")
    reclaim = partial(store.outbox.reclaim, GROUP, "one", 10, IDLE_MS, [shard_of("t")])
    (broken,) = await read(store)
    for given in range(6):
        await left_idle(store, [broken], IDLE_MS * 2**given)
        assert await reclaim() == [broken]
    await leave(store, b"2", revision=1)
    (lost,) = await read(store)
    await left_idle(store, [broken, lost], IDLE_MS * 2**5)
    assert await reclaim() == [lost]  # while the broken one waits twice as long
    await store.outbox.acknowledge(GROUP, [lost])
    assert await reclaim(longest_ms=IDLE_MS * 2**5) == [broken]


async def test_more_notes_than_fit_a_page_are_all_reclaimed(store: Store) -> None:
    await store.outbox.ensure_group(GROUP)
    notes = 2 * PENDING_PAGE + 1
    await leave(store, *[b"%d" % number for number in range(notes)])
    shards = [shard_of("t")]
    taken = await store.outbox.read(GROUP, "dies", notes, shards)
    assert len(taken) == notes
    assert await store.outbox.reclaim(GROUP, "heir", notes, 0, shards) == taken


async def test_a_note_is_kept_until_every_group_has_acknowledged_it(store: Store) -> None:
    for group in ("archive", "analytics"):
        await store.outbox.ensure_group(group)
    await leave(store, b"1", b"2")
    archived = await read(store, group="archive")
    await store.outbox.acknowledge("archive", archived)
    assert await store.outbox.size() == 2
    first, second = await read(store, group="analytics")
    await store.outbox.acknowledge("analytics", [second])
    assert await store.outbox.size() == 2
    await store.outbox.acknowledge("analytics", [first])
    assert await store.outbox.size() == 0


async def test_a_note_that_nobody_has_read_survives_an_acknowledgement(store: Store) -> None:
    await store.outbox.ensure_group(GROUP)
    await leave(store, b"1")
    notes = await read(store)
    await leave(store, b"2", revision=1)
    await store.outbox.acknowledge(GROUP, notes)
    assert [note.body for note in await read(store)] == [b"2"]
    assert await store.outbox.size() == 1


async def test_a_read_takes_no_more_than_its_limit(store: Store) -> None:
    await store.outbox.ensure_group(GROUP)
    await leave(store, *[b"%d" % number for number in range(10)])
    assert [note.body for note in await store.outbox.read(GROUP, "one", 3)] == [b"0", b"1", b"2"]


async def test_a_group_that_was_never_made_is_an_error(store: Store) -> None:
    with pytest.raises(StoreError, match="NOGROUP"):
        await read(store, group="nobody")
