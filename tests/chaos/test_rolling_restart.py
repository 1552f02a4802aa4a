"""Gateways that are restarted one after another: no call fails, no stream has a gap."""

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

from hutch.client import connect
from hutch.client.channel import Balancing
from tests.chaos.gateways import Gateways
from tests.chaos.parties import PATIENT, Party, faults_of
from tests.services.processes import Served

SEED = 20261130
WAYS: tuple[Balancing, ...] = ("failover", "round_robin")
#: As many in each way and in each order of addresses, so that every gateway has somebody to lose.
PARTIES = 4
DRAIN_SECONDS = 10.0


async def test_a_rolling_restart_is_seen_by_nobody(tmp_path: Path) -> None:
    print(f"seed {SEED}")
    async with Gateways(tmp_path) as behind, AsyncExitStack() as clients:
        gateways = [await behind.gateway() for _ in range(2)]
        addresses = [one.address for one in gateways]
        parties = []
        for number in range(PARTIES):
            order = addresses[:: -1 if number % 2 else 1]
            client = connect(order, balancing=WAYS[number // 2], retries=PATIENT)
            hutch = await clients.enter_async_context(client)
            await hutch.guest("Ada")
            parties.append(Party(hutch, Random(SEED + number)))
        for gateway in gateways:
            await asyncio.gather(*(party.goes_on() for party in parties))
            seconds = await ended_in_order(gateway)
            print(f"{gateway.address} drained in {seconds:.2f} s")
            assert seconds <= DRAIN_SECONDS
            await behind.gateway(HUTCH_GATEWAY_BIND=gateway.address)
        await asyncio.gather(*(party.goes_on() for party in parties))
        accounts = [account for party in parties for account in await party.end()]
        assert await faults_of(behind.redis.url, accounts) == []
        print(f"{len(accounts)} games, {sum(one.answers for one in accounts)} answers")


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
