"""The plan of a run: how many tables, what is struck and how often, and the seed of it all."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Literal

from msgspec import Struct

#: A process of a kind killed; one held still for a while; every process killed at once, under
#: `hutch up`, which starts them again; and that one killed with them, and started anew.
Way = Literal["kill", "hold", "all", "crash"]
PROCESS_KINDS = ("gateway", "rules", "timekeeper", "dispatcher", "worker")
REDIS = "redis"


class Blow(Struct, frozen=True):
    """One blow: `kind` of the process that is struck, "" for all."""

    way: Way
    kind: str = ""

    @property
    def name(self) -> str:
        """For the report."""
        return f"{self.way} {self.kind}".strip()


class Plan(Struct, frozen=True, kw_only=True):
    """A run. `every` are the seconds before a blow, at least and at most, once its victim runs;
    `minutes` limits how long tables are opened; `patience_seconds` is how long a table may stand
    still after the last blow."""

    seed: int
    tables: int = 5000
    at_once: int = 200
    kills: int = 200
    redis_kills: int = 10
    holds: int = 10
    alls: int = 2
    crashes: int = 2
    every: tuple[float, float] = (0.5, 2.0)
    minutes: float = 15.0
    patience_seconds: float = 60.0
    gateways: int = 2
    rules: int = 2
    workers: int = 2
    players: int = 16

    def rng(self, *purpose: object) -> Random:
        """What is random for that purpose, the same in every run of this seed."""
        return Random(" ".join(map(str, (self.seed, *purpose))))

    def blows(self) -> list[Blow]:
        """All blows in order. Every kind of process gets its share of the kills."""
        blows = [
            *(Blow("kill", PROCESS_KINDS[n % len(PROCESS_KINDS)]) for n in range(self.kills)),
            *(Blow("kill", REDIS) for _ in range(self.redis_kills)),
            *(Blow("hold", kind) for kind in _in_turn(self.holds)),
            *(Blow("all") for _ in range(self.alls)),
            *(Blow("crash") for _ in range(self.crashes)),
        ]
        self.rng("blows").shuffle(blows)
        return blows


def _in_turn(count: int) -> Iterator[str]:
    kinds = (*PROCESS_KINDS, REDIS)
    return (kinds[number % len(kinds)] for number in range(count))
