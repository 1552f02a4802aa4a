"""Clocks: the default is played when time runs out, and everybody sees when that will be."""

from __future__ import annotations

import asyncio
import re

from hutch.client import Batch, Hutch, TimeControl
from hutch.v1 import table_pb2
from tests.stacks import RunningStack


async def test_a_game_that_nobody_plays_is_played_to_its_end_by_the_clock(ada: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=2, limits={"phase": 0.1})
    await table.claim(0)
    await table.assign_bot(1, "random")
    await table.start()
    async with asyncio.timeout(60):
        async for _ in table.watch():
            pass
    assert (await table.get()).state == table_pb2.TABLE_STATE_FINISHED


async def test_a_deadline_is_in_the_view_and_listed_with_its_time(ada: Hutch, ben: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=2, limits={"phase": 600})
    await table.claim(0)
    await ben.table(table.name).claim(1)
    await table.start()
    view = await table.seat(0).view()
    listed = await table.deadlines()
    assert [(one.cause, one.seat) for one in listed] == [("phase", 0), ("phase", 1)]
    assert {one.seat: one.due_time for one in view.deadlines} == {
        one.seat: one.due_time for one in listed
    }
    assert 540 < listed[0].remaining.seconds <= 600
    ask = next(prompt for prompt in view.prompts.prompts if not prompt.offered)
    assert ask.due_time == listed[0].due_time


async def test_a_default_is_played_at_its_time_and_not_before(ada: Hutch, ben: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=2, limits={"phase": 0.5})
    await table.claim(0)
    await ben.table(table.name).claim(1)
    await table.start()
    due = (await table.deadlines())[0].due_time.ToMilliseconds()
    async for update in table.watch():
        if isinstance(update, Batch):
            break
    assert isinstance(update, Batch)
    assert due <= update.batch.commit_time.ToMilliseconds() < due + 10_000


async def test_a_time_bank_is_in_the_deadlines_and_everybody_sees_what_is_left_of_it(
    ada: Hutch, ben: Hutch
) -> None:
    control = TimeControl.per_turn(0.2, bank=600)
    table = await ada.create_table("rabbit-space", seats=2, time_control=control)
    await table.claim(0)
    await ben.table(table.name).claim(1)
    assert (await table.start()).time_bank.seconds == 600
    view = await table.view()
    dealt = view.deadlines[0].due_time.ToMilliseconds() - 600_200
    assert [one.ToMilliseconds() <= 600_000 for one in view.time_banks] == [True, True]
    async for turn in table.seat(0).play():
        while True:  # until the limit is used up, and the bank runs
            left = [one.ToMilliseconds() for one in (await table.view()).time_banks]
            if left[0] < 600_000:
                break
        batch = await turn.answer(*turn.sample())
        assert batch is not None
        taken = 600_000 - batch.time_banks[0].ToMilliseconds()
        assert 600_000 - left[0] <= taken <= batch.commit_time.ToMilliseconds() - dealt
        break


async def test_by_correspondence_every_clock_has_days(ada: Hutch) -> None:
    for ruleset, seats in (("rabbit-space", 1), ("killer-bunnies", 2), ("tale-of-carrot", 3)):
        control = TimeControl.correspondence(days=3)
        table = await ada.create_table(ruleset, seats=seats, time_control=control)
        await table.claim(0)
        for seat in range(1, seats):
            await table.assign_bot(seat, "random")
        await table.start()
        async for turn in table.seat(0).play():
            (mine,) = [one for one in turn.deadlines if one.seat == 0 and one.HasField("due_time")]
            assert 2 * 86_400 < mine.remaining.seconds <= 3 * 86_400
            break


async def test_timers_are_counted(stack: RunningStack, ada: Hutch) -> None:
    await test_a_game_that_nobody_plays_is_played_to_its_end_by_the_clock(ada)
    metrics = stack.scrape("timekeeper")
    fired = re.search(r"^hutch_timers_fired_total ([\d.]+)$", metrics, re.MULTILINE)
    assert fired is not None
    assert float(fired[1]) > 0
    assert "hutch_timer_lateness_seconds_bucket" in metrics
    assert "hutch_timers_pending" in metrics


async def test_a_pending_feed_card_is_listed_with_its_turn_and_counted(
    stack: RunningStack, ada: Hutch
) -> None:
    """KB-074: in every view with its cause, and with its time once its owner's turn has begun."""
    before = fed(stack)
    seen = None
    while seen is None:
        table = await ada.create_table("killer-bunnies", seats=4, limits={"turn": 600})
        for seat in range(4):
            await table.assign_bot(seat, "random")
        watch = table.watch()
        await table.start()
        async for update in watch:
            if isinstance(update, Batch):
                feeds = [one for one in update.batch.deadlines if one.cause == "feed-the-bunny"]
                seen = next((one for one in feeds if one.HasField("due_time")), seen)
    assert seen.HasField("due_turn")
    assert len(seen.subjects) == 2
    assert 0 < seen.remaining.seconds <= 600
    assert fed(stack) > before


def fed(stack: RunningStack) -> float:
    """How many Feed cards were laid, as far as the workers tell."""
    line = r'hutch_rule_deadlines_total\{cause="feed-the-bunny",ruleset="killer-bunnies"\} ([\d.]+)'
    found = re.search(line, stack.scrape("worker-1"))
    return float(found[1]) if found else 0.0
