"""Refusals: a player's mistake as a value."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Reason(StrEnum):
    """Why the kernel said no. Clients act on the reason; the sentence is for a person."""

    PROMPT_CLOSED = "PROMPT_CLOSED"
    NOT_AN_OPTION = "NOT_AN_OPTION"
    TOO_FEW_PICKS = "TOO_FEW_PICKS"
    TOO_MANY_PICKS = "TOO_MANY_PICKS"
    COUNT_OUT_OF_RANGE = "COUNT_OUT_OF_RANGE"
    PICKED_TWICE = "PICKED_TWICE"
    GAME_OVER = "GAME_OVER"
    SEAT_UNKNOWN = "SEAT_UNKNOWN"
    SEAT_NOT_LEFT = "SEAT_NOT_LEFT"
    SEAT_ALREADY_LEFT = "SEAT_ALREADY_LEFT"
    NOT_UNDOABLE = "NOT_UNDOABLE"
    NOTHING_DUE = "NOTHING_DUE"
    RULES_GONE = "RULES_GONE"
    BAD_SEAT_COUNT = "BAD_SEAT_COUNT"
    BAD_OPTIONS = "BAD_OPTIONS"


class Refusal(Struct, frozen=True):
    """A command that changed nothing: the reason, a sentence that helps, and the facts."""

    reason: Reason
    sentence: str
    facts: dict[str, str] = {}
