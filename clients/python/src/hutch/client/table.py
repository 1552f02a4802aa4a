"""A table: filling its seats, starting it, watching it."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Mapping
from typing import Any, Final, Literal

from hutch.client.calls import Calls
from hutch.client.names import seat_name
from hutch.client.play import PlayStream
from hutch.client.seat import Seat
from hutch.client.time_controls import TimeControl
from hutch.client.updates import Update
from hutch.client.watch import watch
from hutch.v1 import recording_pb2, table_pb2, table_service_pb2

SALT_BYTES = 16
PAGE_SIZE = 500

#: What becomes of the seat of a player who is absent.
Absence = Literal["away", "bot", "forfeited"]

_ABSENCES: Final[dict[Absence | None, table_pb2.Absence.ValueType]] = {
    None: table_pb2.ABSENCE_UNSPECIFIED,
    "away": table_pb2.ABSENCE_AWAY,
    "bot": table_pb2.ABSENCE_BOT,
    "forfeited": table_pb2.ABSENCE_FORFEITED,
}


class Table:
    """A table, as anybody sees it. Making one calls nobody."""

    def __init__(self, calls: Calls, stream: PlayStream, name: str) -> None:
        self.name = name
        self._calls = calls
        self._stream = stream

    def __repr__(self) -> str:
        return f"Table({self.name!r})"

    def seat(self, number: int) -> Seat:
        """A seat of the table, counted from 0: of use to the one who holds it."""
        return Seat(self._calls, self._stream, seat_name(self.name, number))

    async def get(self) -> table_pb2.Table:
        """The table as it is now."""
        return await self._calls.unary(
            self._calls.tables.GetTable, table_service_pb2.GetTableRequest(name=self.name)
        )

    async def claim(self, number: int, *, salt: bytes | None = None) -> Seat:
        """Take a free seat, one whose player left, or, after an absence, one's own again.

        The salt (at most 64 bytes, a random one if none is given) is mixed into the seed of the
        game, so that nobody else can know the deck before. That of the first claim counts. To
        prove it later, keep it and the `seed_commitment` that `get` told before.
        """
        seat = self.seat(number)
        await self._calls.unary(
            self._calls.tables.ClaimSeat,
            table_service_pb2.ClaimSeatRequest(
                name=seat.name, salt=secrets.token_bytes(SALT_BYTES) if salt is None else salt
            ),
        )
        return seat

    async def assign_bot(self, number: int, bot: str) -> table_pb2.Table:
        """Put a bot on a free seat; for the host alone. The catalogue lists strategies."""
        return await self._calls.unary(
            self._calls.tables.AssignBot,
            table_service_pb2.AssignBotRequest(name=seat_name(self.name, number), bot=bot),
        )

    async def start(self) -> table_pb2.Table:
        """Deal; for the host alone."""
        return await self._calls.unary(
            self._calls.tables.StartTable, table_service_pb2.StartTableRequest(name=self.name)
        )

    async def abandon(self) -> table_pb2.Table:
        """Give the table up before it has started; for the host alone. Whoever watches it is told.
        Doing so twice is doing it once."""
        return await self._calls.unary(
            self._calls.tables.AbandonTable, table_service_pb2.AbandonTableRequest(name=self.name)
        )

    async def view(self) -> table_pb2.View:
        """What the public may see now."""
        return await self._calls.unary(
            self._calls.tables.GetView, table_service_pb2.GetViewRequest(name=self.name)
        )

    def watch(self, resume_token: bytes = b"") -> AsyncGenerator[Update, None]:
        """Everything that happens, as the public may see it, each once, up to the end of the game.

        A token from an earlier update goes on after that one; without it a snapshot comes first.
        """
        return watch(self._calls, self.name, resume_token)

    async def deadlines(self) -> list[table_pb2.Deadline]:
        """The moments at which the clock will act: soonest first, those without a time last."""
        response = await self._calls.unary(
            self._calls.tables.ListDeadlines,
            table_service_pb2.ListDeadlinesRequest(name=self.name),
        )
        return list(response.deadlines)

    async def replay(
        self, *, seat: int | None = None
    ) -> AsyncGenerator[table_pb2.EventBatch, None]:
        """What happened so far, as the public or a seat of the caller's may see it."""
        request = table_service_pb2.GetReplayRequest(
            name=self.name if seat is None else seat_name(self.name, seat), page_size=PAGE_SIZE
        )
        while True:
            page = await self._calls.unary(self._calls.tables.GetReplay, request)
            for batch in page.batches:
                yield batch
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def recording(self) -> recording_pb2.Recording:
        """What a game that is over was dealt from and all that was played, secrets included.

        Enough to check every card and die of it; `hutch verify` does. For a game that is on,
        raises `HutchError` with the reason GAME_NOT_OVER.
        """
        request = table_service_pb2.GetRecordingRequest(name=self.name)
        recording = recording_pb2.Recording()
        while True:
            page = await self._calls.unary(self._calls.tables.GetRecording, request)
            recording.MergeFrom(page.recording)
            if not page.next_page_token:
                return recording
            request.page_token = page.next_page_token


def wished_table(
    ruleset: str,
    *,
    seats: int,
    options: Mapping[str, Any] | None,
    time_control: TimeControl,
    people_only: bool = False,
    absence: Absence | None,
    after_timeouts: int | None,
) -> table_pb2.Table:
    """What is sent for a table that is to be opened."""
    wished = table_pb2.Table(
        ruleset=ruleset,
        seats=[table_pb2.Seat() for _ in range(seats)],
        people_only=people_only,
        absence=table_pb2.AbsencePolicy(seat=_ABSENCES[absence], after_timeouts=after_timeouts),
    )
    wished.options.update(dict(options or {}))
    time_control.fill(wished)
    return wished
