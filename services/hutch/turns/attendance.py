"""Attendance: players go, come back, and take seats over while a game is on."""

from __future__ import annotations

from collections.abc import Callable

from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.store.commits import Committed
from hutch.turns.absence import awaits_service, come_back, give_up, go_absent
from hutch.turns.contention import TRIES, stand_back
from hutch.turns.table_meta import SeatMeta, TableMeta, decode_meta, table_message
from hutch.turns.turn import By, Check, Turn
from hutch.turns.turn_path import TurnPath, not_playing
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault, Wrong, busy, refusal_fault


class Attendance:
    """Who attends the games that are on. Each call answers with the table as it is then, and may
    raise `Fault`."""

    def __init__(self, path: TurnPath) -> None:
        self._path = path

    async def leave(self, table_id: str, seat: int, check: Check) -> pb.Table:
        """The player leaves. Where the policy keeps the seat for them, the game is not told."""
        _, meta = await self._path.load(table_id)
        if meta.absence.seat == "away":

            def go(meta: TableMeta) -> bool:
                check(meta)
                if meta.seats[seat].is_absent:
                    return False
                go_absent(meta, seat)
                return True

            return await self._change(table_id, go)
        await self._path.play(leaving(table_id, seat, "person", check))
        return await self._table(table_id)

    async def come_back(self, table_id: str, seat: int, player: str) -> pb.Table:
        """The player of that seat is there; if they were absent, no longer."""

        def sit(meta: TableMeta) -> bool:
            require_seat(meta, seat, player)
            place = meta.seats[seat]
            if not place.is_absent and not place.timeouts:
                return False
            come_back(meta, seat)
            return True

        return await self._change(table_id, sit)

    async def take_over(self, table_id: str, seat: int, player: str, display_name: str) -> pb.Table:
        """Somebody takes a seat that was left, or left it and is back."""

        def check(meta: TableMeta) -> None:
            place = place_of(meta, seat)
            if place.absence == "forfeited":
                raise Fault(
                    Wrong.SEAT_FORFEITED,
                    f"Seat {seat} was given up for good; watch the table, or play at another.",
                )
            if not place.left:
                raise Fault(Wrong.SEAT_TAKEN, f"Seat {seat} is taken; pick another.")
            if place.player not in ("", player) and any(one.player == player for one in meta.seats):
                raise Fault(
                    Wrong.NOT_YOUR_SEAT,
                    f"Seat {seat} was another player's, and you have one in this game: you would "
                    f"know two hands.",
                )

        def sit(meta: TableMeta) -> None:
            salt = meta.seats[seat].salt
            meta.seats[seat] = SeatMeta(player=player, display_name=display_name, salt=salt)

        turn = Turn(
            table_id=table_id,
            request=rules_pb.ResolveRequest(rejoin=rules_pb.Rejoin(seat=seat)),
            seat=seat,
            by="person",
            check=check,
            amend=sit,
        )
        await self._path.play(turn)
        return await self._table(table_id)

    async def _change(self, table_id: str, change: Callable[[TableMeta], bool]) -> pb.Table:
        """Change who attends a game, and nothing of the game. `change` says whether there is
        anything to store."""
        for attempt in range(TRIES):
            stored, _ = await self._path.load(table_id)
            meta = decode_meta(stored.meta)  # ours to change: the other is what turns go by
            if stored.record is None or meta.state != "playing":
                raise not_playing(table_id, meta)
            if not change(meta):
                return table_message(table_id, meta, stored.revision, stored.epoch)
            done = await self._path.commit_meta(
                table_id, stored, meta, **await self._standing(stored.record, stored.now_ms, meta)
            )
            if isinstance(done, Committed):
                return table_message(table_id, meta, done.revision, done.epoch)
            await stand_back(attempt)
        raise busy("Others keep changing this table; try again.")

    async def _standing(self, record: bytes, now_ms: int, meta: TableMeta) -> dict[str, object]:
        """The timer and the hint of a game that stands as it did, with others attending."""
        response = await self._path.rules.render(
            rules_pb.RenderRequest(record=record, seat=-1, at_ms=now_ms)
        )
        if response.HasField("refusal"):
            raise refusal_fault(response.refusal)
        return {
            "due_ms": response.due_ms or None,
            "hint": awaits_service(meta, response.view.awaited_seats),
        }

    async def _table(self, table_id: str) -> pb.Table:
        stored, meta = await self._path.load(table_id)
        return table_message(table_id, meta, stored.revision, stored.epoch)


def leaving(table_id: str, seat: int, by: By, check: Check) -> Turn:
    """The turn in which the game is told that the player of a seat has left it."""
    return Turn(
        table_id=table_id,
        request=rules_pb.ResolveRequest(leave=rules_pb.Leave(seat=seat)),
        seat=seat,
        by=by,
        check=check,
        amend=lambda meta: give_up(meta, seat),
    )


def place_of(meta: TableMeta, seat: int) -> SeatMeta:
    """The seat of that number. Raises `Fault`."""
    if seat >= len(meta.seats):
        raise Fault(
            Wrong.SEAT_NOT_FOUND,
            f"There is no seat {seat}; the seats are 0 to {len(meta.seats) - 1}.",
        )
    return meta.seats[seat]


def require_seat(meta: TableMeta, seat: int, player: str) -> None:
    """Only the player of that seat may go on. Raises `Fault`."""
    place = place_of(meta, seat)
    if place.player != player or place.is_lost:
        raise Fault(
            Wrong.NOT_YOUR_SEAT, f"Seat {seat} is not yours; act for your own, or watch the table."
        )


def require_bots_welcome(meta: TableMeta) -> None:
    """Only where the table is not for people alone may a bot go on. Raises `Fault`."""
    if meta.people_only:
        raise Fault(Wrong.PEOPLE_ONLY, "This table is for people alone; bots play elsewhere.")
