"""Which cards are played in tests, and in random games.

`python -m tests.games.killer_bunnies.card_report` tells; it ends with what is missing, and with
status 1 where anything is.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import pytest

from hutch.engine import kernel
from hutch.engine.events import Event
from hutch.engine.kernel import Outcome
from hutch.engine.prompts import Ask, Picks
from hutch.engine.sampling import random_picks
from hutch.games.killer_bunnies import RULES
from hutch.games.killer_bunnies.events.goods import CarrotTaken
from hutch.games.killer_bunnies.events.piles import (
    CardSaved,
    DollaDrawn,
    MarketOpened,
    MisfortuneDrawn,
)
from hutch.games.killer_bunnies.printed import CARDS, CARROT_CARDS, MINILITH

#: How often a random player takes up an offer.
OFFERED = 0.2
GAMES = 400

#: Card -> the tests that played it, as far as they ran in this process.
PLAYED: dict[int, set[str]] = defaultdict(set)


def cards_played(ask: Ask, picks: Picks, events: Iterable[Event]) -> Iterator[int]:
    """The cards that an answer played: for their effect, or by drawing or taking them."""
    for pick in picks:
        verb, _, number = pick.option.partition(":")
        if ask.topic == "run.use" and verb == "play":
            yield int(str(ask.about[0].value))
        elif verb in ("hand", "saved", "play") and number and ask.topic != "trade.hand":
            yield int(number)
    for event in events:
        match event:
            case DollaDrawn(card=card) | MisfortuneDrawn(card=card) | MarketOpened(card=card):
                yield card
            case CarrotTaken(carrot=carrot):
                yield CARROT_CARDS[carrot]
            case CardSaved(card=card) if card == MINILITH:
                yield MINILITH  # it works by lying there


def note(ask: Ask, picks: Picks, events: Iterable[Event]) -> None:
    """Note what the running test has played."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]
    for card in cards_played(ask, picks, events):
        PLAYED[card].add(test)


def played_at_random(games: int = GAMES, *, seed: int = 3) -> Counter[int]:
    """How often each card is played in random games of two to eight players.

    No more are played once every card has been.
    """
    played: Counter[int] = Counter()
    rng = Random(seed)
    for number in range(games):
        if len(played) == len(CARDS):
            break
        dealt = kernel.deal(
            RULES,
            seats=2 + number % 7,
            options={"trade_chains": 1},
            seed=rng.randbytes(32),
            at_ms=0,
            keep=False,
        )
        assert isinstance(dealt, Outcome)
        live = dealt.live
        played.update(cards_played(Ask("", ()), (), dealt.events))
        while live.result is None:
            offered = bool(live.offers) and rng.random() < OFFERED
            asks = live.offers if offered else live.asks
            numbers = live.offer_numbers if offered else live.ask_numbers
            seat = rng.choice(list(asks))
            ask = asks[seat]
            picks = random_picks(ask, rng)
            assert live.answer(seat, numbers[seat], picks) is None
            played.update(cards_played(ask, picks, live.forget_events()))
    return played


def main() -> int:
    """Print every card with the tests and the random plays that it has."""
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(["-q", "-p", "no:cacheprovider", str(Path(__file__).parent)])
    from tests.games.killer_bunnies import card_report  # as the tests know it

    random_plays = played_at_random()
    missing = []
    for number, card in sorted(CARDS.items()):
        tests = card_report.PLAYED[number]
        print(f"{card.ref}  {card.name:36} {len(tests):4} tests {random_plays[number]:6} at random")
        if not tests or not random_plays[number]:
            missing.append(card.ref)
    if missing:
        print(f"Cards that no test or no random game plays: {', '.join(missing)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
