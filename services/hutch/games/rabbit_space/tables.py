"""The tables: CSV files beside the code, which an owner of the game can replace by files of the
same names and columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

#: Where our tables lie.
OURS: Final = files("hutch.games.rabbit_space") / "data"

#: What a cell may hold, in words, and how it is read: `ValueError` for what does not fit.
Column = tuple[str, Callable[[str], object]]


class CardTableError(ValueError):
    """A table that cannot be used: which file, row and column, and what is allowed there."""


def misfit(name: str, row: int, column: str, text: str, allowed: str) -> CardTableError:
    """The fault of a cell that does not hold what it may."""
    return CardTableError(
        f"{name}, row {row}, column {column!r}: {text!r} does not fit; allowed: {allowed}."
    )


def rows(
    folder: Traversable, name: str, needed: Sequence[str], notes: Sequence[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a table, each with its number in the file (the header is row 1).

    Columns stand in any order; those in `notes` may be there and are for its reader alone.
    """
    try:
        # Spreadsheets put a mark before the header that is no part of it.
        text = folder.joinpath(name).read_text("utf-8-sig")
    except FileNotFoundError:
        raise CardTableError(f"{name}: there is no such file in the folder of tables.") from None
    except UnicodeDecodeError:
        raise CardTableError(f"{name}: it is not UTF-8 text.") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        _check_header(name, header, needed, notes)
        for cells in reader:
            row = reader.line_num
            if not any(map(str.strip, cells)):
                continue  # as spreadsheets leave them below a table
            if len(cells) != len(header):
                raise CardTableError(
                    f"{name}, row {row}: it has {len(cells)} cells; the header has {len(header)}."
                )
            named = zip(header, cells, strict=True)
            yield row, {column: cell.strip() for column, cell in named if column in needed}
    except csv.Error as fault:
        raise CardTableError(f"{name}, row {reader.line_num}: {fault}.") from None


def _check_header(
    name: str, header: Sequence[str], needed: Sequence[str], notes: Sequence[str]
) -> None:
    columns = ", ".join(needed)
    for column in needed:
        if header.count(column) != 1:
            raise CardTableError(
                f"{name}, row 1, column {column!r}: it is there {header.count(column)} times; "
                f"each of these is needed once: {columns}."
            )
    for column in header:
        if column not in needed and column not in notes:
            raise CardTableError(
                f"{name}, row 1, column {column!r}: it is unknown; the columns are {columns}, "
                f"and for notes {' and '.join(notes)}."
            )


# What a cell may hold


def number(least: int, most: int) -> Column:
    """A whole number between two bounds."""

    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,3}", text) or not least <= int(text) <= most:
            raise ValueError
        return int(text)

    return f"a whole number from {least} to {most}", read


def only(*numbers: int) -> Column:
    """One of a few numbers."""

    def read(text: str) -> int:
        if text not in map(str, numbers):
            raise ValueError
        return int(text)

    return " or ".join(map(str, numbers)), read


def one_of(*words: str) -> Column:
    """One of a few words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return " or ".join([repr(one) for one in words]), read


def matching(pattern: str, allowed: str) -> Column:
    """Whatever matches a pattern."""

    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError
        return text

    return allowed, read
