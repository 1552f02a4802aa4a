"""Variables: settings read from the environment, with a sentence for each that does not fit.

`docs/settings.md` is made here: `hutch settings > docs/settings.md`.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

import annotated_types
import pydantic_settings
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from hutch.runtime.redaction import mask_credentials
from hutch.runtime.settings import PROCESSES
from hutch.runtime.settings.shared import PREFIX, Group, Settings
from hutch.runtime.settings.values import Allowed

AnySettings = TypeVar("AnySettings", bound=Settings)


class SettingsError(Exception):
    """Variables that do not fit. The message names each, its value and what is allowed."""


def load(kind: type[AnySettings]) -> AnySettings:
    """The settings of a process, from the environment.

    Raises:
        SettingsError: at least one variable does not fit.
    """
    try:
        return kind()
    except pydantic_settings.SettingsError:
        # A group's name alone is read as JSON for the whole group, which is not documented.
        groups = {PREFIX + location[0].upper() for location, _ in _fields(kind) if location[1:]}
        names = ", ".join(sorted(groups & os.environ.keys()))
        raise SettingsError(
            f"{names} is the name of a group; set the group's own variables."
        ) from None
    except ValidationError as fault:
        fields = dict(_fields(kind))
        faults = [_sentence(error, fields) for error in fault.errors()]
        raise SettingsError("\n".join(dict.fromkeys(faults))) from None


def unknown_variables(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """`HUTCH_…` variables that no process reads, each with a sentence for whoever misspelt it."""
    known = {
        _variable(location).removeprefix(PREFIX)
        for kind in PROCESSES
        for location, _ in _fields(kind)
    }
    found = {}
    for name in sorted(environ):
        if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in known:
            near = difflib.get_close_matches(name.removeprefix(PREFIX), known, n=1)
            hint = f" Is {PREFIX}{near[0]} meant?" if near else ""
            found[name] = f"{name} is set but read by nothing.{hint}"
    return found


def markdown() -> str:
    """All settings as the page `docs/settings.md`."""
    lines = [
        "# Settings",
        "",
        "Every setting is a variable of the environment. A value that does not fit stops the",
        "process at its start with a message that names the variable, the value and what is",
        "allowed; a `HUTCH_…` variable that nothing reads is reported. This page is generated:",
        "`hutch settings > docs/settings.md`.",
    ]
    shared = {location for location, _ in _fields(Settings)}
    for kind in PROCESSES:
        lines += ["", f"## {kind.title}", ""]
        lines += ["| variable | default | allowed | meaning |", "|---|---|---|---|"]
        lines += [
            f"| `{_variable(location)}` | {_default(field)} | {_allowed(field)} "
            f"| {field.description} |"
            for location, field in _fields(kind)
            if kind is Settings or location not in shared
        ]
    return "\n".join(lines) + "\n"


Location = tuple[str, ...]


def _fields(kind: type[Settings]) -> Iterator[tuple[Location, FieldInfo]]:
    for name, field in kind.model_fields.items():
        group = field.annotation
        if isinstance(group, type) and issubclass(group, Group):
            for inner, inner_field in group.model_fields.items():
                yield (name, inner), inner_field
        else:
            yield (name,), field


def _variable(location: Location) -> str:
    return PREFIX + "_".join(location).upper()


def _sentence(error: Any, fields: Mapping[Location, FieldInfo]) -> str:
    places = [tuple(map(str, error["loc"][:size])) for size in (2, 1)]
    location = next((place for place in places if place in fields), None)
    if location is None:  # several variables that do not fit together
        return str(error["ctx"]["error"])
    variable = _variable(location)
    value = mask_credentials(os.environ.get(variable, str(error["input"])))
    return f"{variable} is {value!r}; allowed: {_allowed(fields[location])}."


def _allowed(field: FieldInfo) -> str:
    for mark in field.metadata:
        if isinstance(mark, Allowed):
            return mark.words
    annotation = field.annotation
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(annotation))
    if annotation is bool:
        return "`0` or `1`"
    if annotation is Path:
        return "a path"
    if annotation is str:
        return "any text but none"
    noun = "a whole number" if annotation is int else "a number"
    return " ".join([noun, *(words for mark in field.metadata if (words := _bound(mark)))])


def _bound(mark: object) -> str:
    match mark:
        case annotated_types.Ge(ge=bound):
            return f"from {bound}"
        case annotated_types.Gt(gt=bound):
            return f"above {bound}"
        case annotated_types.Le(le=bound):
            return f"up to {bound}"
    return ""


def _default(field: FieldInfo) -> str:
    match field.default:
        case "" | None:
            return "empty"
        case bool(value):
            return f"`{int(value)}`"
        case tuple(parts):
            return f"`{','.join(parts)}`"
        case float(value):
            return f"`{value:g}`"
        case value:
            return f"`{value}`"
