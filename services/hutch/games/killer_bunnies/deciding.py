"""Deciding: the ways a script here puts a question to one seat.

A seat whose player has left decides by default, so that nobody waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Final

from hutch.engine import asking
from hutch.engine.prompts import (
    DECISION,
    Ask,
    Clock,
    Option,
    Pick,
    Picks,
    Point,
    Reply,
    card,
    number,
    picks,
    seat,
    word,
)
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import PLAYING, Board, Bunny, Game
from hutch.games.killer_bunnies.playable import why_not_pink
from hutch.games.killer_bunnies.printed import CARDS

REACTION: Final = Clock("reaction")


class Options(dict[int, Option]):
    """The options of one verb, made once for each number they are about."""

    def __init__(self, verb: str, point: Callable[[int], Point]) -> None:
        super().__init__()
        self.verb, self.point = verb, point

    def __missing__(self, about: int) -> Option:
        option = self[about] = Option(f"{self.verb}:{about}", (word(self.verb), self.point(about)))
        return option


class Verbs(dict[str, Options]):
    """The options of all verbs about one kind of thing."""

    def __init__(self, point: Callable[[int], Point]) -> None:
        super().__init__()
        self.point = point

    def __missing__(self, verb: str) -> Options:
        options = self[verb] = Options(verb, self.point)
        return options


@cache
def card_point(number_: int) -> Point:
    """What points at a large card."""
    return card(CARDS[number_].ref)


_CARDS: Final = Verbs(card_point)
_SEATS: Final = Verbs(seat)
_NUMBERS: Final = Verbs(number)


def card_option(verb: str, number_: int) -> Option:
    """The option to do something with a large card, e.g. `play:82`."""
    return _CARDS[verb][number_]


def card_options(verb: str, numbers: Iterable[int]) -> list[Option]:
    """The options to do something with one of several cards."""
    known = _CARDS[verb]
    return [known[number_] for number_ in numbers]


def seat_option(verb: str, index: int) -> Option:
    """The option to do something with a player, e.g. `trade:2`."""
    return _SEATS[verb][index]


def number_option(verb: str, value: int) -> Option:
    """The option of an amount, e.g. `bid:4`."""
    return _NUMBERS[verb][value]


@cache
def word_option(text: str) -> Option:
    """The option of a word, e.g. `flip`."""
    return Option(text, (word(text),))


YES: Final = word_option("yes")
NO: Final = word_option("no")


@cache
def value_of(option_id: str) -> int:
    """The number at the end of an option's id."""
    return int(option_id[option_id.rindex(":") + 1 :])


def clock_of(board: Board, seat_: int) -> Clock:
    """The clock a decision runs on: the turn's own for the turn player."""
    return turn_clock(board.turn) if seat_ == board.active and board.turn else DECISION


@lru_cache(maxsize=1024)
def turn_clock(turn: int) -> Clock:
    """The clock of a turn."""
    return Clock("turn", str(turn))


@cache
def only(option_id: str) -> Picks:
    """The picks of that one option."""
    return picks(option_id)


def question(
    board: Board,
    seat_: int,
    topic: str,
    options: Iterable[Option],
    *,
    about: int = 0,
    default: str = "",
    lays: bool = False,
) -> Ask:
    """A question with one answer; the default is the first option unless another is named.

    Where the answer `lays` a card down, it cannot be taken back (KB-032).
    """
    given = tuple(options)
    return Ask(
        topic,
        given,
        default=only(default or given[0].id),
        about=(card_point(about),) if about else (),
        clock=clock_of(board, seat_),
        final=lays,
    )


def decide(
    table: Game, seat_: int, build: Callable[[], Ask], *, interruptible: bool = True
) -> Script[Reply]:
    """Put a question to a seat until it is answered, or answer by default for one who left.

    So it is where nothing is left to choose from.
    """
    seat_state = table.board.seats

    def present() -> Ask | None:
        ask = build()
        return ask if ask.options and seat_state[seat_].state == PLAYING else None

    reply = yield from asking.ask_seat(table, seat_, present, interruptible=interruptible)
    return Reply(seat_, build().default) if reply is None else reply


def choose_bunny(
    table: Game,
    seat_: int,
    topic: str,
    of: Callable[[Bunny], bool],
    *,
    about: int = 0,
    interruptible: bool = True,
) -> Script[Bunny | None]:
    """A bunny of the circle that the seat puts a card on, or None where there is none to choose.

    Who loses his last bunny before he has chosen has no use of a pink box any more (KB-044).
    """
    board = table.board

    def options() -> list[Option]:
        if about and why_not_pink(board, seat_, about):
            return []
        return [card_option("bunny", bunny.card) for bunny in board.circle if of(bunny)]

    if not options():
        return None

    def build() -> Ask:
        return question(board, seat_, topic, options() or [NO], about=about, lays=True)

    reply = yield from decide(table, seat_, build, interruptible=interruptible)
    if reply.option == NO.id:
        return None
    chosen = value_of(reply.option)
    return next((bunny for bunny in board.circle if bunny.card == chosen and of(bunny)), None)


def choose_seat(
    table: Game, seat_: int, topic: str, seats: Callable[[], list[int]], *, about: int = 0
) -> Script[int | None]:
    """A player that the seat chooses, for a card or for a trade; None where there is none.

    As with a bunny, a pink box asks for one's own until the choice is made (KB-044).
    """
    if not seats():
        return None
    board = table.board

    def build() -> Ask:
        barred = about and why_not_pink(board, seat_, about)
        options = [] if barred else [seat_option("player", other) for other in seats()]
        return question(board, seat_, topic, options or [NO], about=about, lays=about > 0)

    reply = yield from decide(table, seat_, build)
    return None if reply.option == NO.id else value_of(reply.option)


def wants(
    table: Game, seat_: int, topic: str, *, about: int = 0, interruptible: bool = True
) -> Script[bool]:
    """A yes or a no; no by default."""
    board = table.board

    def build() -> Ask:
        return word_question(topic, (YES.id, NO.id), NO.id, clock_of(board, seat_), about)

    reply = yield from decide(table, seat_, build, interruptible=interruptible)
    return reply.option == YES.id


@lru_cache(maxsize=4096)
def word_question(
    topic: str, words: tuple[str, ...], default: str, clock: Clock, about: int = 0
) -> Ask:
    """A question with one of some words as its answer, made once."""
    return Ask(
        topic,
        tuple([word_option(text) for text in words]),
        default=only(default),
        about=(card_point(about),) if about else (),
        clock=clock,
    )


def some_of(
    board: Board,
    seat_: int,
    topic: str,
    options: Iterable[Option],
    *,
    least: int,
    most: int,
    about: int = 0,
) -> Ask:
    """A question with several answers; the default takes the first `least` options."""
    given = tuple(options)
    return Ask(
        topic,
        given,
        least,
        most,
        default=tuple([Pick(option.id) for option in given[:least]]),
        about=(card_point(about),) if about else (),
        clock=clock_of(board, seat_),
    )
