"""The test vectors of docs/fairness: `python -m tests.fairness.vectors` writes them anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hutch.engine.chance import Chance, commitment, mix_seed
from hutch.engine.recording import encode_recording
from tests.fairness.games import played

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "fairness"
VECTORS = FOLDER / "vectors.json"
GAME = FOLDER / "game.json"

SECRET = bytes(range(32))
SEED = bytes(range(100, 132))
#: Bounds that need no second draw, and one that nearly halves the words that count.
LIMITS = (1, 2, 6, 10, 52, 1_000_003, 2**32, 2**63 + 1)


def vectors() -> dict[str, Any]:
    """All vectors, bytes in hexadecimal."""
    return {
        "commitment": [
            {"secret": secret.hex(), "commitment": commitment(secret).hex()}
            for secret in (bytes(32), SECRET)
        ],
        "mix_seed": [
            {
                "secret": SECRET.hex(),
                "salts": [salt.hex() for salt in salts],
                "seed": mix_seed(SECRET, salts).hex(),
            }
            for salts in ([], [b""], [b"a", b""], [b"", b"a"], [b"ab", b"c"], [b"a", b"bc"])
        ],
        "below": [_below("deck", limit, 20) for limit in LIMITS] + [_below("Möhre", 6, 20)],
        "roll": [_roll("die", 6, 20), _roll("die", 20, 20)],
        "shuffled": [_shuffled("deck", count) for count in (0, 1, 2, 9, 52)],
        "one_stream": _one_stream(),
    }


def text() -> str:
    """The vectors as the file holds them."""
    return json.dumps(vectors(), ensure_ascii=False, indent=1) + "\n"


def game() -> bytes:
    """The small whole game: one seat, told to the public and to the seat."""
    return encode_recording(played("rabbit-space", 1, 1))


def main() -> None:
    """Write both files."""
    FOLDER.mkdir(exist_ok=True)
    VECTORS.write_text(text())
    GAME.write_bytes(game())


def _below(stream: str, limit: int, count: int) -> dict[str, Any]:
    chance = Chance(SEED)
    numbers = [chance.below(stream, limit) for _ in range(count)]
    return {
        "seed": SEED.hex(),
        "stream": stream,
        "limit": str(limit),
        "numbers": [str(number) for number in numbers],
        "draws": chance.draws[stream],
    }


def _roll(stream: str, sides: int, count: int) -> dict[str, Any]:
    chance = Chance(SEED)
    return {
        "seed": SEED.hex(),
        "stream": stream,
        "sides": sides,
        "rolls": [chance.roll(stream, sides) for _ in range(count)],
    }


def _shuffled(stream: str, count: int) -> dict[str, Any]:
    chance = Chance(SEED)
    items = list(range(count))
    return {
        "seed": SEED.hex(),
        "stream": stream,
        "items": items,
        "shuffled": chance.shuffled(stream, items),
        "draws": chance.draws.get(stream, 0),
    }


def _one_stream() -> dict[str, Any]:
    """A roll, a shuffle and a number, one after the other from one stream."""
    chance = Chance(SEED)
    return {
        "seed": SEED.hex(),
        "stream": "table",
        "roll_6": chance.roll("table", 6),
        "shuffled_0_to_9": chance.shuffled("table", range(10)),
        "below_100": chance.below("table", 100),
        "draws": chance.draws["table"],
    }


if __name__ == "__main__":
    main()
