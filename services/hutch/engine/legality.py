"""Legality: whether picks answer a question, from the options it shows and nothing else."""

from __future__ import annotations

from hutch.engine.prompts import Ask, Option, Pick, Picks
from hutch.engine.refusals import Reason, Refusal

#: As much of an unknown option as a refusal repeats.
_ECHO = 60
#: From so many picks on it pays to index the options.
_MANY = 3


def fault_in(ask: Ask, picks: Picks) -> Refusal | None:
    """What is wrong with those picks as an answer to `ask`; None where nothing is."""
    total = 0
    find = ask.option if len(picks) < _MANY else {one.id: one for one in ask.options}.get
    for pick in picks:
        option = find(pick.option)
        if option is None:
            return _not_an_option(ask, pick)
        if not 1 <= pick.count <= option.most:
            return _out_of_range(option, pick)
        total += pick.count
    if len(picks) > 1 and len({pick.option for pick in picks}) < len(picks):
        return _picked_twice(picks)
    if total < ask.least:
        return Refusal(
            Reason.TOO_FEW_PICKS,
            f"{ask.topic!r} needs at least {ask.least} picks and got {total}.",
            {"least": str(ask.least)},
        )
    if total > ask.most:
        return Refusal(
            Reason.TOO_MANY_PICKS,
            f"{ask.topic!r} takes at most {ask.most} picks and got {total}.",
            {"most": str(ask.most)},
        )
    return None


def _not_an_option(ask: Ask, pick: Pick) -> Refusal:
    option = pick.option if len(pick.option) <= _ECHO else f"{pick.option[:_ECHO]}…"
    return Refusal(
        Reason.NOT_AN_OPTION,
        f"{option!r} is not among the options of {ask.topic!r}; "
        f"pick from those the question lists.",
        {"option": option, "topic": ask.topic},
    )


def _out_of_range(option: Option, pick: Pick) -> Refusal:
    return Refusal(
        Reason.COUNT_OUT_OF_RANGE,
        f"{option.id!r} is picked {pick.count} times; 1 to {option.most} is allowed.",
        {"option": option.id, "most": str(option.most)},
    )


def _picked_twice(picks: Picks) -> Refusal:
    options = [pick.option for pick in picks]
    twice = next(option for option in options if options.count(option) > 1)
    return Refusal(
        Reason.PICKED_TWICE,
        f"{twice!r} is picked twice; give it once, with a count.",
        {"option": twice},
    )
