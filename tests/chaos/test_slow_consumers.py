"""Watchers of whom some never read: they cost nobody anything, and can go on where they were."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from random import Random

import grpc
import psutil

from bench.load.http2 import Connection
from bench.load.http2 import connect as connect_bare
from bench.processes import cpu_seconds
from hutch.client import Hutch, Table, connect
from hutch.client.picks import random_picks
from hutch.v1 import table_service_pb2 as service_pb
from tests.chaos.gateways import Gateways
from tests.chaos.parties import GAME, PATIENT, watched
from tests.sdk.waiting import until
from tests.services.failures import failure_of
from tests.services.processes import Served

READERS, STALLED = 450, 50
SEATS = 4
#: Ten can fit into what lies between gateway and stalled watchers, which are not cut off then.
ANSWERS_UNREAD = 40
STREAMS_A_CONNECTION = 90
PATH = "/hutch.v1.TableService/WatchTable"
MOST_MB = 50
#: A message to somebody who reads may cost that much more of the gateway's time, others stalled. On
#: processors that other work uses too, it may cost twice as much from one moment to the next.
MOST_DEARER = 3.0
#: So little is taken of a stream that is not read.
UNREAD = [("grpc.http2.lookahead_bytes", 1024), ("grpc.http2.bdp_probe", 0)]


class Reader:
    """A watcher who reads everything at once."""

    def __init__(self, connection: Connection, table: Table) -> None:
        self.told: list[int] = []
        request = service_pb.WatchTableRequest(name=table.name)
        connection.call(request.SerializeToString(), self._hear)

    def _hear(self, data: bytes) -> None:
        update = service_pb.WatchTableResponse.FromString(data)
        match update.WhichOneof("update"):
            case "snapshot":
                self.told.append(update.snapshot.revision)
            case "batch":
                self.told.append(update.batch.revision)


async def test_streams_that_are_not_read_cost_the_others_nothing_and_are_ended(
    tmp_path: Path,
) -> None:
    async with Gateways(tmp_path) as behind:
        gateway = await behind.gateway(HUTCH_STREAM_SLOW_SECONDS="3")
        pid = gateway.process.pid
        async with (
            connect(gateway.address, retries=PATIENT) as hutch,
            grpc.aio.insecure_channel(gateway.address, options=UNREAD) as unread,
        ):
            await hutch.guest("Ada")
            table = await own_table(hutch)
            bare = [
                await connect_bare(gateway.address, PATH, hutch.token)
                for _ in range(READERS // STREAMS_A_CONNECTION)
            ]
            readers = [Reader(bare[number % len(bare)], table) for number in range(READERS)]
            await until(lambda: all(reader.told for reader in readers))
            alone = await cost_of_messages(pid, table, readers, answers=10)

            request = service_pb.WatchTableRequest(name=table.name).SerializeToString()
            metadata = (("authorization", f"Bearer {hutch.token}"),)
            watch = unread.unary_stream(PATH)
            stalled = [watch(request, metadata=metadata) for _ in range(STALLED)]
            began = [service_pb.WatchTableResponse.FromString(await one.read()) for one in stalled]
            await until(lambda: metric(gateway, 'hutch_streams{kind="watch"}') == READERS + STALLED)
            before = psutil.Process(pid).memory_info().rss
            beside_stalled = await cost_of_messages(pid, table, readers, ANSWERS_UNREAD)
            await until(
                lambda: metric(gateway, 'hutch_stream_cutoffs_total{cause="slow"}') == STALLED
            )
            grown = (psutil.Process(pid).memory_info().rss - before) / 1e6
            print(
                f"a message costs {1e6 * alone:.0f} us, beside stalled streams "
                f"{1e6 * beside_stalled:.0f}; {grown:.1f} MB more"
            )
            assert grown < MOST_MB
            assert beside_stalled < MOST_DEARER * alone

            for call in stalled:
                assert failure_of(await end_of(call)).reason == "SLOW_READER"
            resumed = [asyncio.create_task(watched(table, one.resume_token)) for one in began]
            await cost_of_messages(pid, table, readers, answers=1_000)
            missed = list(range(began[0].snapshot.revision + 1, readers[0].told[-1] + 1))
            assert await asyncio.gather(*resumed) == [missed] * STALLED
            for connection in bare:
                connection.close()


async def own_table(hutch: Hutch) -> Table:
    """A table with every seat the caller's, started."""
    table = await hutch.create_table(GAME, seats=SEATS)
    for seat in range(SEATS):
        await table.claim(seat)
    await table.start()
    return table


async def cost_of_messages(pid: int, table: Table, readers: list[Reader], answers: int) -> float:
    """Play so many answers, or to the end, each once everybody was told of the last: what a message
    to a reader costs the gateway, in processor seconds."""
    cost_before, told_before = cpu_seconds(pid), len(readers[0].told)
    rng = Random(1)
    for _ in range(answers):
        for seat in map(table.seat, range(SEATS)):
            view = await seat.view()
            asked = [one for one in view.prompts.prompts if not one.offered]
            if asked:
                batch = await seat.submit(asked[0], *random_picks(asked[0], rng))
                break
        else:
            break
        revision = batch.revision
        while any(one.told[-1] < revision for one in readers):
            await asyncio.sleep(0.001)
    told = readers[0].told
    assert all(reader.told == told == list(range(told[0], told[-1] + 1)) for reader in readers)
    messages = (len(told) - told_before) * len(readers)
    return (cpu_seconds(pid) - cost_before) / messages


async def end_of(call: grpc.aio.UnaryStreamCall[bytes, bytes]) -> grpc.aio.AioRpcError:
    """Read what is left of a stream: what it was ended with."""
    try:
        while isinstance(await call.read(), bytes):
            pass
    except grpc.aio.AioRpcError as ended:
        return ended
    raise AssertionError("the stream was not ended with an error")


def metric(gateway: Served, name: str) -> float:
    """The value of a metric of the gateway's."""
    found = re.search(rf"^{re.escape(name)} ([\d.]+)$", gateway.scrape(), re.MULTILINE)
    return float(found[1]) if found else 0.0
