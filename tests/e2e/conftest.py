"""What the end-to-end tests share."""

from __future__ import annotations

from tests.stacks import stack

__all__ = ["stack"]
