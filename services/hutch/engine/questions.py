"""The questions that are open, and the numbers that answers quote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b

from hutch.engine.prompts import Ask, Prompt
from hutch.engine.records import Standing, encode


class OpenQuestions:
    """Asks and offers by seat, with their numbers.

    A question that is asked alike again keeps its number; once answered, a seat's next has a new
    one, so a double click counts once. Every seat counts for itself (by the number of seats, so
    that numbers are unique at the table): a number says nothing about what others are asked.
    """

    __slots__ = (
        "_beside",
        "_standing",
        "aside",
        "ask_numbers",
        "asks",
        "given",
        "offer_numbers",
        "offers",
    )

    def __init__(self, given: Sequence[int], standing: Iterable[Standing]) -> None:
        self.asks: dict[int, Ask] = {}
        self.offers: dict[int, Ask] = {}
        self.ask_numbers: dict[int, int] = {}
        self.offer_numbers: dict[int, int] = {}
        #: What players who left were asked, and its number, while anybody is asked what they were
        #: asked together. Whoever is back meanwhile has the very same question.
        self.aside: dict[int, tuple[Ask, int]] = {}
        self._beside: Mapping[int, Ask] = {}
        #: The last number that each seat was given.
        self.given = list(given)
        #: What stood at the checkpoint that the script starts from; None once it has asked.
        self._standing: dict[tuple[int, bool], Standing] | None = {
            (one.seat, one.offered): one for one in standing
        }

    @property
    def begun(self) -> bool:
        """Whether the script has asked anything yet."""
        return self._standing is None

    def put(self, prompt: Prompt) -> None:
        """Put the questions of a prompt in place of those that were open."""
        offers, changed = prompt.offers, prompt.changed
        if self.aside:
            self._keep_aside(prompt.asks)
        self._put(prompt.asks, self.asks, self.ask_numbers, False, changed)
        if offers or self.offers:
            self._put(offers, self.offers, self.offer_numbers, True, changed)
        self._standing = None

    def close(self, seat: int, offered: bool) -> None:
        """The seat has answered its ask, or taken up its offer."""
        if offered:
            del self.offers[seat], self.offer_numbers[seat]
        else:
            del self.asks[seat], self.ask_numbers[seat]

    def set_aside(self, seat: int) -> None:
        """The player of the seat leaves."""
        if seat in self.asks:
            self._beside = dict(self.asks)
            self.aside[seat] = self.asks.pop(seat), self.ask_numbers.pop(seat)

    def close_all(self) -> None:
        """Nothing is asked any more."""
        for questions in (self.asks, self.ask_numbers, self.offers, self.offer_numbers):
            questions.clear()

    def renumber(self, seat: int, given: Sequence[int]) -> None:
        """Whatever the seat is asked next gets a number above all of those given."""
        self.given = [max(pair) for pair in zip(self.given, given, strict=True)]
        for questions in (self.asks, self.ask_numbers, self.offers, self.offer_numbers):
            questions.pop(seat, None)

    def standing(self) -> list[Standing]:
        """The questions that are open, for the record of a checkpoint."""
        return [
            Standing(seat, offered, numbers[seat], _digest(asks[seat]))
            for offered, asks, numbers in (
                (False, self.asks, self.ask_numbers),
                (True, self.offers, self.offer_numbers),
            )
            for seat in sorted(asks)
        ]

    def _put(
        self,
        asked: Mapping[int, Ask],
        before: dict[int, Ask],
        numbers: dict[int, int],
        offered: bool,
        changed: int | None,
    ) -> None:
        given, standing = self.given, self._standing
        for seat in asked if changed is None else (changed,):
            ask, old = asked.get(seat), before.get(seat)
            if ask is None or ask is old:
                continue
            before[seat] = ask
            if old is not None and old == ask:
                continue
            number = self._standing_number(seat, ask, offered) if standing else None
            if self.aside and not offered and seat in self.aside:
                left, left_number = self.aside.pop(seat)
                number = left_number if left == ask else None
            if number is None:
                number = given[seat] = given[seat] + len(given)
            numbers[seat] = number
        if len(before) > len(asked):
            for seat in [seat for seat in before if seat not in asked]:
                del before[seat], numbers[seat]

    def _keep_aside(self, asks: Mapping[int, Ask]) -> None:
        if any(asks.get(seat) == ask for seat, ask in self._beside.items()):
            self._beside = dict(asks)
        else:
            self.aside.clear()

    def _standing_number(self, seat: int, ask: Ask, offered: bool) -> int | None:
        """The number of that question if it was open already at the record's checkpoint."""
        assert self._standing is not None
        standing = self._standing.get((seat, offered))
        return standing.number if standing and standing.digest == _digest(ask) else None


@lru_cache(maxsize=4096)  # many a question stays open over checkpoint after checkpoint
def _digest(ask: Ask) -> int:
    return int.from_bytes(blake2b(encode(ask), digest_size=8).digest())
