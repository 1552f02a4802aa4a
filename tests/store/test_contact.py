"""Contact: that Redis is away is told once, seldom again, and once when it is back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, MutableMapping
from itertools import pairwise
from typing import Any

import pytest
import structlog
from structlog.contextvars import bound_contextvars, merge_contextvars

from hutch.runtime import metrics
from hutch.store.commits import Commit
from hutch.store.contact import Contact
from hutch.store.embedded import EmbeddedServer
from hutch.store.errors import StoreUnavailable
from hutch.store.store import Store
from tests.redis_servers import eventually

Lines = list[MutableMapping[str, Any]]


@pytest.fixture
def lines() -> Iterator[Lines]:
    """All that is logged, with what its context says of it."""
    with structlog.testing.capture_logs(processors=[merge_contextvars]) as logged:
        yield logged


async def ask(store: Store, times: int = 1) -> int:
    """Load a table so many times at once: how many of them failed."""
    loads = [store.tables.load("t") for _ in range(times)]
    answers = await asyncio.gather(*loads, return_exceptions=True)
    return sum(isinstance(one, StoreUnavailable) for one in answers)


async def is_told_back(lines: Lines) -> bool:
    """Whether the last line says that Redis is back."""
    return lines[-1]["event"] == "store_available"


def failures() -> float:
    """What the metric counts."""
    (family,) = metrics.STORE_FAILURES.metric.collect()
    return family.samples[0].value


async def test_an_outage_is_told_when_it_begins_and_when_it_is_over_however_much_fails(
    own_redis_server: EmbeddedServer, namespace: str, lines: Lines
) -> None:
    before = failures()
    contact = Contact(steady_s=0.1)
    async with await Store.open(
        own_redis_server.url, namespace=namespace, contact=contact
    ) as store:
        assert await ask(store) == 0
        own_redis_server.stop()
        assert await ask(store, 200) == 200
        assert await ask(store, 100) == 100
        own_redis_server.start()
        assert await ask(store) == 0
        await eventually(lambda: is_told_back(lines))
    went, came = lines
    assert went["event"] == "store_unavailable"
    assert "No such file" in went["error"] or "closed" in went["error"]
    # The doorbell calls as well.
    assert came["failed"] >= 300
    assert came["away_seconds"] >= 0
    assert failures() - before == came["failed"]


async def test_a_long_outage_is_told_again_now_and_then(
    own_redis_server: EmbeddedServer, namespace: str, lines: Lines
) -> None:
    contact = Contact(remind_s=0.3)
    async with await Store.open(
        own_redis_server.url, namespace=namespace, contact=contact
    ) as store:
        own_redis_server.stop()
        while len(lines) < 4:
            assert await ask(store) == 1
    assert {one["event"] for one in lines} == {"store_unavailable"}
    first, *again = lines
    assert "away_seconds" not in first
    for earlier, later in pairwise(again):
        assert later["away_seconds"] - earlier["away_seconds"] > 0.19, "they are rounded"
        assert later["failed"] > earlier["failed"]
        assert "No such file" in later["error"]


async def test_a_server_that_serves_one_call_and_refuses_the_next_is_not_back(
    own_redis_server: EmbeddedServer, namespace: str, lines: Lines
) -> None:
    contact = Contact(steady_s=60)
    async with await Store.open(
        own_redis_server.url, namespace=namespace, contact=contact
    ) as store:
        own_redis_server.ask("CONFIG", "SET", "maxmemory", "1mb")
        for number in range(30):
            if number == 29:  # from the last failure on
                contact._steady_s = 0.1
            with pytest.raises(StoreUnavailable, match="maxmemory"):
                await store.tables.commit(Commit(table_id="t", expected_revision=0))
            assert [one["event"] for one in lines] == ["store_unavailable"]
            assert await ask(store) == 0
        own_redis_server.ask("CONFIG", "SET", "maxmemory", "0")
        await store.tables.commit(Commit(table_id="t", expected_revision=0))
        await eventually(lambda: is_told_back(lines))
    assert [one["event"] for one in lines] == ["store_unavailable", "store_available"]
    assert lines[-1]["failed"] == 30


async def test_revocations_that_cannot_be_read_are_told_too(
    own_redis_server: EmbeddedServer, namespace: str, lines: Lines
) -> None:
    store = await Store.open(own_redis_server.url, namespace=namespace)
    own_redis_server.stop()
    with pytest.raises(StoreUnavailable), bound_contextvars(trace_id="4bf9"):
        await store.revocations.names()
    (line,) = lines
    assert line["event"] == "store_unavailable"
    assert "trace_id" not in line, "an outage is of no single call"
    await store.aclose()
