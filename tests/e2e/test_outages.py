"""Real outages: time in which nobody could answer is credited, and no default comes early."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import takewhile

import pytest

from hutch.client import Hutch, Retries, Table, TimeControl, connect
from hutch.engine.commands import Credit, Tick
from hutch.engine.replay import Logged, decode_logged
from hutch.store.pulse import Heard, Outage
from hutch.store.store import Store
from tests.commands import hutch
from tests.oracle import judge
from tests.redis_servers import eventually
from tests.stacks import RunningStack, running_stack

GRACE_MS = 2_000
LIMIT_MS = 6_000
BANK_MS = 600_000
PATIENT = Retries(give_up_after=60)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """A stack of this module's own, with one gateway, which is taken down."""
    data = tmp_path_factory.mktemp("outages") / "data"
    environ = {"HUTCH_OUTAGE_GRACE_SECONDS": str(GRACE_MS / 1000)}
    with running_stack(data, "--workers", "1", environ=environ) as running:
        yield running


async def test_while_no_gateway_answers_no_default_is_played_and_the_time_is_credited(
    stack: RunningStack,
) -> None:
    async with await Store.open(stack.redis_url) as store:
        async with guest(stack) as ada:
            table, due_ms = await begun(ada, store, TimeControl({"*": LIMIT_MS / 1000}))
        gateway = stack.facts["pids"]["gateway"]
        os.kill(gateway, signal.SIGSTOP)
        try:
            await eventually(lambda: is_past(store, due_ms + 500), within_s=60)
            told = why(stack, table)
            assert "OUTAGE: nobody can answer since" in told
            assert await commands(store, table) == []
        finally:
            os.kill(gateway, signal.SIGCONT)
        lost_ms = await credited(store, table)
        async with guest(stack) as ada:
            (deadline,) = await ada.table(table.name).deadlines()
        assert deadline.due_time.ToMilliseconds() == due_ms + lost_ms
        assert {type(one.command) for one in await commands(store, table)} == {Credit}


async def test_after_a_crash_of_everything_the_default_is_played_once_and_at_its_new_time(
    stack: RunningStack,
) -> None:
    before = await heard(stack)
    async with await Store.open(stack.redis_url) as store, guest(stack) as ada:
        table, due_ms = await begun(ada, store, TimeControl({"*": LIMIT_MS / 1000}))
        banked, _ = await begun(ada, store, TimeControl({"*": 0.1}, bank=BANK_MS / 1000))
    stack.crash()
    stack.launch()
    await asyncio.to_thread(stack.wait_until_up)
    async with await Store.open(stack.redis_url) as store:
        lost_ms = await credited(store, table)

        async def played() -> list[Logged]:
            logged = await commands(store, table)
            return logged if any(isinstance(one.command, Tick) for one in logged) else []

        logged = await eventually(played, within_s=60, every_s=0.05)
        before_tick = list(takewhile(lambda one: not isinstance(one.command, Tick), logged))
        assert {type(one.command) for one in before_tick} == {Credit}
        tick = logged[len(before_tick)]
        assert 0 <= tick.at_ms - (due_ms + lost_ms) < 10_000
        assert not (await judge(store, table.name.removeprefix("tables/"))).faults

        after = await store.pulse.listen()
        assert (after.count, after.lost_ms) == (before.count + 1, before.lost_ms + lost_ms)
        await credited(store, banked)
        async with guest(stack) as ada:
            view = await ada.table(banked.name).view()
        served_ms = view.view_time.ToMilliseconds() - await dealt(store, banked)
        used_ms = BANK_MS - view.time_banks[0].ToMilliseconds()
        assert used_ms <= served_ms - lost_ms, "the bank is not charged for the outage"
    assert re.search(rf"last outage: {lost_ms / 1000:.1f} s, over .*; no clock", why(stack, table))
    page = await asyncio.to_thread(stack.scrape, "timekeeper")
    assert f"hutch_outages {float(after.count)}" in page
    assert f"hutch_outage_seconds {after.lost_ms / 1000}" in page


@asynccontextmanager
async def guest(stack: RunningStack) -> AsyncIterator[Hutch]:
    """Somebody at the gateway."""
    async with connect(stack.gateway, retries=PATIENT) as ada:
        await ada.guest("Ada")
        yield ada


async def begun(ada: Hutch, store: Store, control: TimeControl) -> tuple[Table, int]:
    """A game of one who never answers, which the service has lived to see: with when it is due."""
    table = await ada.create_table("rabbit-space", seats=1, time_control=control)
    await table.claim(0)
    await table.start()
    (deadline,) = await table.deadlines()
    started_ms = await store.tables.now_ms()

    async def beaten() -> bool:
        return ((await store.pulse.listen()).last_ms or 0) > started_ms

    await eventually(beaten)
    return table, deadline.due_time.ToMilliseconds()


async def is_past(store: Store, at_ms: int) -> bool:
    """Whether that time is past, and an outage on."""
    pulse = await store.pulse.listen()
    return pulse.now_ms > at_ms and pulse.ongoing is not None


async def heard(stack: RunningStack) -> Heard:
    """The pulse as it is."""
    async with await Store.open(stack.redis_url) as store:
        return await store.pulse.listen()


async def commands(store: Store, table: Table) -> list[Logged]:
    """What was accepted at a table since its deal."""
    inputs = await store.tables.read_inputs(table.name.removeprefix("tables/"), 1, 1000)
    return [decode_logged(data) for _, data in inputs]


async def dealt(store: Store, table: Table) -> int:
    """When that table's game was dealt."""
    ((dealt_ms, _),) = await store.tables.read_inputs(table.name.removeprefix("tables/"), 0, 1)
    return dealt_ms


async def credited(store: Store, table: Table) -> int:
    """Wait until the table was credited with all of the outage that is over: how long that was.

    Whatever is tried at a table while the outage is on credits it with what there was so far.
    """

    async def whole() -> Outage | None:
        credits = [one.command for one in await commands(store, table)]
        outages = (await store.pulse.listen()).outages
        over = outages and Credit(outages[-1].from_ms, outages[-1].until_ms) in credits
        return outages[-1] if over else None

    outage = await eventually(whole, within_s=60, every_s=0.05)
    assert outage is not None
    return outage.until_ms - outage.from_ms


def why(stack: RunningStack, table: Table) -> str:
    """What `hutch why` tells of it."""
    return hutch("why", table.name, "--data", str(stack.data)).stdout
