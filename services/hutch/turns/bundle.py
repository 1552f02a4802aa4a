"""Bundles: all that Redis holds of a table in one file, to find a fault elsewhere."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import version
from random import Random
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from hutch import games
from hutch.bots import STRATEGIES, Sight
from hutch.engine.commands import Command, PlayDefault, Submit, Tick
from hutch.engine.kernel import resolve
from hutch.engine.live import Live
from hutch.engine.records import encode_record
from hutch.engine.refusals import Refusal
from hutch.engine.replay import Logged, decode_logged, replay
from hutch.engine.rules import Rules
from hutch.store.commits import LogEntry
from hutch.store.inspection import Inspected
from hutch.store.tables import TableStore
from hutch.turns.diagnosis import Diagnosis, diagnosed
from hutch.turns.history import all_inputs, decoded, fault_in_told, whole_log
from hutch.turns.table_meta import TableMeta, decode_meta
from hutch.turns.telling import PUBLIC, REWOUND, SHARED, TABLE
from hutch.wire.views import NOTHING_OPEN, open_numbers, view_of

#: The parts of a log entry that everybody may see.
_PUBLIC_FIELDS = (SHARED, PUBLIC, TABLE, REWOUND)


class Build(Struct, frozen=True):
    """What made a bundle."""

    hutch: str
    python: str
    platform: str
    rules: tuple[str, ...]


class Bundle(Struct, frozen=True, kw_only=True):
    """A table as it stood. Bytes are base64, times ms since 1970.

    Without `secrets` there is nothing in it that the public may not see, and so no record and no
    inputs either: it cannot be played.
    """

    format: Literal["hutch-bundle-1"] = "hutch-bundle-1"
    build: Build
    secrets: bool
    diagnosis: Diagnosis
    meta: TableMeta
    record: bytes | None
    inputs: list[tuple[int, bytes]]
    log: list[LogEntry]


class Step(Struct, frozen=True):
    """A step of a bundle that is run: what is tried, and why it does not do ("" where it does)."""

    what: str
    fault: str = ""


async def bundled(store: TableStore, inspected: Inspected, *, with_secrets: bool) -> Bundle:
    """Everything of an inspected table; secrets only if asked for, or where the game is over."""
    stored = inspected.stored
    meta = decode_meta(stored.meta)
    bundle = Bundle(
        build=_build(),
        secrets=True,
        diagnosis=await diagnosed(store, inspected),
        meta=meta,
        record=stored.record,
        inputs=await all_inputs(store, stored.table_id),
        log=await whole_log(store, stored.table_id),
    )
    return bundle if with_secrets or meta.is_over else _without_secrets(bundle)


def encode_bundle(bundle: Bundle) -> bytes:
    """The bundle as JSON."""
    return msgspec.json.encode(bundle) + b"\n"


def decode_bundle(data: bytes) -> Bundle:
    """The bundle in that JSON. Raises `msgspec.DecodeError` where it holds none."""
    return msgspec.json.decode(data, type=Bundle)


def run(bundle: Bundle) -> Iterator[Step]:
    """Play the bundle's game once more, step by step, and then all that might come next.

    Before each step its name is given, then, where it does not do, the step with its fault; an
    exception of rules or bots comes through as it is. Raises `ValueError` for a bundle that cannot
    be played.
    """
    if not bundle.secrets:
        raise ValueError("the bundle has no secrets in it; make one with --with-secrets to run it")
    if not bundle.inputs:
        raise ValueError("no game was dealt at that table; there is nothing to run")
    opening, logged = decoded(bundle.inputs)
    revision = bundle.meta.rules_revision
    rules = games.find(opening.ruleset, revision)
    if rules is None:
        raise ValueError(f"revision {revision} of {opening.ruleset!r} is not at hand here")
    told = [entry for entry in bundle.log if SHARED in entry.fields]
    names = ["the deal", *[_name(one) for one in logged]]
    before = NOTHING_OPEN
    outcomes = replay(rules, opening, logged)
    live: Live | None = None
    for name, at_ms, entry in zip(
        names, [opening.at_ms, *[one.at_ms for one in logged]], told, strict=True
    ):
        what = f"revision {entry.revision}: {name}"
        yield Step(what)
        outcome = next(outcomes)
        if isinstance(outcome, Refusal):
            yield Step(what, f"the rules refuse it: {outcome.sentence}")
            return
        live = outcome.live
        if fault := fault_in_told(outcome, before, entry, at_ms):
            yield Step(what, fault)
            return
        before = open_numbers(live)
        yield from _failed_then(rules, bundle, live, entry.revision)
    assert live is not None
    if fault := _fault_in_record(bundle, live):
        yield Step("the stored record", fault)
        return
    yield from _next_steps(rules, bundle, live)


def _failed_then(rules: Rules, bundle: Bundle, live: Live, revision: int) -> Iterator[Step]:
    """The command that the rules failed on at that revision, once more."""
    failure = bundle.diagnosis.failure
    if failure is None or failure.command is None or failure.revision != revision:
        return
    failed = decode_logged(failure.command)
    what = f"after revision {revision}, what failed then: {_name(failed)}"
    yield Step(what)
    outcome = resolve(rules, live.fork(), failed.command, at_ms=failed.at_ms)
    if isinstance(outcome, Refusal):
        yield Step(what, f"the rules refuse it: {outcome.sentence}")


def _next_steps(rules: Rules, bundle: Bundle, live: Live) -> Iterator[Step]:
    """Whatever the service may do next: show the table, play a bot, a default, the clock."""
    now_ms = bundle.diagnosis.now_ms
    for audience in (*range(live.table.seats), None):
        yield Step(f"next: show it to {'the public' if audience is None else f'seat {audience}'}")
        view_of(live, audience, now_ms)
    if (due_ms := live.next_due_ms()) is not None:
        yield from _tried(rules, live, Tick(), max(due_ms, now_ms))
    for seat in live.awaited():
        yield from _tried(rules, live, PlayDefault(seat), now_ms)
        if name := bundle.meta.seats[seat].bot:
            what = f"next: bot {name} answers at seat {seat}"
            yield Step(what)
            strategy = STRATEGIES[rules.name].get(name)
            if strategy is None:
                yield Step(what, "that bot is not at hand here")
                return
            number, picks = strategy(Sight(live.fork(), seat), Random(seat))
            yield from _tried(rules, live, Submit(seat, number, picks), now_ms)


def _tried(rules: Rules, live: Live, command: Command, at_ms: int) -> Iterator[Step]:
    what = f"next: {_name(Logged(at_ms, command))}"
    yield Step(what)
    outcome = resolve(rules, live.fork(), command, at_ms=at_ms)
    if isinstance(outcome, Refusal):
        yield Step(what, f"the rules refuse it: {outcome.sentence}")


def _fault_in_record(bundle: Bundle, live: Live) -> str:
    ours = encode_record(live.record())
    return "" if ours == bundle.record else "the rules lead to another record than is stored"


def _name(logged: Logged) -> str:
    command = msgspec.json.encode(logged.command).decode()
    return f"{type(logged.command).__name__} {command} at {logged.at_ms}"


def _without_secrets(bundle: Bundle) -> Bundle:
    """The bundle with what the public may see."""
    meta = replace(
        bundle.meta, secret=b"", seats=[replace(seat, salt=b"") for seat in bundle.meta.seats]
    )
    diagnosis = bundle.diagnosis
    failure = diagnosis.failure
    return replace(
        bundle,
        secrets=False,
        diagnosis=replace(
            diagnosis,
            awaited=[replace(one, topic="") for one in diagnosis.awaited],
            failure=None if failure is None else replace(failure, command=None),
        ),
        meta=meta,
        record=None,
        inputs=[],
        log=[
            replace(
                entry,
                fields={
                    name: part for name, part in entry.fields.items() if name in _PUBLIC_FIELDS
                },
            )
            for entry in bundle.log
        ],
    )


def _build() -> Build:
    return Build(
        hutch=version("hutch"),
        python=platform.python_version(),
        platform=platform.platform(),
        rules=tuple([f"{rules.name} {rules.revision}" for rules in games.REVISIONS]),
    )
