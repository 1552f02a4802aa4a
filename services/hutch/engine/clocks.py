"""Clocks: which run of a clock an open question is timed by, what ends or stops a run, and the time
banks that are drawn on by runs beyond their limit.

A seat is asked one question at a time, so at most one run of its clocks is going.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from hutch.engine.prompts import DECISION, Ask
from hutch.engine.records import Run, Running

#: Stands for every clock that is given no limit of its own.
EVERY_CLOCK: Final = "*"
TURN: Final = "turn"


def limits_by_clock(clocks: Iterable[str], limits_ms: Mapping[str, int]) -> dict[str, int]:
    """The limit of each of a game's clocks that has one."""
    others = limits_ms.get(EVERY_CLOCK)
    limits = {name: limits_ms.get(name, others) for name in clocks} if limits_ms else {}
    return {name: limit for name, limit in limits.items() if limit is not None}


def run_of(
    seat: int,
    ask: Ask,
    number: int,
    limits: Mapping[str, int],
    turn: tuple[int, str] | None,
) -> Run | None:
    """The run that times an open question; None where no clock with a limit does.

    `turn` is as for `Rules.turn`. A question whose clock has no limit runs on `decision`.
    """
    name, key = ask.clock.name, ask.clock.key
    if turn is not None and turn[0] == seat and name == DECISION.name and TURN in limits:
        name, key = TURN, turn[1]
    elif name not in limits:
        name, key = DECISION.name, ""
    return (seat, name, key or f"#{number}") if name in limits else None


def carried_on(
    clocks: Sequence[Running],
    runs: Iterable[Run],
    limits: Mapping[str, int],
    at_ms: int,
    aside: Mapping[int, int],
) -> list[Running]:
    """The clocks once the open questions are timed by these runs: new ones start, stopped ones go
    on.

    A clock with a key that is not asked on now stands still until its seat is asked on it again,
    or on another run of a clock of that name. One without a key ends with its question; with one
    that is set `aside` as its player left, by seat and number, it stands still as well.
    """
    before = {clock.run: clock for clock in clocks}
    running: list[Running] = []
    named: set[tuple[int, str]] = set()
    for run in runs:
        seat, name, _ = run
        named.add((seat, name))
        clock = before.pop(run, None)
        if clock is None:
            clock = Running(*run, at_ms + limits[name], since_ms=at_ms)
        elif clock.due_ms is None:
            clock = Running(*run, at_ms + (clock.left_ms or 0), since_ms=at_ms)
        running.append(clock)
    for clock in before.values():
        ends = clock.key.startswith("#") and clock.key != f"#{aside.get(clock.seat)}"
        if ends or (clock.seat, clock.name) in named:
            continue
        if clock.due_ms is not None:
            clock = Running(*clock.run, None, max(0, clock.due_ms - at_ms))
        running.append(clock)
    return running


def overdue(
    clocks: Iterable[Running],
    runs: Mapping[int, Run],
    banks_ms: Sequence[int],
    at_ms: int,
) -> int | None:
    """The seat whose open question ran out of time first, of those that have by then."""
    late = [
        (due_ms, clock.seat)
        for clock in clocks
        if (due_ms := runs_out_ms(clock, banks_ms)) is not None
        and due_ms <= at_ms
        and runs.get(clock.seat) == clock.run
    ]
    return min(late)[1] if late else None


def runs_out_ms(clock: Running, banks_ms: Sequence[int]) -> int | None:
    """When limit and time bank are used up; None while the clock stands still."""
    if clock.due_ms is None or not banks_ms:
        return clock.due_ms
    return clock.due_ms + banks_ms[clock.seat]


def due_of(clocks: Iterable[Running], run: Run | None, banks_ms: Sequence[int]) -> int | None:
    """When that run is out of time, if it is going."""
    return next((runs_out_ms(clock, banks_ms) for clock in clocks if clock.run == run), None)


def settled(
    banks_ms: list[int], before: Iterable[Running], after: Sequence[Running], at_ms: int
) -> list[int]:
    """The time banks once those clocks became these: a run that is over, or stands still, has
    taken out what it went on beyond its limit."""
    if not banks_ms:
        return banks_ms
    banks = list(banks_ms)
    for clock in before:
        if clock.due_ms is not None and clock.due_ms < at_ms and clock not in after:
            banks[clock.seat] = max(0, banks[clock.seat] - (at_ms - clock.due_ms))
    return banks


def credited(clocks: Iterable[Running], from_ms: int, until_ms: int) -> list[Running]:
    """The clocks, put off by what each went through of that outage and was not credited with."""
    return [
        clock
        if clock.due_ms is None or (part_ms := until_ms - max(from_ms, clock.since_ms)) <= 0
        else replace(clock, due_ms=clock.due_ms + part_ms, since_ms=until_ms)
        for clock in clocks
    ]


def put_back(clocks: Iterable[Running], ended: Sequence[Running]) -> list[Running]:
    """The clocks with those that an answer had ended as they were before it.

    A run that goes on as if it had never ended takes the place of what its seat ran on meanwhile.
    """
    going = {clock.seat for clock in ended if clock.due_ms is not None}
    others = [clock for clock in clocks if clock.due_ms is None or clock.seat not in going]
    return list({clock.run: clock for clock in (*others, *ended)}.values())


def asked_then(clocks: Iterable[Running], runs: Iterable[Run]) -> list[Running]:
    """The clocks without those that are going for a question of afterwards: it was asked for
    nothing, and costs nobody anything."""
    asked = set(runs)
    return [clock for clock in clocks if clock.due_ms is None or clock.run in asked]


def rekeyed(
    clocks: Iterable[Running], old: Mapping[int, int], new: Mapping[int, int]
) -> list[Running]:
    """The clocks once the questions of these old numbers, by seat, have the new ones."""
    keys = {(seat, f"#{number}"): f"#{new[seat]}" for seat, number in old.items() if seat in new}
    return [replace(clock, key=keys.get((clock.seat, clock.key), clock.key)) for clock in clocks]
