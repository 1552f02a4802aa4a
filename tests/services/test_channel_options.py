"""What gRPC is told of connections: it ignores an option that it does not know, without a word."""

from __future__ import annotations

from pathlib import Path

import grpc

from hutch.gateway.__main__ import server_options
from hutch.rules.__main__ import SERVER_OPTIONS
from hutch.turns.rules_link import CHANNEL_OPTIONS


def test_every_option_of_servers_and_of_the_way_to_the_rules_is_one_that_grpc_knows() -> None:
    (library,) = (Path(grpc.__file__).parent / "_cython").glob("cygrpc*.so")
    known = library.read_bytes()
    options = [*server_options(65_536), *SERVER_OPTIONS, *CHANNEL_OPTIONS]
    assert [name for name, _ in options if name.encode() + b"\0" not in known] == []
