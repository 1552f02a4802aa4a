"""Keys: what tokens are signed with, in a file that may change while gateways run.

The file holds a private JWK set. Its last key signs, all of them are trusted. So a rotation is an
entry more; entries go once nothing that they signed can still be valid.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from hutch.runtime import secret_files

ALGORITHM = "Ed25519"
#: When a key was made, in seconds since 1970: a member of its JWK.
_MADE = "made"


class KeyFileError(ValueError):
    """A key file that cannot be used. The message says why, and holds no key."""


class SigningKeys:
    """The keys of a file. `signing` is the one that signs, `by_id` holds all that are trusted."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: secret_files.Stamp | None = None
        self.by_id: dict[str, OKPKey] = {}
        self.signing: OKPKey
        self.refresh()

    def refresh(self) -> bool:
        """Read the file again if it has changed: whether it had. Raises `KeyFileError`."""
        try:
            seen = secret_files.stamp(self.path)
            if seen == self._seen:
                return False
            keys = _read(self.path)
        except OSError as fault:
            raise KeyFileError(f"{self.path} cannot be read: {fault.strerror}.") from None
        self.by_id = {str(key.kid): key for key in keys}
        self.signing = keys[-1]
        self._seen = seen
        return True


def load_keys(path: Path) -> SigningKeys:
    """The keys in that file, made there if there is none.

    Several gateways may start at once on one file: the first to write it wins. Raises
    `KeyFileError`.
    """
    try:
        if not path.exists():
            secret_files.make(path, _encoded([_new_key()]))
    except OSError as fault:
        raise KeyFileError(f"{path} cannot be made: {fault.strerror}.") from None
    return SigningKeys(path)


def rotate(path: Path, lifetime_seconds: int) -> tuple[str, list[str]]:
    """Let a new key sign: its id, and those of keys that were dropped.

    A key goes once it has not signed for longer than tokens live, `lifetime_seconds`.
    """
    with secret_files.changing(path):
        keys = _read(path)
        now = int(time.time())
        old: list[OKPKey] = []
        for key, follower in pairwise(keys):
            made = follower.get(_MADE)
            if isinstance(made, int) and now - made > lifetime_seconds:
                old.append(key)
        kept = [key for key in keys if key not in old]
        fresh = _new_key()
        secret_files.replace(path, _encoded([*kept, fresh]))
    return str(fresh.kid), [str(key.kid) for key in old]


def drop(path: Path, key_id: str) -> bool:
    """Trust that key no more: whether it was there. Raises `KeyFileError` for the only one."""
    with secret_files.changing(path):
        keys = _read(path)
        kept = [key for key in keys if key.kid != key_id]
        if not kept:
            raise KeyFileError("That is the only key; rotate first.")
        if len(kept) == len(keys):
            return False
        secret_files.replace(path, _encoded(kept))
    return True


def _new_key() -> OKPKey:
    parameters: Any = {"use": "sig", _MADE: int(time.time())}
    return OKPKey.generate_key("Ed25519", parameters, private=True, auto_kid=True)


def _read(path: Path) -> list[OKPKey]:
    if secret_files.is_exposed(path):
        raise KeyFileError(
            f"{path} is open to others: whoever reads it can be any player. Run: chmod 600 {path}"
        )
    try:
        listed = json.loads(path.read_text())["keys"]
        keys = [OKPKey.import_key(one) for one in listed]
    except (ValueError, KeyError, TypeError, JoseError):
        keys = []
    if not keys or not all(key.is_private and key.kid for key in keys):
        raise KeyFileError(f"{path} holds no JWK set of private Ed25519 keys with a kid.")
    return keys


def _encoded(keys: Iterable[OKPKey]) -> bytes:
    """The file's content."""
    return json.dumps({"keys": [key.as_dict(private=True) for key in keys]}).encode()
