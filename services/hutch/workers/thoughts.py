"""Thoughts: what a worker and its thinkers say to each other, over a socket of each thinker.

Each message is framed by its length. A thinker says its process id when it is ready; then it is
asked, one question at a time, and says what came of it.
"""

from __future__ import annotations

import struct
from typing import Final

import msgspec
from msgspec import Struct

_LENGTH: Final = struct.Struct("<I")


class Bounds(Struct, frozen=True):
    """What a bot may take for an answer: seconds of processor time, and megabytes for its data (0:
    no limit). `cards` is the folder of an owner's cards; "": none."""

    answer_seconds: float
    memory_megabytes: int
    cards: str = ""


class Asked(Struct, frozen=True, array_like=True):
    """A question: what that strategy answers for a seat of a game."""

    strategy: str
    record: bytes
    seat: int


class Answered(Struct, frozen=True, array_like=True, tag=True):
    """The answer, an `Action` as bytes. After the `last` one the thinker ends."""

    action: bytes
    last: bool


class Failed(Struct, frozen=True, array_like=True, tag=True):
    """Why there is none, and the lines that led there, without the error's own words. The thinker
    ends."""

    why: str
    trace: str


Thought = Answered | Failed

encode: Final = msgspec.msgpack.Encoder().encode
decode_pid: Final = msgspec.msgpack.Decoder(int).decode
decode_asked: Final = msgspec.msgpack.Decoder(Asked).decode
decode_thought: Final = msgspec.msgpack.Decoder(Thought).decode


def framed(message: bytes) -> bytes:
    """The message behind its length."""
    return _LENGTH.pack(len(message)) + message


class Unframing:
    """Takes bytes as they come, and gives whole messages."""

    def __init__(self) -> None:
        self._held = bytearray()

    def add(self, received: bytes) -> bytes | None:
        """More bytes: the message that is whole with them, if one is."""
        self._held += received
        if len(self._held) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._held)
        end = _LENGTH.size + length
        if len(self._held) < end:
            return None
        message = bytes(self._held[_LENGTH.size : end])
        del self._held[:end]
        return message
