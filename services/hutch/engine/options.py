"""Options: what a table chooses, as plain values, held against the options of its game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.inspect import ListType, LiteralType, StructType, Type, VarTupleType, type_info


def options_from(plain: Any, options_type: type[Any]) -> Any:
    """The options that plain values (as from JSON) ask for.

    Raises `msgspec.ValidationError`, which tells what there is to choose from where a name or a
    word is none of it.
    """
    try:
        return msgspec.convert(plain, options_type)
    except msgspec.ValidationError as fault:
        raise msgspec.ValidationError(f"{fault}{_choice(plain, options_type)}") from None


def _choice(plain: Any, options_type: type[Any]) -> str:
    """What there is to choose from in place of the first name or word that is unknown."""
    game = type_info(options_type)
    if not isinstance(plain, Mapping) or not isinstance(game, StructType):
        return ""
    fields = {field.encode_name: field.type for field in game.fields}
    for name, value in plain.items():
        if name not in fields:
            return f"; the options are {', '.join(fields) or 'none'}"
        words = _words(fields[name])
        given = value if isinstance(value, list) else [value]
        if words and any(word not in words for word in given):
            return f"; the words for `{name}` are {', '.join(map(repr, words))}"
    return ""


def _words(kind: Type) -> tuple[Any, ...]:
    """The words that an option of that type takes, alone or in a list; none where it is free."""
    match kind:
        case LiteralType(values=words):
            return words
        case VarTupleType(item_type=item) | ListType(item_type=item):
            return _words(item)
        case _:
            return ()
