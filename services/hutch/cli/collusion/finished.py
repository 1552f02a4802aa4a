"""Finished games: who sat where and what they aimed at whom, played anew from what is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct

from hutch import games
from hutch.cli.collusion.aims import Aim, aim_of
from hutch.cli.collusion.suspicion import Game
from hutch.engine.commands import Submit
from hutch.engine.refusals import Refusal
from hutch.engine.replay import Logged, Opening, replay
from hutch.engine.rules import Rules
from hutch.store.commits import Listing
from hutch.store.store import Store
from hutch.turns.history import all_inputs, decoded
from hutch.turns.table_meta import SeatMeta, decode_meta


class Read(Struct):
    """The games that were read, and how many could not be played here."""

    games: list[Game]
    unreadable: int = 0


async def read_finished(store: Store, game: str, newest: int, progress: Callable[[], None]) -> Read:
    """The `newest` finished games of that name; `progress` is called with each."""
    read = Read([])
    for listed in await store.index.list_tables([Listing("finished", game)], newest):
        progress()
        stored = await store.tables.load(listed.table_id)
        inputs = await all_inputs(store.tables, listed.table_id)
        if stored is None or not inputs:
            continue  # its time is over
        try:
            (opening, log), meta = decoded(inputs), decode_meta(stored.meta)
        except msgspec.MsgspecError:
            read.unreadable += 1
            continue
        rules = games.find(opening.ruleset, meta.rules_revision)
        aims = None if rules is None else aims_of(rules, opening, log)
        if aims is None:
            read.unreadable += 1
        else:
            read.games.append(Game(tuple([_player(seat) for seat in meta.seats]), aims))
    return read


def aims_of(rules: Rules, opening: Opening, log: Sequence[Logged]) -> list[Aim] | None:
    """All aims of a game; None where these rules play it otherwise."""
    outcomes = replay(rules, opening, log)
    outcome = next(outcomes)
    aims = []
    for logged in log:
        if isinstance(outcome, Refusal):
            return None
        match logged.command:
            case Submit(seat, number, picks) if outcome.live.ask_numbers.get(seat) == number:
                if (aim := aim_of(outcome.live, seat, picks)) is not None:
                    aims.append(aim)
        outcome = next(outcomes)
    return None if isinstance(outcome, Refusal) else aims


def _player(seat: SeatMeta) -> str:
    """Who is judged; nobody where a bot of the service played, or plays for an absent player."""
    return "" if seat.is_answered_for else seat.player
