"""Actions: a player's answer or undo on its way to the turn path."""

from __future__ import annotations

from contextlib import suppress

from hutch.callers.caller import PLAYS, Caller
from hutch.engine.refusals import Reason
from hutch.gateway.admission import Admission
from hutch.gateway.calls import check_request_id
from hutch.gateway.rates import Rate
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.store.errors import StoreUnavailable
from hutch.turns.attendance import Attendance, require_bots_welcome, require_seat
from hutch.turns.queues import Queues
from hutch.turns.table_meta import TableMeta
from hutch.turns.turn import Accepted, Turn, digest_of
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import Fault, Wrong
from hutch.wire.names import parse_seat

#: Actions of a player that may wait at a table.
WAITING = 64
_RETRY_MS = 500


class Actions:
    """Takes actions of players: each within its player's rate, and as many at once as can be done
    soon."""

    def __init__(
        self, path: TurnPath, attendance: Attendance, rate: Rate, admission: Admission
    ) -> None:
        self._path = path
        self._attendance = attendance
        self._rate = rate
        self._admission = admission
        #: One action of a player at a table: whoever sends many waits behind themselves, and others
        #: behind one of them.
        self._lines = Queues()

    async def submit(self, caller: Caller, request: service_pb.SubmitActionRequest) -> Accepted:
        """Answer a prompt. Raises `Fault`."""
        if not request.HasField("action"):
            raise Fault(
                Wrong.ARGUMENT_INVALID,
                "The request holds no action; send the prompt's id and the picks.",
                {"field": "action"},
            )
        action = request.action
        table_id, seat = parse_seat(request.seat)
        command = rules_pb.ResolveRequest()
        command.submit.seat = seat
        command.submit.action.CopyFrom(action)
        return await self._play(
            caller,
            table_id,
            seat,
            command,
            request.request_id,
            epoch=request.epoch,
            expected_revision=request.expected_revision,
        )

    async def undo(self, caller: Caller, request: service_pb.UndoActionRequest) -> Accepted:
        """Take the last answer back. Raises `Fault`."""
        table_id, seat = parse_seat(request.seat)
        command = rules_pb.ResolveRequest(undo=rules_pb.Undo(seat=seat))
        return await self._play(
            caller, table_id, seat, command, request.request_id, epoch=request.epoch
        )

    async def _play(
        self,
        caller: Caller,
        table_id: str,
        seat: int,
        command: rules_pb.ResolveRequest,
        request_id: str,
        *,
        epoch: int,
        expected_revision: int = 0,
    ) -> Accepted:
        caller.require(PLAYS)
        await self._rate.take(caller.player)
        player = caller.player
        is_absent = False

        def check(meta: TableMeta) -> None:
            nonlocal is_absent
            require_seat(meta, seat, player)
            if caller.is_bot:
                require_bots_welcome(meta)
            is_absent = meta.seats[seat].is_absent

        content = command.SerializeToString(deterministic=True)
        turn = Turn(
            table_id=table_id,
            request=command,
            seat=seat,
            by="person",
            check=check,
            request_id=check_request_id(request_id),
            digest=digest_of(player.encode(), content),
            expected_revision=expected_revision,
            epoch=epoch,
        )
        line = f"{player} {table_id}"
        if self._lines.waiting(line) >= WAITING:
            raise Fault(
                Wrong.RATE_LIMITED,
                f"{WAITING} of your actions wait at this table already; wait {_RETRY_MS} ms.",
                retry_after_ms=_RETRY_MS,
            )
        await self._lines.enter(line)
        try:
            async with self._admission:
                return await self._path.play(turn)
        except Fault as fault:
            if is_absent and fault.reason == Reason.PROMPT_CLOSED:  # late, but there
                with suppress(Fault, StoreUnavailable):
                    await self._attendance.come_back(table_id, seat, player)
            raise
        finally:
            self._lines.leave(line)
