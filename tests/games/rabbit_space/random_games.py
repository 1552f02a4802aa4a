"""Random games, played through records as in the services, with all that happened in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from hutch.engine.commands import Command, Leave, Rejoin, Submit, Undo
from hutch.engine.events import Event
from hutch.engine.kernel import Outcome, deal, resolve
from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Question
from hutch.engine.records import Record, decode_record, encode_record
from hutch.engine.sampling import random_picks
from hutch.games.rabbit_space import RULES


@dataclass
class Played:
    """A finished game: its events, the records on the way and a question of each topic."""

    seats: int
    live: Live
    events: list[Event] = field(default_factory=list)
    records: list[bytes] = field(default_factory=list)
    asked: dict[str, Ask] = field(default_factory=dict)


def random_game(
    rng: Random,
    *,
    seats: int,
    competitive: bool,
    leaving: bool = False,
    offers: float = 0.2,
    **options: Any,
) -> Played:
    """A game of random answers and, with `offers` as their chance, drafts and ready taken back.

    With `leaving` players come and go and undo as well.
    """
    outcome = deal(
        RULES,
        seats=seats,
        options={"competitive": competitive, **options},
        seed=rng.randbytes(32),
        at_ms=0,
    )
    assert isinstance(outcome, Outcome)
    game = Played(seats, outcome.live, list(outcome.events))
    while game.live.result is None:
        data = encode_record(game.live.record())
        game.records.append(data)
        command = _command(game, rng, leaving=leaving, offers=offers)
        stored: Record | Any = decode_record(data)
        done = resolve(RULES, stored, command, at_ms=0)
        if isinstance(done, Outcome):
            game.live = done.live
            if done.rewound:
                game.events = _without_undone(game.events, done)
            game.events += done.events
        else:
            assert not isinstance(command, Submit), done.sentence
    return game


def _without_undone(events: list[Event], done: Outcome) -> list[Event]:
    # Only spending is undone, one event at a time.
    assert not done.events
    return events[:-1]


def _command(game: Played, rng: Random, *, leaving: bool, offers: float) -> Command:
    if leaving and rng.random() < 0.05:
        seat = rng.randrange(game.seats)
        if seat in game.live.gone:
            return Rejoin(seat)
        if len(game.live.gone) < game.seats - 1:
            return Leave(seat)
    if leaving and rng.random() < 0.1:
        return Undo(rng.randrange(game.seats))
    question = _question(game, rng, offers)
    return Submit(question.seat, question.number, random_picks(question.ask, rng))


def _question(game: Played, rng: Random, offers: float) -> Question:
    open_now = [one for seat in range(game.seats) for one in game.live.questions(seat)]
    for one in open_now:
        game.asked.setdefault(one.ask.topic, one.ask)
    offered = [one for one in open_now if one.offered]
    if offered and rng.random() < offers:
        return rng.choice(offered)
    return rng.choice([one for one in open_now if not one.offered])
