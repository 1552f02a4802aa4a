"""`python -m tests.chaos.newer_rules`: rules of which every game has its next revision alone."""

from __future__ import annotations

from dataclasses import replace

from hutch import games
from hutch.rules.__main__ import main


def revise() -> None:
    """Give every game its next revision here, in place of today's."""
    newer = {
        name: replace(rules, revision=rules.revision + 1) for name, rules in games.RULESETS.items()
    }
    games._NEWEST.update(newer)
    games._BY_REVISION.clear()
    games._BY_REVISION.update({(one.name, one.revision): one for one in newer.values()})


if __name__ == "__main__":
    revise()
    main()
