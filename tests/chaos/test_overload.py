"""A gateway that is asked for more than it can do does what it can, and refuses the rest in time.

The long form, at the gateway's own limits, is `python -m tests.chaos.overload`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import grpc

from hutch.client import connect
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import Wrong
from tests.chaos.gateways import Gateways
from tests.chaos.overload import Crowd, one_round, token_of
from tests.chaos.parties import PATIENT, Party, faults_of
from tests.services.failures import failure_of

#: So many that whoever comes last waits longer than anybody is to, however fast the machine.
PLAYERS = 300
PATIENCE_SECONDS = 0.05
#: What waits is refused after its patience; what has a place is done soon. The rest is the machine.
BOUND_SECONDS = 5.0


async def test_under_overload_the_gateway_does_what_it_can_and_is_well_right_after(
    tmp_path: Path,
) -> None:
    async with Gateways(tmp_path) as behind:
        gateway = await behind.gateway(
            HUTCH_LIMIT_ACTIONS_AT_ONCE="4", HUTCH_LIMIT_PATIENCE_SECONDS=str(PATIENCE_SECONDS)
        )
        crowd = Crowd(gateway.process.pid)
        await crowd.gather(gateway.address, behind.redis.url, token_of(tmp_path), PLAYERS)
        await crowd.peak(0.2)
        seen = await one_round(crowd, times=5.0, seconds=1.5, peak_seconds=0.7)
        crowd.leave()
    print(f"{seen.peak}\n{seen.overload}\n{seen.after}\n{seen.useful:.2f} of use")
    assert seen.overload.refused > 0
    assert seen.overload.slowest(0.01) < BOUND_SECONDS
    assert seen.useful > 0.25  # all but all, where processors are no slower than at the peak
    assert seen.quiet_after < 2 * BOUND_SECONDS
    # A machine that stands still for longer than the patience refuses a few at any load.
    assert seen.after.refused < len(seen.after.accepted) / 10


async def test_whoever_browses_takes_no_place_of_those_who_play(tmp_path: Path) -> None:
    async with Gateways(tmp_path) as behind:
        gateway = await behind.gateway(
            HUTCH_LIMIT_CALLS_AT_ONCE="1", HUTCH_LIMIT_PATIENCE_SECONDS="0.02"
        )
        async with connect(gateway.address, retries=PATIENT) as hutch:
            await hutch.guest("Ada")
            party = Party(hutch, Random(1))
            refused = await browse_until_refused(gateway.address, hutch.token)
            await party.goes_on()
            accounts = await party.end()
        assert await faults_of(behind.redis.url, accounts) == []
    failure = failure_of(refused)
    assert failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert failure.reason == Wrong.OVERLOADED
    assert failure.retry_ms is not None
    assert failure.retry_ms >= 500


async def browse_until_refused(address: str, token: str) -> grpc.aio.AioRpcError:
    """List tables again and again, many times at once: the first refusal."""
    metadata = (("authorization", f"Bearer {token}"),)
    request = service_pb.ListTablesRequest().SerializeToString()
    async with grpc.aio.insecure_channel(address) as channel:
        list_tables = channel.unary_unary("/hutch.v1.TableService/ListTables")
        while True:
            calls = [list_tables(request, metadata=metadata, timeout=30) for _ in range(50)]
            for answer in await asyncio.gather(*calls, return_exceptions=True):
                if isinstance(answer, grpc.aio.AioRpcError):
                    return answer
