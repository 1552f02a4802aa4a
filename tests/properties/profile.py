"""Profiles: what the properties need to know of a game, and the tables they are tried on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from hutch.engine import kernel
from hutch.engine.clocks import EVERY_CLOCK
from hutch.engine.events import Event
from hutch.engine.kernel import Outcome
from hutch.engine.refusals import Refusal
from hutch.engine.rules import Rules
from hutch.engine.table import Table
from hutch.games import RULESETS

#: The limit of every clock, and each seat's time bank, where a property runs clocks.
LIMIT_MS = 10_000
BANK_MS = 15_000
DEALT_AT_MS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What the properties need to know of a game.

    `options`: sets of options to try; the first is tried with every number of seats. `decisions`:
    the most answers that a random game takes. `conserved`: what is the same at every moment of a
    game, such as all its cards, sorted. `hidden`: what a seat (None: the public) must not know, by
    name; in imagined worlds each takes other values. `peeks`: events that tell a seat something
    its view does not show afterwards. `drawn`: a game may end without a winner.
    """

    options: tuple[Mapping[str, Any], ...] = ({},)
    decisions: int
    conserved: Callable[[Table[Any]], object]
    hidden: Callable[[Table[Any], int | None], Mapping[str, object]]
    peeks: frozenset[type[Event]] = frozenset()
    drawn: bool = False


@dataclass(frozen=True, eq=False)
class Setting:
    """A table to play a game at."""

    rules: Rules
    profile: Profile
    seats: int
    options: Mapping[str, Any]

    def __str__(self) -> str:
        chosen = "".join([f"-{name}={value}" for name, value in self.options.items()])
        return f"{self.rules.name}-{self.seats}{chosen}"

    @property
    def audiences(self) -> tuple[int | None, ...]:
        """All seats, and the public."""
        return (*range(self.seats), None)

    def deal(self, seed: int, *, clocks: bool = False) -> Outcome:
        """A game at that table, with or without time limits and banks."""
        outcome = kernel.deal(
            self.rules,
            seats=self.seats,
            options=dict(self.options),
            seed=seed.to_bytes(32, "big"),
            at_ms=DEALT_AT_MS,
            limits_ms={EVERY_CLOCK: LIMIT_MS} if clocks else {},
            time_bank_ms=BANK_MS if clocks else 0,
        )
        assert isinstance(outcome, Outcome), f"{self}: {outcome}"
        return outcome


def profile_of(rules: Rules) -> Profile:
    """The profile of a registered game. Raises `LookupError` where it has none."""
    name = f"tests.games.{rules.name.replace('-', '_')}.profile"
    try:
        profile = import_module(name).PROFILE
    except ModuleNotFoundError as fault:
        raise LookupError(f"{rules.name} has no profile: {name} is missing") from fault
    assert isinstance(profile, Profile), name
    return profile


def settings_of(rules: Rules, profile: Profile) -> Iterator[Setting]:
    """The tables to try: every number of seats, and every set of options."""
    for index, options in enumerate(profile.options):
        fitting = [
            Setting(rules, profile, seats, options)
            for seats in rules.seats
            if _fits(rules, seats, options)
        ]
        assert fitting, f"{rules.name}: no number of seats goes with {options}"
        yield from fitting if index == 0 else fitting[-1 - (index - 1) % len(fitting) :][:1]


def every_setting() -> Iterator[Setting]:
    """The tables to try of all registered games that have a profile."""
    for rules in RULESETS.values():
        try:
            profile = profile_of(rules)
        except LookupError:
            continue  # told by a test of its own
        yield from settings_of(rules, profile)


def _fits(rules: Rules, seats: int, options: Mapping[str, Any]) -> bool:
    outcome = kernel.deal(rules, seats=seats, options=dict(options), seed=bytes(32), at_ms=0)
    return not isinstance(outcome, Refusal)
