"""Commands, questions and messages as short lines of text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from google.protobuf.message import Message

from hutch.engine.commands import Command, Leave, PlayDefault, Rejoin, Submit, Tick, Undo
from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Option, Picks, Question


def command_text(live: Live, command: Command, at_ms: int) -> str:
    """Who does what."""
    match command:
        case Submit(seat=seat, number=number, picks=picks):
            offered = live.ask_numbers.get(seat) != number
            ask = live.offers[seat] if offered else live.asks[seat]
            verb = "takes up" if offered else "answers"
            return f"seat {seat} {verb} {ask.topic}: {picks_text(picks)}"
        case Tick():
            return f"the clock, after {at_ms / 1000:g} s"
        case PlayDefault(seat=seat):
            return f"the default of seat {seat} is played"
        case Leave(seat=seat):
            return f"seat {seat} leaves"
        case Rejoin(seat=seat):
            return f"seat {seat} has a player again"
        case Undo(seat=seat):
            return f"seat {seat} takes its answer back"


def question_text(question: Question, ask: Ask | None) -> str:
    """What a seat is asked, or offered beside `ask`: topic, subject, options, limits, default."""
    asked = question.ask
    topic = asked.topic + "".join([f" about {point.value}" for point in asked.about])
    if question.offered and ask is not None and asked.options == ask.options:
        return f"seat {question.seat} may {topic} likewise"
    options = " | ".join([_option_text(option) for option in asked.options])
    limits = "" if asked.least == asked.most == 1 else f" pick {_range(asked.least, asked.most)}"
    order = " in order" if asked.ordered else ""
    what = f"{topic} [{options}]{limits}{order}"
    if question.offered:
        return f"seat {question.seat} may {what}"
    return f"seat {question.seat} is asked {what}; default {picks_text(asked.default)}"


def picks_text(picks: Picks) -> str:
    """What was picked."""
    taken = [one.option if one.count == 1 else f"{one.option}*{one.count}" for one in picks]
    return " ".join(taken) or "nothing"


def event_text(message: Message) -> str:
    """A typed event on one line: `kind(field value, …)`, empty lists left out."""
    kind = re.sub(r"(?<!^)(?=[A-Z])", "_", message.DESCRIPTOR.name).lower()
    return f"{kind}({_fields_text(message)})"


def _fields_text(message: Message) -> str:
    return ", ".join([f"{name} {text}" for name, text in _fields(message)])


def _fields(message: Message) -> Iterator[tuple[str, str]]:
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.is_repeated:
            if value:
                yield field.name, f"[{' '.join([_value_text(field, one) for one in value])}]"
        elif not field.has_presence or message.HasField(field.name):
            yield field.name, _value_text(field, value)


def _value_text(field: Any, value: Any) -> str:
    if isinstance(value, Message):
        return f"({_fields_text(value)})"
    if field.enum_type is not None:
        prefix = _enum_prefix(field)
        name: str = field.enum_type.values_by_number[value].name
        return name.removeprefix(prefix).lower()
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _enum_prefix(field: Any) -> str:
    """What the names of an enum's values begin with, such as `STEP_`."""
    first: str = field.enum_type.values_by_number[0].name
    return first.removesuffix("UNSPECIFIED")


def _option_text(option: Option) -> str:
    return option.id if option.most == 1 else f"{option.id}*{option.most}"


def _range(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}"
