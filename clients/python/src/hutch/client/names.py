"""Names of tables, seats and campaigns, as the API writes them."""

from __future__ import annotations

import re
from typing import Final

_TABLE: Final = re.compile(r"tables/[^/]+")
_CAMPAIGN: Final = re.compile(r"campaigns/[^/]+")
_SEAT: Final = re.compile(r"(tables/[^/]+)/seats/(\d+)")


def table_name(text: str) -> str:
    """The name of a table, from it or from the last part of it."""
    name = text if "/" in text else f"tables/{text}"
    if not _TABLE.fullmatch(name):
        raise ValueError(f"{text!r} is no table; a name looks like tables/7c1f")
    return name


def seat_name(table: str, number: int) -> str:
    """The name of a table's seat, counted from 0."""
    if number < 0:
        raise ValueError(f"there is no seat {number}; seats count from 0")
    return f"{table}/seats/{number}"


def split_seat(name: str) -> tuple[str, int]:
    """The table and the number of a seat."""
    match = _SEAT.fullmatch(name)
    if match is None:
        raise ValueError(f"{name!r} is no seat; a name looks like tables/7c1f/seats/0")
    return match[1], int(match[2])


def campaign_name(text: str) -> str:
    """The name of a campaign, from it or from the last part of it."""
    name = text if "/" in text else f"campaigns/{text}"
    if not _CAMPAIGN.fullmatch(name):
        raise ValueError(f"{text!r} is no campaign; a name looks like campaigns/7c1f")
    return name
