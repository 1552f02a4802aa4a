"""`python -m bench.load`: takes orders on standard input, reports on standard output.

A process of its own, so that it has a core (shared with rules and Redis) and its cost is known.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from random import Random

import msgspec
import uvloop

from bench.load.http2 import Connection, connect
from bench.load.orders import Counted, Run, Watch, Watching
from bench.load.playing import EchoStreamLoad, Load, PlayLoad, TableLoad, UnaryLoad
from bench.load.seats import Echo, ScriptedTable, WatchedTable
from bench.load.tables import Dealt, deal_tables
from bench.processes import cpu_seconds
from hutch.runtime.logs import configure_logs
from hutch.runtime.settings.shared import LogSettings
from hutch.v1 import table_service_pb2 as service_pb

RULESET = "rabbit-space"

_SERVICE = "/hutch.v1.TableService"
_PATHS = {
    "echo": "/bench.Echo/Unary",
    "echo-stream": "/bench.Echo/Stream",
    "submit": f"{_SERVICE}/SubmitAction",
    "play": f"{_SERVICE}/Play",
    "tables": f"{_SERVICE}/Play",
}
_CALLS_A_CONNECTION = 100


class LoadProcess:
    """Carries out orders, one after another."""

    def __init__(self) -> None:
        self._random = Random(1)
        self._watches: list[Connection] = []

    async def run(self, order: Run) -> Counted:
        """Load a server, and count."""
        stock = await self._deal(order)
        connection = await connect(order.address, _PATHS[order.kind], order.token)
        failure = asyncio.ensure_future(connection.failure())
        try:
            load = self._load(order, connection, stock)
            gc.collect()
            gc.freeze()  # the games that are to be played: nothing in them is garbage for now
            load.start()
            await asyncio.wait((failure,), timeout=order.warm_seconds)
            used_before, began, first = self._used(order), time.perf_counter(), load.answered
            await asyncio.wait((failure,), timeout=order.seconds)
            while load.answered == first and not failure.done():  # a machine that is busy indeed
                await asyncio.wait((failure,), timeout=order.seconds)
            took, answered, used = time.perf_counter() - began, load.answered, self._used(order)
            starved = load.starved
            if failure.done():
                failure.result()
            await load.stop()
        finally:
            gc.unfreeze()
            connection.close()
            await asyncio.wait((failure,))
        cpu = {name: seconds - used_before[name] for name, seconds in used.items()}
        return Counted(answered - first, took, cpu, starved)

    async def watch(self, order: Watch) -> Watching:
        """Open watches, and leave them open."""
        dealt = await deal_tables(
            order.redis_url, order.player, order.tables, ruleset=RULESET, seats=1
        )
        heard = 0
        everything = asyncio.Event()

        def hear(_: bytes) -> None:
            nonlocal heard
            heard += 1
            if heard == order.watchers:
                everything.set()

        for number in range(order.watchers):
            if number % _CALLS_A_CONNECTION == 0:
                path = f"{_SERVICE}/WatchTable"
                self._watches.append(await connect(order.address, path, order.token))
            name = f"tables/{dealt[number % len(dealt)].table_id}"
            request = service_pb.WatchTableRequest(name=name)
            self._watches[-1].call(request.SerializeToString(), hear)
        async with asyncio.timeout(60):
            await everything.wait()
        return Watching(heard)

    async def _deal(self, order: Run) -> list[Dealt]:
        if not order.stock:
            return []
        return await deal_tables(
            order.redis_url,
            order.player,
            order.stock,
            ruleset=RULESET,
            seats=order.seats,
        )

    def _load(self, order: Run, connection: Connection, stock: list[Dealt]) -> Load:
        concurrent, streams, random = order.concurrent, order.streams, self._random
        match order.kind:
            case "echo":
                return UnaryLoad(connection, [Echo()] * concurrent, concurrent)
            case "echo-stream":
                return EchoStreamLoad(connection, concurrent, streams)
            case "submit":
                scripted = [ScriptedTable(dealt, random) for dealt in stock]
                return UnaryLoad(connection, scripted, concurrent)
            case "play":
                scripted = [ScriptedTable(dealt, random) for dealt in stock]
                return PlayLoad(connection, scripted, concurrent, streams)
            case "tables":
                watched = [WatchedTable(dealt, random) for dealt in stock]
                return TableLoad(connection, watched, concurrent, streams)

    def _used(self, order: Run) -> dict[str, float]:
        used = {name: cpu_seconds(pid) for name, pid in order.pids.items()}
        return used | {"load": time.process_time()}


def main() -> None:
    """Take orders until there are no more."""
    configure_logs(LogSettings(level="warning"), process="load")
    process = LoadProcess()
    orders = msgspec.json.Decoder(Run | Watch)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        for line in sys.stdin.buffer:
            match orders.decode(line):
                case Run() as order:
                    report: object = runner.run(process.run(order))
                case Watch() as order:
                    report = runner.run(process.watch(order))
            sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
