"""Gateways that are restarted one after another: no call fails, no stream has a gap.

The long form, with everything restarted under more load, is `python -m tests.chaos.rolling`.
"""

from __future__ import annotations

import asyncio
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from time import monotonic

import grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from hutch.cli.ports import held_ports
from hutch.client import connect
from hutch.client.channel import Balancing
from hutch.turns.rules_link import RemoteRules
from tests.chaos.gateways import Gateways
from tests.chaos.overload import PLAYER, token_of
from tests.chaos.parties import PATIENT, Party, faults_of
from tests.chaos.throng import Throng
from tests.redis_servers import eventually
from tests.services.processes import Served, serving

SEED = 20261130
WAYS: tuple[Balancing, ...] = ("failover", "round_robin")
#: As many in each way and in each order of addresses, so that every gateway has somebody to lose.
PARTIES = 4
#: Of the throng among them: actions a second, how many play at once, and a stock of tables.
RATE, AT_ONCE, TABLES = 100, 32, 60
DRAIN_SECONDS = 10.0
#: So long whoever is told to stop may wait for others, and need not.
GRACE_SECONDS = 30.0


async def test_a_rolling_restart_is_seen_by_nobody(tmp_path: Path) -> None:
    print(f"seed {SEED}")
    async with Gateways(tmp_path) as behind, AsyncExitStack() as clients:
        ports = clients.enter_context(held_ports([0, 0]))  # to restart there, whoever looks for one
        gateways = [await behind.gateway(HUTCH_GATEWAY_BIND=f"127.0.0.1:{port}") for port in ports]
        addresses = [one.address for one in gateways]
        parties = []
        for number in range(PARTIES):
            order = addresses[:: -1 if number % 2 else 1]
            client = connect(order, balancing=WAYS[number // 2], retries=PATIENT)
            hutch = await clients.enter_async_context(client)
            await hutch.guest("Ada")
            parties.append(Party(hutch, Random(SEED + number)))
        throng = Throng(addresses, token_of(tmp_path))
        await throng.gather(behind.redis.url, PLAYER, TABLES, AT_ONCE)
        enough = asyncio.Event()
        coming = asyncio.create_task(throng.come(RATE, enough))
        for gateway in gateways:
            await asyncio.gather(*(party.goes_on() for party in parties))
            seconds = await ended_in_order(gateway)
            print(f"{gateway.address} drained in {seconds:.2f} s")
            assert seconds <= DRAIN_SECONDS
            await behind.gateway(HUTCH_GATEWAY_BIND=gateway.address)
        await asyncio.gather(*(party.goes_on() for party in parties))
        enough.set()
        await coming
        accounts = [account for party in parties for account in await party.end()]
        print(f"a throng: {len(throng.seconds)} answers; sent again: {dict(throng.again)}")
        assert len(throng.seconds) > RATE
        assert await throng.faults(behind.redis.url) == []
        assert await faults_of(behind.redis.url, accounts) == []
        print(f"{len(accounts)} games, {sum(one.answers for one in accounts)} answers")


async def test_rules_do_not_wait_for_streams_that_nothing_comes_over(tmp_path: Path) -> None:
    log = tmp_path / "rules.log"
    with serving("hutch.rules", log, HUTCH_DRAIN_GRACE_SECONDS=str(GRACE_SECONDS)) as rules:
        async with RemoteRules([rules.address]) as link:
            await eventually(link.is_up)
            asked = monotonic()
            rules.process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(rules.process.wait, 2 * GRACE_SECONDS) == 0
            seconds = monotonic() - asked
    print(f"stopped in {seconds:.2f} s")
    assert seconds < GRACE_SECONDS


async def ended_in_order(gateway: Served) -> float:
    """Tell a gateway to stop: the seconds it takes. It says first that it takes no more work."""
    async with grpc.aio.insecure_channel(gateway.address) as channel:
        health = HealthStub(channel).Watch(HealthCheckRequest(), timeout=60)
        assert (await health.read()).status == HealthCheckResponse.SERVING
        asked = monotonic()
        gateway.process.send_signal(signal.SIGTERM)
        assert (await health.read()).status == HealthCheckResponse.NOT_SERVING
        assert await asyncio.to_thread(gateway.process.wait, 30) == 0
    return monotonic() - asked
