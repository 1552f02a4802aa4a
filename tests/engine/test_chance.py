"""Chance: known draws, fair draws, and draws that anybody can check."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b

import pytest

from hutch.engine.chance import Chance, commitment, mix_seed

SEED = bytes(range(32))
SECRET = b"S" * 32


def word(seed: bytes, stream: str, index: int) -> int:
    """A draw computed from its definition alone, as a verifier would."""
    block = blake2b((index // 8).to_bytes(8, "big") + stream.encode(), key=seed).digest()
    start = 8 * (index % 8)
    return int.from_bytes(block[start : start + 8], "big")


def test_known_draws() -> None:
    """These stand in stored games and in others' verifiers: they may never change."""
    chance = Chance(SEED)
    assert [chance.roll("dice", 6) for _ in range(12)] == KNOWN_DICE
    assert chance.shuffled("deck", range(10)) == KNOWN_DECK
    assert chance.choose("dice", "abc") == KNOWN_CHOICE
    assert chance.draws == {"dice": 13, "deck": 9}


def test_each_draw_follows_from_the_seed_its_stream_and_its_number() -> None:
    chance = Chance(SEED)
    for index in range(40):
        assert chance.below("dice", 1000) == word(SEED, "dice", index) % 1000


def test_a_draw_goes_on_where_the_record_stopped() -> None:
    straight = Chance(SEED)
    expected = [straight.below("deck", 100) for _ in range(30)]

    resumed = []
    draws: dict[str, int] = {}
    for _ in range(30):
        chance = Chance(SEED, draws)
        resumed.append(chance.below("deck", 100))
        draws = chance.draws

    assert resumed == expected


def test_streams_do_not_touch_each_other() -> None:
    alone = Chance(SEED)
    dice = [alone.roll("dice", 6) for _ in range(20)]
    mixed = Chance(SEED)
    for expected in dice:
        mixed.shuffled("deck", range(7))
        assert mixed.roll("dice", 6) == expected
        mixed.below("weather", 3)


def test_streams_of_one_seed_and_seeds_of_one_stream_differ() -> None:
    draws = {
        tuple([Chance(seed).below(stream, 1 << 60) for _ in range(1)])
        for seed in (SEED, SECRET)
        for stream in ("a", "b", "ab", "")
    }
    assert len(draws) == 8


def test_draws_are_even() -> None:
    """Chi square of 60,000 draws over 6 and over 7 sides, with a fixed seed."""
    chance = Chance(SEED)
    for sides, limit in ((6, 20.5), (7, 22.5)):  # p = 0.001
        counts = Counter(chance.below("dice", sides) for _ in range(60_000))
        assert sorted(counts) == list(range(sides))
        expected = 60_000 / sides
        assert sum((count - expected) ** 2 / expected for count in counts.values()) < limit


def test_every_order_of_a_shuffle_is_as_likely() -> None:
    chance = Chance(SEED)
    counts = Counter(tuple(chance.shuffled("deck", "abcd")) for _ in range(24_000))
    assert len(counts) == 24
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 49.7  # p = 0.001


def test_the_biased_tail_is_passed_over() -> None:
    """Just over half of all words: nearly every second word is drawn again."""
    limit = (1 << 63) + 1
    chance = Chance(SEED)
    words = [word(SEED, "tail", index) for index in range(200)]
    accepted = [one for one in words if one < limit]
    assert 60 < len(accepted) < 140
    assert [chance.below("tail", limit) for _ in accepted] == accepted
    skipped = chance.draws["tail"]
    assert skipped == 1 + words.index(accepted[-1]), "words passed over are counted as drawn"


@pytest.mark.parametrize("limit", [0, -1])
def test_nothing_can_be_drawn_from_nothing(limit: int) -> None:
    with pytest.raises(ValueError, match="at least 1 is needed"):
        Chance(SEED).below("dice", limit)


def test_shuffling_keeps_what_is_shuffled() -> None:
    cards = tuple(range(50))
    shuffled = Chance(SEED).shuffled("deck", cards)
    assert sorted(shuffled) == list(cards)
    assert cards == tuple(range(50))
    assert Chance(SEED).shuffled("deck", []) == []


def test_drawn_counts_the_draws_of_all_streams() -> None:
    chance = Chance(SEED, {"deck": 5})
    chance.shuffled("deck", range(4))
    chance.roll("dice", 6)
    assert chance.drawn == 4
    assert chance.draws == {"deck": 8, "dice": 1}


def test_a_commitment_is_the_hash_of_the_secret() -> None:
    assert (
        commitment(SECRET).hex()
        == "c4ed6cc9444165adc1760e90422af0c023ae0b01e1c5f52a6a17c3d719190469"
    )


def test_known_seeds() -> None:
    """Vectors for others' verifiers."""
    assert mix_seed(SECRET, []).hex() == KNOWN_SEEDS[0]
    assert mix_seed(SECRET, [b"", b""]).hex() == KNOWN_SEEDS[1]
    assert mix_seed(SECRET, [b"alice", b"bob"]).hex() == KNOWN_SEEDS[2]


def test_every_salt_and_its_place_matter() -> None:
    salts = [[], [b""], [b"", b""], [b"ab", b"c"], [b"a", b"bc"], [b"c", b"ab"], [b"abc"]]
    assert len({mix_seed(SECRET, one) for one in salts}) == len(salts)
    assert mix_seed(b"T" * 32, []) != mix_seed(SECRET, [])


def test_a_short_secret_is_no_secret() -> None:
    with pytest.raises(ValueError, match="32 are needed"):
        mix_seed(b"short", [])


KNOWN_DICE = [3, 4, 5, 6, 4, 2, 5, 6, 4, 6, 6, 5]
KNOWN_DECK = [4, 1, 8, 9, 6, 3, 7, 0, 2, 5]
KNOWN_CHOICE = "b"
KNOWN_SEEDS = [
    "b3e3b3924e387b4137d02eebfa7eccb0e989ea2361fa48d24afdd84afad723a6",
    "ef6e0f7999e6947b6702fd9a17ae822131215504be44b2c01dacbbd727f051cb",
    "a32b1db9416851b9ca797743b4fd204d1301063130516ca8b1f356a8965110dd",
]
