"""Chance: every card and die of a table, from one committed seed.

A draw is a keyed hash of a counter, so the whole random state of a game is a few integers, and
whoever knows the seed can compute each draw again offline.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b, sha256
from typing import TypeVar

T = TypeVar("T")

SECRET_BYTES = 32
_SPAN = 1 << 64


def commitment(secret: bytes) -> bytes:
    """What is published before the deal: SHA-256 of the server's secret (32 bytes)."""
    return sha256(secret).digest()


def mix_seed(secret: bytes, salts: Sequence[bytes]) -> bytes:
    """The table's seed (32 bytes): the server's secret and each seat's salt, in seat order.

    Every salt is preceded by its length, so that no two lists of salts mix alike.
    """
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"the secret has {len(secret)} bytes; {SECRET_BYTES} are needed")
    mixed = blake2b(secret, digest_size=32, person=b"hutch-seed")
    for salt in salts:
        mixed.update(len(salt).to_bytes(4, "big"))
        mixed.update(salt)
    return mixed.digest()


class Chance:
    """Draws from named streams. `draws` counts those taken from each: the state to store."""

    __slots__ = ("_seed", "draws")

    def __init__(self, seed: bytes, draws: dict[str, int] | None = None) -> None:
        self._seed = seed
        self.draws: dict[str, int] = dict(draws or {})

    def below(self, stream: str, limit: int) -> int:
        """A whole number from 0 to `limit` - 1, every one equally likely."""
        if limit < 1:
            raise ValueError(f"cannot draw below {limit}; at least 1 is needed")
        tail = _SPAN - _SPAN % limit
        count = self.draws.get(stream, 0)
        while True:
            count += 1
            drawn = self._draw(stream, count)
            if drawn < tail:  # the biased tail is drawn again
                self.draws[stream] = count
                return drawn % limit

    def roll(self, stream: str, sides: int) -> int:
        """A die of that many sides: 1 to `sides`."""
        return self.below(stream, sides) + 1

    def choose(self, stream: str, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(stream, len(items))]

    def shuffled(self, stream: str, items: Sequence[T]) -> list[T]:
        """The items in a random order (Fisher and Yates, from the back)."""
        cards = list(items)
        for last in range(len(cards) - 1, 0, -1):
            other = self.below(stream, last + 1)
            cards[last], cards[other] = cards[other], cards[last]
        return cards

    def total(self) -> int:
        """How many draws were taken, all streams together."""
        return sum(self.draws.values())

    def reseed(self, seed: bytes) -> None:
        """Swap the seed: for worlds that a bot imagines, never for the real one."""
        self._seed = seed

    def _draw(self, stream: str, count: int) -> int:
        block = blake2b(
            count.to_bytes(8, "big") + stream.encode(), digest_size=8, key=self._seed
        ).digest()
        return int.from_bytes(block, "big")
