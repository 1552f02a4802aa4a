"""`python -m tests.chaos.overload`: five times as many actions as a gateway can take.

In each round first as many as it takes, for every answer sends the next action: the peak. Then five
times as many a second, whatever becomes of them, until they are so many that every player waits for
an answer. Then a tenth of the peak, to see that all is as before.

A player has a table with all its seats and one action under way, and waits as told when it is
refused, as the SDK does; `--deaf` players do not. What a player feels is the time from the first
try to the acknowledgement.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import deque
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Final

import uvloop
from msgspec import Struct
from msgspec.structs import replace

from bench.load.http2 import Connection, connect
from bench.load.seats import ScriptedTable
from bench.load.tables import deal_tables
from bench.processes import cpu_seconds
from hutch.callers.keys import load_keys
from hutch.callers.tokens import Tokens
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import Wrong
from hutch.wire.framing import field
from tests.chaos.gateways import Gateways
from tests.chaos.report import percentile

PLAYER: Final = "overload"
AT_ONCE_FOR_PEAK: Final = 64
_STREAMS: Final = 200
_STREAMS_A_CONNECTION: Final = 50
_PATH: Final = "/hutch.v1.TableService/Play"
# Of `PlayRequest`, and what a `PlayResponse` to an action begins with.
_SUBMIT: Final = 2
_SUBMITTED: Final = field(2, b"")[0]
_NAME_BYTES: Final = len(f"tables/{'0' * 20}/seats/0")


class Phase(Struct, frozen=True):
    """What came of some seconds of load. Times in seconds, of the gateway's processor too."""

    seconds: float
    #: From sending an action to its acknowledgement, sorted; and from the first try of several.
    accepted: list[float]
    felt: list[float]
    refused: int
    gateway_cpu: float

    @property
    def goodput(self) -> float:
        """Actions acknowledged a second."""
        return len(self.accepted) / self.seconds

    def slowest(self, share: float) -> float:
        """The time within which all but that share were acknowledged."""
        return self.accepted[int(len(self.accepted) * (1 - share))]

    def __str__(self) -> str:
        return (
            f"{self.goodput:6.0f}/s acknowledged, half within {1000 * self.slowest(0.5):.0f} ms, "
            f"99 % within {1000 * self.slowest(0.01):.0f} ms, and with all tries within "
            f"{1000 * percentile(self.felt, 0.99):.0f} ms; {self.refused / self.seconds:.0f}/s "
            f"refused; gateway {self.gateway_cpu / self.seconds:.2f} cores, "
            f"{1e6 * self.gateway_cpu / len(self.accepted):.0f} us an acknowledged action"
        )


class _Player:
    __slots__ = ("action", "connection", "sent", "stream", "table", "wanted")

    def __init__(self, table: ScriptedTable, connection: Connection, stream: int) -> None:
        self.table = table
        self.connection = connection
        self.stream = stream
        self.action = table.action()
        #: When it sent its action the last time, and the first.
        self.sent = 0.0
        self.wanted = 0.0


class Crowd:
    """Players over Play streams, each with one action under way at most."""

    def __init__(self, gateway_pid: int, *, deaf: bool = False) -> None:
        self._gateway_pid = gateway_pid
        self._deaf = deaf
        self._connections: list[Connection] = []
        self._idle: deque[_Player] = deque()
        self._busy: dict[bytes, _Player] = {}
        self._accepted: list[float] = []
        self._felt: list[float] = []
        self._refused = 0
        self._answer_sends_next = False

    async def gather(self, address: str, redis_url: str, token: str, players: int) -> None:
        """Deal a table for each, and open the streams."""
        dealt = await deal_tables(redis_url, PLAYER, players, ruleset="rabbit-space", seats=4)
        places = []
        for number in range(min(players, _STREAMS)):
            if number % _STREAMS_A_CONNECTION == 0:
                self._connections.append(await connect(address, _PATH, token))
            places.append((self._connections[-1], self._connections[-1].open(self._hear)))
        rng = Random(1)
        for number, one in enumerate(dealt):
            self._idle.append(_Player(ScriptedTable(one, rng), *places[number % len(places)]))

    def leave(self) -> None:
        """Hang up."""
        for connection in self._connections:
            connection.close()

    async def peak(self, seconds: float) -> Phase:
        """Keep a few actions under way."""
        async with _Measured(self) as measured:
            self._answer_sends_next = True
            for _ in range(AT_ONCE_FOR_PEAK):
                self._send_one()
            await asyncio.sleep(seconds)
            self._answer_sends_next = False
        await self.quiet()
        return measured.phase

    async def come(self, per_second: float, seconds: float) -> Phase:
        """Send so many actions a second, or as many as there are players who wait for nothing."""
        async with _Measured(self) as measured:
            began, sent = perf_counter(), 0
            while (passed := perf_counter() - began) < seconds:
                due = int(per_second * passed)
                while sent < due and self._send_one():
                    sent += 1
                sent = due
                await asyncio.sleep(0.001)
        return measured.phase

    async def quiet(self) -> float:
        """Wait until nothing is under way: how long that took."""
        began = perf_counter()
        while self._busy:
            await asyncio.sleep(0.005)
        return perf_counter() - began

    def taken(self) -> Phase:
        """What was acknowledged and refused since the last call; `seconds` and the gateway's time
        so far."""
        accepted, felt, refused = sorted(self._accepted), sorted(self._felt), self._refused
        self._accepted, self._felt, self._refused = [], [], 0
        return Phase(perf_counter(), accepted, felt, refused, cpu_seconds(self._gateway_pid))

    def _send_one(self) -> bool:
        if not self._idle:
            return False
        player = self._idle.popleft()
        assert player.action is not None
        player.sent = perf_counter()
        player.wanted = player.wanted or player.sent
        self._busy[player.table.acting] = player
        player.connection.send(player.stream, field(_SUBMIT, player.action))
        return True

    def _hear(self, data: bytes) -> None:
        player = self._busy.pop(data[-_NAME_BYTES:])
        wait_seconds = 0.0
        if data[0] == _SUBMITTED:
            self._accepted.append(perf_counter() - player.sent)
            self._felt.append(perf_counter() - player.wanted)
            player.wanted = 0.0
            player.action = player.table.action()
        else:
            refusal = service_pb.PlayResponse.FromString(data).refusal
            assert refusal.reason == Wrong.OVERLOADED, refusal
            wait_seconds = int(refusal.metadata["retry_after_ms"]) / 1000
            assert wait_seconds > 0
            self._refused += 1
        if wait_seconds and not self._deaf:
            asyncio.get_running_loop().call_later(wait_seconds, self._idle.append, player)
        elif player.action is not None:
            self._idle.append(player)
        if self._answer_sends_next:
            self._send_one()


class _Measured:
    """What comes of a block."""

    phase: Phase

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd

    async def __aenter__(self) -> _Measured:
        self._before = self._crowd.taken()
        return self

    async def __aexit__(self, *_: object) -> None:
        taken, before = self._crowd.taken(), self._before
        self.phase = replace(
            taken,
            seconds=taken.seconds - before.seconds,
            gateway_cpu=taken.gateway_cpu - before.gateway_cpu,
        )


class Round(Struct, frozen=True):
    """One round. `quiet_after` is how long after the overload the last answer came, in seconds."""

    peak: Phase
    overload: Phase
    quiet_after: float
    after: Phase

    @property
    def goodput(self) -> float:
        """Of the peak, the share that is reached under overload."""
        return self.overload.goodput / self.peak.goodput

    @property
    def useful(self) -> float:
        """Of the gateway's processor time under overload, what the acknowledged actions would have
        taken at the peak. Unlike the goodput it is the same on a machine that does other things."""
        action = self.peak.gateway_cpu / len(self.peak.accepted)
        return action * len(self.overload.accepted) / self.overload.gateway_cpu


async def one_round(crowd: Crowd, times: float, seconds: float, peak_seconds: float) -> Round:
    """Peak, overload, and a tenth of the peak."""
    peak = await crowd.peak(peak_seconds)
    overload = await crowd.come(times * peak.goodput, seconds)
    quiet_after = await crowd.quiet()
    after = await crowd.come(peak.goodput / 10, peak_seconds)
    await crowd.quiet()
    return Round(peak, overload, quiet_after, after)


def token_of(folder: Path) -> str:
    """A token of the player who has all the tables, signed with the gateway's keys."""
    tokens = Tokens(load_keys(folder / "keys.json"), issuer="hutch", lifetime_seconds=86_400)
    return tokens.issue(PLAYER, PLAYER)[0]


async def _run(arguments: argparse.Namespace) -> list[Round]:
    rounds = []
    with tempfile.TemporaryDirectory(prefix="hutch-") as name:
        folder = Path(name)
        async with Gateways(folder) as behind:
            gateway = await behind.gateway(**bounds(arguments))
            crowd = Crowd(gateway.process.pid, deaf=arguments.deaf)
            url, token = behind.redis.url, token_of(folder)
            await crowd.gather(gateway.address, url, token, arguments.players)
            await crowd.peak(1.0)
            for _ in range(arguments.rounds):
                seconds = arguments.seconds / arguments.rounds
                one = await one_round(crowd, arguments.times, seconds, peak_seconds=3.0)
                rounds.append(one)
                print(f"peak      {one.peak}\noverload  {one.overload}\nafter     {one.after}")
                print(
                    f"goodput {one.goodput:.2f} of the peak; {one.useful:.2f} of the processor "
                    f"time was of use; quiet {one.quiet_after:.1f} s after",
                    flush=True,
                )
            crowd.leave()
    return rounds


def bounds(arguments: argparse.Namespace) -> dict[str, str]:
    """The gateway's settings that were asked for."""
    asked = {
        "HUTCH_LIMIT_ACTIONS_AT_ONCE": arguments.at_once,
        "HUTCH_LIMIT_PATIENCE_SECONDS": arguments.patience,
    }
    return {name: value for name, value in asked.items() if value is not None}


def main() -> None:
    """Overload a gateway; the status is 1 where it takes that badly."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.overload", description=__doc__)
    parser.add_argument("--times", type=float, default=5.0, help="of the peak")
    parser.add_argument("--seconds", type=float, default=60.0, help="under overload, in all")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--at-once", help="HUTCH_LIMIT_ACTIONS_AT_ONCE, else as shipped")
    parser.add_argument("--patience", help="HUTCH_LIMIT_PATIENCE_SECONDS, else as shipped")
    parser.add_argument("--deaf", action="store_true", help="players who do not wait as told")
    parser.add_argument("--players", type=int, default=2_500)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        rounds = runner.run(_run(parser.parse_args()))
    goodput = median(one.goodput for one in rounds)
    quiet_after = max(one.quiet_after for one in rounds)
    slower = median(one.overload.slowest(0.01) / one.peak.slowest(0.01) for one in rounds)
    print(
        f"goodput {goodput:.2f} of the peak, {slower:.1f} times its p99 (medians), "
        f"quiet within {quiet_after:.1f} s"
    )
    sys.exit(goodput < 0.8 or quiet_after > 10 or any(one.after.refused for one in rounds))


if __name__ == "__main__":
    main()
