"""A network that falls apart: calls fail in time, health tells, and all is well soon after.

The network is a proxy between two parts. It swallows everything without a word (`hold`), or resets
every connection (`cut`). Where networks may be made, Redis is on another one as well, and packets
are dropped without a word (`hold`), or the link is down (`cut`).
"""

from __future__ import annotations

import asyncio
from itertools import chain
from pathlib import Path
from random import Random
from time import monotonic
from typing import Literal, Protocol

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from hutch.client import Hutch, connect
from hutch.client.picks import random_picks
from hutch.v1 import table_service_pb2 as service_pb
from tests.chaos.gateways import Gateways
from tests.chaos.namespaces import DistantServer, skip_without_namespaces
from tests.chaos.parties import GAME, PATIENT, Account, Party, faults_of
from tests.chaos.proxy import Proxy
from tests.services.processes import Served

SEED = 20261131
SERVING, NOT_SERVING = HealthCheckResponse.SERVING, HealthCheckResponse.NOT_SERVING
#: Within this time health tells that something is wrong, and after it that all is well again.
HEALTH_SECONDS = 5.0
#: The deadline of a try of the SDK. The gateway answers before that.
CALL_SECONDS = 10.0

Fault = Literal["hold", "cut"]


class Network(Protocol):
    """A way to `address` that can fail."""

    @property
    def address(self) -> str:
        """Where whoever is to feel it connects to."""

    def hold(self) -> None:
        """Let nothing through, and tell nobody."""

    def cut(self) -> None:
        """Let nothing through, and let it be known."""

    def mend(self) -> None:
        """Let everything through again."""


#: What becomes of the network, and for how many seconds at least.
SHORT_FAULTS: tuple[tuple[Fault, float], ...] = (("hold", 0.0),)
LONG_FAULTS: tuple[tuple[Fault, float], ...] = (
    ("hold", 0.0),
    ("cut", 0.0),
    ("hold", 30.0),
    ("cut", 30.0),
)


async def test_a_gateway_that_is_cut_off_says_so_fails_in_time_and_comes_back(
    tmp_path: Path, is_long: bool
) -> None:
    print(f"seed {SEED}")
    async with Gateways(tmp_path) as behind:
        accounts = await asyncio.gather(
            cut_off(behind, "redis", is_long), cut_off(behind, "rules", is_long)
        )
        assert await faults_of(behind.redis.url, [*chain(*accounts)]) == []


async def test_a_gateway_on_another_network_than_redis_does_as_well(
    tmp_path: Path, is_long: bool
) -> None:
    skip_without_namespaces()
    print(f"seed {SEED}")
    redis = DistantServer(tmp_path / "redis")
    async with Gateways(tmp_path, redis) as behind:
        accounts = await cut_off_by(redis, behind, "redis", is_long)
        assert await faults_of(behind.redis.url, accounts) == []
    async with asyncio.timeout(30):
        while redis.is_linked:  # the kernel takes it down a moment after the server has ended
            await asyncio.sleep(0.01)


async def test_a_client_that_is_cut_off_goes_on_where_it_was(tmp_path: Path, is_long: bool) -> None:
    print(f"seed {SEED}")
    async with Gateways(tmp_path) as behind:
        gateway = await behind.gateway()
        async with (
            Proxy(gateway.address, delay_seconds=0.001) as network,
            connect(network.address, retries=PATIENT) as hutch,
        ):
            await hutch.guest("Ada")
            party = Party(hutch, Random(SEED))
            faults: tuple[Fault, ...] = ("hold", "cut")
            for fault in faults:
                await party.goes_on()
                request = await an_action(hutch)
                getattr(network, fault)()
                await asyncio.sleep(30.0 if is_long else 0.5)
                network.mend()
                took = await answered(hutch, request)
                print(f"{fault}: answered {took:.2f} s after it was mended")
                assert took <= HEALTH_SECONDS
            await party.goes_on()
            accounts = await party.end()
        assert await faults_of(behind.redis.url, accounts) == []


async def cut_off(behind: Gateways, leg: str, is_long: bool) -> list[Account]:
    """Play at a gateway that is cut off from Redis, or from the rules: the games."""
    target = behind.redis_socket if leg == "redis" else behind.rules.address
    async with Proxy(target) as network:
        return await cut_off_by(network, behind, leg, is_long)


async def cut_off_by(network: Network, behind: Gateways, leg: str, is_long: bool) -> list[Account]:
    """The same, through that network."""
    gateway = await gateway_over(behind, leg, network)
    async with connect(gateway.address, retries=PATIENT) as hutch:
        await hutch.guest("Ada")
        party = Party(hutch, Random(SEED))
        for fault, seconds in LONG_FAULTS if is_long else SHORT_FAULTS:
            await party.goes_on()
            told = await fall_apart(hutch, gateway, network, fault, seconds)
            print(f"{leg}, {fault}: {told}")
        await party.goes_on()
        return await party.end()


async def fall_apart(
    hutch: Hutch, gateway: Served, network: Network, fault: Fault, seconds: float
) -> str:
    """Let the network fail, for that long or until all was seen that it leads to, and mend it."""
    request = await an_action(hutch)
    async with grpc.aio.insecure_channel(gateway.address) as channel:
        health = HealthStub(channel).Watch(HealthCheckRequest(), timeout=120)
        while (await health.read()).status != SERVING:
            pass  # it has only just started
        began = monotonic()
        getattr(network, fault)()
        failing = asyncio.create_task(failed(hutch, request))
        assert (await health.read()).status == NOT_SERVING
        noticed = monotonic() - began
        refused = await failing
        await asyncio.sleep(began + seconds - monotonic())
        mended = monotonic()
        network.mend()
        assert (await health.read()).status == SERVING
        serving = monotonic() - mended
        again = await answered(hutch, request)
    assert noticed <= HEALTH_SECONDS
    assert refused < CALL_SECONDS
    assert serving + again <= HEALTH_SECONDS
    return (
        f"not serving after {noticed:.2f} s, a call refused after {refused:.2f} s; "
        f"once mended, serving after {serving:.2f} s and answered {again:.2f} s later"
    )


async def an_action(hutch: Hutch) -> service_pb.SubmitActionRequest:
    """The first action of a game of its own."""
    table = await hutch.create_table(GAME, seats=1)
    seat = await table.claim(0)
    await table.start()
    prompt = (await seat.view()).prompts.prompts[0]
    return seat.request(prompt, random_picks(prompt, Random(SEED)))


async def failed(hutch: Hutch, request: service_pb.SubmitActionRequest) -> float:
    """Send an action, once: the seconds until it is refused."""
    began = monotonic()
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await submit(hutch, request)
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    return monotonic() - began


async def answered(hutch: Hutch, request: service_pb.SubmitActionRequest) -> float:
    """Send an action until it is answered: the seconds that takes."""
    began = monotonic()
    while True:
        try:
            await submit(hutch, request)
        except grpc.aio.AioRpcError:
            await asyncio.sleep(0.02)
        else:
            return monotonic() - began


async def submit(hutch: Hutch, request: service_pb.SubmitActionRequest) -> None:
    """Send an action, without the SDK's patience."""
    calls = hutch._calls
    await calls.tables.SubmitAction(request, metadata=calls.metadata(), timeout=CALL_SECONDS)


async def gateway_over(behind: Gateways, leg: str, network: Network) -> Served:
    """A gateway that reaches Redis, or the rules, through that network."""
    if leg == "redis":
        return await behind.gateway(HUTCH_REDIS_URL=f"redis://{network.address}/0")
    return await behind.gateway(HUTCH_RULES_ADDRESSES=network.address)
