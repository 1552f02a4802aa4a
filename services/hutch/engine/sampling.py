"""Sampling: a random legal answer to a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hutch.engine.prompts import Ask, Pick, Picks

if TYPE_CHECKING:
    from random import Random


def random_picks(ask: Ask, rng: Random) -> Picks:
    """Picks that answer `ask`, at random: how many first, then which, each count within bounds."""
    options = ask.options
    if ask.most == 1:
        if ask.least == 0 and int(rng.random() * (len(options) + 1)) == len(options):
            return ()
        return (Pick(options[int(rng.random() * len(options))].id),)
    room = sum([option.most for option in options])
    wanted = rng.randint(ask.least, max(ask.least, min(ask.most, room)))
    counts: dict[str, int] = {}
    pool = [option for option in options for _ in range(min(option.most, wanted))]
    for option in rng.sample(pool, min(wanted, len(pool))):
        counts[option.id] = counts.get(option.id, 0) + 1
    return tuple([Pick(option_id, count) for option_id, count in counts.items()])
