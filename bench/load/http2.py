"""HTTP/2: a connection that carries gRPC and costs next to nothing, made for load alone.

It knows one method of one server and one caller. There are no tasks and no futures: whoever sends
gives a callback. Headers are the same for every call, so they are compressed once, as a client of
grpcio does it: sent in full the first time, and by their places in the peer's table from then on.

Only what a gRPC server sends in answer is understood. Headers that come back are not decompressed:
a call that is answered with a message is well, and one that is not ends the run with `CallFailed`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from struct import Struct
from typing import Final, cast

#: Hears each message of a call as it comes.
Hear = Callable[[bytes], None]

_DATA, _HEADERS, _SETTINGS, _PING, _WINDOW_UPDATE = 0, 1, 4, 6, 8
_END_STREAM, _ACK, _END_HEADERS = 0x1, 0x1, 0x4
_INITIAL_WINDOW_SIZE = 4
_WINDOW = 65_535
_WINDOW_MOST = 2**31 - 1
_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#: Where the entry that was added last to a peer's table of headers is found.
_FIRST_PLACE: Final = 62
#: What stands before each frame: its length (three bytes, taken as two and one), kind, flags, and
#: stream.
_HEADER: Final = Struct(">HBBBI")
#: What stands before each message of gRPC: a flag, and the length.
_PREFIX: Final = Struct(">BI")


class CallFailed(Exception):
    """The server refused a call, or ended the connection."""


class _Call:
    """A call under way. `room` is how many bytes the peer takes on it just now."""

    __slots__ = ("hear", "heard", "rest", "room", "said_all")

    def __init__(self, hear: Hear, room: int) -> None:
        self.hear = hear
        self.room = room
        self.rest = b""
        self.heard = False
        self.said_all = False


class Connection(asyncio.Protocol):
    """A connection to one method. Open it with `connect`."""

    def __init__(self, authority: str, path: str, token: str) -> None:
        self._transport: asyncio.Transport
        self._calls: dict[int, _Call] = {}
        self._rest = b""
        self._next_stream = 1
        self._taken = 0
        self._room = _WINDOW
        self._call_room = _WINDOW
        self._waiting: deque[tuple[int, bytes, int]] = deque()
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        headers = [
            (b":path", path.encode()),
            (b":authority", authority.encode()),
            (b"content-type", b"application/grpc"),
            (b"te", b"trailers"),
            *([(b"authorization", f"Bearer {token}".encode())] if token else []),
        ]
        method_and_scheme = b"\x83\x86"  # POST, http: in the table that every peer has
        self._first_headers = method_and_scheme + b"".join(
            b"\x40" + _text(name) + _text(value) for name, value in headers
        )
        last = _FIRST_PLACE + len(headers) - 1
        self._headers = method_and_scheme + bytes(
            0x80 | last - added for added in range(len(headers))
        )

    def call(self, message: bytes, hear: Hear) -> None:
        """Make a unary call; `hear` gets the answer."""
        self._send(self._open(hear), _framed(message), _END_STREAM)

    def open(self, hear: Hear) -> int:
        """Open a stream; `hear` gets each message of it."""
        return self._open(hear)

    def send(self, stream: int, message: bytes) -> None:
        """Send a message on a stream."""
        self._send(stream, _framed(message), 0)

    def end(self, stream: int) -> None:
        """Say that nothing more will be sent on a stream."""
        self._send(stream, b"", _END_STREAM)

    async def failure(self) -> None:
        """Wait for ever, or until something fails. Raises `CallFailed`."""
        await self._failed

    def close(self) -> None:
        """Hang up."""
        if not self._failed.done():
            self._failed.cancel()
        self._transport.close()

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Introduce ourselves, and leave the peer all the room there is."""
        self._transport = cast(asyncio.Transport, transport)
        settings = _INITIAL_WINDOW_SIZE.to_bytes(2) + _WINDOW_MOST.to_bytes(4)
        self._transport.write(
            _PREFACE
            + _frame(_SETTINGS, 0, 0, settings)
            + _frame(_WINDOW_UPDATE, 0, 0, (_WINDOW_MOST - _WINDOW).to_bytes(4))
        )

    def connection_lost(self, exc: Exception | None) -> None:
        """Whoever still waits will wait in vain."""
        self._fail(f"the server hung up: {exc!r}" if exc else "the server hung up")

    def data_received(self, data: bytes) -> None:
        """Take the frames that are whole."""
        if self._rest:
            data = self._rest + data
        at, end = 0, len(data)
        while end - at >= _HEADER.size:
            high, low, kind, flags, stream = _HEADER.unpack_from(data, at)
            payload = at + _HEADER.size
            stop = payload + (high << 8) + low
            if stop > end:
                break
            if kind == _DATA:
                self._take(stream, data[payload:stop])
            elif kind == _HEADERS:
                if flags & _END_STREAM:
                    self._ended(stream, data[payload:stop])
            else:
                self._control(kind, flags, stream, data[payload:stop])
            at = stop
        self._rest = data[at:]

    # Sending

    def _open(self, hear: Hear) -> int:
        stream = self._next_stream
        self._next_stream += 2
        self._calls[stream] = _Call(hear, self._call_room)
        headers = self._first_headers if stream == 1 else self._headers
        self._transport.write(_frame(_HEADERS, _END_HEADERS, stream, headers))
        return stream

    def _send(self, stream: int, data: bytes, flags: int) -> None:
        if self._waiting or not self._fits(stream, data):
            self._waiting.append((stream, data, flags))
        else:
            self._write(stream, data, flags)

    def _fits(self, stream: int, data: bytes) -> bool:
        return len(data) <= self._room and len(data) <= self._calls[stream].room

    def _write(self, stream: int, data: bytes, flags: int) -> None:
        call = self._calls[stream]
        call.room -= len(data)
        call.said_all = flags == _END_STREAM
        self._room -= len(data)
        self._transport.write(_frame(_DATA, flags, stream, data))

    def _flush(self) -> None:
        while self._waiting and self._fits(*self._waiting[0][:2]):
            self._write(*self._waiting.popleft())

    # Receiving

    def _take(self, stream: int, data: bytes) -> None:
        self._taken += len(data)
        if self._taken > _WINDOW_MOST // 2:
            self._transport.write(_frame(_WINDOW_UPDATE, 0, 0, self._taken.to_bytes(4)))
            self._taken = 0
        call = self._calls[stream]
        if call.rest:
            data = call.rest + data
        at, end = 0, len(data)
        while end - at >= _PREFIX.size:
            _, length = _PREFIX.unpack_from(data, at)
            stop = at + _PREFIX.size + length
            if stop > end:
                break
            call.heard = True
            call.hear(data[at + _PREFIX.size : stop])
            at = stop
        call.rest = data[at:]

    def _ended(self, stream: int, headers: bytes) -> None:
        call = self._calls.pop(stream)
        if not (call.heard and call.said_all):
            self._fail(f"the server refused a call: {headers!r}")

    def _control(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        match kind:
            case 4 if not flags & _ACK:
                self._settle(payload)
            case 6 if not flags & _ACK:
                self._answer(_PING, payload)
            case 8:
                more = int.from_bytes(payload)
                if stream == 0:
                    self._room += more
                elif stream in self._calls:
                    self._calls[stream].room += more
                self._flush()
            case 7:
                self._fail(f"the server sent us away: {payload[8:]!r}")
            case 3:
                self._fail(f"the server broke a call off: {payload!r}")

    def _settle(self, settings: bytes) -> None:
        for at in range(0, len(settings), 6):
            if int.from_bytes(settings[at : at + 2]) == _INITIAL_WINDOW_SIZE:
                room = int.from_bytes(settings[at + 2 : at + 6])
                for call in self._calls.values():
                    call.room += room - self._call_room
                self._call_room = room
        self._answer(_SETTINGS, b"")
        self._flush()

    def _answer(self, kind: int, payload: bytes) -> None:
        self._transport.write(_frame(kind, _ACK, 0, payload))

    def _fail(self, why: str) -> None:
        if not self._failed.done():
            self._failed.set_exception(CallFailed(why))


async def connect(address: str, path: str, token: str = "") -> Connection:
    """Connect to a server at `host:port`, for the method at that path."""
    host, _, port = address.rpartition(":")
    _, connection = await asyncio.get_running_loop().create_connection(
        lambda: Connection(address, path, token), host, int(port)
    )
    return connection


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    length = len(payload)
    return _HEADER.pack(length >> 8, length & 0xFF, kind, flags, stream) + payload


def _framed(message: bytes) -> bytes:
    return _PREFIX.pack(0, len(message)) + message


def _text(text: bytes) -> bytes:
    """A string of HPACK, as it is."""
    length = len(text)
    if length < 0x7F:
        return bytes((length,)) + text
    encoded = bytearray((0x7F,))
    length -= 0x7F
    while length >= 0x80:
        encoded.append(length & 0x7F | 0x80)
        length >>= 7
    encoded.append(length)
    return bytes(encoded) + text
