"""Streams: those that are open, whose they are, and their end where a token does not last."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hutch.callers.caller import Caller
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
    """The open streams of this gateway, at most so many a player."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[Stream] = set()
        self._by_player: Counter[str] = Counter()

    @contextmanager
    def opened(self, caller: Caller) -> Iterator[None]:
        """While the current task serves a stream. Raises `Fault` TOO_MANY_STREAMS, or whatever
        ended the stream."""
        if self._by_player[caller.player] >= self._most:
            raise Fault(
                Wrong.TOO_MANY_STREAMS,
                f"{self._most} streams of yours are open here already; end one, or watch several "
                f"tables over one Play stream.",
                retry_after_ms=_RETRY_MS,
            )
        task = asyncio.current_task()
        assert task is not None
        stream = Stream(caller, task)
        self._open.add(stream)
        self._by_player[caller.player] += 1
        try:
            yield
        except asyncio.CancelledError:
            if stream.fault is None:
                raise  # the client is gone
            task.uncancel()
            raise stream.fault from None
        finally:
            self._open.discard(stream)
            self._by_player[caller.player] -= 1
            if not self._by_player[caller.player]:
                del self._by_player[caller.player]

    def end_those(self, refusal: Callable[[Caller], Fault | None]) -> None:
        """End every stream whose caller is refused by now."""
        for stream in self._open:
            if (fault := refusal(stream.caller)) is not None:
                stream.end(fault)
