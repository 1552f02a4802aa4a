"""The playthroughs that the games declare."""

from __future__ import annotations

from importlib import import_module

from hutch.games import RULESETS
from tests.playthroughs.playthrough import FOLDER, Playthrough


def declared(ruleset: str) -> tuple[Playthrough, ...]:
    """The playthroughs of a game. Raises `LookupError` where it declares none."""
    name = f"tests.games.{ruleset.replace('-', '_')}.playthroughs"
    try:
        playthroughs = import_module(name).PLAYTHROUGHS
    except ModuleNotFoundError as fault:
        raise LookupError(f"{ruleset} has no playthroughs: {name} is missing") from fault
    assert isinstance(playthroughs, tuple)
    return playthroughs


def all_declared() -> list[Playthrough]:
    """The playthroughs of all games that declare any."""
    found: list[Playthrough] = []
    for ruleset in RULESETS:
        try:
            found += declared(ruleset)
        except LookupError:
            continue  # told by a test of its own
    return found


def orphans() -> list[str]:
    """Stored texts that no game declares any more."""
    known = {playthrough.path for playthrough in all_declared()}
    return sorted(
        str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.txt") if path not in known
    )
