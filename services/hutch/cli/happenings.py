"""What happened, in words: made from the kinds and fields of the games' typed events.

The kind of an event says already what happened (`top_run_flipped`), and fields mean the same in all
games. So no event needs words of its own, and whatever a new card does is told without any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from google.protobuf.message import Message

from hutch.cli.boards.art import Cards
from hutch.v1 import table_pb2

#: Fields that say who did it: the first that an event has.
_DOERS: Final = ("seat", "giver", "princess", "holder")
#: All fields that name players.
_PLAYERS: Final = frozenset(
    (*_DOERS, "first", "givers", "other", "receiver", "receivers", "taker", "to", "winners")
)
#: Fields that go without saying what they are.
_PLAIN: Final = frozenset(
    ("bunny", "card", "cards", "die", "hero", "heroes", "place", "seat", "stage", "supply", "token")
)
_BETWEEN_WORDS: Final = re.compile(r"[-_:/]+")


class Teller:
    """Tells what happened at one table, by the names of its cards and players."""

    def __init__(self, cards: Cards, names: Sequence[str]) -> None:
        self._cards = cards
        self._names = names

    def paragraphs(self, events: Iterable[table_pb2.Event]) -> Iterator[tuple[str, str]]:
        """Who did what, in order: as much together as one player did; "" is nobody."""
        for doer, did in groupby(map(self._told, events), key=itemgetter(0)):
            yield doer, "; ".join([what for _, what in did])

    def _told(self, event: table_pb2.Event) -> tuple[str, str]:
        happened = _inner(_inner(event))
        names = happened.DESCRIPTOR.fields_by_name
        doer = next((name for name in _DOERS if name in names), "")
        details = ", ".join([*self._details(happened, but=doer)])
        kind = _words(_kind_of(happened))
        return (
            self._called(getattr(happened, doer)) if doer else "",
            f"{kind}: {details}" if details else kind,
        )

    def _details(self, message: Message, *, but: str = "") -> Iterator[str]:
        """What each field says, those left out that say nothing."""
        for field in message.DESCRIPTOR.fields:
            value = getattr(message, field.name)
            if field.name == but or not _says(field, value):
                continue
            said = [self._said(field, one) for one in (value if field.is_repeated else (value,))]
            is_plain = field.name in _PLAIN or field.enum_type or value is True
            label = "" if is_plain else f"{_words(field.name)} "
            yield label + " · ".join(said)

    def _said(self, field: Any, value: Any) -> str:
        match value:
            case Message():
                return f"({', '.join(self._details(value))})"
            case bool():
                return _words(field.name)
            case str():
                return self._cards[value].name if value in self._cards else _words(value) or "?"
            case int() if field.enum_type is not None:
                name = field.enum_type.values_by_number[value].name
                return _words(name.partition("_")[2].lower())
            case int() if field.name in _PLAYERS:
                return self._called(value)
        return str(value)

    def _called(self, seat: int) -> str:
        return self._names[seat] if seat < len(self._names) else f"seat {seat}"


def _says(field: Any, value: Any) -> bool:
    """Whether a field says anything. Seat 0 is a seat."""
    if isinstance(value, Message):
        return value.ByteSize() > 0
    return bool(value) or field.name in _PLAYERS


def _inner(message: Any) -> Any:
    return getattr(message, message.WhichOneof("kind"))


def _kind_of(happened: Message) -> str:
    """The name of a message as its field has it: `DieRolled` is `die_rolled`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", happened.DESCRIPTOR.name).lower()


def _words(name: str) -> str:
    return _BETWEEN_WORDS.sub(" ", name)
