"""Limits hold for all gateways together, tell when to come again, and cost nobody a game."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from time import monotonic

import grpc
import msgspec
import pytest
from google.protobuf.message import Message

from hutch.callers.keys import load_keys
from hutch.callers.tokens import Tokens
from hutch.gateway.rates import ONE_IN, Rate
from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from hutch.v1 import player_service_pb2 as player_pb
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import Fault
from tests.redis_servers import namespace, now_us, own_redis_server, redis_server
from tests.services.failures import Failure
from tests.services.processes import serving
from tests.services.spending import Spent
from tests.services.test_revoking import failing

__all__ = ["namespace", "own_redis_server", "redis_server"]

PROCESSES = 8
PER_SECOND, BURST, SECONDS = 50.0, 200, 1.5


async def test_eight_processes_together_get_what_one_would(
    redis_server: EmbeddedServer, namespace: str
) -> None:
    limits = [str(number) for number in (PER_SECOND, BURST, SECONDS)]
    command = [sys.executable, "-m", "tests.services.spending", redis_server.url, namespace]
    spenders = [
        await asyncio.create_subprocess_exec(
            *command, *limits, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        for _ in range(PROCESSES)
    ]
    for spender in spenders:
        assert spender.stdout is not None
        assert await spender.stdout.readline() == b"ready\n"
    async with await Store.open(redis_server.url, namespace=namespace) as store:
        spent = await asyncio.gather(*map(spending, spenders))
        before_us = await now_us(store)
        interval_us = round(1_000_000 / PER_SECOND)
        left, _ = await store.budgets.take(
            "actions", "ada", interval_us=interval_us, burst=BURST, one_in=1
        )
        after_us = await now_us(store)
    await asyncio.gather(*[spender.communicate() for spender in spenders])
    got = sum(one.got for one in spent)
    longest_us = after_us - min(one.first_after_us for one in spent)
    shortest_us = before_us - min(one.first_before_us for one in spent)
    print(f"got {got}, left {left}, in {longest_us} us: {spent}")
    assert got + left <= BURST + longest_us / interval_us + 1
    assert got + left >= BURST + shortest_us / interval_us - 1


async def spending(spender: asyncio.subprocess.Process) -> Spent:
    """Let it begin, and wait for what it tells."""
    assert spender.stdin is not None
    assert spender.stdout is not None
    spender.stdin.write(b"go\n")
    return msgspec.json.decode(await spender.stdout.readline(), type=Spent)


async def test_while_redis_is_away_a_gateway_goes_by_itself(
    own_redis_server: EmbeddedServer,
) -> None:
    async with await Store.open(own_redis_server.url) as store:
        rate = Rate(store.budgets, "calls", 1.0, 2 * ONE_IN)
        await rate.take("ada")
        own_redis_server.stop()
        for _ in range(2):
            await rate.take("ben")


@pytest.mark.parametrize(("per_second", "said"), [(1.0, "1 a second"), (1 / 6, "10 a minute")])
async def test_a_refusal_tells_the_pace_that_is_allowed(
    per_second: float, said: str, own_redis_server: EmbeddedServer
) -> None:
    async with await Store.open(own_redis_server.url) as store:
        rate = Rate(store.budgets, "guests", per_second, 1)
        with pytest.raises(Fault, match=f"Too many guests: {said} are allowed, 1 at once; wait"):
            await asyncio.gather(*[rate.take("ada") for _ in range(50)])


@pytest.fixture
async def two_gateways(
    own_redis_server: EmbeddedServer, tmp_path: Path
) -> AsyncIterator[tuple[str, str]]:
    """The addresses of two gateways with low limits, over one Redis."""
    variables = {
        "HUTCH_REDIS_URL": own_redis_server.url,
        "HUTCH_TOKEN_KEY_FILE": str(tmp_path / "keys.json"),
        "HUTCH_LIMIT_ACTIONS_PER_SECOND": "0.01",
        "HUTCH_LIMIT_ACTIONS_BURST": "8",
        "HUTCH_LIMIT_CALLS_PER_SECOND": "0.01",
        "HUTCH_LIMIT_CALLS_BURST": "6",
        "HUTCH_LIMIT_GUESTS_PER_MINUTE": "3",
        "HUTCH_LIMIT_REFUSALS_PER_SECOND": "0.1",
    }
    with ExitStack() as running:
        first, second = (
            running.enter_context(serving("hutch.gateway", tmp_path / f"{name}.log", **variables))
            for name in ("first", "second")
        )
        yield first.address, second.address


def _outcomes(failures: list[Failure | None]) -> Counter[str]:
    for failure in failures:
        if failure is not None and failure.reason == "RATE_LIMITED":
            assert failure.retry_ms
    return Counter(failure.reason if failure else "" for failure in failures)


async def test_two_gateways_share_a_callers_budgets_and_moves_are_apart(
    two_gateways: tuple[str, str], tmp_path: Path
) -> None:
    tokens = Tokens(load_keys(tmp_path / "keys.json"), issuer="hutch", lifetime_seconds=3600)
    ada, ben = (tokens.issue(name, name)[0] for name in ("ada", "ben"))

    async def ask(method: str, request: Message, token: str, times: int) -> Counter[str]:
        path = f"/hutch.v1.{method}"
        return _outcomes(
            [
                await failing(two_gateways[number % 2], path, request, token)
                for number in range(times)
            ]
        )

    listing = service_pb.ListTablesRequest()
    move = service_pb.SubmitActionRequest(
        seat="tables/0123456789abcdef0123/seats/0", request_id="no id"
    )
    move.action.prompt_id = 1
    assert await ask("TableService/ListTables", listing, ada, 8) == {"": 6, "RATE_LIMITED": 2}
    # All that she may look up is used up; her moves are not.
    moves = await ask("TableService/SubmitAction", move, ada, 10)
    assert moves == {"REQUEST_ID_INVALID": 8, "RATE_LIMITED": 2}
    assert await ask("TableService/ListTables", listing, ben, 1) == {"": 1}
    guest = player_pb.CreateGuestRequest()
    guests = await ask("PlayerService/CreateGuest", guest, "", 6)
    assert guests.keys() == {"", "RATE_LIMITED"}
    assert 3 <= guests[""] <= 4  # one comes back in twenty seconds


async def test_a_play_stream_opens_watches_no_faster_than_calls_may_be_made(
    own_redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    """Each is as much work as a call. Nobody is refused: the gateway reads on when it may."""
    variables = {
        "HUTCH_REDIS_URL": own_redis_server.url,
        "HUTCH_TOKEN_KEY_FILE": str(tmp_path / "keys.json"),
        "HUTCH_LIMIT_CALLS_PER_SECOND": "5",
        "HUTCH_LIMIT_CALLS_BURST": "2",
        "HUTCH_LIMIT_WATCHES": "4",
    }
    with serving("hutch.gateway", tmp_path / "log", **variables) as gateway:
        tokens = Tokens(load_keys(tmp_path / "keys.json"), issuer="hutch", lifetime_seconds=3600)
        async with grpc.aio.insecure_channel(gateway.address) as channel:
            play = channel.stream_stream("/hutch.v1.TableService/Play")
            stream = play(metadata=(("authorization", f"Bearer {tokens.issue('ada', '')[0]}"),))
            began = monotonic()
            for number in range(10):
                watch = service_pb.WatchTableRequest(name=f"tables/{number:020}")
                await stream.write(service_pb.PlayRequest(watch=watch).SerializeToString())
            told = [service_pb.PlayResponse.FromString(await stream.read()) for _ in range(10)]
            took = monotonic() - began
            stream.cancel()
    assert {one.refusal.reason for one in told} == {"TABLE_NOT_FOUND"}
    assert took > (10 - 4 - 1) / 5
