"""A process that is told to stop stops in order, and in time."""

import http.client
import os
import signal

import grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from tests.runtime.programs import started


def test_sigterm_ends_an_idle_server_at_once_with_status_0() -> None:
    with started("serve", HUTCH_DRAIN_GRACE_SECONDS="60") as server:
        server.said()
        os.kill(server.pid, signal.SIGTERM)
        assert server.ended() == 0
        assert [line["event"] for line in server.logged()] == ["starting", "stopping", "stopped"]


def test_readiness_goes_before_the_door_closes() -> None:
    with started("serve", HUTCH_DRAIN_NOTICE_SECONDS="60") as server:
        said = server.said()
        with grpc.insecure_channel(f"127.0.0.1:{said['port']}") as channel:
            watch = HealthStub(channel).Watch(HealthCheckRequest(), timeout=30)
            assert next(watch).status == HealthCheckResponse.SERVING
            os.kill(server.pid, signal.SIGTERM)
            assert next(watch).status == HealthCheckResponse.NOT_SERVING

            late = HealthStub(channel).Check(HealthCheckRequest(), timeout=30)
            assert late.status == HealthCheckResponse.NOT_SERVING
            assert readiness(str(said["metrics"])) == 503


def test_an_open_stream_is_ended_when_the_grace_is_over() -> None:
    with (
        started("serve", HUTCH_DRAIN_GRACE_SECONDS="0.2") as server,
        grpc.insecure_channel(f"127.0.0.1:{server.said()['port']}") as channel,
    ):
        stream = channel.unary_stream("/test/Endless")(b"")
        assert next(stream) == b"first"
        os.kill(server.pid, signal.SIGTERM)
        assert server.ended() == 0


def test_ctrl_c_asks_as_sigterm_does() -> None:
    with started("serve") as server:
        server.said()
        os.kill(server.pid, signal.SIGINT)
        assert server.ended() == 0


def test_the_second_signal_does_not_wait() -> None:
    with started("stubborn") as program:
        program.said()
        os.kill(program.pid, signal.SIGTERM)
        assert program.said() == {"stopping": True}
        os.kill(program.pid, signal.SIGTERM)
        assert program.ended() == 130


def readiness(address: str) -> int:
    connection = http.client.HTTPConnection(address, timeout=30)
    connection.request("GET", "/readyz")
    status = connection.getresponse().status
    connection.close()
    return status
