"""Records: the whole stored game, as a checkpoint and the inputs since."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct

from hutch.engine.prompts import Input


class Result(Struct, frozen=True, array_like=True):
    """How a game ended. `scores` by seat; `winners` the seats that win; `team` a shared score."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    team: int | None = None


#: What tells a run of a clock from all others: its seat, the clock's name, and its key.
Run = tuple[int, str, str]


class Running(Struct, frozen=True, array_like=True):
    """A run of a clock that a seat's question started. Its limit is over at `due_ms`, or it stands
    still with `left_ms` of it.

    Times are milliseconds since 1970, from the one clock that hands times to the kernel. `key` is
    the clock's own, or `#` and the number of the question where it has none. From `since_ms` on it
    is going, and was not credited with an outage.
    """

    seat: int
    name: str
    key: str
    due_ms: int | None
    left_ms: int | None = None
    since_ms: int = 0

    @property
    def run(self) -> Run:
        """What tells this run from all others."""
        return self.seat, self.name, self.key


class Rewind(Struct, frozen=True, array_like=True):
    """The clocks that the answer at `step` of the inputs stopped or ended, as they were before; and
    the time banks before it."""

    step: int
    ended: list[Running]
    banks_ms: list[int] = []


class Standing(Struct, frozen=True, array_like=True):
    """A question that stayed open over a checkpoint: asked alike again, it keeps its number."""

    seat: int
    offered: bool
    number: int
    digest: int


class Record(Struct, array_like=True):
    """One game as stored. Everything up to `standing` is as of the checkpoint.

    `trail` is a digest of the boards at all checkpoints so far; `numbers` the last question number
    of each seat. `inputs` are those accepted since, and `rewinds` what undoing them does to clocks;
    `clocks`, `gone`, `result` and `banks_ms` are as of now. The time banks, by seat, are those from
    which runs that are over were paid; empty where the table has none.
    """

    ruleset: str
    rules_revision: int
    seats: int
    options: msgspec.Raw
    limits_ms: dict[str, int]
    seed: bytes
    board: bytes
    trail: bytes
    draws: dict[str, int]
    numbers: list[int]
    standing: list[Standing]
    inputs: list[Input]
    rewinds: list[Rewind]
    clocks: list[Running]
    gone: list[int]
    result: Result | None = None
    banks_ms: list[int] = []

    def is_of(self, ruleset: str, revision: int) -> bool:
        """Whether the game is played under that revision of that ruleset."""
        return self.ruleset == ruleset and self.rules_revision == revision


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Record)


def encode_record(record: Record) -> bytes:
    """The record as bytes, the same bytes for the same game everywhere."""
    return _encoder.encode(record)


def decode_record(data: bytes) -> Record:
    """The record that those bytes hold. Raises `msgspec.DecodeError` if they hold none."""
    return _decoder.decode(data)


def chained(trail: bytes, board: bytes) -> bytes:
    """The trail with the board of one more checkpoint (16 bytes)."""
    return blake2b(trail + board, digest_size=16).digest()


def encode(value: Any) -> bytes:
    """Any value of the rules as canonical MessagePack."""
    return _encoder.encode(value)
