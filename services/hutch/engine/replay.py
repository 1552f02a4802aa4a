"""Replay: a whole game once more, from its deal and the commands it accepted.

What a server stores for each game, besides its record, is its `Opening` and a `Logged` for every
accepted command. With the same rules they give the same game: for checking a server's word, for
looking into a fault, and for taking a game over to newer rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from hutch.engine.commands import Command
from hutch.engine.kernel import Outcome, deal, resolve
from hutch.engine.refusals import Refusal
from hutch.engine.rules import Rules


class Opening(Struct, frozen=True):
    """What a game was dealt from; the fields are as for `kernel.deal`."""

    ruleset: str
    rules_revision: int
    seats: int
    options: dict[str, Any]
    seed: bytes
    at_ms: int
    limits_ms: dict[str, int] = {}
    time_bank_ms: int = 0


class Logged(Struct, frozen=True, array_like=True):
    """A command that was accepted, and the time it was resolved at."""

    at_ms: int
    command: Command


def encode_opening(opening: Opening) -> bytes:
    """An opening as bytes: the first entry of the input log."""
    return _encoder.encode(opening)


def decode_opening(data: bytes) -> Opening:
    """The opening that those bytes hold. Raises `msgspec.DecodeError` if they hold none."""
    return _openings.decode(data)


def encode_logged(at_ms: int, command: Command) -> bytes:
    """An accepted command as bytes, for the input log."""
    return _encoder.encode(Logged(at_ms, command))


def decode_logged(data: bytes) -> Logged:
    """The accepted command that those bytes hold. Raises `msgspec.DecodeError` if they hold
    none."""
    return _decoder.decode(data)


def dealt(rules: Rules, opening: Opening) -> Outcome | Refusal:
    """The outcome of the deal alone."""
    return deal(
        rules,
        seats=opening.seats,
        options=opening.options,
        seed=opening.seed,
        at_ms=opening.at_ms,
        limits_ms=opening.limits_ms,
        time_bank_ms=opening.time_bank_ms,
    )


def replay(rules: Rules, opening: Opening, log: Iterable[Logged]) -> Iterator[Outcome | Refusal]:
    """The outcome of the deal, then of each command of the log.

    All share one live game: read an outcome before the next is asked for. A refusal is the last
    that comes; it means that the log is not of this game under these rules.
    """
    outcome = dealt(rules, opening)
    yield outcome
    for logged in log:
        if isinstance(outcome, Refusal):
            return
        outcome = resolve(rules, outcome.live, logged.command, at_ms=logged.at_ms)
        yield outcome


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Logged)
_openings = msgspec.msgpack.Decoder(Opening)
