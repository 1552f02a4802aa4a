"""Games of bots, played to their end in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hutch.bots import Move
from hutch.engine.kernel import deal
from hutch.engine.live import Live
from hutch.engine.refusals import Refusal
from hutch.engine.rules import Rules


def played(
    rules: Rules,
    seats: int,
    options: Mapping[str, Any],
    seed: bytes,
    choose: Callable[[Live, int], Move],
) -> Live:
    """A game that is over. `choose` answers for the first of the seats that are awaited.

    Raises `ValueError` where seats and options do not fit the game.
    """
    outcome = deal(rules, seats=seats, options=options, seed=seed, at_ms=0)
    if isinstance(outcome, Refusal):
        raise ValueError(outcome.sentence)
    live = Live(rules, outcome.record, keep=False)
    while live.result is None:
        seat = min(live.asks)
        refusal = live.answer(seat, *choose(live, seat))
        if refusal is not None:
            raise RuntimeError(f"{rules.name}: a bot was refused: {refusal.sentence}")
        live.forget_events()
    return live
