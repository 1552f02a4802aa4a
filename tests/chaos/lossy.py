"""A broker that loses, doubles and delays messages: `python -m tests.chaos.lossy ROLE …` runs what
`python -m hutch.workers ROLE …` runs, with Celery's way to Redis replaced by this one.

It is told by LOSSY_FAULTS, a `Faults` as JSON, and writes a `Fate` a line to LOSSY_LOG.
"""

from __future__ import annotations

import base64
import os
import random
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import kombu.transport
import msgspec
from kombu.transport import redis
from msgspec import Struct

from hutch.workers.__main__ import main
from hutch.workers.celery_app import BOTS


class Faults(Struct, frozen=True):
    """Shares of the messages to bots that are lost, come twice, or come up to `longest_s` late."""

    seed: int
    lost: float
    doubled: float
    delayed: float
    longest_s: float


class Fate(Struct, frozen=True):
    """What became of a message: the tables it named, and when it was sent, in ms since 1970."""

    at_ms: int
    fate: str
    tables: list[str]


class LossyChannel(redis.Channel):  # type: ignore[misc]
    """Sends a message to bots never, once, twice or late."""

    faults: Faults
    log: Path
    rng: random.Random

    def _put(self, queue: str, message: dict[str, Any], **options: Any) -> None:
        send = partial(super()._put, queue, message)
        if queue != BOTS:
            send(**options)
            return
        fate = self._fate()
        tables = msgspec.json.decode(base64.b64decode(message["body"]))[0][0]
        line = msgspec.json.encode(Fate(int(time.time() * 1000), fate, tables))
        with self.log.open("ab") as file:
            file.write(line + b"\n")
        match fate:
            case "doubled":
                send(**options)
                send(**options)
            case "delayed":
                # Others overtake it meanwhile.
                late = threading.Timer(self.rng.uniform(0, self.faults.longest_s), send)
                late.daemon = True
                late.start()
            case "sent":
                send(**options)

    def _fate(self) -> str:
        drawn = self.rng.random()
        for fate in ("lost", "doubled", "delayed"):
            drawn -= getattr(self.faults, fate)
            if drawn < 0:
                return fate
        return "sent"


class LossyTransport(redis.Transport):  # type: ignore[misc]
    """Celery's transport over Redis, with those channels."""

    Channel = LossyChannel


def read_fates(log: Path) -> list[Fate]:
    """What became of all messages so far."""
    return [msgspec.json.decode(line, type=Fate) for line in log.read_bytes().splitlines()]


if __name__ == "__main__":
    LossyChannel.faults = msgspec.json.decode(os.environ["LOSSY_FAULTS"], type=Faults)
    LossyChannel.log = Path(os.environ["LOSSY_LOG"])
    LossyChannel.rng = random.Random(LossyChannel.faults.seed)
    kombu.transport.TRANSPORT_ALIASES["redis"] = lambda: LossyTransport
    main()
