"""Legality: whether picks answer a question, from the options it shows and nothing else."""

from __future__ import annotations

from hutch.engine.prompts import Ask, Picks
from hutch.engine.refusals import Reason, Refusal


def fault_in(ask: Ask, picks: Picks) -> Refusal | None:
    """What is wrong with those picks as an answer to `ask`; None where nothing is."""
    total = 0
    seen: set[str] = set()
    for pick in picks:
        option = ask.option(pick.option)
        if option is None:
            return Refusal(
                Reason.NOT_AN_OPTION,
                f"{pick.option!r} is not among the options of {ask.topic!r}; "
                f"pick from those the question lists.",
                {"option": pick.option, "topic": ask.topic},
            )
        if pick.option in seen:
            return Refusal(
                Reason.PICKED_TWICE,
                f"{pick.option!r} is picked twice; give it once, with a count.",
                {"option": pick.option},
            )
        if not 1 <= pick.count <= option.most:
            return Refusal(
                Reason.COUNT_OUT_OF_RANGE,
                f"{pick.option!r} is picked {pick.count} times; 1 to {option.most} is allowed.",
                {"option": pick.option, "most": str(option.most)},
            )
        seen.add(pick.option)
        total += pick.count
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
