"""Seals: what shows that a message in the broker comes from somebody who knows the key.

A seal is an HMAC over the task and its arguments. It says nothing of when: a message that is sent
again by somebody who has seen it is a hint too many, which does nothing.

The key file has a key a line. The last one seals, all of them are trusted, so a rotation is a line
more; lines go once nothing is on its way that they sealed.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hutch.runtime import secret_files

#: The header that a seal travels in.
HEADER: Final = "hutch_seal"
_KEY_LENGTH: Final = 32


class SealKeyError(ValueError):
    """A key file that cannot be used. The message says why, and holds no key."""


class Seals:
    """Makes and checks seals with the keys of a file, which is read again when it changes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: secret_files.Stamp | None = None
        self._keys: list[bytes] = []
        self._refresh()

    def seal(self, task: str, arguments: Sequence[object]) -> str:
        """The seal of a call."""
        self._refresh()
        return _seal(self._keys[-1], task, arguments)

    def is_sealed(self, seal: object, task: str, arguments: Sequence[object]) -> bool:
        """Whether that seal is one of ours, for that very call."""
        self._refresh()
        if not isinstance(seal, str) or not seal.isascii():
            return False
        return any(hmac.compare_digest(seal, _seal(key, task, arguments)) for key in self._keys)

    def _refresh(self) -> None:
        """Read the file again if it has changed; keys that are known go on where it cannot be
        read. Raises `SealKeyError` where none are."""
        try:
            seen = secret_files.stamp(self._path)
            if seen == self._seen:
                return
            self._keys = _read(self._path)
            self._seen = seen
        except (OSError, SealKeyError) as fault:
            if not self._keys:
                raise SealKeyError(f"{self._path} cannot be used: {fault}") from None


def load_seals(path: Path) -> Seals:
    """Seals with the keys in that file, made there if there is none.

    Several processes may start at once on one file: the first to write it wins. Raises
    `SealKeyError`.
    """
    try:
        if not path.exists():
            secret_files.make(path, f"{secrets.token_hex(_KEY_LENGTH)}\n".encode())
    except OSError as fault:
        raise SealKeyError(f"{path} cannot be made: {fault.strerror}") from None
    return Seals(path)


def _read(path: Path) -> list[bytes]:
    if secret_files.is_exposed(path):
        raise SealKeyError(f"others may read or change it. Run: chmod 600 {path}")
    keys = [line.strip() for line in path.read_bytes().splitlines() if line.strip()]
    if not keys or min(map(len, keys)) < _KEY_LENGTH:
        raise SealKeyError(f"it needs a key a line, each of {_KEY_LENGTH} characters or more")
    return keys


def _seal(key: bytes, task: str, arguments: Sequence[object]) -> str:
    # As JSON, for that is what is left of a call at the other end.
    call = json.dumps([task, arguments], separators=(",", ":"))
    return hmac.digest(key, call.encode(), "sha256").hex()
