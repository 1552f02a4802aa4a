"""Chance: every card and die of a table, from one committed seed.

A draw is a keyed hash of a counter, so the whole random state of a game is a few integers, and
whoever knows the seed can compute each draw again offline.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b, sha256
from struct import Struct
from typing import TypeVar

T = TypeVar("T")

SECRET_BYTES = 32
SEED_BYTES = 32
_SPAN = 1 << 64
_WORDS = 8
_unpack = Struct(f">{_WORDS}Q").unpack


def commitment(secret: bytes) -> bytes:
    """What is published before the deal: SHA-256 of the server's secret (32 bytes)."""
    return sha256(secret).digest()


def mix_seed(secret: bytes, salts: Sequence[bytes]) -> bytes:
    """The table's seed (32 bytes): the server's secret and each seat's salt, in seat order.

    Every salt is preceded by its length, so that no two lists of salts mix alike.
    """
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"the secret has {len(secret)} bytes; {SECRET_BYTES} are needed")
    mixed = blake2b(secret, digest_size=SEED_BYTES, person=b"hutch-seed")
    for salt in salts:
        mixed.update(len(salt).to_bytes(4, "big"))
        mixed.update(salt)
    return mixed.digest()


class Chance:
    """Draws from named streams. `draws` counts those taken from each: the state to store.

    Draw `i` (from 0) of a stream is the 64-bit word `i % 8`, big-endian, of the BLAKE2b hash of
    `i // 8` (8 bytes, big-endian) and the stream's name, keyed with the seed. `drawn` counts the
    draws of all streams since this object was made.
    """

    __slots__ = ("_blocks", "drawn", "draws", "seed")

    def __init__(self, seed: bytes, draws: dict[str, int] | None = None) -> None:
        self.seed = seed
        self.draws: dict[str, int] = dict(draws or {})
        self.drawn = 0
        self._blocks: dict[str, tuple[int, tuple[int, ...]]] = {}

    def below(self, stream: str, limit: int) -> int:
        """A whole number from 0 to `limit` - 1, every one equally likely."""
        if limit < 1:
            raise ValueError(f"cannot draw below {limit}; at least 1 is needed")
        while True:
            (word,) = self._words(stream, 1)
            drawn = word % limit
            if word - drawn <= _SPAN - limit:  # a word in the biased tail is passed over
                return drawn

    def roll(self, stream: str, sides: int) -> int:
        """A die of that many sides: 1 to `sides`."""
        return self.below(stream, sides) + 1

    def choose(self, stream: str, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(stream, len(items))]

    def shuffled(self, stream: str, items: Sequence[T]) -> list[T]:
        """The items in a random order (Fisher and Yates, from the back)."""
        cards = list(items)
        left = len(cards)
        while left > 1:
            for word in self._words(stream, left - 1):
                drawn = word % left
                if word - drawn <= _SPAN - left:  # as in `below`
                    left -= 1
                    cards[left], cards[drawn] = cards[drawn], cards[left]
        return cards

    def reseed(self, seed: bytes) -> None:
        """Swap the seed: for worlds that a bot imagines, never for the real one."""
        self.seed = seed
        self._blocks = {}

    def _words(self, stream: str, wanted: int) -> tuple[int, ...]:
        """The next words of that stream, which are all taken from it."""
        first = self.draws.get(stream, 0)
        self.draws[stream] = first + wanted
        self.drawn += wanted
        number, place = divmod(first, _WORDS)
        words = self._block(stream, number)
        while len(words) < place + wanted:
            number += 1
            words += self._block(stream, number)
        return words[place : place + wanted]

    def _block(self, stream: str, number: int) -> tuple[int, ...]:
        """The words of that block of the stream. The last one is at hand for draws one by one."""
        known = self._blocks.get(stream)
        if known is None or known[0] != number:
            hashed = blake2b(number.to_bytes(8, "big") + stream.encode(), key=self.seed)
            known = self._blocks[stream] = number, _unpack(hashed.digest())
        return known[1]
