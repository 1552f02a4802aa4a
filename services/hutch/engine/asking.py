"""Asking: the ways a game puts questions, all built on one primitive.

A script never yields a prompt by hand: these helpers also own the loop that asks again after an
interjection, a leaving player or an undo, with options computed afresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from hutch.engine.prompts import Ask, Option, Pick, Picks, Prompt, Reply, Sealed, word
from hutch.engine.rules import AGAIN, CHECKPOINT, Script
from hutch.engine.table import Table

Asks = dict[int, Ask]
_NONE: Final[Asks] = {}

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
    `offers` are the question's own, and for their seats take the place of any-time offers; answers
    to them come back with `offered` set. Answers to the game's any-time offers are played here and
    never seen by the caller; a question that is not `interruptible` is put without them.
    """
    while asks := build():
        own = offers() if offers is not None else _NONE
        reply = yield _prompt(table, asks, own) if interruptible else Prompt(asks, own)
        if reply is AGAIN:
            continue
        if reply.offered and reply.seat not in own:
            yield from _interjection(table, reply)
            continue
        return reply
    return None


def ask_seat(
    table: Table[Any],
    seat: int,
    build: Callable[[], Ask | None],
    first: Ask | None = None,
    *,
    interruptible: bool = True,
) -> Script[Reply | None]:
    """Put a question to one seat: its answer. None where the question vanished.

    `first` is what `build` gave just now, for scripts that have looked at it already.
    """
    question = first if first is not None else build()
    while question is not None:
        asks = {seat: question}
        reply = yield _prompt(table, asks) if interruptible else Prompt(asks)
        if not reply.offered and reply is not AGAIN:
            return reply
        yield from _interjection(table, reply)
        question = build()
    return None


def each(
    table: Table[Any],
    seats: Iterable[int],
    build: Callable[[int], Ask | None],
    do: Callable[[Reply], bool],
    *,
    last: str = "",
) -> Script[None]:
    """Everybody acts at once, in any order and as often as they like: a barrier at the end.

    `build` gives a seat's question, or None when that seat is done. `do` carries an answer out (it
    asks nothing) and says whether the *other* seats' questions may have changed. Picking the option
    `last` cannot be taken back: a checkpoint follows, so the board must know by then who is done.
    """
    order = list(seats)
    asks, changed = _gather(order, build), None
    while asks:
        reply = yield _prompt(table, asks, changed=changed)
        if reply.offered or reply is AGAIN:
            yield from _interjection(table, reply)
            asks, changed = _gather(order, build), None
            continue
        changed = reply.seat
        if do(reply):
            asks, changed = _gather(order, build), None
        elif (question := build(reply.seat)) is not None:
            asks[reply.seat] = question
        else:
            del asks[reply.seat]
        if last and reply.option == last:
            yield CHECKPOINT


def sealed(
    table: Table[Any], seats: Iterable[int], build: Callable[[int], Ask | None]
) -> Script[dict[int, Picks]]:
    """All choose at once and nobody sees another's choice until all are in: picks by seat."""
    order = list(seats)
    table.sealed_under.append(table.sealed)
    table.sealed = {}
    asks, changed = _gather(order, build), None
    while asks:
        reply = yield _prompt(table, asks, changed=changed)
        if reply.offered or reply is AGAIN:
            yield from _interjection(table, reply)
            asks = _gather([seat for seat in order if seat not in table.sealed], build)
            changed = None
        else:
            table.sealed[reply.seat] = Sealed(build, reply.picks)
            del asks[reply.seat]
            changed = reply.seat
    chosen = {seat: table.sealed[seat].picks for seat in order if seat in table.sealed}
    table.sealed = table.sealed_under.pop()
    table.unsealed += len(chosen)
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
    that the step ends. A seat takes part while its `build` gives a question.
    """
    order = list(seats)
    asks, changed = _gather(order, build), None
    offers = {seat: _draft_of(question) for seat, question in asks.items() if drafts}
    ready: set[int] = set()
    drafts_left = dict.fromkeys(order, drafts)
    backs_left = dict.fromkeys(order, take_backs)

    def renew(seat: int) -> None:
        asks.pop(seat, None)
        offers.pop(seat, None)
        if seat in ready:
            if backs_left[seat]:
                offers[seat] = _TAKE_BACK_ASK
        elif (question := build(seat)) is not None:
            asks[seat] = question
            if drafts_left[seat]:
                offers[seat] = _draft_of(question)

    while asks:
        reply = yield _prompt(table, asks, offers, changed)
        seat = reply.seat
        if reply is AGAIN or (reply.offered and seat not in offers):
            yield from _interjection(table, reply)
            for seat in order:
                renew(seat)
            changed = None
            continue
        if not reply.offered:
            ready.add(seat)
            lay(seat, reply.picks, True)
        elif seat in ready:
            backs_left[seat] -= 1
            ready.discard(seat)
            lay(seat, (), False)
        else:
            drafts_left[seat] -= 1
            lay(seat, reply.picks, False)
        renew(seat)
        changed = seat  # what the others are asked is as before


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
            reply = yield from ask_seat(table, seat, partial(build, seat))
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


def _prompt(
    table: Table[Any],
    asks: Mapping[int, Ask],
    own: Mapping[int, Ask] = _NONE,
    changed: int | None = None,
) -> Prompt:
    """A question with what may be played at any time beside it, where there is no `own` offer."""
    offers = table.rules.offers
    if offers is None:
        return Prompt(asks, own, changed)
    anytime = offers(table)  # which may differ for every seat
    return Prompt(asks, {**anytime, **own} if anytime and own else own or anytime)


def _interjection(table: Table[Any], reply: Reply) -> Script[None]:
    """What came instead of an answer: a card played in between, or nothing but a change."""
    if reply is not AGAIN:
        assert table.rules.interject is not None
        yield from table.rules.interject(table, reply.seat, reply.picks)


def _gather(seats: Iterable[int], build: Callable[[int], Ask | None]) -> Asks:
    return {seat: question for seat in seats if (question := build(seat)) is not None}


def _draft_of(question: Ask) -> Ask:
    return Ask(
        f"{question.topic}.draft",
        question.options,
        question.least,
        question.most,
        about=question.about,
        ordered=question.ordered,
        final=question.final,
    )


_TAKE_BACK_ASK: Final = Ask("take-back", (TAKE_BACK,), final=True)
