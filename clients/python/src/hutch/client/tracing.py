"""Traces: the context that calls belong to, for the logs of the service."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

#: The metadata that a context is sent in.
TRACEPARENT: Final = "traceparent"
_GIVEN: ContextVar[str] = ContextVar("hutch_traceparent", default="")


@contextmanager
def traced(traceparent: str) -> Iterator[None]:
    """Let what is called within the block belong to that W3C trace context.

    With the flag `sampled` (`…-01`) its id is found in the logs of all processes that have to do
    with it. Where OpenTelemetry is in use, its current span is sent without this.
    """
    before = _GIVEN.set(traceparent)
    try:
        yield
    finally:
        _GIVEN.reset(before)


def traceparent() -> str:
    """The context to send: the one given, else that of the current span; empty where neither is."""
    return _GIVEN.get() or _of_span()


def _of_span() -> str:
    # Whoever has a span has imported it; whoever has not need not install it.
    opentelemetry = sys.modules.get("opentelemetry.trace")
    if opentelemetry is None:
        return ""
    span = opentelemetry.get_current_span().get_span_context()
    if not span.is_valid:
        return ""
    return f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags:02x}"
