"""Channels: addresses, and what every connection is set up with."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest

from hutch.client import Retries, connect
from hutch.client.channel import READS, Balancing, channel_options, service_config, target
from hutch.v1 import (
    campaign_service_pb2,
    catalog_service_pb2,
    player_service_pb2,
    table_service_pb2,
)
from tests.chaos.proxy import Proxy
from tests.sdk.conftest import QUICK
from tests.sdk.contract import ContractService

SERVICES = [
    file.DESCRIPTOR.services_by_name[name]
    for file, name in (
        (table_service_pb2, "TableService"),
        (player_service_pb2, "PlayerService"),
        (campaign_service_pb2, "CampaignService"),
        (catalog_service_pb2, "CatalogService"),
    )
]


@pytest.mark.parametrize(
    ("addresses", "where"),
    [
        ("localhost:50551", "localhost:50551"),
        ("unix:/run/hutch.sock", "unix:/run/hutch.sock"),
        (["hutch.example:443"], "hutch.example:443"),
        (["10.0.0.1:1", "10.0.0.2:2"], "ipv4:10.0.0.1:1,10.0.0.2:2"),
        (["[::1]:1", "[fe80::1]:2"], "ipv6:[::1]:1,[fe80::1]:2"),
    ],
)
def test_addresses_become_a_target(addresses: str | list[str], where: str) -> None:
    assert target(addresses) == where


@pytest.mark.parametrize(
    ("addresses", "sentence"),
    [
        ([], "no address"),
        (["10.0.0.1:1", "[::1]:1"], "either IPv4 or IPv6"),
        (["10.0.0.1:1", "hutch.example:1"], "not ip:port"),
        (["10.0.0.1:1", "10.0.0.2:"], "no port"),
    ],
)
def test_addresses_that_do_not_fit_together_are_refused(
    addresses: list[str], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        target(addresses)


def test_every_channel_option_is_one_that_grpc_knows() -> None:
    # gRPC ignores an option that it does not know, so a misspelt one would do nothing.
    (library,) = (Path(grpc.__file__).parent / "_cython").glob("cygrpc*.so")
    known = library.read_bytes()
    unknown = [
        name for name, _ in channel_options("round_robin") if name.encode() + b"\0" not in known
    ]
    assert unknown == []


def test_the_channel_itself_retries_exactly_the_calls_that_change_nothing() -> None:
    reads = {
        (service.full_name, method.name)
        for service in SERVICES
        for method in service.methods
        if method.name.startswith(("Get", "List"))
    }
    assert set(READS) == reads


async def test_the_service_config_is_one_that_grpc_accepts(service: ContractService) -> None:
    policies: tuple[Balancing, ...] = ("failover", "round_robin")
    for balancing in policies:
        assert service_config(balancing)["methodConfig"]
        async with connect([service.address], balancing=balancing, retries=QUICK) as hutch:
            assert await hutch.rulesets()  # a config that does not parse fails every call


async def test_when_a_gateway_fails_the_next_is_used() -> None:
    async with ContractService() as first, ContractService() as second:
        async with connect([first.address, second.address], retries=QUICK) as hutch:
            await hutch.guest()
            await first.stop()
            await hutch.guest()
        assert (len(first.requests), len(second.requests)) == (1, 1)


async def test_round_robin_uses_every_gateway() -> None:
    async with ContractService() as first, ContractService() as second:
        addresses = [first.address, second.address]
        async with connect(addresses, balancing="round_robin", retries=QUICK) as hutch:
            while not (first.requests and second.requests):
                await hutch.guest()


async def test_a_stream_goes_on_at_the_next_gateway_when_its_own_fails() -> None:
    async with ContractService() as first, ContractService() as second:
        game = first.open()
        second.games = first.games
        addresses = [first.address, second.address]
        async with connect(addresses, retries=QUICK) as hutch:
            updates = hutch.table(game.name).watch()
            await anext(updates)
            await first.stop()
            await game.append()
            update = await anext(updates)
        assert update.batch.revision == 1  # type: ignore[union-attr]
        assert len(second.requests) == 1


async def test_a_stream_whose_other_end_vanished_is_noticed_and_goes_on_elsewhere() -> None:
    # The very options of ours, with their times cut to a twentieth.
    quick = [
        (name, value // 20)
        for name, value in channel_options("failover")
        if name in ("grpc.keepalive_time_ms", "grpc.http2.ping_timeout_ms")
    ]
    assert len(quick) == 2
    async with ContractService() as first, ContractService() as second:
        game = first.open()
        second.games = first.games
        async with Proxy(first.address) as network:
            addresses = [network.address, second.address]
            patience = Retries(first_wait=0.002, silence=60)
            async with connect(addresses, retries=patience, options=quick) as hutch:
                updates = hutch.table(game.name).watch()
                await anext(updates)
                network.hold()
                await game.append()
                update = await anext(updates)
                assert update.batch.revision == 1  # type: ignore[union-attr]
                assert second.requests
