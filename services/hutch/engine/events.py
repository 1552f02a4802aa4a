"""Events: what happened, what it does to the board, and who may see it."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct


class Event(Struct, frozen=True, tag=True):
    """Something that happened, in the past tense. Only events change a board.

    A subclass says what it does in `apply` and who may see what of it in `face`, side by side.
    An event that overrides `face` holds something hidden; one that makes a hidden thing public, or
    shows one to a seat, sets `reveals`.
    """

    reveals: ClassVar[bool] = False

    def apply(self, board: Any) -> None:
        """Change the board. The default changes nothing: the event only tells a story."""

    def face(self, seat: int | None) -> Event | None:
        """The event as `seat` sees it (None: the public), or None where it sees nothing at all."""
        return self

    @classmethod
    def is_public(cls) -> bool:
        """Whether everybody sees the same of it."""
        return cls.face is Event.face

    def teaches(self) -> bool:
        """Whether somebody may learn something by it, so that it must not be taken back."""
        return self.reveals or not self.is_public()
