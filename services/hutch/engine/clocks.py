"""Clocks: which run of a clock an open question is timed by, and what ends or stops a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hutch.engine.prompts import Ask
from hutch.engine.records import Running


def carried_on(
    clocks: Sequence[Running],
    asks: Mapping[int, Ask],
    numbers: Mapping[int, int],
    limits_ms: Mapping[str, int],
    at_ms: int,
) -> list[Running]:
    """The clocks once these questions are open: those of new ones start, and stopped ones go on.

    A clock with a key that is not asked on now stands still until its seat is asked on it again,
    or on another run of a clock of that name. One without a key ends with its question.
    """
    before = {clock.run: clock for clock in clocks}
    running: list[Running] = []
    named: set[tuple[int, str]] = set()
    for seat in sorted(asks):
        name, key = _clock_of(asks[seat], numbers[seat])
        if name not in limits_ms:
            continue
        named.add((seat, name))
        clock = before.pop((seat, name, key), None)
        if clock is None:
            clock = Running(seat, name, key, at_ms + limits_ms[name])
        elif clock.due_ms is None:
            clock = Running(seat, name, key, at_ms + (clock.left_ms or 0))
        running.append(clock)
    for clock in before.values() if asks else ():  # once the game is over no clock stands either
        if clock.key.startswith("#") or (clock.seat, clock.name) in named:
            continue
        if clock.due_ms is not None:
            left_ms = max(0, clock.due_ms - at_ms)
            clock = Running(clock.seat, clock.name, clock.key, None, left_ms)
        running.append(clock)
    return running


def overdue(
    clocks: Iterable[Running], asks: Mapping[int, Ask], numbers: Mapping[int, int], at_ms: int
) -> int | None:
    """The seat whose open question ran out of time first, of those that have by then."""
    late = [
        (clock.due_ms, clock.seat)
        for clock in clocks
        if clock.due_ms is not None
        and clock.due_ms <= at_ms
        and clock.seat in asks
        and _clock_of(asks[clock.seat], numbers[clock.seat]) == (clock.name, clock.key)
    ]
    return min(late)[1] if late else None


def due_of(clocks: Iterable[Running], seat: int, ask: Ask, number: int) -> int | None:
    """When that question's time runs out, if a clock runs for it."""
    run = (seat, *_clock_of(ask, number))
    return next((clock.due_ms for clock in clocks if clock.run == run), None)


def put_back(clocks: Iterable[Running], ended: Iterable[Running]) -> list[Running]:
    """The clocks with those that an answer had ended as they were before it."""
    return list({clock.run: clock for clock in (*clocks, *ended)}.values())


def rekeyed(
    clocks: Iterable[Running], old: Mapping[int, int], new: Mapping[int, int]
) -> list[Running]:
    """The clocks once the questions of these old numbers, by seat, have the new ones."""
    keys = {(seat, f"#{number}"): f"#{new[seat]}" for seat, number in old.items() if seat in new}
    return [
        Running(
            clock.seat,
            clock.name,
            keys.get((clock.seat, clock.key), clock.key),
            clock.due_ms,
            clock.left_ms,
        )
        for clock in clocks
    ]


def _clock_of(ask: Ask, number: int) -> tuple[str, str]:
    return ask.clock.name, ask.clock.key or f"#{number}"
