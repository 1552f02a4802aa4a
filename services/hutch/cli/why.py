"""`hutch why`: why a table stands still, told from the question down to the last error; and where
bots were given up."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from hutch.cli.operations import (
    DataFolder,
    carry_out,
    inspected,
    opened,
    table_id_of,
)
from hutch.engine.deadlines import Deadline
from hutch.store.commits import Failure
from hutch.store.hints import DeadLetter
from hutch.store.pulse import Outage
from hutch.turns.diagnosis import Awaited, Diagnosis, Who, diagnosed

STUCK = 1
#: So many dead letters are told.
LETTERS = 100


def why(
    table: Annotated[
        str | None,
        typer.Argument(
            help="The table's name, as tables/7c1f… or 7c1f…. Without it, the tables are listed "
            "whose bots were given up.",
            metavar="TABLE",
        ),
    ] = None,
    data: DataFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Tell whom a table waits for, and what will move it on.

    Status 0: it moves by itself or waits for people; 1: it is stuck; 2: it cannot be told.
    """
    if table is None:
        _tell_letters(data, as_json=as_json)
        return

    async def look() -> Diagnosis:
        table_id = table_id_of(table)
        async with opened(data) as store:
            return await diagnosed(store.tables, await inspected(store, table_id))

    found = carry_out("why", look)
    _tell(found, told(found), as_json=as_json)
    raise typer.Exit(STUCK if found.stuck else 0)


def _tell_letters(data: Path | None, *, as_json: bool) -> None:
    async def look() -> tuple[list[DeadLetter], int]:
        async with opened(data) as store:
            return await store.hints.dead_letters(LETTERS), await store.tables.now_ms()

    letters, now_ms = carry_out("why", look)
    _tell([letter._asdict() for letter in letters], _letters(letters, now_ms), as_json=as_json)


def _tell(found: object, lines: Iterator[str], *, as_json: bool) -> None:
    if as_json:
        sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
        return
    for line in lines:
        typer.echo(line)


def _letters(letters: Sequence[DeadLetter], now_ms: int) -> Iterator[str]:
    for letter in letters:
        yield f"table {letter.table_id}: {_given_up(letter, now_ms)}"
    if not letters:
        yield "no bots were given up"


def told(found: Diagnosis) -> Iterator[str]:
    """The diagnosis in lines."""
    now_ms = found.now_ms
    yield (
        f"table {found.table}: {found.state}, {found.ruleset} revision {found.rules_revision}, "
        f"at revision {found.revision} since {_moment(found.commit_ms, now_ms)}"
    )
    if found.trace_id:
        yield f"  trace: {found.trace_id}"
    if found.state == "gathering":
        yield f"  free seats: {' '.join(map(str, found.free_seats)) or 'none; the host may start'}"
    for one in found.awaited:
        yield f"  awaited: {_awaited(one, now_ms)}"
    if found.state == "playing":
        yield from _armed(found)
    for letter in found.dead_letters:
        yield f"  dead letter: {_given_up(letter, now_ms)}"
    if found.failure is not None:
        yield f"  last error: {_failure(found.failure, found.revision, now_ms)}"
    if found.stuck:
        yield f"  STUCK: {found.stuck}"
        yield f"  what helps: {_remedy(found)}"


def _given_up(letter: DeadLetter, now_ms: int) -> str:
    attempts = f"{letter.attempts} attempt{'s' if letter.attempts > 1 else ''}"
    return f"a bot was given up after {attempts}, {_moment(letter.given_up_ms, now_ms)}"


def _armed(found: Diagnosis) -> Iterator[str]:
    now_ms = found.now_ms
    if not found.awaited and not found.unreadable:
        yield "  awaited: nobody"
    if (timer := found.timer) is None:
        yield "  timer: none"
    else:
        claimed = ""
        if timer.claimed_until_ms is not None:
            claimed = f", claimed by a timekeeper until {_moment(timer.claimed_until_ms, now_ms)}"
        yield f"  timer: due {_moment(timer.due_ms, now_ms)}{claimed}"
    for deadline in found.deadlines:
        yield f"  deadline: {_deadline(deadline, now_ms)}"
    if found.time_banks_ms:
        left = ", ".join([f"{left_ms / 1000:.1f} s" for left_ms in found.time_banks_ms])
        yield f"  time banks, by seat: {left}"
    if found.outage is not None:
        yield f"  {_outage(found.outage, now_ms)}"
    if (hint := found.hint) is None:
        yield "  hint to bots: none"
    else:
        yield (
            f"  hint to bots: given {hint.given} times, next {_moment(hint.next_ms, now_ms)}; "
            f"{found.attempts} attempts to answer"
        )


_WHO: Final[dict[Who, str]] = {
    "player": "player",
    "bot": "bot",
    "left": "left by its player, played by",
    "absent": "its player is absent, played by",
    "away": "played by default while away:",
    "forfeited": "played by default, forfeited by",
}


def _awaited(one: Awaited, now_ms: int) -> str:
    since = _moment(one.since_ms, now_ms) if one.since_ms else "a time that the log does not tell"
    return f"seat {one.seat} ({_WHO[one.who]} {one.name}) is asked {one.topic} since {since}"


def _deadline(deadline: Deadline, now_ms: int) -> str:
    about = " ".join([f"{point.kind} {point.value}" for point in deadline.about])
    turn = "" if deadline.turn is None else f", at the end of turn {deadline.turn}"
    when = "no clock runs" if deadline.due_ms is None else f"due {_moment(deadline.due_ms, now_ms)}"
    return f"seat {deadline.seat}, {deadline.cause}{f' of {about}' if about else ''}{turn}: {when}"


def _outage(outage: Outage, now_ms: int) -> str:
    if outage.until_ms >= now_ms:
        return f"OUTAGE: nobody can answer since {_moment(outage.from_ms, now_ms)}; clocks wait"
    seconds = (outage.until_ms - outage.from_ms) / 1000
    return (
        f"last outage: {seconds:.1f} s, over {_moment(outage.until_ms, now_ms)}; no clock counts it"
    )


def _failure(failure: Failure, revision: int, now_ms: int) -> str:
    when = _moment(failure.at_ms, now_ms)
    since = "" if failure.revision == revision else "; the game has moved on since"
    trace = f", trace {failure.trace_id}" if failure.trace_id else ""
    return f"{failure.what}, at revision {failure.revision}, {when}{trace}{since}"


def _remedy(found: Diagnosis) -> str:
    if found.unreadable:
        return "run a Hutch that has these rules, or `hutch bundle` it and look into the fault"
    if found.awaited:
        return f"`hutch fix {found.table} --default {found.awaited[0].seat}`, else `--void`"
    return f"`hutch bundle {found.table}` for the developers, then `hutch fix --void`"


def _moment(at_ms: int, now_ms: int) -> str:
    """A time with how far it is from now."""
    at = datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    seconds = (now_ms - at_ms) / 1000
    return f"{at} UTC ({seconds:.1f} s ago)" if seconds >= 0 else f"{at} UTC (in {-seconds:.1f} s)"
