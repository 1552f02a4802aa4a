"""Asking: the ways a game puts questions, all built on one primitive.

A script never yields a prompt by hand: these helpers also own the loop that asks again after an
interjection, a leaving player or an undo, with options computed afresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from hutch.engine.prompts import Ask, Option, Pick, Picks, Prompt, Reply, word
from hutch.engine.rules import AGAIN, Script
from hutch.engine.table import Sealed, Table

Asks = dict[int, Ask]

PASS: Final = Option("pass", (word("pass"),))
TAKE_BACK: Final = Option("take-back", (word("take-back"),))


def ask(
    table: Table[Any],
    build: Callable[[], Mapping[int, Ask]],
    offers: Callable[[], Mapping[int, Ask]] | None = None,
    *,
    interruptible: bool = True,
) -> Script[Reply | None]:
    """Put a question to one or more seats: the first answer. None where nobody is asked.

    `build` gives the asks, by seat, and is called again whenever something happened in between.
    `offers` are the question's own; answers to them come back with `offered` set. Answers to the
    game's any-time offers are played here and never seen by the caller; a question that is not
    `interruptible` is put without them.
    """
    rules = table.rules
    while True:
        asks = build()
        if not asks:
            return None
        own = offers() if offers is not None else _NONE
        anytime = rules.offers(table) if interruptible and rules.offers is not None else _NONE
        reply = yield Prompt(asks, {**anytime, **own} if anytime and own else (own or anytime))
        if reply is AGAIN:
            continue
        if reply.offered and reply.seat not in own:
            assert rules.interject is not None
            yield from rules.interject(table, reply.seat, reply.picks)
            continue
        return reply


def ask_seat(
    table: Table[Any],
    seat: int,
    build: Callable[[], Ask | None],
    *,
    interruptible: bool = True,
) -> Script[Reply | None]:
    """Put a question to one seat: its answer. None where the question vanished."""

    def asks() -> Asks:
        question = build()
        return {} if question is None else {seat: question}

    return (yield from ask(table, asks, interruptible=interruptible))


def each(
    table: Table[Any],
    seats: Iterable[int],
    build: Callable[[int], Ask | None],
    do: Callable[[Reply], bool],
) -> Script[None]:
    """Everybody acts at once, in any order and as often as they like: a barrier at the end.

    `build` gives a seat's question, or None when that seat is done. `do` carries an answer out (it
    asks nothing) and says whether the *other* seats' questions may have changed.
    """
    order = list(seats)
    asks = _gather(order, build)
    fresh = True

    def current() -> Asks:
        nonlocal asks, fresh
        if not fresh:  # asked again: something happened in between
            asks = _gather(order, build)
        fresh = False
        return asks

    while asks:
        reply = yield from ask(table, current)
        if reply is None:
            return
        fresh = True
        if do(reply):
            asks = _gather(order, build)
            continue
        again = build(reply.seat)
        asks = {**asks, reply.seat: again} if again is not None else _without(asks, reply.seat)


def sealed(
    table: Table[Any], seats: Iterable[int], build: Callable[[int], Ask | None]
) -> Script[dict[int, Picks]]:
    """All choose at once and nobody sees another's choice until all are in: picks by seat."""
    order = list(seats)
    table.sealed = {}

    def asks() -> Asks:
        return _gather([seat for seat in order if seat not in table.sealed], build)

    while (questions := asks()) and (reply := (yield from ask(table, asks))) is not None:
        table.sealed[reply.seat] = Sealed(questions[reply.seat], reply.picks)
    chosen = {seat: table.sealed[seat].picks for seat in order if seat in table.sealed}
    table.sealed = {}
    return chosen


def joint(
    table: Table[Any],
    seats: Iterable[int],
    build: Callable[[int], Ask | None],
    lay: Callable[[int, Picks, bool], None],
    *,
    drafts: int = 12,
    take_backs: int = 3,
) -> Script[None]:
    """Open planning: what is laid out may be changed until all are ready.

    Answering means "laid out so, and ready"; the offer beside it lays out without being ready. A
    ready seat may take that back until the last is ready. `lay(seat, picks, ready)` tells it;
    taking back tells `lay(seat, (), False)`. Both kinds of change are capped for each seat, so
    that the step ends. A seat whose `build` is None takes no part.
    """
    order = [seat for seat in seats if build(seat) is not None]
    ready: set[int] = set()
    drafts_left = dict.fromkeys(order, drafts)
    backs_left = dict.fromkeys(order, take_backs)

    def asks() -> Asks:
        return _gather([seat for seat in order if seat not in ready], build)

    def offers() -> Asks:
        open_offers: Asks = {}
        for seat in order:
            if seat in ready:
                if backs_left[seat]:
                    open_offers[seat] = _TAKE_BACK_ASK
            elif drafts_left[seat] and (question := build(seat)) is not None:
                open_offers[seat] = _draft_of(question)
        return open_offers

    while (reply := (yield from ask(table, asks, offers))) is not None:
        if not reply.offered:
            ready.add(reply.seat)
            lay(reply.seat, reply.picks, True)
        elif reply.seat in ready:
            backs_left[reply.seat] -= 1
            ready.discard(reply.seat)
            lay(reply.seat, (), False)
        else:
            drafts_left[reply.seat] -= 1
            lay(reply.seat, reply.picks, False)


def window(
    table: Table[Any],
    seats: Callable[[], Iterable[int]],
    build: Callable[[int], Ask | None],
    play: Callable[[Reply], Script[bool]],
    *,
    interruptible: bool = True,
) -> Script[None]:
    """A first-come window: all are asked together, and the first to act is resolved wholly.

    Then it opens again on what is left; it closes when all have passed since the last change, or
    when `play` says True. `build` gives a question with a `PASS` option; to give nothing away it
    must be given to every seat that *might* answer, as far as others can tell.
    """
    passed: set[int] = set()

    def asks() -> Asks:
        return _gather([seat for seat in seats() if seat not in passed], build)

    while (reply := (yield from ask(table, asks, interruptible=interruptible))) is not None:
        if reply.option == PASS.id:
            passed.add(reply.seat)
            continue
        passed.clear()
        if (yield from play(reply)):
            return


def passes(
    table: Table[Any],
    order: Callable[[], Iterable[int]],
    build: Callable[[int], Ask | None],
    play: Callable[[Reply], Script[bool]],
) -> Script[None]:
    """A turn-ordered window: one seat after another, round and round, until all pass in a row.

    `play` says whether the window closes at once.
    """
    in_a_row = 0
    while True:
        seats = list(order())
        for seat in seats:
            reply = yield from ask_seat(table, seat, lambda seat=seat: build(seat))  # type: ignore[misc]
            if reply is None or reply.option == PASS.id:
                in_a_row += 1
            else:
                in_a_row = 0
                if (yield from play(reply)):
                    return
            if in_a_row >= len(seats):
                return
        if not seats:
            return


def pass_or(topic: str, options: Iterable[Option], **more: Any) -> Ask:
    """A question that one may also pass; passing is its default."""
    return Ask(topic, (*options, PASS), default=(Pick(PASS.id),), **more)


def _gather(seats: Iterable[int], build: Callable[[int], Ask | None]) -> Asks:
    return {seat: question for seat in seats if (question := build(seat)) is not None}


def _without(asks: Asks, seat: int) -> Asks:
    return {other: question for other, question in asks.items() if other != seat}


def _draft_of(question: Ask) -> Ask:
    return Ask(
        f"{question.topic}.draft",
        question.options,
        question.least,
        question.most,
        (),
        question.about,
        question.ordered,
    )


_NONE: Asks = {}
_TAKE_BACK_ASK: Final = Ask("take-back", (TAKE_BACK,))
