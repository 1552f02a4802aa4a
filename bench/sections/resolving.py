"""Resolving as a rules process does that has not seen the game: decode, replay, apply, encode.

Also how large a stored game is half-way. Positions come from whole games played at random.
"""

from __future__ import annotations

import time
from random import Random
from statistics import median, quantiles

from msgspec import Struct

from bench.figures import Figure, Target
from bench.measuring import Plan
from bench.sections.decisions import called, random_answer, table_size
from hutch.engine import kernel
from hutch.engine.commands import Submit
from hutch.engine.records import decode_record, encode_record
from hutch.engine.refusals import Refusal
from hutch.engine.rules import Rules
from hutch.games import RULESETS

SECTION = "resolving"
_GAMES = 20
RESOLVE_TARGETS = {
    "killer-bunnies": Target("less", 150, 150),
    "tale-of-carrot": Target("less", 100, 100),
}
RECORD_TARGETS = {
    "rabbit-space": Target("less", 2000, 1000),
    "killer-bunnies": Target("less", 2500, 2500),
    "tale-of-carrot": Target("less", 1500, 1500),
}


def measure(plan: Plan) -> list[Figure]:
    """Time and size for every game."""
    positions = {name: _positions(rules, plan.many(_GAMES, 2)) for name, rules in RULESETS.items()}
    times: dict[str, list[list[float]]] = {name: [] for name in positions}
    for _ in plan.turns("resolving"):
        for name, found in positions.items():
            times[name].append([_resolve_us(RULESETS[name], one) for one in found])
    figures = []
    for name, found in positions.items():
        title = called(name)
        every = sorted(us for turn in times[name] for us in turn)
        half_way = [len(one.record) for one in found if 0.4 <= one.progress <= 0.6]
        figures += [
            Figure(
                section=SECTION,
                title=f"{title}, stateless resolve p50",
                unit="µs",
                rounds=[median(turn) for turn in times[name]],
                target=RESOLVE_TARGETS.get(name),
                detail=f"p99 {quantiles(every, n=100)[98]:.0f} µs",
            ),
            Figure(
                section=SECTION,
                title=f"{title}, record half-way",
                unit="bytes",
                rounds=[median(half_way)],
                target=RECORD_TARGETS.get(name),
                detail=f"{table_size(RULESETS[name])} seats; at most "
                f"{max(len(one.record) for one in found)} anywhere",
            ),
        ]
    return figures


class _Position(Struct, frozen=True):
    """A stored game, what is answered next, and how far on the game is (0 to 1)."""

    record: bytes
    answer: Submit
    progress: float


def _positions(rules: Rules, games: int) -> list[_Position]:
    random = Random(1)
    return [one for _ in range(games) for one in _game(rules, random)]


def _game(rules: Rules, random: Random) -> list[_Position]:
    outcome = kernel.deal(
        rules, seats=table_size(rules), options={}, seed=random.randbytes(32), at_ms=0
    )
    assert not isinstance(outcome, Refusal)
    live = outcome.live
    steps = []
    while live.result is None:
        answer = random_answer(live, random)
        steps.append((encode_record(live.record()), answer))
        refusal = live.answer(answer.seat, answer.number, answer.picks)
        assert refusal is None
    return [_Position(record, answer, at / len(steps)) for at, (record, answer) in enumerate(steps)]


def _resolve_us(rules: Rules, position: _Position) -> float:
    began = time.perf_counter()
    outcome = kernel.resolve(rules, decode_record(position.record), position.answer, at_ms=0)
    assert not isinstance(outcome, Refusal)
    encode_record(outcome.record)
    return (time.perf_counter() - began) * 1e6
