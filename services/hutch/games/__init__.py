"""The games: one package each, and the registry that finds their rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hutch.engine.rules import Rules
from hutch.games import killer_bunnies, rabbit_space

#: Every revision that is still played. Adding a game is adding its line.
REVISIONS: Final[tuple[Rules, ...]] = (killer_bunnies.RULES, rabbit_space.RULES)

#: The newest rules of each game, by name, in the order of names.
RULESETS: Final[Mapping[str, Rules]] = {
    rules.name: rules for rules in sorted(REVISIONS, key=lambda rules: (rules.name, rules.revision))
}

_BY_REVISION: Final = {(rules.name, rules.revision): rules for rules in REVISIONS}


def find(name: str, revision: int) -> Rules | None:
    """The rules of that game in that revision; None if they are not (or no longer) here."""
    return _BY_REVISION.get((name, revision))
