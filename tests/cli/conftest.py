"""What the commands' tests share."""

from __future__ import annotations

from tests.stacks import stack

__all__ = ["stack"]
