"""Traces: one id, given by a client, leads from the gateway to the worker that plays on."""

from __future__ import annotations

import asyncio
import re
import secrets
from typing import NamedTuple

import pytest

from hutch.client import Batch, Hutch, HutchError, Table, traced
from hutch.v1 import table_service_pb2 as service_pb
from tests.redis_servers import eventually
from tests.stacks import RunningStack

#: What each process logs of a call that its caller wants to see.
GATEWAY, RULES, WORKER, TIMEKEEPER = "answered", "resolved", "played", "default_played"


class Line(NamedTuple):
    """A line of the log of a stack: of which of its processes, and what it tells."""

    process: str
    event: str
    text: str


def trace_id_of(traceparent: str) -> str:
    return traceparent.split("-")[1]


def traceparent(flags: str = "01") -> str:
    """A context, as no other test sends it."""
    return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-{flags}"


def lines(stack: RunningStack, traceparent: str) -> list[Line]:
    """What the processes of the stack logged in that trace."""
    named = rf"^([\w-]+) +│ \S+ \[info +\] (\w+) .* trace_id={trace_id_of(traceparent)}$"
    said = stack.log.read_text()
    return [Line(one[1], one[2], one[0]) for one in re.finditer(named, said, re.MULTILINE)]


async def found(stack: RunningStack, traceparent: str, *events: str) -> list[Line]:
    """The lines of that trace, once all those events are among them."""

    async def all_of_them() -> list[Line] | None:
        logged = lines(stack, traceparent)
        return logged if {line.event for line in logged}.issuperset(events) else None

    return await eventually(all_of_them)


@pytest.fixture
async def against_a_bot(ada: Hutch) -> Table:
    """A started table of Ada, on seat 0, and a bot."""
    table = await ada.create_table("rabbit-space", seats=2)
    await table.claim(0)
    await table.assign_bot(1, "random")
    await table.start()
    return table


async def test_an_id_of_a_client_is_in_the_logs_from_gateway_to_worker(
    stack: RunningStack, ada: Hutch
) -> None:
    """By unary calls, and by an action over a Play stream, which has one of its own."""
    dealt, played = traceparent(), traceparent()
    with traced(dealt):
        table = await ada.create_table("rabbit-space", seats=2)
        await table.claim(0)
        await table.assign_bot(1, "random")
        await table.start()
    of_the_deal = await found(stack, dealt, GATEWAY, "dealt", WORKER)
    processes = {line.process.rstrip("-12") for line in of_the_deal}
    assert processes == {"gateway", "rules", "worker"}
    async for turn in table.seat(0).play():
        with traced(played):
            await turn.answer(*turn.sample())
        break
    of_the_answer = await found(stack, played, GATEWAY, RULES)
    assert "method=Play " in "".join([line.text for line in of_the_answer])


async def test_the_bot_that_a_traced_answer_wakes_is_in_its_trace(
    stack: RunningStack, ada: Hutch, against_a_bot: Table
) -> None:
    sent = []
    async for turn in against_a_bot.seat(0).play():
        sent.append(traceparent())
        with traced(sent[-1]):
            await turn.answer(*turn.sample())
        logged = [line for one in sent for line in lines(stack, one) if line.event == WORKER]
        if logged:  # else the bot had been at it before
            break
    assert f" table={against_a_bot.name.removeprefix('tables/')} " in logged[0].text


async def test_the_clock_that_runs_out_after_a_traced_call_is_in_its_trace(
    stack: RunningStack, ada: Hutch, ben: Hutch
) -> None:
    sent = traceparent()
    table = await ada.create_table("rabbit-space", seats=2, limits={"phase": 0.3})
    await table.claim(0)
    await ben.table(table.name).claim(1)
    with traced(sent):
        await table.start()
    await found(stack, sent, GATEWAY, "dealt", TIMEKEEPER, RULES)
    revision = (await table.get()).revision
    async for update in table.watch():  # until the clock has played once more
        if isinstance(update, Batch) and update.batch.revision > revision:
            break
    assert [line.event for line in lines(stack, sent)].count(TIMEKEEPER) == 1


@pytest.mark.parametrize(
    "sent", [traceparent("00"), f"{traceparent()}x"], ids=["unsampled", "unreadable"]
)
async def test_who_does_not_want_to_see_it_or_sends_nonsense_leaves_no_line(
    stack: RunningStack, ada: Hutch, table: Table, sent: str
) -> None:
    with traced(sent):
        async for turn in table.seat(0).play():
            assert await turn.answer(*turn.sample()) is not None
            break
    seen = traceparent()
    with traced(seen):
        await table.get()
    await found(stack, seen, GATEWAY)
    assert trace_id_of(sent) not in stack.log.read_text()


async def test_a_refusal_names_the_trace_of_who_wants_to_see_it(ada: Hutch) -> None:
    sent = traceparent()
    with traced(sent), pytest.raises(HutchError) as refused:
        await ada.table("tables/none").get()
    assert refused.value.metadata["trace_id"] == trace_id_of(sent)
    assert str(refused.value).endswith(f"[NAME_INVALID, trace {trace_id_of(sent)}]")
    with pytest.raises(HutchError) as untraced:
        await ada.table("tables/none").get()
    assert "trace_id" not in untraced.value.metadata


async def test_an_action_over_a_stream_is_of_the_stream_s_trace_unless_it_has_its_own(
    stack: RunningStack, ada: Hutch, table: Table
) -> None:
    stream, own = traceparent(), traceparent()
    metadata = (("authorization", f"Bearer {ada.token}"), ("traceparent", stream))
    call = ada._calls.tables.Play(metadata=metadata)
    submit = service_pb.SubmitActionRequest(seat=f"{table.name}/seats/0", request_id="no uuid")
    submit.action.prompt_id = 1
    for given, followed in ((own, own), ("", stream)):
        await call.write(service_pb.PlayRequest(submit=submit, traceparent=given))
        async with asyncio.timeout(30):
            answer = await call.read()
        assert isinstance(answer, service_pb.PlayResponse)
        assert answer.refusal.metadata["trace_id"] == trace_id_of(followed)
    call.cancel()


async def test_all_who_watch_a_table_are_told_though_the_first_of_them_is_traced(
    stack: RunningStack, ada: Hutch, table: Table
) -> None:
    """What serves many is in nobody's trace."""
    sent = traceparent()
    with traced(sent):
        watching = table.watch()
        await anext(watching)
    async for turn in table.seat(0).play():
        await turn.answer(*turn.sample())
        break
    async for update in watching:
        if isinstance(update, Batch):
            break
    await watching.aclose()
    assert {line.event for line in lines(stack, sent)} <= {GATEWAY}
