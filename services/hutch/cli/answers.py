"""Answers typed by a person: questions as numbered lines, and picks from what is typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from hutch.cli.boards.art import Cards
from hutch.v1 import table_pb2

_PICK: Final = re.compile(r"(\d+)(?:x(\d+))?")


class AnswerError(Exception):
    """Why what was typed is no answer, for the one who typed it."""


def picks_from(typed: str, prompt: table_pb2.Prompt) -> list[table_pb2.Pick]:
    """The picks that numbers such as `2 5` or `1x4` stand for; nothing typed takes the default.

    A lone `-` picks nothing. Raises `AnswerError`.
    """
    words = typed.replace(",", " ").split()
    if not words:
        return list(prompt.default_picks)
    picks = [] if words == ["-"] else [_pick(word, prompt) for word in words]
    if len({pick.option_id for pick in picks}) < len(picks):
        raise AnswerError("Name each option once; write 2x3 to take option 2 three times.")
    many = sum([max(1, pick.count) for pick in picks])
    if not prompt.min_picks <= many <= prompt.max_picks:
        raise AnswerError(f"Pick {how_many(prompt)}, not {many}.")
    return picks


def how_many(prompt: table_pb2.Prompt) -> str:
    """How many picks an answer holds, in words."""
    least, most = prompt.min_picks, prompt.max_picks
    if least == most:
        return str(least)
    return f"up to {most}" if not least else f"{least} to {most}"


def labels(prompt: table_pb2.Prompt, cards: Cards, names: Sequence[str]) -> list[str]:
    """What each option is, in words: from what it points at."""
    return [_label(option, cards, names) for option in prompt.options]


def named(subjects: Iterable[table_pb2.Subject], cards: Cards, names: Sequence[str]) -> str:
    """Those things of the table, in words."""
    return ", ".join([_word(subject, cards, names) for subject in subjects])


def texts(subjects: Iterable[table_pb2.Subject], cards: Cards) -> list[str]:
    """What the cards among those things say."""
    found = [cards[one.card].text for one in subjects if one.card in cards]
    return [text for text in found if text]


def default_numbers(prompt: table_pb2.Prompt) -> str:
    """The default as it would be typed."""
    place = {option.option_id: number for number, option in enumerate(prompt.options, 1)}
    words = [
        f"{place[pick.option_id]}x{pick.count}" if pick.count > 1 else str(place[pick.option_id])
        for pick in prompt.default_picks
    ]
    return " ".join(words) or "-"


def _pick(word: str, prompt: table_pb2.Prompt) -> table_pb2.Pick:
    match = _PICK.fullmatch(word)
    if match is None:
        raise AnswerError(f"{word!r} is no number of an option.")
    number, count = int(match[1]), int(match[2] or 1)
    if not 1 <= number <= len(prompt.options):
        raise AnswerError(f"There is no option {number}; there are 1 to {len(prompt.options)}.")
    option = prompt.options[number - 1]
    most = max(1, option.max_count)
    if not 1 <= count <= most:
        raise AnswerError(f"Option {number} may be taken {most} times at most, not {count}.")
    return table_pb2.Pick(option_id=option.option_id, count=count)


def _label(option: table_pb2.Option, cards: Cards, names: Sequence[str]) -> str:
    text = named(option.subjects, cards, names) or option.option_id.replace(":", " ")
    return f"{text} (up to {option.max_count} times)" if option.max_count > 1 else text


def _word(subject: table_pb2.Subject, cards: Cards, names: Sequence[str]) -> str:
    match subject.WhichOneof("subject"):
        case "card":
            card = cards.get(subject.card)
            if card is None:
                return subject.card
            facts = [card.facts[name] for name in ("colour", "cost") if name in card.facts]
            return f"{card.name} ({' '.join(facts)})" if facts else card.name
        case "seat" if subject.seat < len(names):
            return f"{names[subject.seat]} (seat {subject.seat})"
        case "number":
            return str(subject.number)
        case "place":
            return subject.place.replace("-", " ")
        case kind:
            return str(getattr(subject, kind)) if kind else ""
