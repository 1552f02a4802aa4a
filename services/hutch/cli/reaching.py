"""Reaching: how the commands of players find the gateway."""

from __future__ import annotations

from typing import Annotated, Final

import grpc
import typer

from hutch.client import Retries

ADDRESS: Final = "127.0.0.1:50551"
#: The services may all be started anew while a game is on.
PATIENCE: Final = Retries(give_up_after=30)
#: They may just be starting when a command is given.
REACH_SECONDS: Final = 3.0

GatewayAddress = Annotated[
    str, typer.Option("--address", help="Where the gateway is.", envvar="HUTCH_ADDRESS")
]


def reach(address: str) -> None:
    """Return once something answers there. Raises `ConnectionError` where nothing does."""
    with grpc.insecure_channel(address) as channel:
        try:
            grpc.channel_ready_future(channel).result(REACH_SECONDS)
        except grpc.FutureTimeoutError:
            raise ConnectionError(
                f"Nobody answers at {address}; start the services with `hutch up`."
            ) from None
