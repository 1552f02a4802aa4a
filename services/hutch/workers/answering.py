"""Answering: a bot is asked, here and now, in whatever process this is."""

from __future__ import annotations

import traceback
from random import Random

from hutch.bots import STRATEGIES, Sight
from hutch.engine.live import Live
from hutch.v1.table_pb2 import Action
from hutch.wire.failures import where_of
from hutch.wire.prompts import action_of
from hutch.workers.bounds import thinking


class BotFailed(Exception):
    """A bot gave no answer, or none that may be given. `why` names what failed and where; `trace`
    are the lines that led there, without the error's own words, where any are known."""

    def __init__(self, why: str, trace: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.trace = trace


def answer(live: Live, seat: int, strategy: str, rng: Random, *, seconds: float) -> Action:
    """What that strategy answers for a seat, within so many seconds of processor time.

    Raises `BotFailed`.
    """
    sight = Sight(live, seat)
    try:
        with thinking(seconds):
            return action_of(*STRATEGIES[live.rules.name][strategy](sight, rng))
    except Exception as error:
        trace = "".join(traceback.format_tb(error.__traceback__))
        raise BotFailed(where_of(error), trace) from None
