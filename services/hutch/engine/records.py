"""Records: the whole stored game, as a checkpoint and the inputs since."""

from __future__ import annotations

from typing import Any

import msgspec
from hutch.engine.prompts import Input
from msgspec import Struct


class Result(Struct, frozen=True, array_like=True):
    """How a game ended. `scores` by seat; `winners` the seats that win; `team` a shared score."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    team: int | None = None


class Running(Struct, frozen=True, array_like=True):
    """A clock that a seat's question started: due at `due_ms`, or stopped with `left_ms` to go.

    Times are milliseconds since 1970, from the one clock that hands times to the kernel.
    `number` is the question's, for clocks without a key.
    """

    seat: int
    name: str
    key: str
    due_ms: int | None
    left_ms: int | None = None


class Standing(Struct, frozen=True, array_like=True):
    """A question that stayed open over a checkpoint: asked alike again, it keeps its number."""

    seat: int
    offered: bool
    number: int
    digest: int


class Record(Struct, array_like=True):
    """One game as stored. Everything up to `standing` is as of the checkpoint.

    `inputs` are those accepted since; `clocks`, `gone` and `result` are as of now.
    """

    ruleset: str
    rules_revision: int
    seats: int
    options: msgspec.Raw
    limits_ms: dict[str, int]
    seed: bytes
    board: bytes
    draws: dict[str, int]
    numbers: int
    standing: list[Standing]
    inputs: list[Input]
    clocks: list[Running]
    gone: list[int]
    result: Result | None = None


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Record)
_inputs = msgspec.msgpack.Decoder(list[Input])


def encode_record(record: Record) -> bytes:
    """The record as bytes, the same bytes for the same game everywhere."""
    return _encoder.encode(record)


def decode_record(data: bytes) -> Record:
    """The record that those bytes hold. Raises `msgspec.DecodeError` if they hold none."""
    return _decoder.decode(data)


def encode_inputs(inputs: list[Input]) -> bytes:
    """Accepted inputs as bytes, for the input log."""
    return _encoder.encode(inputs)


def decode_inputs(data: bytes) -> list[Input]:
    """The inputs that those bytes hold."""
    return _inputs.decode(data)


def encode(value: Any) -> bytes:
    """Any value of the rules as canonical MessagePack."""
    return _encoder.encode(value)
