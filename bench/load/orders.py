"""Orders: what the bench asks of its load process, and what that reports, as lines of JSON."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

#: `echo` and `submit` are unary calls. `echo-stream` and `play` send over streams; `tables` plays
#: whole tables over Play streams, with every seat watched.
Kind = Literal["echo", "echo-stream", "submit", "play", "tables"]


class Run(Struct, tag="run", frozen=True, kw_only=True):
    """Load a server for so long, and count."""

    kind: Kind
    address: str
    redis_url: str = ""
    player: str = ""
    token: str = ""
    #: Loaded but not counted, first.
    warm_seconds: float
    seconds: float
    #: Requests under way at once; over streams they are shared out evenly.
    concurrent: int = 64
    streams: int = 8
    #: Tables dealt before, to be played one after another, and the seats of each.
    stock: int = 0
    seats: int = 4
    #: Processes whose processor time is read at both ends, by name.
    pids: dict[str, int] = {}


class Counted(Struct, frozen=True):
    """What came of an order: how many actions were answered in how many seconds, and the processor
    seconds of each process; `load` is the load process itself."""

    actions: int
    seconds: float
    cpu_seconds: dict[str, float]
    #: The stock of tables was used up, so the figures say nothing.
    starved: bool

    @property
    def per_second(self) -> float:
        """Actions a second."""
        return self.actions / self.seconds

    def cpu_us(self, *names: str) -> float:
        """Processor time an action of those processes, in microseconds."""
        return sum(self.cpu_seconds[name] for name in names) / self.actions * 1e6


class Watch(Struct, tag="watch", frozen=True, kw_only=True):
    """Open so many idle watches and keep them until the process ends."""

    address: str
    redis_url: str
    player: str
    token: str
    watchers: int
    tables: int


class Watching(Struct, frozen=True):
    """All watches are open and have had their first update."""

    watchers: int
