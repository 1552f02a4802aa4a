"""Whatever bytes come, each call gets a documented answer, and the gateway stays as it was."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from random import Random

import grpc
import psutil
import pytest

from hutch.client import Hutch, Table
from hutch.v1 import campaign_service_pb2 as campaign_pb
from hutch.v1 import catalog_service_pb2 as catalog_pb
from hutch.v1 import player_service_pb2 as player_pb
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import CATALOGUE, Wrong
from hutch.wire.framing import field
from tests.fuzz.mutations import MUTATIONS, mutated, valid_requests
from tests.services.failures import failure_of
from tests.services.processes import Served, serving
from tests.stacks import RunningStack

SEED = 20261129
MESSAGES = 10_000
AT_ONCE = 32
GROWTH_BYTES = 20 << 20
#: What a malformed message may be told; those that parse all the same are told whatever fits.
_NEVER = {grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNAVAILABLE}


@pytest.fixture(scope="module")
def gateway(stack: RunningStack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A gateway without rates, with rules of its own."""
    folder = tmp_path_factory.mktemp("malformed")
    with serving("hutch.rules", folder / "rules.log") as rules:
        variables = {
            "HUTCH_REDIS_URL": stack.redis_url,
            "HUTCH_TOKEN_KEY_FILE": str(stack.data / "keys.json"),
            "HUTCH_RULES_ADDRESSES": rules.address,
            "HUTCH_LIMIT_ACTIONS_PER_SECOND": "0",
            "HUTCH_LIMIT_CALLS_PER_SECOND": "0",
            "HUTCH_LIMIT_GUESTS_PER_MINUTE": "0",
        }
        with serving("hutch.gateway", folder / "gateway.log", **variables) as served:
            yield served


def test_there_is_a_request_of_every_kind_to_break() -> None:
    services = [
        service
        for file in (campaign_pb, catalog_pb, player_pb, service_pb)
        for service in file.DESCRIPTOR.services_by_name.values()
    ]
    unary = {
        f"{service.name}/{method.name}"
        for service in services
        for method in service.methods
        if not method.server_streaming
    }
    assert valid_requests("tables/0123456789abcdef").keys() == unary


async def test_ten_thousand_malformed_messages_get_documented_answers_and_cost_no_memory(
    gateway: Served, ada: Hutch, table: Table
) -> None:
    rng = Random(SEED)
    campaign = await ada.create_campaign()
    valid = valid_requests(table.name, campaign.name)
    requests = {name: message.SerializeToString() for name, message in valid.items()}
    metadata = (("authorization", f"Bearer {ada.token}"),)
    told: Counter[tuple[str, str]] = Counter()
    faults: list[str] = []

    async def send(channel: grpc.aio.Channel, number: int) -> None:
        name = rng.choice(list(requests))
        how, data = mutated(requests[name], rng)
        code, reason = await answer(channel, name, data, metadata)
        told[code.name, reason] += 1
        if code in _NEVER or (code is not grpc.StatusCode.OK and reason not in CATALOGUE):
            faults.append(f"{name} {how}: {code.name} {reason} to {data[:60].hex()}")

    async with grpc.aio.insecure_channel(gateway.address) as channel:
        await run(send, channel, range(500))
        process = psutil.Process(gateway.process.pid)
        before = process.memory_info().rss
        await run(send, channel, range(500, MESSAGES))
        growth = process.memory_info().rss - before
    assert not faults, f"seed {SEED}: {faults[:5]}"
    assert growth < GROWTH_BYTES
    assert told.total() == MESSAGES
    assert {Wrong.MALFORMED_MESSAGE, Wrong.MESSAGE_TOO_LARGE} <= {reason for _, reason in told}
    assert "call_failed" not in gateway.log.read_text()


@pytest.mark.parametrize("how", MUTATIONS)
async def test_what_does_not_parse_is_told_so(gateway: Served, ada: Hutch, how: str) -> None:
    rng = Random(SEED)
    metadata = (("authorization", f"Bearer {ada.token}"),)
    request = valid_requests("tables/0123456789abcdef")["TableService/SubmitAction"]
    valid = request.SerializeToString()
    async with grpc.aio.insecure_channel(gateway.address) as channel:
        for _ in range(50):
            data = MUTATIONS[how](valid, rng)
            try:
                service_pb.SubmitActionRequest.FromString(data)
            except Exception:
                code, reason = await answer(channel, "TableService/SubmitAction", data, metadata)
                assert (code, reason) in (
                    (grpc.StatusCode.INVALID_ARGUMENT, Wrong.MALFORMED_MESSAGE),
                    (grpc.StatusCode.RESOURCE_EXHAUSTED, Wrong.MESSAGE_TOO_LARGE),
                )


async def test_a_play_stream_outlives_malformed_messages(
    gateway: Served, ada: Hutch, table: Table
) -> None:
    rng = Random(SEED)
    metadata = (("authorization", f"Bearer {ada.token}"),)
    submit = service_pb.PlayRequest(
        submit=valid_requests(table.name)["TableService/SubmitAction"]  # type: ignore[arg-type]
    ).SerializeToString()
    sent = 300
    async with grpc.aio.insecure_channel(gateway.address) as channel:
        stream = channel.stream_stream("/hutch.v1.TableService/Play")(metadata=metadata)
        told: Counter[str] = Counter()

        async def read() -> None:
            while "the end" not in told:
                answer = service_pb.PlayResponse.FromString(await stream.read())
                told[answer.refusal.reason or "ok"] += 1
                assert answer.refusal.code != grpc.StatusCode.INTERNAL.value[0]
                if answer.request_id == "the end":
                    told["the end"] += 1

        reading = asyncio.create_task(read())
        for _ in range(sent):
            _, data = mutated(submit, rng)
            await stream.write(data[:60_000])
        last = service_pb.SubmitActionRequest(seat="x", request_id="the end")
        await stream.write(field(2, last.SerializeToString()))
        async with asyncio.timeout(60):
            await reading
        stream.cancel()
    assert told[Wrong.MALFORMED_MESSAGE]
    assert set(told) - {"the end", "ok"} <= set(CATALOGUE)


async def answer(
    channel: grpc.aio.Channel, name: str, data: bytes, metadata: tuple[tuple[str, str], ...]
) -> tuple[grpc.StatusCode, str]:
    """The code and the reason that those bytes get."""
    try:
        await channel.unary_unary(f"/hutch.v1.{name}")(data, metadata=metadata, timeout=30)
    except grpc.aio.AioRpcError as error:
        return error.code(), failure_of(error).reason
    return grpc.StatusCode.OK, ""


async def run(send, channel, numbers) -> None:  # type: ignore[no-untyped-def]
    """Send all of them, some at once."""
    waiting = iter(numbers)

    async def work() -> None:
        for number in waiting:
            await send(channel, number)

    await asyncio.gather(*[work() for _ in range(AT_ONCE)])
