"""The games: one package each, and the registry that finds their rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hutch.engine.rules import Rules
from hutch.games import killer_bunnies, rabbit_space, tale_of_carrot

#: Every revision that is still played. Adding a game is adding its line.
REVISIONS: Final[tuple[Rules, ...]] = (
    killer_bunnies.RULES,
    rabbit_space.RULES,
    tale_of_carrot.RULES,
)

_NEWEST: Final = {
    rules.name: rules for rules in sorted(REVISIONS, key=lambda rules: (rules.name, rules.revision))
}
_BY_REVISION: Final = {(rules.name, rules.revision): rules for rules in REVISIONS}

#: The rules that new tables of each game play by, by name, in the order of names.
RULESETS: Final[Mapping[str, Rules]] = _NEWEST


def find(name: str, revision: int) -> Rules | None:
    """The rules of that game in that revision; None if they are not (or no longer) here."""
    return _BY_REVISION.get((name, revision))


def install(rules: Rules) -> None:
    """Let new tables of a registered game play by these rules, such as ones with other cards.

    For the start of a process. Games under other revisions go on as before. Raises `ValueError` for
    a game that is not registered.
    """
    if rules.name not in _NEWEST:
        raise ValueError(f"{rules.name!r} is no registered game; those are {', '.join(_NEWEST)}")
    _NEWEST[rules.name] = _BY_REVISION[rules.name, rules.revision] = rules
