"""Failures: what is kept of an error, for operators."""

from __future__ import annotations

import traceback


def where_of(error: BaseException) -> str:
    """What failed and where, without the error's own words, which may hold a hidden card."""
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    module = frame.f_globals.get("__name__", "?")
    return f"{type(error).__name__} in {frame.f_code.co_name}, line {line} of {module}"
