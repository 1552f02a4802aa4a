"""Ports: kept for a stack's programs for as long as it runs, also while one is started again.

A port that was merely free when it was looked for may be anybody's when its program wants it. So a
socket of ours stays bound to it. That one never listens: with SO_REUSEADDR, Linux lets a program
that names the port listen there all the same, and gives the port to nobody who asks for any.

It would let another stack hold the port beside us as well, until one of the two programs listens.
A socket in the abstract namespace, of which there is one of each name, tells that it is held.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Iterable, Iterator
from typing import Final

HOST: Final = "127.0.0.1"


class PortTakenError(Exception):
    """A port that somebody else has, or that there is not. `why` is half a sentence."""

    def __init__(self, port: int, why: str) -> None:
        super().__init__(f"port {port}: {why}")
        self.port = port
        self.why = why


@contextlib.contextmanager
def held_ports(wanted: Iterable[int], *, alone: bool = False) -> Iterator[list[int]]:
    """Those loopback ports, or any for each that is 0, kept for programs of ours until the end;
    `alone`: from all others who hold theirs alone.

    Elsewhere than on Linux they are let go at once, for there nobody could listen beside us.

    Raises:
        PortTakenError: one of them cannot be had.
    """
    with contextlib.ExitStack() as holders:
        ports = [_hold(port, holders) for port in wanted]
        if sys.platform != "linux":
            holders.close()
        elif alone:
            for port in ports:
                _claim(port, holders)
        yield ports


def _hold(port: int, holders: contextlib.ExitStack) -> int:
    holder = holders.enter_context(socket.socket())
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        holder.bind((HOST, port))
    except OSError as fault:
        raise PortTakenError(port, os.strerror(fault.errno or 0)) from None
    except OverflowError:
        raise PortTakenError(port, "there are none beyond 65535") from None
    return int(holder.getsockname()[1])


def _claim(port: int, holders: contextlib.ExitStack) -> None:
    claim = holders.enter_context(socket.socket(socket.AF_UNIX))
    try:
        claim.bind(f"\0hutch {HOST}:{port}")
    except OSError as fault:
        raise PortTakenError(port, os.strerror(fault.errno or 0)) from None
