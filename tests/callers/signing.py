"""Tokens as anybody may make them, and what is said of those that are refused."""

from __future__ import annotations

import time
from typing import Any

import pytest
from joserfc import jwt

from hutch.callers.tokens import Tokens
from hutch.wire.errors import Fault


def signed(
    key: Any, *, header: dict[str, Any] | None = None, alg: str = "Ed25519", **claims: Any
) -> str:
    """A token of that key. Claims given replace the right ones; None leaves one out."""
    now = int(time.time())
    right = {
        "iss": "hutch",
        "aud": "hutch",
        "sub": "ada",
        "scope": "player",
        "iat": now,
        "exp": now + 600,
    }
    full = {name: value for name, value in (right | claims).items() if value is not None}
    return jwt.encode({"alg": alg, "kid": key.kid, **(header or {})}, full, key, algorithms=[alg])


def refused(tokens: Tokens, token: str) -> str:
    """The reason that a token is refused for."""
    with pytest.raises(Fault) as refusal:
        tokens.check(token)
    return refusal.value.reason
