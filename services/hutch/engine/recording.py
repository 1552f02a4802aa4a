"""Recordings: a game that is over as one document, with all that is needed to check it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from hutch.engine.commands import Command
from hutch.engine.records import Result
from hutch.engine.replay import Logged, Opening


class Recorded(Struct, frozen=True, array_like=True):
    """A command that was accepted: the table's revision it led to, and when it was resolved."""

    revision: int
    at_ms: int
    command: Command


class Recording(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game from its deal on. Bytes are base64 in JSON, times milliseconds since 1970.

    `commitment` is as published before the deal, `salts` are by seat, `seed` is what the cards were
    dealt from and `result` None where the game was given up. `told` holds complete logs of what was
    told from the deal on, by audience: a seat's number or `public`; each batch is a serialized
    `hutch.v1.EventBatch`.
    """

    format: Literal["hutch-recording-1"] = "hutch-recording-1"
    table: str
    ruleset: str
    rules_revision: int
    seats: int
    options: dict[str, Any]
    limits_ms: dict[str, int]
    time_bank_ms: int = 0
    commitment: bytes
    secret: bytes
    salts: tuple[bytes, ...]
    seed: bytes
    deal_revision: int
    deal_ms: int
    commands: list[Recorded]
    result: Result | None
    told: dict[str, list[bytes]] = {}

    @property
    def opening(self) -> Opening:
        """What the game was dealt from."""
        return Opening(
            ruleset=self.ruleset,
            rules_revision=self.rules_revision,
            seats=self.seats,
            options=self.options,
            seed=self.seed,
            at_ms=self.deal_ms,
            limits_ms=self.limits_ms,
            time_bank_ms=self.time_bank_ms,
        )

    @property
    def log(self) -> list[Logged]:
        """The commands as they are replayed."""
        return [Logged(recorded.at_ms, recorded.command) for recorded in self.commands]


def encode_recording(recording: Recording) -> bytes:
    """The recording as JSON: a field a line, a command a line."""
    fields = [
        _encoder.encode(name) + b": " + _lines_of(getattr(recording, name))
        for name in recording.__struct_fields__
    ]
    return b"{\n" + b",\n".join(fields) + b"\n}\n"


def decode_recording(data: bytes) -> Recording:
    """The recording in that JSON. Raises `msgspec.DecodeError` where it holds none."""
    return _decoder.decode(data)


def _lines_of(value: Any) -> bytes:
    """A value as JSON; a list with its items on lines of their own."""
    if not isinstance(value, list) or not value:
        return _encoder.encode(value)
    return b"[\n " + b",\n ".join([_encoder.encode(item) for item in value]) + b"\n]"


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Recording)
