"""Metrics: every process tells, and the numbers are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hutch.client import Hutch
from tests.redis_servers import eventually
from tests.stacks import RunningStack

#: Of games that `series_after_a_game` does not play.
OTHERS = re.compile(r'ruleset="(?!rabbit-space")|strategy="(?!random")')
PROCESSES = ("gateway", "rules-1", "rules-2", "timekeeper", "dispatcher", "worker-1")


@pytest.mark.parametrize("process", PROCESSES)
def test_every_process_is_scraped(process: str, stack: RunningStack) -> None:
    assert "hutch_build_info{" in stack.scrape(process)


async def test_a_bot_game_is_counted_turn_by_turn_in_the_worker(
    stack: RunningStack, ada: Hutch
) -> None:
    before = value(stack.scrape("worker-1"), "hutch_bot_turns_total")
    table = await ada.create_table("rabbit-space", seats=2)
    for seat in range(2):
        await table.assign_bot(seat, "greedy")
    await table.start()
    async for _ in table.watch():
        pass
    turns = (await table.get()).revision - 4  # opened, two bots seated, dealt

    async def are_counted() -> bool:  # a moment after they are told
        after = stack.scrape("worker-1")
        # Bots of other tests may be playing as well.
        counted = value(after, "hutch_bot_turns_total") - before >= turns
        return counted and 'hutch_games_finished_total{ruleset="rabbit-space"}' in after

    await eventually(are_counted, every_s=0.1)


def children_of(pid: int) -> list[Path]:
    """What the kernel tells of each child of a process."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")  # each thread has its own
    return [Path(f"/proc/{child}") for task in tasks for child in task.read_text().split()]


async def test_a_worker_has_no_child_whose_counts_or_channels_could_be_lost(
    stack: RunningStack, ada: Hutch
) -> None:
    worker = stack.facts["pids"]["worker-1"]
    table = await ada.create_table("rabbit-space", seats=1)
    await table.assign_bot(0, "random")
    await table.start()
    async for _ in table.watch():
        pass
    # The nursery counts nothing, and nothing is open there that a fork could harm.
    for child in children_of(worker):
        assert "hutch.workers.thinker" in (child / "cmdline").read_text()
        assert len([*(child / "task").iterdir()]) == 1
        assert "cygrpc" not in (child / "maps").read_text()


async def test_a_worker_that_is_started_again_leaves_no_series_and_no_file(
    stack: RunningStack, ada: Hutch
) -> None:
    before, files = await series_after_a_game(stack, ada), files_of(stack)
    restarts = stack.kill("worker-1")

    async def is_back() -> bool:
        facts = stack.facts
        is_another = facts["restarts"]["worker-1"] > restarts
        return is_another and facts["states"]["worker-1"] == "ready"

    await eventually(is_back, within_s=60)
    assert await series_after_a_game(stack, ada) <= before
    assert files_of(stack) == files


async def series_after_a_game(stack: RunningStack, player: Hutch) -> set[str]:
    """The series of the worker, without their values, once it has played a game and tallied it.
    Other tests' games may be tallied meanwhile: their series do not count."""
    table = await player.create_table("rabbit-space", seats=1)
    await table.assign_bot(0, "random")
    await table.start()

    async def told() -> set[str] | None:
        lines = stack.scrape("worker-1").splitlines()
        series = {
            line.rpartition(" ")[0]
            for line in lines
            if not line.startswith("#") and not OTHERS.search(line)
        }
        tallied = 'hutch_seats_tallied_total{ruleset="rabbit-space",strategy="random"}'
        return series if tallied in series else None

    return await eventually(told, within_s=60, every_s=0.1)


def files_of(stack: RunningStack) -> set[Path]:
    """What lies in the folder of the stack, besides what Redis writes."""
    return {file for file in stack.data.rglob("*") if "redis" not in file.parts}


async def test_tables_are_counted_by_state(stack: RunningStack, ada: Hutch) -> None:
    line = r'hutch_tables\{ruleset="rabbit-space",state="gathering"\} ([\d.]+)'
    await ada.create_table("rabbit-space", seats=2)
    first = re.search(line, stack.scrape("timekeeper"))
    await ada.create_table("rabbit-space", seats=2)
    second = re.search(line, stack.scrape("timekeeper"))
    assert first is not None
    assert second is not None
    assert float(second[1]) == float(first[1]) + 1


async def test_nothing_a_caller_sends_makes_a_series(stack: RunningStack, ada: Hutch) -> None:
    import grpc

    call = ada._calls.channel.unary_unary("/hutch.v1.TableService/NoSuchMethod")
    with pytest.raises(grpc.aio.AioRpcError):
        await call(b"", timeout=60)
    assert "NoSuchMethod" not in stack.scrape("gateway")


def value(metrics: str, name: str) -> float:
    """All series of a counter together."""
    found = re.findall(rf"^{name}(?:\{{[^}}]*\}})? ([\d.e+]+)$", metrics, re.MULTILINE)
    return sum(map(float, found))
