"""Tables: what is committed is stored, all of it, once, and in one place."""

from __future__ import annotations

import asyncio
import re

import pytest

from hutch.store.commits import Commit, Committed, Conflict, Listing, Repeated, Stored
from hutch.store.embedded import EmbeddedServer
from hutch.store.errors import StoreError, StoreUnavailable
from hutch.store.keys import shard_of
from hutch.store.store import Store
from tests.redis_servers import eventually


def a_commit(revision: int = 0, table_id: str = "t", **more: object) -> Commit:
    parts: dict[str, object] = {"log": {"s": b"told"}} | more
    return Commit(table_id=table_id, expected_revision=revision, **parts)  # type: ignore[arg-type]


async def keys_of(store: Store) -> list[str]:
    """All keys in the namespace of a test."""
    pattern = f"{store.keys.namespace}:*"
    return sorted([key.decode() async for key in store.client.scan_iter(match=pattern)])


async def test_a_committed_table_loads_as_it_was_committed(store: Store) -> None:
    made = await store.tables.commit(
        a_commit(meta=b"meta \x00\xff", record=b"record\r\n", resolved_ms=17)
    )
    match made, await store.tables.load("t"):
        case (
            Committed(1, commit_ms, epoch, token),
            Stored("t", 1, same_epoch, meta, record, now_ms, 17, same_token),
        ):
            assert (meta, record) == (b"meta \x00\xff", b"record\r\n")
            assert commit_ms <= now_ms
            assert (epoch, token) == (same_epoch, same_token)
        case other:
            pytest.fail(f"{other}")


async def test_a_table_that_never_was_is_not_found(store: Store) -> None:
    assert await store.tables.load("nowhere") is None
    assert await store.tables.read_log("nowhere", 0, 10) == []
    assert await store.tables.read_inputs("nowhere", 0, 10) == []
    assert await store.tables.find_request("nowhere", "r") is None


async def test_what_a_commit_does_not_give_is_kept(store: Store) -> None:
    await store.tables.commit(a_commit(0, meta=b"meta", record=b"record"))
    await store.tables.commit(a_commit(1, record=b"later"))
    await store.tables.commit(a_commit(2, meta=b""))
    stored = await store.tables.load("t")
    assert stored is not None
    assert (stored.revision, stored.meta, stored.record) == (3, b"", b"later")


async def test_a_table_without_a_game_has_no_record(store: Store) -> None:
    await store.tables.commit(a_commit(meta=b"gathering"))
    stored = await store.tables.load("t")
    assert stored is not None
    assert stored.record is None


async def test_loads_and_commits_of_one_tick_reach_their_own_tables(store: Store) -> None:
    ids = [f"table-{number}" for number in range(200)]
    made = await asyncio.gather(
        *[store.tables.commit(a_commit(table_id=one, meta=one.encode())) for one in ids]
    )
    loaded = await asyncio.gather(*[store.tables.load(one) for one in ids])
    assert all(isinstance(one, Committed) for one in made)
    assert [one and one.meta for one in loaded] == [one.encode() for one in ids]


@pytest.mark.parametrize("revision", [0, 1, 7])
async def test_of_fifty_commits_on_one_revision_one_wins(store: Store, revision: int) -> None:
    for before in range(revision):
        await store.tables.commit(a_commit(before))
    outcomes = await asyncio.gather(
        *[store.tables.commit(a_commit(revision, record=b"%d" % racer)) for racer in range(50)]
    )
    winners = [racer for racer, one in enumerate(outcomes) if isinstance(one, Committed)]
    others = [one for one in outcomes if not isinstance(one, Committed)]
    stored = await store.tables.load("t")
    assert len(winners) == 1
    assert others == [Conflict(revision + 1)] * 49
    assert stored is not None
    assert stored.record == b"%d" % winners[0]
    assert len(await store.tables.read_log("t", revision, 100)) == 1


async def test_a_change_of_a_table_that_is_not_there_conflicts(store: Store) -> None:
    assert await store.tables.commit(a_commit(3)) == Conflict(0)
    assert await keys_of(store) == []


async def test_a_conflict_changes_nothing(store: Store) -> None:
    await store.tables.commit(a_commit(0, record=b"kept", due_ms=5))
    before = await keys_of(store)
    late = a_commit(
        0,
        record=b"late",
        log={"s": b"late"},
        inputs=b"late",
        notes=(b"late",),
        request_id="late",
        listing=Listing("playing", "rs"),
        finished=True,
    )
    assert await store.tables.commit(late) == Conflict(1)
    assert await keys_of(store) == before
    assert await store.timers.size() == 1
    assert await store.tables.find_request("t", "late") is None
    assert await store.tables.load("t") is not None


async def test_a_commit_before_its_time_waits_and_is_never_early(store: Store) -> None:
    for revision in range(20):
        not_before_ms = await store.tables.now_ms() + 1 + 2 * revision
        made = await store.tables.commit(a_commit(revision, not_before_ms=not_before_ms))
        assert isinstance(made, Committed)
        assert made.commit_ms >= not_before_ms


async def test_a_commit_that_waits_for_its_time_holds_up_nobody(store: Store) -> None:
    not_before_ms = await store.tables.now_ms() + 60_000
    waiting = asyncio.create_task(store.tables.commit(a_commit(not_before_ms=not_before_ms)))
    await asyncio.sleep(0)  # it is sent first
    assert isinstance(await store.tables.commit(a_commit()), Committed)
    assert not waiting.done()
    waiting.cancel()


async def test_of_a_commit_that_waits_for_its_time_and_another_one_wins(store: Store) -> None:
    not_before_ms = await store.tables.now_ms() + 100
    waiting = asyncio.create_task(store.tables.commit(a_commit(not_before_ms=not_before_ms)))
    await asyncio.sleep(0)  # it is sent first
    # On a busy machine its time may have come before the other is there.
    outcomes = [await store.tables.commit(a_commit()), await waiting]
    assert sum(isinstance(one, Committed) for one in outcomes) == 1
    assert outcomes.count(Conflict(1)) == 1


async def test_a_repeated_request_is_told_what_it_did(store: Store) -> None:
    request = a_commit(0, record=b"r", inputs=b"i", request_id="one", request_digest=b"\x00 d")
    await store.tables.commit(request)
    await store.tables.commit(a_commit(1, request_id="two", request_digest=b""))
    assert await store.tables.commit(request) == Repeated(1, b"\x00 d")
    assert await store.tables.commit(
        a_commit(2, request_id="two", request_digest=b"other")
    ) == Repeated(2, b"")
    assert await store.tables.find_request("t", "one") == Repeated(1, b"\x00 d")
    assert await store.tables.find_request("t", "three") is None
    assert len(await store.tables.read_log("t", 0, 10)) == 2
    assert len(await store.tables.read_inputs("t", 0, 10)) == 1


async def test_one_request_sent_fifty_times_at_once_happens_once(store: Store) -> None:
    request = a_commit(0, request_id="one", request_digest=b"d")
    outcomes = await asyncio.gather(*[store.tables.commit(request) for _ in range(50)])
    assert sum(isinstance(one, Committed) for one in outcomes) == 1
    assert outcomes.count(Repeated(1, b"d")) == 49


async def test_a_request_id_belongs_to_its_table(store: Store) -> None:
    await store.tables.commit(a_commit(0, "one", request_id="r"))
    assert isinstance(await store.tables.commit(a_commit(0, "two", request_id="r")), Committed)


async def test_what_tells_nobody_anything_is_not_in_the_log(store: Store) -> None:
    await store.tables.commit(a_commit(0, log={"s": b"told"}))
    await store.tables.commit(a_commit(1, log={}, meta=b"m"))
    await store.tables.commit(a_commit(2, log={"s": b"told"}))
    assert [one.revision for one in await store.tables.read_log("t", 0, 9)] == [1, 3]
    await store.tables.commit(a_commit(0, table_id="silent", log={}, meta=b"m"))
    assert store.keys.log("silent") not in await keys_of(store)


async def test_the_log_tells_every_revision_in_its_parts(store: Store) -> None:
    told = [{"s": b"shared", "0": b"\x00", "ms": b"not the time"}, {"t": b"t"}, {"p": b""}]
    times = []
    for revision, parts in enumerate(told):
        made = await store.tables.commit(a_commit(revision, log=parts))
        assert isinstance(made, Committed)
        times.append(made.commit_ms)
    entries = await store.tables.read_log("t", 0, 10)
    assert [entry.revision for entry in entries] == [1, 2, 3]
    assert [entry.fields for entry in entries] == told
    assert [entry.commit_ms for entry in entries] == times
    assert await store.tables.read_log("t", 1, 1) == entries[1:2]
    assert await store.tables.read_log("t", 3, 10) == []


async def test_inputs_are_kept_in_order_with_their_times(store: Store) -> None:
    inputs = [b"deal", None, b" \x00 ", b""]
    times = []
    for revision, data in enumerate(inputs):
        made = await store.tables.commit(a_commit(revision, inputs=data))
        assert isinstance(made, Committed)
        times.append(made.commit_ms)
    kept = [(times[0], b"deal"), (times[2], b" \x00 "), (times[3], b"")]
    assert await store.tables.read_inputs("t", 0, 10) == kept
    assert await store.tables.read_inputs("t", 1, 1) == kept[1:2]


async def test_every_key_of_a_table_lies_in_its_shard(store: Store) -> None:
    ids = [f"table-{number}" for number in range(20)]
    for one in ids:
        await store.tables.commit(
            a_commit(
                0,
                one,
                meta=b"m",
                inputs=b"i",
                due_ms=1,
                hint=True,
                notes=(b"n",),
                listing=Listing("playing", "rs"),
            )
        )
    await store.timers.claim_due(range(256), 100, 1000)
    shards = {f"s{shard_of(one):02x}" for one in ids}
    form = re.compile(rf"{store.keys.namespace}:\{{(s[0-9a-f]{{2}})\}}:([a-z]+)(?::(.+))?")
    for key in await keys_of(store):
        found = form.fullmatch(key)
        assert found is not None, key
        shard, _, table_id = found.groups()
        assert shard in shards
        assert table_id is None or shard == f"s{shard_of(table_id):02x}"


async def test_the_shard_of_a_table_never_changes() -> None:
    assert [shard_of(one) for one in ("", "t", "table-1", "käse")] == [0, 168, 49, 247]


async def test_a_finished_table_is_kept_a_week_and_no_longer(store: Store) -> None:
    await store.tables.commit(a_commit(0, record=b"r", inputs=b"i", due_ms=5, hint=True))
    await store.tables.commit(a_commit(1, finished=True, notes=(b"over",), request_id="last"))
    await store.tables.commit(a_commit(2, meta=b"someone left", inputs=b"late", due_ms=7))
    week = 7 * 24 * 3600 * 1000
    ours = [key for key in await keys_of(store) if key.endswith(":t")]
    assert len(ours) == 3
    for key in ours:
        assert week - 60_000 < await store.client.pttl(key) <= week
    assert await store.timers.size() == await store.hints.size() == 0
    assert await store.outbox.size() == 1
    assert await store.tables.find_request("t", "last") is not None


async def test_a_table_is_kept_a_day_until_it_is_started_and_then_for_good(store: Store) -> None:
    gathering, playing = Listing("gathering", "rabbit-space"), Listing("playing", "rabbit-space")
    await store.tables.commit(a_commit(0, listing=gathering, unstarted=True))
    await store.tables.commit(a_commit(1, meta=b"somebody sat down", listing=gathering))
    day = 24 * 3600 * 1000
    for key in [key for key in await keys_of(store) if key.endswith(":t")]:
        assert day - 60_000 < await store.client.pttl(key) <= day
    await store.tables.commit(a_commit(2, record=b"r", inputs=b"i", listing=playing))
    ours = [key for key in await keys_of(store) if key.endswith(":t")]
    assert [await store.client.pttl(key) for key in ours] == [-1, -1, -1]


async def test_a_table_that_has_expired_may_be_made_anew(any_redis: object, namespace: str) -> None:
    url = any_redis.url  # type: ignore[attr-defined]
    async with await Store.open(url, namespace=namespace, finished_ttl_s=0) as store:
        await store.tables.commit(a_commit(0, log={"s": b"old"}, inputs=b"i", finished=True))

        async def gone() -> bool:
            return await store.tables.load("t") is None

        await eventually(gone)
        made = await store.tables.commit(a_commit(0, log={"s": b"new"}))
        assert isinstance(made, Committed)
        assert [one.fields for one in await store.tables.read_log("t", 0, 9)] == [{"s": b"new"}]


async def test_the_clock_is_that_of_redis(store: Store) -> None:
    before = await store.tables.now_ms()
    made = await store.tables.commit(a_commit())
    assert isinstance(made, Committed)
    assert before <= made.commit_ms + 5  # two nodes of a cluster may differ, if not on one machine
    assert made.commit_ms <= await store.tables.now_ms() + 5


async def test_a_commit_that_fails_half_way_changes_nothing(store: Store) -> None:
    await store.tables.commit(a_commit(0, record=b"r"))
    log_key = store.keys.log("t")
    await store.client.delete(log_key)
    await store.client.set(log_key, "not a stream")
    with pytest.raises(StoreError, match="WRONGTYPE"):
        await store.tables.commit(a_commit(1, record=b"x", due_ms=5, hint=True, request_id="r"))
    stored = await store.tables.load("t")
    assert stored is not None
    assert (stored.revision, stored.record) == (1, b"r")
    assert await store.timers.size() == await store.hints.size() == 0
    assert await store.tables.find_request("t", "r") is None


async def test_a_full_server_refuses_a_commit_and_still_loads(
    own_redis_server: EmbeddedServer, namespace: str
) -> None:
    async with await Store.open(own_redis_server.url, namespace=namespace) as store:
        await store.tables.commit(a_commit(0, record=b"r"))
        own_redis_server.ask("CONFIG", "SET", "maxmemory", "1mb")
        with pytest.raises(StoreUnavailable, match="maxmemory"):
            await store.tables.commit(a_commit(1, record=b"x" * 100, due_ms=5, hint=True))
        stored = await store.tables.load("t")
        assert stored is not None
        assert (stored.revision, stored.record) == (1, b"r")
        assert await store.timers.size() == 0
        own_redis_server.ask("CONFIG", "SET", "maxmemory", "0")
        assert isinstance(await store.tables.commit(a_commit(1)), Committed)


def test_a_namespace_cannot_break_the_shards() -> None:
    from hutch.store.keys import Keys

    with pytest.raises(ValueError, match="cannot start keys"):
        Keys("a{b}")
