"""Connections cut at random: players and watchers go on where they were, at any gateway."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import pytest

from hutch.client import connect
from hutch.client.channel import Balancing
from tests.chaos.gateways import Gateways
from tests.chaos.parties import PATIENT, Party, faults_of
from tests.chaos.proxy import Proxy
from tests.sdk.waiting import until

SEED = 20261132
PARTIES = 6
CUTS, CUTS_LONG = 40, 1_000
WAYS: tuple[Balancing, ...] = ("failover", "round_robin")
#: Of ten times that a gateway's connections are cut, so many keep it out of reach for a while.
AWAY = 3


@pytest.mark.timeout(600)
async def test_after_cuts_at_random_every_revision_is_told_once_and_every_answer_counts_once(
    tmp_path: Path, is_long: bool
) -> None:
    print(f"seed {SEED}")
    rng = Random(SEED)
    cuts = CUTS_LONG if is_long else CUTS
    async with Gateways(tmp_path) as behind, AsyncExitStack() as open_ones:
        ways = [
            await open_ones.enter_async_context(Proxy((await behind.gateway()).address))
            for _ in range(2)
        ]
        parties = []
        for number in range(PARTIES):
            client = connect(
                [one.address for one in rng.sample(ways, 2)],
                balancing=WAYS[number % 2],
                retries=PATIENT,
                options=[("grpc.use_local_subchannel_pool", 1)],  # a connection of its own
            )
            hutch = await open_ones.enter_async_context(client)
            await hutch.guest("Ada")
            parties.append(Party(hutch, Random(SEED + number)))
        while sum(way.severed for way in ways) < cuts:
            await until(lambda: sum(way.connections for way in ways) >= PARTIES)
            await asyncio.sleep(rng.uniform(0.0, 0.1))
            way = rng.choice(ways)
            if rng.randrange(10) < AWAY:
                way.cut()
                await asyncio.sleep(rng.uniform(0.0, 0.1))
                way.mend()
            else:
                way.sever()
        accounts = [account for party in parties for account in await party.end()]
        assert await faults_of(behind.redis.url, accounts) == []
        assert all(way.severed > cuts / 10 for way in ways)
        print(
            f"{[way.severed for way in ways]} cuts, {len(accounts)} games, "
            f"{sum(one.answers for one in accounts)} answers, "
            f"{sum(len(one.told) for one in accounts)} revisions told"
        )
