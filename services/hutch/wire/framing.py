"""Framing: messages put together from bytes that are serialized already."""

from __future__ import annotations


def field(number: int, content: bytes) -> bytes:
    """A message, string or bytes field of that number (1 to 15), for a larger message."""
    return bytes((number << 3 | 2,)) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
