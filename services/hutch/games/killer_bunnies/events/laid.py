"""What all events have in common after which cards lie somewhere else, for all to see."""

from __future__ import annotations

from hutch.engine.events import Event


class Laid(Event, frozen=True):
    """Cards were laid down and let go: what brought it about is not taken back (KB-032)."""

    def teaches(self) -> bool:
        """Nobody need learn anything by it: the card lies."""
        return True
