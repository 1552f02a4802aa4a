"""Prompts: the questions a script puts to seats, and the answers they give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal

from msgspec import Struct

PointKind = Literal["seat", "card", "place", "word", "number"]


class Point(Struct, frozen=True, array_like=True):
    """One thing an option or a question points at, so that a client can light it up."""

    kind: PointKind
    value: int | str


def seat(index: int) -> Point:
    """A seat, 0-based."""
    return Point("seat", index)


def card(ref: str) -> Point:
    """A card, by the name it has in the game's catalogue."""
    return Point("card", ref)


def place(path: str) -> Point:
    """A place on the table, such as `market` or `village:2/zone:1`."""
    return Point("place", path)


def word(text: str) -> Point:
    """A word of the game, such as `pass`."""
    return Point("word", text)


def number(value: int) -> Point:
    """An amount."""
    return Point("number", value)


class Option(Struct, frozen=True, array_like=True, cache_hash=True):
    """One thing that may be picked, at most `most` times in one answer."""

    id: str
    points: tuple[Point, ...] = ()
    most: int = 1


class Pick(Struct, frozen=True, array_like=True, gc=False):
    """An option taken, `count` times."""

    option: str
    count: int = 1


Picks = tuple[Pick, ...]


def picks(*options: str) -> Picks:
    """The picks that take each of these options once."""
    return tuple([Pick(option) for option in options])


class Clock(Struct, frozen=True, array_like=True):
    """The clock a question runs on. Its limit is the table's; no limit, no deadline.

    `key` tells runs of one clock apart: questions of one seat with the same name and key share one
    deadline (a turn, a phase). Without a key every question has a run of its own.
    """

    name: str = "decision"
    key: str = ""


DECISION: Final = Clock()


class Ask(Struct, frozen=True, array_like=True):
    """What one seat is asked. An answer holds `least` to `most` picks, counts included.

    `default` is what the clock plays; it is always legal. As an *offer* (see `Prompt`) an ask may
    be left unanswered, and its default is never played. A `final` answer cannot be undone.
    """

    topic: str
    options: tuple[Option, ...]
    least: int = 1
    most: int = 1
    default: Picks = ()
    about: tuple[Point, ...] = ()
    ordered: bool = False
    clock: Clock = DECISION
    final: bool = False

    def option(self, option_id: str) -> Option | None:
        """The option of that id, if it is one."""
        for option in self.options:
            if option.id == option_id:
                return option
        return None


class Prompt(Struct, gc=False):
    """What a script yields: seats that must answer, and seats that may.

    Any one answer resumes the script. `asks` are awaited; `offers` are open to their seats without
    anyone waiting for them (cards playable at any time, taking a ready back). Where a script knows
    that only one seat's questions may differ from those it put before, `changed` names it.
    """

    asks: Mapping[int, Ask]
    offers: Mapping[int, Ask] = {}
    changed: int | None = None


class Question(Struct, frozen=True):
    """An ask or an offer that is open to a seat. `number` is what an answer quotes."""

    seat: int
    number: int
    ask: Ask
    offered: bool
    deadline_ms: int | None


class Sealed(Struct, frozen=True):
    """A choice that is in, and that nobody else sees until all are. `build` asks for it again."""

    build: Callable[[int], Ask | None]
    picks: Picks


class Answer(Struct, frozen=True, tag="a", array_like=True):
    """A seat's answer to the question of that number. `by_clock`: the default, played for it."""

    seat: int
    number: int
    picks: Picks
    by_clock: bool = False


class Left(Struct, frozen=True, tag="l", array_like=True):
    """The player of a seat left the game."""

    seat: int


class Rejoined(Struct, frozen=True, tag="r", array_like=True):
    """A seat that was left has a player again."""

    seat: int


class Renumbered(Struct, frozen=True, tag="n", array_like=True):
    """After an undo: the seat's questions get fresh numbers, and no number is given twice.

    `numbers` are the last that each seat had been given.
    """

    seat: int
    numbers: tuple[int, ...]


Input = Answer | Left | Rejoined | Renumbered


class Reply(Struct, gc=False):
    """What a script gets back from a `yield`: an answer to an ask, or to an offer."""

    seat: int
    picks: Picks
    offered: bool = False

    @property
    def option(self) -> str:
        """The one option picked, or the empty string where none was."""
        return self.picks[0].option if self.picks else ""

    @property
    def taken(self) -> tuple[str, ...]:
        """The options picked, in the order given."""
        return tuple([pick.option for pick in self.picks])
