"""The lobby: tables are opened, seats are filled, games begin and players leave."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from math import isfinite
from typing import Any
from uuid import UUID, uuid5

import msgspec
from google.protobuf.duration_pb2 import Duration

from hutch import games
from hutch.bots import STRATEGIES
from hutch.engine.chance import SECRET_BYTES, mix_seed
from hutch.engine.clocks import EVERY_CLOCK
from hutch.engine.rules import Rules
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.runtime.tracing import sampled_id
from hutch.store.commits import Commit, Committed, Conflict, Listing, LogEntry, Repeated, Stored
from hutch.turns.absence import awaits_service, options_under, policy_of
from hutch.turns.allowances import Allowances
from hutch.turns.attendance import Attendance, place_of, require_bots_welcome, require_seat
from hutch.turns.contention import TRIES, stand_back
from hutch.turns.table_meta import SeatMeta, TableMeta, encode_meta, table_message
from hutch.turns.telling import told
from hutch.turns.turn_path import TurnPath, name_trace
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault, Wrong, busy, refusal_fault

SALT_BYTES = 64
LIMIT_MS = range(100, 30 * 24 * 3600 * 1000 + 1)
#: Whole numbers below this are exact as a double.
_EXACT = 1 << 53
_TABLE_SPACE = UUID("7e1f1d8e-2f0f-4c53-9d2a-68ab1f2f6b1d")


class Lobby:
    """Everything that happens at a table apart from turns. Without `allowances` anybody may open
    as many as they like."""

    def __init__(self, path: TurnPath, allowances: Allowances | None = None) -> None:
        self._path = path
        self._allowances = allowances
        self._attendance = Attendance(path)

    async def draft(self, host: str, table: pb.Table) -> TableMeta:
        """A new table as it is wished for, which is not stored. Raises `Fault`."""
        rules = ruleset_named(table.ruleset)
        if len(table.seats) not in rules.seats:
            raise Fault(
                Wrong.ARGUMENT_INVALID,
                f"{rules.title} is for {rules.seats[0]} to {rules.seats[-1]} players; the table "
                f"asks for {len(table.seats)} seats.",
                {"field": "table.seats"},
            )
        options = plain_options(table.options)
        try:
            chosen = msgspec.convert(options, rules.options_type)
        except msgspec.ValidationError as fault:
            raise Fault(
                Wrong.ARGUMENT_INVALID,
                f"The options do not fit {rules.title}: {fault}.",
                {"field": "table.options"},
            ) from None
        if sentence := rules.check(len(table.seats), chosen):
            raise Fault(Wrong.ARGUMENT_INVALID, sentence, {"field": "table.options"})
        return TableMeta(
            ruleset=rules.name,
            host=host,
            seats=[SeatMeta() for _ in table.seats],
            options=options,
            limits_ms=_limits(table, rules.clocks),
            time_bank_ms=_time_bank(table),
            secret=secrets.token_bytes(SECRET_BYTES),
            created_ms=await self._path.store.now_ms(),
            rules_revision=rules.revision,
            people_only=table.people_only,
            absence=policy_of(table.absence),
        )

    async def create(self, host: str, table: pb.Table, request_id: str) -> pb.Table:
        """Open a table. The same host and request id give the same table again."""
        meta = await self.draft(host, table)
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
        if is_bot:
            require_bots_welcome(meta)
            if self._allowances is not None and not meta.is_over:
                await self._allowances.take_seat(player, table_id, seat)
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
            if meta.state != "gathering":
                return table_message(table_id, meta, stored.revision, stored.epoch)
            vacant = _vacant(meta)
            empty = [
                str(index)
                for index, seat in enumerate(meta.seats)
                if seat.is_free and index not in vacant
            ]
            if empty:
                raise Fault(
                    Wrong.SEATS_EMPTY,
                    f"Seats {', '.join(empty)} are empty; fill them with players or bots first.",
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
        for attempt in range(TRIES):
            stored, meta = await self._path.load(table_id)
            if meta.is_over:
                raise Fault(
                    Wrong.TABLE_NOT_PLAYING,
                    f"Table {table_id} is {meta.state}; there is nothing left to void.",
                    {"state": meta.state},
                )
            done = await self._abandon(table_id, stored, meta)
            if isinstance(done, Committed):
                return table_message(table_id, meta, done.revision, done.epoch)
            await stand_back(attempt)
        raise busy("Others keep changing this table; try again.")

    async def give_up(self, table_id: str, revision: int) -> bool:
        """Give a table up as `void` does, if it still stands at that revision: whether it did."""
        stored, meta = await self._path.load(table_id)
        if stored.revision != revision or meta.is_over:
            return False
        return isinstance(await self._abandon(table_id, stored, meta), Committed)

    async def _abandon(
        self, table_id: str, stored: Stored, meta: TableMeta
    ) -> Committed | Conflict | Repeated:
        meta.state = "abandoned"
        return await self._path.commit_meta(table_id, stored, meta, finished=True)

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
        if place.is_lost and player in (None, place.player):
            return table_message(table_id, meta, stored.revision, stored.epoch)
        check(meta)
        if meta.state == "playing":
            return await self._attendance.leave(table_id, seat, check)

        def stand_up(meta: TableMeta) -> bool:
            check(meta)
            meta.seats[seat] = SeatMeta()
            return True

        return await self._gathering(table_id, stand_up)

    async def _gathering(self, table_id: str, change: Callable[[TableMeta], bool]) -> pb.Table:
        """Change a table that is gathering. `change` says whether there is anything to store."""
        for attempt in range(TRIES):
            stored, meta = await self._path.load(table_id)
            if meta.state != "gathering":
                raise Fault(
                    Wrong.TABLE_NOT_GATHERING,
                    f"Table {table_id} is {meta.state}; seats are fixed at the deal.",
                    {"state": meta.state},
                )
            if not change(meta):
                return table_message(table_id, meta, stored.revision, stored.epoch)
            done = await self._path.commit_meta(table_id, stored, meta)
            if isinstance(done, Committed):
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
        fields["t"] = table_message(table_id, meta, stored.revision + 1).SerializeToString()
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


def ruleset_named(name: str) -> Rules:
    """The rules of that name. Raises `Fault` RULESET_UNKNOWN."""
    rules = games.RULESETS.get(name)
    if rules is None:
        raise Fault(
            Wrong.RULESET_UNKNOWN,
            f"There is no ruleset {name[:40]!r}; there are {', '.join(sorted(games.RULESETS))}.",
        )
    return rules


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


def plain_options(options: Any) -> dict[str, Any]:
    """A `google.protobuf.Struct` as plain values; whole numbers as int."""
    return {key: _value(value) for key, value in sorted(options.fields.items())}


def _value(value: Any) -> Any:
    match value.WhichOneof("kind"):
        case "number_value":
            number: float = value.number_value
            if not isfinite(number):
                raise Fault(
                    Wrong.ARGUMENT_INVALID,
                    f"An option is {number}; it must be a number.",
                    {"field": "table.options"},
                )
            return int(number) if number.is_integer() and abs(number) < _EXACT else number
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "list_value":
            return [_value(item) for item in value.list_value.values]
        case "struct_value":
            return plain_options(value.struct_value)
    return None


def _limits(table: pb.Table, clocks: tuple[str, ...]) -> dict[str, int]:
    limits = {}
    for clock, limit in sorted(table.limits.items()):
        if clock not in clocks and clock != EVERY_CLOCK:
            raise Fault(
                Wrong.ARGUMENT_INVALID,
                f"There is no clock {clock[:40]!r} in this game; there are {', '.join(clocks)}, "
                f"and `{EVERY_CLOCK}` for all that are not named.",
                {"field": "table.limits"},
            )
        limits[clock] = _time(limit, f"The limit of clock {clock[:40]!r}", "table.limits")
    return limits


def _time_bank(table: pb.Table) -> int:
    if not table.HasField("time_bank"):
        return 0
    if not table.limits:
        raise Fault(
            Wrong.ARGUMENT_INVALID,
            "A time bank is drawn on beyond a limit, and no clock has one; set limits, such as one "
            f"for `{EVERY_CLOCK}`.",
            {"field": "table.time_bank"},
        )
    return _time(table.time_bank, "The time bank", "table.time_bank")


def _time(given: Duration, what: str, field: str) -> int:
    milliseconds = given.ToMilliseconds()
    if milliseconds not in LIMIT_MS:
        raise Fault(
            Wrong.ARGUMENT_INVALID,
            f"{what} is {milliseconds} ms; a tenth of a second to 30 days is allowed.",
            {"field": field},
        )
    return milliseconds
