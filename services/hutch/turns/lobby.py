"""The lobby: tables are opened, seats are filled, games begin and players leave."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID, uuid5

import msgspec

from hutch import games
from hutch.bots import STRATEGIES
from hutch.engine.chance import mix_seed
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.runtime.tracing import sampled_id
from hutch.store.commits import Commit, Committed, Conflict, Listing, LogEntry, Repeated, Stored
from hutch.turns.absence import awaits_service, options_under
from hutch.turns.allowances import Allowances
from hutch.turns.attendance import Attendance, place_of, require_bots_welcome, require_seat
from hutch.turns.contention import TRIES, stand_back
from hutch.turns.drafts import drafted
from hutch.turns.table_meta import SeatMeta, TableMeta, encode_meta, table_message
from hutch.turns.telling import TABLE, told
from hutch.turns.turn_path import TurnPath, name_trace
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault, Wrong, busy, refusal_fault

SALT_BYTES = 64
_TABLE_SPACE = UUID("7e1f1d8e-2f0f-4c53-9d2a-68ab1f2f6b1d")


class Lobby:
    """Everything that happens at a table apart from turns. Without `allowances` anybody may open
    as many as they like."""

    def __init__(self, path: TurnPath, allowances: Allowances | None = None) -> None:
        self._path = path
        self._allowances = allowances
        self._attendance = Attendance(path)

    async def create(self, host: str, table: pb.Table, request_id: str) -> pb.Table:
        """Open a table. The same host and request id give the same table again."""
        meta = await drafted(self._path.store, host, table)
        table_id = uuid5(_TABLE_SPACE, f"{host} {request_id}").hex[:20]
        if self._allowances is not None:
            await self._allowances.open_table(host, table_id)
        done = await self._path.commit_meta(table_id, None, meta, unstarted=True)
        match done:
            case Committed(revision=revision, epoch=epoch):
                return table_message(table_id, meta, revision, epoch)
            case _:  # opened before, by this very request
                stored, known = await self._path.load(table_id)
                if _asked(known) != _asked(meta):
                    raise Fault(
                        Wrong.REQUEST_ID_REUSED,
                        "request_id was used to open another table; use a fresh UUID.",
                    )
                if known.is_over and self._allowances is not None:
                    await self._allowances.close_table(table_id, known)
                return table_message(table_id, known, stored.revision, stored.epoch)

    async def claim(
        self,
        table_id: str,
        seat: int,
        player: str,
        display_name: str,
        salt: bytes,
        *,
        is_bot: bool = False,
    ) -> pb.Table:
        """Take a seat: a free one before the deal, one whose player left, or the own one again."""
        if len(salt) > SALT_BYTES:
            raise Fault(
                Wrong.ARGUMENT_INVALID,
                f"The salt has {len(salt)} bytes; {SALT_BYTES} are allowed.",
                {"field": "salt"},
            )
        _, meta = await self._path.load(table_id)
        place_of(meta, seat)
        if not is_bot:
            return await self._sit_down(table_id, meta, seat, player, display_name, salt)
        require_bots_welcome(meta)
        if self._allowances is not None and not meta.is_over:
            await self._allowances.take_seat(player, table_id, seat)
        try:
            return await self._sit_down(table_id, meta, seat, player, display_name, salt)
        except Fault:
            await self._stood_up(table_id, seat, player)
            raise

    async def _sit_down(
        self,
        table_id: str,
        meta: TableMeta,
        seat: int,
        player: str,
        display_name: str,
        salt: bytes,
    ) -> pb.Table:
        if meta.state == "playing":
            place = place_of(meta, seat)
            if place.is_lost:
                return await self._attendance.take_over(table_id, seat, player, display_name)
            if place.player == player:
                return await self._attendance.come_back(table_id, seat, player)

        def sit(meta: TableMeta) -> bool:
            place = place_of(meta, seat)
            if place.player == player:
                if place.salt or not salt:
                    return False
                place.salt = salt  # seated by a campaign
                return True
            if not place.is_free:
                raise Fault(Wrong.SEAT_TAKEN, f"Seat {seat} is taken; pick another.")
            meta.seats[seat] = SeatMeta(player=player, display_name=display_name, salt=salt)
            return True

        return await self._gathering(table_id, sit)

    async def assign_bot(self, table_id: str, seat: int, host: str, bot: str) -> pb.Table:
        """The host puts a bot on a free seat, or another bot on a bot's."""

        def sit(meta: TableMeta) -> bool:
            _require_host(meta, host)
            require_bots_welcome(meta)
            known = STRATEGIES.get(meta.ruleset, {})
            if bot not in known:
                raise Fault(
                    Wrong.BOT_UNKNOWN,
                    f"{meta.ruleset} has no bot {bot[:40]!r}; it has {', '.join(sorted(known))}.",
                )
            place = place_of(meta, seat)
            if place.player:
                raise Fault(Wrong.SEAT_TAKEN, f"Seat {seat} is a player's; pick another.")
            if place.bot == bot:
                return False
            meta.seats[seat] = SeatMeta(bot=bot)
            return True

        return await self._gathering(table_id, sit)

    async def start(self, table_id: str, host: str) -> pb.Table:
        """Deal. Starting a table that has started changes nothing."""
        for attempt in range(TRIES):
            stored, meta = await self._path.load(table_id)
            _require_host(meta, host)
            if stored.record is not None:
                return table_message(table_id, meta, stored.revision, stored.epoch)
            _require_gathering(table_id, meta, "open another")
            vacant = _vacant(meta)
            empty = [
                str(index)
                for index, seat in enumerate(meta.seats)
                if seat.is_free and index not in vacant
            ]
            if empty:
                raise Fault(
                    Wrong.SEATS_EMPTY,
                    f"Empty seats: {', '.join(empty)}; fill them with players or bots first.",
                    {"seats": " ".join(empty)},
                )
            done = await self._deal(table_id, stored, meta)
            if done is not None:
                return done
            await stand_back(attempt)
        raise busy("Others keep changing this table; try again.")

    async def void(self, table_id: str) -> pb.Table:
        """Give a table up for good, whoever plays there: for operators. Its log is kept, and goes
        when that of a finished game would; watchers are told that it is abandoned."""

        def end(meta: TableMeta) -> bool:
            if meta.is_over:
                raise Fault(
                    Wrong.TABLE_NOT_PLAYING,
                    f"Table {table_id} is {meta.state}; there is nothing left to void.",
                    {"state": meta.state},
                )
            meta.state = "abandoned"
            return True

        return await self._change(table_id, end)

    async def abandon(self, table_id: str, host: str) -> pb.Table:
        """The host gives a table up before the deal, with all who sit there; it ends as one does
        by `void`. Giving up what was given up already changes nothing."""

        def end(meta: TableMeta) -> bool:
            _require_host(meta, host)
            if meta.state == "abandoned":
                return False
            _require_gathering(table_id, meta, "after the deal only a seat can be given up")
            meta.state = "abandoned"
            return True

        return await self._change(table_id, end)

    async def give_up(self, table_id: str, revision: int) -> bool:
        """Give a table up as `void` does, if it still stands at that revision: whether it did."""
        stored, meta = await self._path.load(table_id)
        if stored.revision != revision or meta.is_over:
            return False
        meta.state = "abandoned"
        done = await self._path.commit_meta(table_id, stored, meta, finished=True)
        return isinstance(done, Committed)

    async def leave(self, table_id: str, seat: int, player: str | None) -> pb.Table:
        """Give a seat up. Before the deal it is free again; then the table's policy decides.

        `player` None: an operator takes whoever sits there from the seat. Leaving a seat that one
        has left already changes nothing.
        """

        def check(meta: TableMeta) -> None:
            if player is None:
                _require_person(meta, seat)
            else:
                require_seat(meta, seat, player)

        stored, meta = await self._path.load(table_id)
        place = place_of(meta, seat)
        is_free = meta.state == "gathering" and place.is_free
        if is_free or (place.is_lost and player in (None, place.player)):
            return table_message(table_id, meta, stored.revision, stored.epoch)
        check(meta)

        def stand_up(meta: TableMeta) -> bool:
            check(meta)
            meta.seats[seat] = SeatMeta()
            return True

        if meta.state == "playing":
            table = await self._attendance.leave(table_id, seat, check)
        else:
            table = await self._gathering(table_id, stand_up)
        await self._stood_up(table_id, seat, place.player)
        return table

    async def _stood_up(self, table_id: str, seat: int, player: str) -> None:
        """The player may not sit there, or not any more: a bot may sit elsewhere instead."""
        if self._allowances is not None:
            await self._allowances.leave_seat(player, table_id, seat)

    async def _gathering(self, table_id: str, change: Callable[[TableMeta], bool]) -> pb.Table:
        """Change a table that is gathering. `change` says whether there is anything to store."""

        def change_seats(meta: TableMeta) -> bool:
            _require_gathering(table_id, meta, "its seats are fixed")
            return change(meta)

        return await self._change(table_id, change_seats)

    async def _change(self, table_id: str, change: Callable[[TableMeta], bool]) -> pb.Table:
        """Change a table at which no game is on, or end it: after this nothing is due there, and
        nobody awaited. `change` says whether there is anything to store."""
        for attempt in range(TRIES):
            stored, meta = await self._path.load(table_id)
            if not change(meta):
                return table_message(table_id, meta, stored.revision, stored.epoch)
            done = await self._path.commit_meta(table_id, stored, meta, finished=meta.is_over)
            if isinstance(done, Committed):
                if meta.is_over and self._allowances is not None:
                    await self._allowances.close_table(table_id, meta)
                return table_message(table_id, meta, done.revision, done.epoch)
            await stand_back(attempt)
        raise busy("Others keep changing this table; try again.")

    async def _deal(self, table_id: str, stored: Stored, meta: TableMeta) -> pb.Table | None:
        meta.state = "playing"
        for index in _vacant(meta):
            if meta.seats[index].is_free:
                meta.seats[index] = SeatMeta(left=True)  # to be taken while the game is on
        meta.rules_revision = games.RULESETS[meta.ruleset].revision
        request = rules_pb.DealRequest(
            ruleset=meta.ruleset,
            seats=len(meta.seats),
            options=msgspec.json.encode(options_under(meta) | meta.options),
            seed=mix_seed(meta.secret, [seat.salt for seat in meta.seats]),
            limits_ms=meta.limits_ms,
            time_bank_ms=meta.time_bank_ms,
            at_ms=stored.now_ms,
            revision=stored.revision + 1,
        )
        name_trace(request)
        response = await self._path.rules.deal(request)
        if response.HasField("refusal"):
            raise refusal_fault(response.refusal)
        outcome = response.outcome
        meta.rules_revision = outcome.rules_revision
        _, fields = told(table_id, stored, meta, outcome, None)
        fields[TABLE] = table_message(table_id, meta, stored.revision + 1).SerializeToString()
        done = await self._path.store.commit(
            Commit(
                table_id=table_id,
                expected_revision=stored.revision,
                onto=stored.token,
                meta=encode_meta(meta),
                record=outcome.record,
                resolved_ms=stored.now_ms,
                log=fields,
                inputs=outcome.inputs or None,
                due_ms=outcome.due_ms or None,
                hint=awaits_service(meta, outcome.awaited),
                listing=Listing(meta.state, meta.ruleset),
                trace_id=sampled_id(),
            )
        )
        self._path.forget(table_id)
        match done:
            case Committed(revision, commit_ms, epoch):
                self._path.announce(table_id, LogEntry(revision, commit_ms, fields, epoch))
                return table_message(table_id, meta, revision, epoch)
            case Conflict() | Repeated():
                return None


def _require_person(meta: TableMeta, seat: int) -> None:
    place = place_of(meta, seat)
    if not place.player or place.is_lost:
        raise Fault(Wrong.NOT_YOUR_SEAT, f"No player sits on seat {seat}.")


def _asked(meta: TableMeta) -> tuple[object, ...]:
    """What the request that opened a table asked for."""
    return (
        meta.ruleset,
        len(meta.seats),
        meta.options,
        meta.limits_ms,
        meta.time_bank_ms,
        meta.people_only,
        meta.absence,
    )


def _vacant(meta: TableMeta) -> list[int]:
    """Seats that the game's own options leave to players who join late."""
    rules = games.RULESETS[meta.ruleset]
    return rules.vacant(len(meta.seats), msgspec.convert(meta.options, rules.options_type))


def _require_host(meta: TableMeta, player: str) -> None:
    if meta.host != player:
        raise Fault(Wrong.NOT_HOST, "Only the table's host may do that.")


def _require_gathering(table_id: str, meta: TableMeta, otherwise: str) -> None:
    if meta.state != "gathering":
        raise Fault(
            Wrong.TABLE_NOT_GATHERING,
            f"Table {table_id} is {meta.state}; {otherwise}.",
            {"state": meta.state},
        )
