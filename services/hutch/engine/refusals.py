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
    NOT_TAKEN_OVER = "NOT_TAKEN_OVER"
    BAD_SEAT_COUNT = "BAD_SEAT_COUNT"
    BAD_OPTIONS = "BAD_OPTIONS"


class Refusal(Struct, frozen=True):
    """A command that changed nothing: the reason, a sentence that helps, and the facts."""

    reason: Reason
    sentence: str
    facts: dict[str, str] = {}


def game_over() -> Refusal:
    """For whatever comes after the end."""
    return Refusal(Reason.GAME_OVER, "The game is over; nothing can be played any more.")


def seat_unknown(seat: int, seats: int) -> Refusal:
    """For a seat that a table of `seats` seats does not have."""
    return Refusal(Reason.SEAT_UNKNOWN, f"There is no seat {seat}; the seats are 0 to {seats - 1}.")


def prompt_closed(seat: int, number: int, open_now: list[int]) -> Refusal:
    """For an answer to a question that is not, or no longer, open to that seat."""
    numbers = [str(one) for one in open_now]
    now = f"open to it now: {', '.join(numbers)}" if numbers else "none is open to it"
    return Refusal(
        Reason.PROMPT_CLOSED,
        f"Question {number} is not open to seat {seat}; {now}. Look at the table again.",
        {"open": " ".join(numbers)},
    )
