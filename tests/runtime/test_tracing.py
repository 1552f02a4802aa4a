"""Traces: what a caller may send, and what of it is in the logs."""

from __future__ import annotations

import asyncio
import io

import pytest

from hutch.runtime.tracing import Trace, follow, followed, made, parsed
from tests.runtime.test_logs import configure, events, written

__all__ = ["written"]

ID = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


@pytest.mark.parametrize(
    ("traceparent", "is_sampled"),
    [
        (f"00-{ID}-{PARENT}-01", True),
        (f"00-{ID}-{PARENT}-00", False),
        (f"00-{ID}-{PARENT}-03", True),
        (f"00-{ID}-{PARENT}-02", False),
        (f"cc-{ID}-{PARENT}-01", True),
        (f"cc-{ID}-{PARENT}-01-and-more", True),
    ],
)
def test_a_traceparent_is_read_as_w3c_writes_it(traceparent: str, is_sampled: bool) -> None:
    assert parsed(traceparent) == Trace(bytes.fromhex(ID), is_sampled)


@pytest.mark.parametrize(
    "traceparent",
    [
        "",
        "nonsense",
        f"00-{'0' * 32}-{PARENT}-01",
        f"00-{ID}-{'0' * 16}-01",
        f"ff-{ID}-{PARENT}-01",
        f"00-{ID.upper()}-{PARENT}-01",
        f"00-{ID[1:]}-{PARENT}-01",
        f"00-{ID}-{PARENT}-1",
        f"00-{ID}-{PARENT}-01-more",
        f"cc-{ID}-{PARENT}-01more",
        f" 00-{ID}-{PARENT}-01",
        f"00-{ID}-{PARENT}-01\n",
        f"00-{ID}-{PARENT}-01" * 1000,
    ],
)
def test_what_is_no_traceparent_is_nobodys(traceparent: str) -> None:
    assert parsed(traceparent) is None


def test_an_id_of_our_own_is_not_sampled_and_new_each_time() -> None:
    one, other = made(), made()
    assert parsed(f"00-{one}-{PARENT}-00") == one
    assert one != other


async def test_a_line_has_the_trace_of_the_task_that_logs_it(written: io.StringIO) -> None:
    log = configure(written)
    trace = Trace(bytes.fromhex(ID))

    async def work(of: Trace | None) -> None:
        follow(of)
        await asyncio.sleep(0)  # the others come between
        log.info("worked")

    await asyncio.gather(work(trace), work(None))
    log.info("later")
    assert [event.get("trace_id") for event in events(written)] == [ID, None, None]
    assert followed() is None
