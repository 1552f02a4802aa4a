"""Whoever is told to stop serves on until the door closes; whoever ends a stream ends all that was
done for it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from hutch.client import connect
from hutch.gateway.calls import drain_into
from tests.services.processes import Served, serving
from tests.stacks import RunningStack


async def test_while_load_balancers_look_elsewhere_a_game_goes_on(
    stack: RunningStack, tmp_path: Path
) -> None:
    notice = {"HUTCH_DRAIN_NOTICE_SECONDS": "600", "HUTCH_REDIS_URL": stack.redis_url}
    with (
        serving("hutch.rules", tmp_path / "rules.log", **notice) as rules,
        serving(
            "hutch.gateway",
            tmp_path / "gateway.log",
            HUTCH_TOKEN_KEY_FILE=str(stack.data / "keys.json"),
            HUTCH_RULES_ADDRESSES=rules.address,
            **notice,
        ) as gateway,
    ):
        async with connect(gateway.address) as ada, asyncio.timeout(60):
            await ada.guest("Ada")
            table = await ada.create_table("rabbit-space", seats=1)
            seat = await table.claim(0)
            await table.start()
            answered = 0
            async for turn in seat.play():
                if answered == 1:
                    for served in (gateway, rules):
                        served.process.terminate()
                        await until_it_says_so(served)
                assert await turn.answer(*turn.sample()) is not None
                answered += 1
                if answered == 4:
                    break
        for served in (gateway, rules):
            assert served.process.poll() is None


async def until_it_says_so(served: Served) -> None:
    """Wait until it says that it is about to stop."""
    async with grpc.aio.insecure_channel(served.address) as channel:
        async for answer in HealthStub(channel).Watch(HealthCheckRequest()):
            if answer.status == HealthCheckResponse.NOT_SERVING:
                return


async def test_all_tasks_end_though_one_takes_long_and_whoever_waits_for_it_goes_away() -> None:
    forever, may_end = asyncio.Event(), asyncio.Event()

    async def stubborn() -> None:
        with suppress(asyncio.CancelledError):
            await forever.wait()
        await may_end.wait()

    tasks = [asyncio.create_task(stubborn())]
    tasks += [asyncio.create_task(forever.wait()) for _ in range(3)]  # type: ignore[arg-type]
    await asyncio.sleep(0)
    draining = asyncio.create_task(drain_into(*tasks))
    await asyncio.sleep(0)
    draining.cancel()
    await asyncio.wait(tasks[1:], timeout=10)
    assert all(task.cancelled() for task in tasks[1:])
    may_end.set()
    await asyncio.wait(tasks)
