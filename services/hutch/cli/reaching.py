"""Reaching: how the commands of players find the gateway."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import grpc
import typer

from hutch.client import Retries
from hutch.runtime.tls import channel_credentials

ADDRESS: Final = "127.0.0.1:50551"
#: The services may all be started anew while a game is on.
PATIENCE: Final = Retries(give_up_after=30)
#: They may just be starting when a command is given.
REACH_SECONDS: Final = 3.0

GatewayAddress = Annotated[
    str, typer.Option("--address", help="Where the gateway is.", envvar="HUTCH_ADDRESS")
]

AuthorityFile = Annotated[
    Path | None,
    typer.Option(
        "--ca",
        help="Certificate of the authority that signed the gateway's, for a gateway with TLS.",
        envvar="HUTCH_CA_FILE",
    ),
]


def options_for(address: str, ca: Path | None) -> list[str]:
    """What another command is given to reach the same gateway."""
    options = [] if address == ADDRESS else ["--address", address]
    return options if ca is None else [*options, "--ca", str(ca)]


def reach(address: str, ca: Path | None) -> grpc.ChannelCredentials | None:
    """What to connect with, once a gateway answers there; None without TLS.

    Raises `ConnectionError` where none does, and `CertificateError`.
    """
    credentials = None if ca is None else channel_credentials(ca)
    with (
        grpc.insecure_channel(address)
        if credentials is None
        else grpc.secure_channel(address, credentials)
    ) as channel:
        try:
            grpc.channel_ready_future(channel).result(REACH_SECONDS)
        except grpc.FutureTimeoutError:
            raise ConnectionError(
                f"Nobody answers at {address}; start the services with `hutch up`. "
                + ("A gateway with TLS needs --ca." if ca is None else f"Was it signed by {ca}?")
            ) from None
    return credentials
