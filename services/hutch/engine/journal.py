"""The journal: the inputs since a checkpoint, and which of them may still be taken back."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from hutch.engine.clocks import credited
from hutch.engine.prompts import Answer, Input, Renumbered
from hutch.engine.records import Rewind, Running
from hutch.engine.refusals import Reason, Refusal


class Journal:
    """Inputs in their order. The first `firm` of them stay whatever happens.

    `rewinds` say how to set clocks back for those that may be taken back.
    """

    __slots__ = ("firm", "inputs", "rewinds")

    def __init__(self) -> None:
        self.inputs: list[Input] = []
        self.rewinds: list[Rewind] = []
        self.firm = 0

    def clear(self) -> None:
        """Begin anew, at a checkpoint."""
        self.inputs = []
        self.harden()

    def harden(self) -> None:
        """Nothing that is in may be taken back any more."""
        self.firm = len(self.inputs)
        self.rewinds = []

    def note_clocks(
        self, before: Sequence[Running], after: Sequence[Running], banks_ms: list[int]
    ) -> None:
        """The last input turned these clocks into those: keep what undoing it needs, with the time
        banks before it."""
        if len(self.inputs) > self.firm and isinstance(self.inputs[-1], Answer):
            ended = [clock for clock in before if clock not in after]
            if ended:
                self.rewinds.append(Rewind(len(self.inputs) - 1, ended, banks_ms))

    def credit(self, from_ms: int, until_ms: int) -> bool:
        """Put off the clocks that undoing may set going again: whether there is any."""
        before = self.rewinds
        self.rewinds = [
            replace(rewind, ended=credited(rewind.ended, from_ms, until_ms)) for rewind in before
        ]
        return self.rewinds != before

    def last_of(self, seat: int) -> int | Refusal:
        """The step of the answer that `seat` may take back: the last of all, and nobody learnt
        from it."""
        step = len(self.inputs) - 1
        while step >= 0 and isinstance(self.inputs[step], Renumbered):
            step -= 1
        last = self.inputs[step] if step >= 0 else None
        if not isinstance(last, Answer) or last.seat != seat:
            return Refusal(
                Reason.NOT_UNDOABLE,
                "There is no answer of yours to take back: others acted since, or the step closed.",
            )
        if step < self.firm:
            return Refusal(
                Reason.NOT_UNDOABLE,
                "That answer cannot be taken back: it was final, or something was learnt since.",
            )
        return step

    def before(self, step: int) -> tuple[list[Input], list[Rewind]]:
        """Inputs and rewinds as they were before the input of that step."""
        return self.inputs[:step], [rewind for rewind in self.rewinds if rewind.step < step]

    def drop_superseded(self) -> None:
        """Drop what the last input, a renumbering, makes void: older ones of its seat next to it.

        So undoing for ever adds nothing.
        """
        last = self.inputs.pop()
        end = len(self.inputs)
        while end and isinstance(self.inputs[end - 1], Renumbered):
            end -= 1
        self.inputs[end:] = [one for one in self.inputs[end:] if one.seat != last.seat]
        self.inputs.append(last)

    def rewind_of(self, step: int) -> Rewind:
        """What undoing the answer of that step does to clocks and time banks."""
        return next((rewind for rewind in self.rewinds if rewind.step == step), Rewind(step, []))
