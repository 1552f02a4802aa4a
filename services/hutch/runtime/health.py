"""Health: whether a process takes work, told over gRPC and HTTP alike.

A process is starting, then serving, then draining; it never serves again after draining. While it
serves it may be cut off from what it cannot work without, see `hutch.runtime.needs`. It is alive
while something in it beats: the event loop does so every second, and a process without one calls
`beat` wherever it goes round.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from enum import StrEnum
from typing import Final

import grpc.aio
from grpc_health.v1 import health_pb2_grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse

BEAT_SECONDS: Final = 1.0
STALLED_SECONDS: Final = 15.0


class State(StrEnum):
    """Where a process is in its life."""

    STARTING = "starting"
    SERVING = "serving"
    CUT_OFF = "cut off"
    DRAINING = "draining"


class Health:
    """The health of this process. Read from any thread; changed in one."""

    def __init__(self, *, stalled_seconds: float = STALLED_SECONDS) -> None:
        self.state = State.STARTING
        self._cut_off = False
        self._stalled_seconds = stalled_seconds
        self._beaten = time.monotonic()
        self._changed: list[asyncio.Event] = []

    @property
    def ready(self) -> bool:
        """Work may be sent here."""
        return self.state is State.SERVING

    @property
    def alive(self) -> bool:
        """It went round lately. If not, it is to be killed and started anew."""
        return time.monotonic() - self._beaten < self._stalled_seconds

    def beat(self) -> None:
        """It goes round."""
        self._beaten = time.monotonic()

    async def keep_beating(self) -> None:
        """Beat for as long as the event loop turns."""
        while True:
            self.beat()
            await asyncio.sleep(BEAT_SECONDS)

    def serving(self) -> None:
        """Work may come from now on."""
        if self.state is State.STARTING:
            self._enter(State.CUT_OFF if self._cut_off else State.SERVING)

    def cut_off(self, cut_off: bool) -> None:
        """Whether what it needs is out of reach."""
        self._cut_off = cut_off
        if self.state in (State.SERVING, State.CUT_OFF):
            self._enter(State.CUT_OFF if cut_off else State.SERVING)

    def draining(self) -> None:
        """No more work, for good."""
        self._enter(State.DRAINING)

    async def states(self) -> AsyncIterator[State]:
        """The state now and whenever it changes, to the last."""
        changed = asyncio.Event()
        self._changed.append(changed)
        try:
            while True:
                changed.clear()
                state = self.state
                yield state
                if state is State.DRAINING:
                    return
                await changed.wait()
        finally:
            self._changed.remove(changed)

    def _enter(self, state: State) -> None:
        if state is self.state:
            return
        self.state = state
        for changed in self._changed:
            changed.set()


class HealthServicer(health_pb2_grpc.HealthServicer):
    """`grpc.health.v1.Health` for the server as a whole (the empty name) and each service.

    Unlike the stock servicer, a watch ends once it has told of the drain: an open one would hold
    every shutdown up for the whole grace period.
    """

    def __init__(self, health: Health, services: Iterable[str]) -> None:
        self._health = health
        self._services = {"", *services}

    async def Check(
        self,
        request: HealthCheckRequest,
        context: grpc.aio.ServicerContext[HealthCheckRequest, HealthCheckResponse],
    ) -> HealthCheckResponse:
        """The state now."""
        if request.service not in self._services:
            await context.abort(
                grpc.StatusCode.NOT_FOUND, f"There is no service {request.service[:80]!r} here."
            )
        return _response(self._health.state)

    async def Watch(
        self,
        request: HealthCheckRequest,
        context: grpc.aio.ServicerContext[HealthCheckRequest, HealthCheckResponse],
    ) -> AsyncIterator[HealthCheckResponse]:
        """The state now and whenever it changes."""
        known = request.service in self._services
        async for state in self._health.states():
            yield (
                _response(state)
                if known
                else HealthCheckResponse(status=HealthCheckResponse.SERVICE_UNKNOWN)
            )


def add_health(server: grpc.aio.Server, health: Health, *services: str) -> None:
    """Let that server tell of its health; `services` are full names, `hutch.v1.TableService`."""
    health_pb2_grpc.add_HealthServicer_to_server(HealthServicer(health, services), server)


def _response(state: State) -> HealthCheckResponse:
    serving = state is State.SERVING
    return HealthCheckResponse(
        status=HealthCheckResponse.SERVING if serving else HealthCheckResponse.NOT_SERVING
    )
