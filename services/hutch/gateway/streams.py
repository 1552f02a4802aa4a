"""Streams: those that are open, whose they are, and their end where a token does not last."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager

from hutch.callers.caller import Caller
from hutch.gateway.quotas import Quotas
from hutch.runtime import metrics
from hutch.wire.errors import Fault, Wrong

_RETRY_MS = 1_000


class Stream:
    """One open stream."""

    __slots__ = ("_task", "caller", "fault")

    def __init__(self, caller: Caller, task: asyncio.Task[object]) -> None:
        self.caller = caller
        self.fault: Fault | None = None
        self._task = task

    def end(self, fault: Fault) -> None:
        """End it with that fault."""
        if self.fault is None:
            self.fault = fault
            self._task.cancel()


class Streams:
    """The open streams of this gateway; of a player at most so many, at all gateways together."""

    def __init__(self, quotas: Quotas, most: int) -> None:
        self._quotas = quotas
        self._most = most
        self._open: set[Stream] = set()

    def place(self, caller: Caller) -> AbstractAsyncContextManager[None]:
        """A place for one stream of that player. Raises `Fault` TOO_MANY_STREAMS."""
        return self._quotas.one("streams", caller.player, self._most, self._refusal)

    @contextmanager
    def served(self, caller: Caller) -> Iterator[None]:
        """While the current task serves a stream. Raises whatever `Fault` ended the stream."""
        task = asyncio.current_task()
        assert task is not None
        stream = Stream(caller, task)
        self._open.add(stream)
        try:
            yield
        except asyncio.CancelledError:
            if stream.fault is None:
                raise  # the client is gone
            task.uncancel()
            raise stream.fault from None
        finally:
            self._open.discard(stream)

    def end_those(self, refusal: Callable[[Caller], Fault | None]) -> None:
        """End every stream whose caller is refused by now."""
        for stream in self._open:
            if (fault := refusal(stream.caller)) is not None:
                metrics.STREAM_CUTOFFS.labels(cause="token").inc()
                stream.end(fault)

    def _refusal(self) -> Fault:
        return Fault(
            Wrong.TOO_MANY_STREAMS,
            f"{self._most} streams of yours are open already; end one, or watch several tables "
            f"over one Play stream.",
            retry_after_ms=_RETRY_MS,
        )
