"""The published vectors are those of the engine, and the page alone is enough to compute them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hutch.engine.recording import decode_recording
from hutch.turns.verification import verify
from tests.fairness.pages import defined
from tests.fairness.vectors import GAME, VECTORS, game, text

ANEW = "write it anew with `python -m tests.fairness.vectors`"


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """What the Python on the page defines."""
    return defined()


@pytest.fixture(scope="module")
def vectors() -> dict[str, Any]:
    """The published vectors."""
    found: dict[str, Any] = json.loads(VECTORS.read_text())
    return found


def test_the_published_vectors_are_those_of_the_engine() -> None:
    assert VECTORS.read_text() == text(), ANEW


def test_the_published_game_is_still_played_like_that() -> None:
    assert GAME.read_bytes() == game(), ANEW


def test_the_published_game_verifies() -> None:
    assert verify(decode_recording(GAME.read_bytes())).faults == ()


def test_the_page_computes_commitments_and_seeds(
    page: dict[str, Any], vectors: dict[str, Any]
) -> None:
    for vector in vectors["commitment"]:
        assert page["commitment"](bytes.fromhex(vector["secret"])).hex() == vector["commitment"]
    seeds = []
    for vector in vectors["mix_seed"]:
        salts = [bytes.fromhex(salt) for salt in vector["salts"]]
        seeds.append(page["mix_seed"](bytes.fromhex(vector["secret"]), salts).hex())
        assert seeds[-1] == vector["seed"]
    assert len(set(seeds)) == len(seeds)


def test_the_page_computes_every_draw(page: dict[str, Any], vectors: dict[str, Any]) -> None:
    for vector in vectors["below"]:
        streams = page["Streams"](bytes.fromhex(vector["seed"]))
        numbers = [
            str(streams.below(vector["stream"], int(vector["limit"]))) for _ in vector["numbers"]
        ]
        assert numbers == vector["numbers"]
        assert streams.drawn[vector["stream"]] == vector["draws"]
    for vector in vectors["roll"]:
        streams = page["Streams"](bytes.fromhex(vector["seed"]))
        rolls = [streams.roll(vector["stream"], vector["sides"]) for _ in vector["rolls"]]
        assert rolls == vector["rolls"]
    for vector in vectors["shuffled"]:
        streams = page["Streams"](bytes.fromhex(vector["seed"]))
        assert streams.shuffled(vector["stream"], vector["items"]) == vector["shuffled"]
        assert streams.drawn.get(vector["stream"], 0) == vector["draws"]
    vector = vectors["one_stream"]
    streams = page["Streams"](bytes.fromhex(vector["seed"]))
    stream = vector["stream"]
    assert streams.roll(stream, 6) == vector["roll_6"]
    assert streams.shuffled(stream, range(10)) == vector["shuffled_0_to_9"]
    assert streams.below(stream, 100) == vector["below_100"]


def test_some_vector_passes_words_over(vectors: dict[str, Any]) -> None:
    assert any(vector["draws"] > len(vector["numbers"]) for vector in vectors["below"])


def test_the_page_deals_the_published_game(page: dict[str, Any]) -> None:
    recording = decode_recording(GAME.read_bytes())
    assert page["commitment"](recording.secret) == recording.commitment
    assert page["mix_seed"](recording.secret, recording.salts) == recording.seed
