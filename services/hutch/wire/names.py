"""Resource names: `tables/{table}`, `tables/{table}/seats/{seat}`, `players/{player}` and
`campaigns/{campaign}`."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from hutch.wire.errors import Fault, Wrong

_NAME = re.compile(r"tables/([a-z0-9]{8,32})(?:/seats/(0|[1-9][0-9]?))?\Z")
_CAMPAIGN = re.compile(r"campaigns/([a-z0-9]{8,32})\Z")
_IDS = "with an id of 8 to 32 small letters and digits"


class TableName(Struct, frozen=True):
    """A table, or with `seat` a place at it."""

    table_id: str
    seat: int | None = None

    def __str__(self) -> str:
        """The name as clients write it."""
        table = f"tables/{self.table_id}"
        return table if self.seat is None else f"{table}/seats/{self.seat}"


@lru_cache(maxsize=16384)
def parse_name(text: str) -> TableName:
    """A table's or a seat's name. Raises `Fault` NAME_INVALID."""
    match = _NAME.match(text)
    if match is None:
        raise Fault(
            Wrong.NAME_INVALID,
            f"{text[:80]!r} is no name of a table or seat; write tables/{{table}} or "
            f"tables/{{table}}/seats/{{seat}}, {_IDS}.",
        )
    seat = match.group(2)
    return TableName(match.group(1), None if seat is None else int(seat))


def parse_table(text: str) -> str:
    """A table's name, without a seat: its id. Raises `Fault` NAME_INVALID."""
    name = parse_name(text)
    if name.seat is not None:
        raise Fault(Wrong.NAME_INVALID, f"{text!r} names a seat; write tables/{name.table_id}.")
    return name.table_id


def parse_seat(text: str) -> tuple[str, int]:
    """A seat's name: the table's id and the seat's index. Raises `Fault` NAME_INVALID."""
    name = parse_name(text)
    if name.seat is None:
        raise Fault(Wrong.NAME_INVALID, f"{text!r} names no seat; write {text}/seats/{{seat}}.")
    return name.table_id, name.seat


def player_name(player_id: str) -> str:
    """A player as clients write it; empty for nobody."""
    return f"players/{player_id}" if player_id else ""


def parse_campaign(text: str) -> str:
    """A campaign's name: its id. Raises `Fault` NAME_INVALID."""
    match = _CAMPAIGN.match(text)
    if match is None:
        raise Fault(
            Wrong.NAME_INVALID,
            f"{text[:80]!r} is no name of a campaign; write campaigns/{{campaign}}, {_IDS}.",
        )
    return match.group(1)


def campaign_name(campaign_id: str) -> str:
    """A campaign as clients write it; empty for none."""
    return f"campaigns/{campaign_id}" if campaign_id else ""
