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
    pool = list(options)
    for option in options:
        if option.most > 1:  # one may be picked several times
            pool += [option] * (min(option.most, ask.most) - 1)
    wanted = ask.least + int(rng.random() * (min(ask.most, len(pool)) - ask.least + 1))
    counts: dict[str, int] = {}
    for left in range(len(pool), len(pool) - wanted, -1):
        at = int(rng.random() * left)
        option_id = pool[at].id
        counts[option_id] = counts.get(option_id, 0) + 1
        pool[at] = pool[left - 1]  # what is still to be drawn moves together
    return tuple([Pick(option_id, count) for option_id, count in counts.items()])
