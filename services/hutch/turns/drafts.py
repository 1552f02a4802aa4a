"""Drafts: tables as they are wished for, held against what their game allows and not stored yet."""

from __future__ import annotations

import secrets
from math import isfinite
from typing import Any

import msgspec
from google.protobuf.duration_pb2 import Duration

from hutch import games
from hutch.engine.chance import SECRET_BYTES
from hutch.engine.clocks import EVERY_CLOCK
from hutch.engine.options import options_from
from hutch.engine.refusals import Reason
from hutch.engine.rules import Rules
from hutch.store.tables import TableStore
from hutch.turns.absence import policy_of
from hutch.turns.table_meta import SeatMeta, TableMeta
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault, Wrong

LIMIT_MS = range(100, 30 * 24 * 3600 * 1000 + 1)
#: Whole numbers below this are exact as a double.
_EXACT = 1 << 53


async def drafted(store: TableStore, host: str, table: pb.Table) -> TableMeta:
    """A new table as it is wished for, opened now. Raises `Fault`."""
    rules = ruleset_named(table.ruleset)
    if len(table.seats) not in rules.seats:
        raise Fault(
            Reason.BAD_SEAT_COUNT,
            f"{rules.title} is for {rules.seats[0]} to {rules.seats[-1]} players; the table "
            f"asks for {len(table.seats)} seats.",
            {"field": "table.seats"},
        )
    options = plain_options(table.options)
    try:
        chosen = options_from(options, rules.options_type)
    except msgspec.ValidationError as fault:
        raise Fault(
            Reason.BAD_OPTIONS,
            f"The options do not fit {rules.title}: {fault}. The `options_schema` of "
            f"ListRulesets describes them.",
            {"field": "table.options"},
        ) from None
    if sentence := rules.check(len(table.seats), chosen):
        raise Fault(Reason.BAD_OPTIONS, sentence, {"field": "table.options"})
    return TableMeta(
        ruleset=rules.name,
        host=host,
        seats=[SeatMeta() for _ in table.seats],
        options=options,
        limits_ms=_limits(table, rules.clocks),
        time_bank_ms=_time_bank(table),
        secret=secrets.token_bytes(SECRET_BYTES),
        created_ms=await store.now_ms(),
        rules_revision=rules.revision,
        people_only=table.people_only,
        absence=policy_of(table.absence),
    )


def ruleset_named(name: str) -> Rules:
    """The rules of that name. Raises `Fault` RULESET_UNKNOWN."""
    rules = games.RULESETS.get(name)
    if rules is None:
        raise Fault(
            Wrong.RULESET_UNKNOWN,
            f"There is no ruleset {name[:40]!r}; there are {', '.join(sorted(games.RULESETS))}.",
        )
    return rules


def plain_options(options: Any) -> dict[str, Any]:
    """A `google.protobuf.Struct` as plain values; whole numbers as int."""
    return {key: _value(value) for key, value in sorted(options.fields.items())}


def _value(value: Any) -> Any:
    match value.WhichOneof("kind"):
        case "number_value":
            number: float = value.number_value
            if not isfinite(number):
                raise Fault(
                    Reason.BAD_OPTIONS,
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
