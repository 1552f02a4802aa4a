"""Trust: which strategies a worker lets think in its own process.

There a thought costs nothing beyond itself, and a bot that ends its process ends the worker. So a
strategy must have earned that: by its latest answers, given by thinkers, of which none failed.
"""

from __future__ import annotations

from collections import Counter

#: The name of the game, and that of the strategy.
Strategy = tuple[str, str]


class Trust:
    """What one worker has seen of each strategy. It begins with nothing, after a death as well."""

    def __init__(self, probation: int) -> None:
        """`probation`: the answers in a row that earn trust."""
        self._probation = probation
        self._in_a_row = Counter[Strategy]()
        self._failed = set[Strategy]()

    def is_earned(self, strategy: Strategy) -> bool:
        """Whether the strategy may think in the worker."""
        return self._in_a_row[strategy] >= self._probation

    def is_lost(self, strategy: Strategy) -> bool:
        """Whether the strategy failed when it was asked last."""
        return strategy in self._failed

    def answered(self, strategy: Strategy) -> None:
        """It gave an answer that was accepted."""
        self._in_a_row[strategy] += 1
        self._failed.discard(strategy)

    def failed(self, strategy: Strategy) -> None:
        """It gave none."""
        self._in_a_row[strategy] = 0
        self._failed.add(strategy)
