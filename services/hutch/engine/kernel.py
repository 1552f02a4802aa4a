"""The kernel: deal a game, resolve a command, look at a table.

Pure functions of their arguments. A record and a command give the same outcome, byte for byte, in
any process.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import msgspec
from hutch.engine.chance import Chance
from hutch.engine.commands import Command, Leave, Rejoin, Submit, Tick, Undo
from hutch.engine.events import Event
from hutch.engine.live import Live
from hutch.engine.records import Record, encode
from hutch.engine.refusals import Reason, Refusal
from hutch.engine.rules import Rules
from hutch.engine.table import Table
from msgspec import Struct


class Outcome(Struct):
    """What a command led to: the game as it stands now, and what happened on the way.

    `rewound` says that something was taken back, so that the events do not tell the change: whoever
    watches needs a fresh view.
    """

    live: Live
    events: list[Event]
    rewound: bool = False

    @property
    def record(self) -> Record:
        """The game as it is to be stored."""
        return self.live.record()


def deal(
    rules: Rules,
    *,
    seats: int,
    options: Any,
    seed: bytes,
    at_ms: int,
    limits_ms: Mapping[str, int] | None = None,
) -> Outcome | Refusal:
    """Start a game: the board is set up and the first question asked.

    `options` are plain values (as from JSON) for the game's options type; `seed` is 32 bytes, see
    `chance.mix_seed`; `limits_ms` maps names of clocks to milliseconds (none: no deadline).
    """
    if seats not in rules.seats:
        return Refusal(
            Reason.BAD_SEAT_COUNT,
            f"{rules.title} is for {rules.seats[0]} to {rules.seats[-1]} players, not {seats}.",
        )
    try:
        chosen = msgspec.convert(options or {}, rules.options_type)
    except msgspec.ValidationError as fault:
        return Refusal(Reason.BAD_OPTIONS, f"The options of {rules.title} do not fit: {fault}.")
    if sentence := rules.check(seats, chosen):
        return Refusal(Reason.BAD_OPTIONS, sentence)
    chance = Chance(seed)
    table: Table[Any] = Table(rules, seats, chosen, rules.new_board(seats, chosen), chance)
    rules.setup(table)
    record = Record(
        ruleset=rules.name,
        rules_revision=rules.revision,
        seats=seats,
        options=msgspec.Raw(encode(chosen)),
        limits_ms=dict(sorted((limits_ms or {}).items())),
        seed=seed,
        board=rules.encode_board(table.board),
        draws=chance.draws,
        numbers=0,
        standing=[],
        inputs=[],
        clocks=[],
        gone=[],
    )
    live = Live(rules, record, forget=False)
    live.run_clocks(at_ms)
    return Outcome(live, table.events + live.forget_events())


def resolve(
    rules: Rules, record: Record | Live, command: Command, *, at_ms: int
) -> Outcome | Refusal:
    """Apply one command at that time. A `Live` that stands where the record does serves as well:
    it is moved on, unless the command is refused."""
    live = record if isinstance(record, Live) else Live(rules, record)
    rewound = False
    match command:
        case Submit(seat=seat, number=number, picks=picks):
            fault = live.answer(seat, number, picks)
        case Tick():
            fault = None if live.tick(at_ms) else Refusal(Reason.NOTHING_DUE, "Nothing is due yet.")
        case Leave(seat=seat):
            fault = live.leave(seat)
        case Rejoin(seat=seat):
            fault = live.rejoin(seat)
        case Undo(seat=seat):
            before = live.undo(seat)
            fault = before if isinstance(before, Refusal) else None
            if isinstance(before, Live):
                live, rewound = before, True
    if fault is not None:
        return fault
    live.run_clocks(at_ms)
    return Outcome(live, live.forget_events(), rewound)


def imagined(rules: Rules, record: Record, seat: int | None, rng: Random) -> Live:
    """A world that `seat` cannot tell from the real one, to think ahead in."""
    live = Live(rules, record)
    live.imagine(seat, rng)
    return live
