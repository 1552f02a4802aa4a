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
_words = Struct(f">{_WORDS}Q").unpack


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
        self._blocks: dict[str, tuple[int, ...]] = {}

    def below(self, stream: str, limit: int) -> int:
        """A whole number from 0 to `limit` - 1, every one equally likely."""
        if limit < 1:
            raise ValueError(f"cannot draw below {limit}; at least 1 is needed")
        tail = _SPAN - _SPAN % limit
        while True:
            word = self._draw(stream)
            if word < tail:  # a word in the biased tail is passed over
                return word % limit

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

    def reseed(self, seed: bytes) -> None:
        """Swap the seed: for worlds that a bot imagines, never for the real one."""
        self.seed = seed
        self._blocks = {}

    def _draw(self, stream: str) -> int:
        """The next word of that stream."""
        count = self.draws.get(stream, 0)
        place = count % _WORDS
        block = self._blocks.get(stream)
        if place == 0 or block is None:
            block = self._blocks[stream] = _words(
                blake2b(
                    (count // _WORDS).to_bytes(8, "big") + stream.encode(), key=self.seed
                ).digest()
            )
        self.draws[stream] = count + 1
        self.drawn += 1
        return block[place]
