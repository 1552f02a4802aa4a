"""Keys in a file, and the tokens that they sign."""

from __future__ import annotations

from pathlib import Path

import pytest

from hutch.callers.keys import SigningKeys, load_keys
from hutch.callers.tokens import Tokens


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


@pytest.fixture
def keys(path: Path) -> SigningKeys:
    return load_keys(path)


@pytest.fixture
def tokens(keys: SigningKeys) -> Tokens:
    return Tokens(keys, issuer="hutch", lifetime_seconds=3600)
