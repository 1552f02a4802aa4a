"""Traces: one id for what a caller asked for, in the logs of every process that has to do with it.

The id comes from the caller, as W3C Trace Context writes it (`traceparent`), or is made at the
gateway. It is followed for as long as a task works for that caller, and every line that the task
logs meanwhile has it as `trace_id`.

A caller that sets the flag `sampled` wants to see where it goes: the id is stored with what comes
of the call, and each process logs a line of what it did. Any other id lives for the call alone,
should something fail. See decision 19.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from random import randbytes
from typing import Final

from msgspec import Struct

#: The metadata that a caller sends its context in.
TRACEPARENT: Final = "traceparent"
_ID_BYTES: Final = 16
_SAMPLED: Final = 1

# Version, trace id, parent id, flags. A later version may say more, after a hyphen.
_FORM = re.compile(
    r"(?!ff)(?P<version>[0-9a-f]{2})-(?!0{32})(?P<id>[0-9a-f]{32})"
    r"-(?!0{16})[0-9a-f]{16}-(?P<flags>[0-9a-f]{2})(?P<more>-.*)?"
)


class Trace(Struct, frozen=True):
    """An id of 16 bytes, and whether its caller wants to see where it goes."""

    trace_id: bytes
    is_sampled: bool = False

    def __str__(self) -> str:
        """The id, as logs show it."""
        return self.trace_id.hex()


_FOLLOWED: ContextVar[Trace | None] = ContextVar("hutch_trace", default=None)

#: The trace that this task works for, if any.
followed = _FOLLOWED.get
#: From now on this task, and what it starts, works for that trace; None: for nobody's.
follow = _FOLLOWED.set


def parsed(traceparent: str) -> Trace | None:
    """The trace of a caller; None where that is no `traceparent`."""
    found = _FORM.fullmatch(traceparent)
    if found is None or (found["version"] == "00" and found["more"]):
        return None
    return Trace(bytes.fromhex(found["id"]), bool(int(found["flags"], 16) & _SAMPLED))


def made() -> Trace:
    """A trace of our own, for a caller who sent none."""
    return Trace(randbytes(_ID_BYTES))


def sampled_id() -> bytes | None:
    """The id to store with what comes of this; None where nobody wants to see it."""
    trace = followed()
    return trace.trace_id if trace is not None and trace.is_sampled else None


def of_sampled(trace_id: bytes | None) -> Trace | None:
    """The trace whose id was stored."""
    return None if trace_id is None else Trace(trace_id, is_sampled=True)
