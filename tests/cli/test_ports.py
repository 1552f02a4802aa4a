"""A port that is held for a program is the program's, also while it is away."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from hutch.cli.ports import HOST, PortTakenError, held_ports
from hutch.cli.stack import Plan, laid_out
from hutch.cli.supervisor import StackError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ports are held on Linux")


def test_a_program_listens_at_a_held_port_and_again_after_it_died() -> None:
    with held_ports([0]) as (port,):
        for _ in range(2):
            with (
                socket.create_server((HOST, port)) as program,
                socket.create_connection((HOST, port)),
                program.accept()[0],
            ):
                pass


def test_while_its_program_is_away_nobody_answers_there_and_nobody_else_gets_it() -> None:
    with held_ports([0]) as (port,):
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((HOST, port))
        with socket.socket() as stranger, pytest.raises(OSError, match="in use"):
            stranger.bind((HOST, port))


def test_ports_held_at_once_differ() -> None:
    with held_ports([0] * 100) as ports, held_ports([0] * 100) as others:
        assert len({*ports, *others}) == 200


@pytest.mark.parametrize("wanted", ["taken", 65_536])
def test_a_port_that_cannot_be_had_is_named(wanted: str | int) -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1] if wanted == "taken" else wanted
        with pytest.raises(PortTakenError) as refused, held_ports([0, port]):
            pass
    assert refused.value.port == port
    assert refused.value.why in ("Address already in use", "there are none beyond 65535")


def test_two_stacks_that_start_at_the_same_moment_get_ports_of_their_own(tmp_path: Path) -> None:
    with laid_out(Plan(data=tmp_path / "a", gateway_port=0)) as first:
        (address,) = first.gateways
        port = int(address.rpartition(":")[2])
        with (
            pytest.raises(StackError, match=f"port {port} cannot be the gateway's"),
            laid_out(Plan(data=tmp_path / "b", gateway_port=port)),
        ):
            pass
    with laid_out(Plan(data=tmp_path / "b", gateway_port=port)) as second:
        assert second.gateways == (address,)
