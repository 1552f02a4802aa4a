"""The pulse: what lies between two beats that are too far apart is an outage, and is kept."""

from __future__ import annotations

import asyncio

import pytest

from hutch.store.pulse import Heard, Outage
from hutch.store.store import Store
from tests.redis_servers import eventually
from tests.turns.silence import silence

SHORT_MS, LONG_MS = 20, 60_000


async def test_before_the_first_beat_nothing_is_known(store: Store) -> None:
    heard = await store.pulse.listen()
    assert (heard.last_ms, heard.outages, heard.ongoing) == (None, (), None)
    assert (await store.pulse.beat(SHORT_MS)).outages == ()


async def test_beats_within_the_grace_are_no_outage(store: Store) -> None:
    for _ in range(5):
        heard = await store.pulse.beat(60_000)
    assert (heard.outages, heard.ongoing, heard.count) == ((), None, 0)
    assert heard.last_ms == heard.now_ms


async def test_an_outage_lasts_from_the_last_beat_to_the_next(store: Store) -> None:
    first = await store.pulse.beat(SHORT_MS)
    silent = await silence(store.pulse)
    assert silent.outages == ()
    assert silent.ongoing == Outage(first.now_ms, silent.now_ms)
    after = await store.pulse.beat(SHORT_MS)
    assert after.outages == (Outage(first.now_ms, after.now_ms),)
    assert after.ongoing is None
    assert (after.count, after.lost_ms) == (1, after.now_ms - first.now_ms)
    assert (await store.pulse.listen()).outages == after.outages


async def test_of_many_who_beat_after_an_outage_one_notes_it(store: Store) -> None:
    await store.pulse.beat(LONG_MS)
    (pulse,) = store.keys.of_shard(0, "pulse")
    await store.pipelining.call(0, "HINCRBY", pulse, "at", -2 * LONG_MS)  # it was that long ago
    heard = await asyncio.gather(*[store.pulse.beat(LONG_MS) for _ in range(20)])
    assert {len(one.outages) for one in heard} == {1}
    assert {one.count for one in heard} == {1}


async def test_the_last_hundred_outages_are_remembered_and_all_are_counted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hutch.store.pulse.OUTAGES_KEPT", 3)
    await store.pulse.beat(0)
    untils = []
    for number in range(1, 6):

        async def next_moment(number: int = number) -> bool:
            return (await store.pulse.beat(0)).count >= number

        await eventually(next_moment)
        untils.append((await store.pulse.listen()).outages[-1].until_ms)
    heard = await store.pulse.listen()
    assert len(heard.outages) == 3
    assert heard.count >= 5
    assert [one.until_ms for one in heard.outages][-1] >= untils[-1]
    assert list(heard.outages) == sorted(heard.outages, key=lambda one: one.from_ms)


def test_time_lost_is_what_outages_took_of_it() -> None:
    heard = Heard(100, 90, 20, (Outage(10, 20), Outage(40, 70)))
    assert [heard.lost_since_ms(at_ms) for at_ms in (0, 15, 30, 50, 80)] == [40, 35, 30, 20, 0]
    silent = Heard(200, 90, 20, (Outage(10, 20),))
    assert silent.lost_since_ms(0) == 10 + 110
    assert [one.until_ms for one in silent.since(15)] == [20, 200]


async def test_no_outage_lasts_longer_than_a_clock_that_was_set_back_has_gone(
    store: Store,
) -> None:
    began_ms = (await store.pulse.beat(LONG_MS)).now_ms
    past, around, ahead = (
        (began_ms - 900_000, began_ms - 800_000),
        (began_ms - 100, began_ms + 3_600_000),
        (began_ms + 3_700_000, began_ms + 3_800_000),
    )
    (pulse,) = store.keys.of_shard(0, "pulse")
    spans = "".join(f"{start}-{end} " for start, end in (past, around, ahead))
    facts = ("outages", spans, "at", str(began_ms + 3_900_000))
    await store.pipelining.call(0, "HSET", pulse, *facts)
    heard = await store.pulse.listen()
    assert heard.lost_since_ms(began_ms) == heard.now_ms - began_ms
    heard = await store.pulse.beat(LONG_MS)
    assert heard.outages == (Outage(*past), Outage(around[0], heard.now_ms))
    assert (await store.pulse.listen()).outages == heard.outages
