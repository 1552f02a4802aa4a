"""Framing: messages put together from bytes that are serialized already."""

from __future__ import annotations


def field(number: int, content: bytes) -> bytes:
    """A message, string or bytes field of that number, for a larger message."""
    size = len(content)
    if number < 16:  # as most are
        if size < 0x80:
            return bytes((number << 3 | 2, size)) + content
        if size < 0x4000:
            return bytes((number << 3 | 2, size & 0x7F | 0x80, size >> 7)) + content
    return varint(number << 3 | 2) + varint(size) + content


def number_field(number: int, value: int) -> bytes:
    """A whole number of at least 0 as the field of that number."""
    if number < 16 and value < 0x80:
        return bytes((number << 3, value))
    return varint(number << 3) + varint(value)


def varint(value: int) -> bytes:
    """A number of at least 0, as it stands in a message."""
    if value < 0x80:
        return bytes((value,))
    if value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
