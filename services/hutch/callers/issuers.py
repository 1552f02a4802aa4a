"""Issuers: another service that signs tokens for players, and its public keys.

The keys are a JWK set, in a file or behind one URL of the settings. Nothing that a token says is
ever fetched.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.error import URLError
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, build_opener

import structlog
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key, RSAKey

log = structlog.get_logger(__name__)

#: What a key of each type may sign with. A key names no more in a token than its type allows.
ALGORITHMS_BY_TYPE = {
    "OKP": ("Ed25519", "EdDSA"),
    "EC": ("ES256", "ES384", "ES512"),
    "RSA": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
}
RSA_BITS = 2048
FETCH_SECONDS = 5.0
SET_BYTES = 256 * 1024
#: After a token with an unknown key id, or a failure, keys are not fetched again sooner.
PAUSE_SECONDS = 5.0


class Issuer:
    """Another issuer. `name` is the `iss` of its tokens, `keys` a URL or the path of a file."""

    def __init__(self, name: str, keys: str, *, refresh_seconds: float) -> None:
        self.name = name
        self._source = keys
        self._refresh_seconds = refresh_seconds
        self._keys: dict[str, Key] = {}
        self._tried_at = float("-inf")
        self._wanted = True

    def find(self, kid: str) -> Key | None:
        """The key of that id. One that is unknown makes the set be fetched again soon."""
        key = self._keys.get(kid)
        self._wanted |= key is None
        return key

    async def refresh(self) -> bool:
        """Fetch the keys if it is time to: whether they changed. A failure keeps those at hand."""
        since = monotonic() - self._tried_at
        if since < (PAUSE_SECONDS if self._wanted else self._refresh_seconds):
            return False
        self._tried_at = monotonic()
        try:
            keys = public_keys(await asyncio.to_thread(self._read))
        except (OSError, URLError, ValueError) as fault:
            self._wanted = True
            log.warning("issuer_keys_unreachable", issuer=self.name, error=str(fault)[:200])
            return False
        self._wanted = False
        changed = {kid: key.thumbprint() for kid, key in keys.items()} != {
            kid: key.thumbprint() for kid, key in self._keys.items()
        }
        self._keys = keys
        return changed

    def _read(self) -> bytes:
        if "://" not in self._source:
            with Path(self._source).open("rb") as file:
                return _all_of(file)
        with _opener().open(self._source, timeout=FETCH_SECONDS) as answer:
            return _all_of(answer)


def public_keys(data: bytes) -> dict[str, Key]:
    """The keys of a JWK set that may check signatures, by id.

    Left out are those without an id, for encryption, too short, or that are secrets: whoever knows
    a symmetric key could sign. Raises `ValueError` where it is no JWK set.
    """
    try:
        listed = json.loads(data)["keys"]
        found = [_public_key(one) for one in listed]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError("what came is no JWK set") from None
    return {str(key.kid): key for key in found if key is not None}


def _public_key(one: dict[str, Any]) -> Key | None:
    if one.get("kty") not in ALGORITHMS_BY_TYPE or one.get("use", "sig") != "sig":
        return None
    if not isinstance(one.get("kid"), str):
        return None
    try:
        key = JWKRegistry.import_key(one)
    except (JoseError, ValueError):
        return None
    if isinstance(key, RSAKey) and key.public_key.key_size < RSA_BITS:
        return None
    return key


def _all_of(source: Any) -> bytes:
    data: bytes = source.read(SET_BYTES + 1)
    if len(data) > SET_BYTES:
        raise ValueError(f"the JWK set has more than {SET_BYTES} bytes")
    return data


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Where the keys are is for the settings to say, not for an answer."""


def _opener() -> OpenerDirector:
    return build_opener(ProxyHandler({}), _NoRedirects())
