"""The games: one package each, and the registry that finds their rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources.abc import Traversable
from typing import Final

from hutch.engine.rules import Rules
from hutch.games import killer_bunnies, rabbit_space, tale_of_carrot

#: Every revision that is still played. Adding a game is adding its line.
REVISIONS: Final[tuple[Rules, ...]] = (
    killer_bunnies.RULES,
    rabbit_space.RULES,
    tale_of_carrot.RULES,
)

#: Games whose card tables an owner of the real cards can replace.
_WITH_CARDS: Final[Mapping[str, Callable[[Traversable], Rules]]] = {
    "rabbit-space": rabbit_space.with_cards,
    "tale-of-carrot": tale_of_carrot.with_cards,
}

#: Revisions with an owner's cards are a multiple of this beyond those with ours.
_EDITION: Final = 1000

_NEWEST: Final = {
    rules.name: rules for rules in sorted(REVISIONS, key=lambda rules: (rules.name, rules.revision))
}
_BY_REVISION: Final = {(rules.name, rules.revision): rules for rules in REVISIONS}

#: The rules that new tables of each game play by, by name, in the order of names.
RULESETS: Final[Mapping[str, Rules]] = _NEWEST


def find(name: str, revision: int) -> Rules | None:
    """The rules of that game in that revision; None if they are not (or no longer) here."""
    return _BY_REVISION.get((name, revision))


def successor(name: str, revision: int) -> Rules | None:
    """The newest rules of that game that are newer than that revision, with the same cards; None
    where there are none here."""
    newest = max(
        (
            rules
            for rules in _BY_REVISION.values()
            if rules.name == name and rules.revision // _EDITION == revision // _EDITION
        ),
        key=lambda rules: rules.revision,
        default=None,
    )
    return newest if newest is not None and newest.revision > revision else None


def install_cards(folder: Traversable) -> tuple[str, ...]:
    """Let new tables play with the cards of an owner: the games that have a sub-folder there.

    The sub-folder of a game, such as `rabbit-space`, holds its card tables, in the schema of those
    in the game's `data`. For the start of a process; games that are on go on with their own cards.
    Raises `ValueError` naming file, row and column, or the game that takes no other cards.
    """
    found = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())
    for name in found:
        if name not in _WITH_CARDS:
            raise ValueError(
                f"{name!r} is no game that takes other cards; those are {', '.join(_WITH_CARDS)}."
            )
        rules = _WITH_CARDS[name](folder / name)
        _NEWEST[name] = _BY_REVISION[name, rules.revision] = rules
    return tuple(found)
