"""A process tells whether it takes work, over gRPC and HTTP alike."""

import asyncio
import http.client
import socket
from collections.abc import AsyncIterator

import grpc
import grpc.aio
import pytest
import structlog
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from prometheus_client.parser import text_string_to_metric_families

from hutch.runtime import metrics
from hutch.runtime.drain import drain
from hutch.runtime.exposition import Exposition
from hutch.runtime.health import Health, add_health
from hutch.runtime.needs import Needs
from hutch.runtime.settings.shared import DrainSettings

SERVING = HealthCheckResponse.SERVING
NOT_SERVING = HealthCheckResponse.NOT_SERVING
UNKNOWN = HealthCheckResponse.SERVICE_UNKNOWN


class Door:
    """A server with nothing but its health, and a client of it."""

    def __init__(self, health: Health) -> None:
        self.health = health
        self.server = grpc.aio.server()
        add_health(self.server, health, "hutch.v1.TableService")
        self.port = self.server.add_insecure_port("127.0.0.1:0")
        self.channel = grpc.aio.insecure_channel(f"127.0.0.1:{self.port}")
        self.stub = HealthStub(self.channel)

    async def check(self, service: str = "") -> int:
        return (await self.stub.Check(HealthCheckRequest(service=service), timeout=60)).status


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    opened = Door(Health())
    await opened.server.start()
    yield opened
    await opened.channel.close()
    await opened.server.stop(None)


async def test_a_process_serves_only_between_start_and_drain(door: Door) -> None:
    assert await door.check() == NOT_SERVING
    door.health.serving()
    assert await door.check() == SERVING
    assert await door.check("hutch.v1.TableService") == SERVING
    door.health.draining()
    assert await door.check() == NOT_SERVING
    door.health.serving()
    assert await door.check() == NOT_SERVING


async def test_a_process_does_not_serve_while_what_it_needs_is_out_of_reach(door: Door) -> None:
    there = True

    async def answer() -> bool:
        return there

    async def fail() -> bool:
        raise ConnectionError

    async def hang() -> bool:
        await asyncio.Event().wait()
        return True

    door.health.serving()
    await Needs(door.health, {"redis": answer, "rules": answer}).look()
    assert await door.check() == SERVING
    for broken in (fail, hang):
        await Needs(door.health, {"redis": answer, "rules": broken}, patience_seconds=0.01).look()
        assert await door.check() == NOT_SERVING
        assert door.health.alive
        await Needs(door.health, {"redis": answer}).look()
        assert await door.check() == SERVING
    there = False
    await Needs(door.health, {"redis": answer}).look()
    assert await door.check() == NOT_SERVING
    door.health.draining()
    there = True
    await Needs(door.health, {"redis": answer}).look()
    assert await door.check() == NOT_SERVING


async def test_what_is_out_of_reach_is_told_once_unless_it_is_only_just_being_reached(
    door: Door,
) -> None:
    there = iter((False, True, True, False, False, False, True, True))

    async def answer() -> bool:
        return next(there)

    needs = Needs(door.health, {"rules": answer})
    with structlog.testing.capture_logs() as logged:
        for _ in range(8):
            await needs.look()
    assert [one["event"] for one in logged] == ["out_of_reach", "within_reach"]
    assert logged[0]["missing"] == ["rules"]


async def test_a_process_that_starts_cut_off_serves_once_it_is_not(door: Door) -> None:
    door.health.cut_off(True)
    door.health.serving()
    assert await door.check() == NOT_SERVING
    door.health.cut_off(False)
    assert await door.check() == SERVING


@pytest.mark.parametrize("name", ["hutch.v1.Nothing", 20_000 * "x"])
async def test_a_service_that_is_not_here_is_not_found(name: str, door: Door) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await door.check(name)
    assert raised.value.code() is grpc.StatusCode.NOT_FOUND


async def test_a_watch_tells_every_change_and_ends_with_the_drain(door: Door) -> None:
    watch = door.stub.Watch(HealthCheckRequest(), timeout=60)
    assert (await watch.read()).status == NOT_SERVING
    door.health.serving()
    assert (await watch.read()).status == SERVING
    door.health.draining()
    assert (await watch.read()).status == NOT_SERVING
    assert await watch.read() is grpc.aio.EOF


async def test_a_watch_of_a_service_that_is_not_here_stays_open_and_says_so(door: Door) -> None:
    watch = door.stub.Watch(HealthCheckRequest(service="hutch.v1.Nothing"), timeout=60)
    assert (await watch.read()).status == UNKNOWN


async def test_an_open_watch_does_not_hold_the_drain_up(door: Door) -> None:
    door.health.serving()
    watch = door.stub.Watch(HealthCheckRequest(), timeout=60)
    assert (await watch.read()).status == SERVING
    async with asyncio.timeout(10):
        await drain(door.server, door.health, DrainSettings(grace_seconds=50))


async def test_a_watcher_that_leaves_is_forgotten(door: Door) -> None:
    watch = door.stub.Watch(HealthCheckRequest(), timeout=60)
    await watch.read()
    assert len(door.health._changed) == 1
    watch.cancel()
    async with asyncio.timeout(60):
        while door.health._changed:
            await asyncio.sleep(0)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
def test_readiness_and_metrics_are_served_over_http(host: str) -> None:
    if host == "[::1]" and not _has_ipv6():
        pytest.skip("this machine has no IPv6")
    health = Health()
    exposition = Exposition(f"{host}:0", health)
    try:
        assert exposition.address.startswith(f"{host}:")
        assert get(exposition, "/readyz") == (503, "starting\n")
        health.serving()
        assert get(exposition, "/readyz") == (200, "serving\n")
        health.draining()
        assert get(exposition, "/readyz") == (503, "draining\n")
        assert get(exposition, "/secrets")[0] == 404
        status, text = get(exposition, "/metrics")
        names = {family.name for family in text_string_to_metric_families(text)}
        assert status == 200
        assert {metrics.BUILD_INFO.name, "process_cpu_seconds"} <= names
    finally:
        exposition.close()


def _has_ipv6() -> bool:
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True


def test_a_process_that_no_longer_goes_round_is_not_alive() -> None:
    stalled = Exposition("127.0.0.1:0", Health(stalled_seconds=0))
    beating = Exposition("127.0.0.1:0", Health(stalled_seconds=60))
    try:
        assert get(stalled, "/livez") == (503, "stalled\n")
        assert get(beating, "/livez") == (200, "alive\n")
    finally:
        stalled.close()
        beating.close()


async def test_an_event_loop_beats_by_itself() -> None:
    health = Health(stalled_seconds=60)
    health._beaten -= 120
    assert not health.alive
    heart = asyncio.create_task(health.keep_beating())
    async with asyncio.timeout(60):
        while not health.alive:
            await asyncio.sleep(0)
    heart.cancel()


def get(exposition: Exposition, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(exposition.address, timeout=60)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()
