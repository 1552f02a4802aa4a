"""Whole games, recorded as the service records them, but by the rules alone."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from hutch.bots import STRATEGIES, Sight
from hutch.engine import kernel
from hutch.engine.chance import commitment, mix_seed
from hutch.engine.commands import Command, Submit
from hutch.engine.kernel import Outcome
from hutch.engine.recording import Recorded, Recording
from hutch.games import RULESETS
from hutch.turns.verification import PUBLIC
from hutch.wire.views import NOTHING_OPEN, batch_parts, open_numbers

DEALT_MS = 1_767_225_600_000
DEAL_REVISION = 4
MOST_COMMANDS = 20_000


def played(
    ruleset: str,
    seats: int,
    seed: int,
    *,
    limits_ms: Mapping[str, int] | None = None,
    time_bank_ms: int = 0,
    meanwhile: Mapping[int, Command] | None = None,
) -> Recording:
    """A game of random bots, with all that was told. `meanwhile`: other commands, by their number,
    which the rules must accept there."""
    rules = RULESETS[ruleset]
    rng = Random(seed)
    secret = rng.randbytes(32)
    salts = tuple([rng.randbytes(16) if seat else b"" for seat in range(seats)])
    mixed = mix_seed(secret, salts)
    outcome = kernel.deal(
        rules,
        seats=seats,
        options={},
        seed=mixed,
        at_ms=DEALT_MS,
        limits_ms=dict(limits_ms or {}),
        time_bank_ms=time_bank_ms,
    )
    assert isinstance(outcome, Outcome), outcome
    told: dict[str, list[bytes]] = {PUBLIC: [], **{str(seat): [] for seat in range(seats)}}
    before = NOTHING_OPEN
    commands: list[Recorded] = []
    revision, at_ms = DEAL_REVISION, DEALT_MS
    while True:
        shared, faces = batch_parts(
            outcome.live, outcome.events, before, revision=revision, at_ms=at_ms
        )
        for audience, face in zip((*map(str, range(seats)), PUBLIC), faces, strict=True):
            told[audience].append(shared + face)
        before = open_numbers(outcome.live)
        if outcome.live.result is not None:
            break
        revision, at_ms = revision + 1, at_ms + rng.randrange(1, 2_000)
        command = (meanwhile or {}).get(len(commands) + 1)
        if command is None:
            seat = rng.choice(outcome.live.awaited())
            number, picks = STRATEGIES[ruleset]["random"](Sight(outcome.live, seat), rng)
            command = Submit(seat, number, picks)
        moved = kernel.resolve(rules, outcome.live, command, at_ms=at_ms)
        assert isinstance(moved, Outcome), f"{ruleset}, seed {seed}, {command}: {moved}"
        outcome = moved
        commands.append(Recorded(revision, at_ms, command))
        assert len(commands) < MOST_COMMANDS
    return Recording(
        table="0123456789abcdef0123",
        ruleset=ruleset,
        rules_revision=rules.revision,
        seats=seats,
        options={},
        limits_ms=dict(limits_ms or {}),
        time_bank_ms=time_bank_ms,
        commitment=commitment(secret),
        secret=secret,
        salts=salts,
        seed=mixed,
        deal_revision=DEAL_REVISION,
        deal_ms=DEALT_MS,
        commands=commands,
        result=outcome.live.result,
        told=told,
    )
