"""Names: several in one argument, with commas between."""

from __future__ import annotations


def names(listed: str) -> tuple[str, ...]:
    """The names of such a list."""
    return tuple([name.strip() for name in listed.split(",") if name.strip()])


def strategies(listed: str) -> tuple[str, ...]:
    """The strategies of such a list, to be seated in turn; random play where it names none."""
    return names(listed) or ("random",)
