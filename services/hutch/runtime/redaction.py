"""Redaction: what must not be read in a log is taken out on its way there.

Two nets. A name that means a secret hides its value, whatever it is; and of values only plain ones
pass, so that a record, a view or a message never gets into a line by being handed over whole.
"""

from __future__ import annotations

import re
from typing import Any, Final

HIDDEN: Final = "[redacted]"

# Words of a name: `server_seed`, `resume_token` and `hands` all hide.
_SECRET_WORDS: Final = frozenset(
    {
        "authorization",
        "board",
        "boards",
        "cookie",
        "credential",
        "credentials",
        "deck",
        "decks",
        "hand",
        "hands",
        "invite",
        "jwt",
        "password",
        "record",
        "records",
        "salt",
        "salts",
        "secret",
        "secrets",
        "seed",
        "seeds",
        "token",
        "tokens",
        "view",
        "views",
    }
)
_SECRET_NAMES: Final = frozenset({"key_bytes", "private_key", "signing_key"})

_JWT = re.compile(r"\beyJ[\w-]*\.[\w-]+\.[\w-]*")
_BEARER = re.compile(r"(?i)\b(bearer)\s+[^\s'\",]+")
_CREDENTIALS = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*://)[^\s/]*@")
_OPTION = re.compile(r"(?i)(?P<name>[?&]\w*(?:password|username)=)[^\s&#'\",]*")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def mask_credentials(text: str) -> str:
    """That text with the user and password of every URL in it hidden, before the host as well as
    among the options."""
    text = _CREDENTIALS.sub(rf"\g<scheme>{HIDDEN}@", text)
    return _OPTION.sub(rf"\g<name>{HIDDEN}", text)


def redact_text(text: str) -> str:
    """That text without tokens, and without passwords in URLs."""
    if "eyJ" in text:
        text = _JWT.sub(HIDDEN, text)
    if "earer" in text.lower():
        text = _BEARER.sub(rf"\1 {HIDDEN}", text)
    return mask_credentials(text) if "://" in text else text


def redact(event: dict[str, Any]) -> dict[str, Any]:
    """A log event of plain values, without secrets."""
    return {name: _value(name, value) for name, value in event.items()}


def is_secret(name: str) -> bool:
    """Whether a value of that name is never logged."""
    if name in _SECRET_NAMES:
        return True
    return any(word.lower() in _SECRET_WORDS for word in _WORDS.findall(name))


def _value(name: str, value: object) -> object:
    if is_secret(name) and not isinstance(value, bool | int | float | None):
        return HIDDEN
    return _plain(value)


def _plain(value: object) -> object:
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return redact_text(value)
        case bytes() | bytearray() | memoryview():
            return f"<{len(value)} bytes>"
        case dict():
            return {str(name): _value(str(name), inner) for name, inner in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(inner) for inner in value]
        case BaseException():
            return redact_text(f"{type(value).__name__}: {value}")
        case _:
            return f"<{type(value).__name__}>"
