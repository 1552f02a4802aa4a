"""Tokens: signed names of players (JWT, Ed25519). Whoever holds one is that player."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections import OrderedDict
from pathlib import Path

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, OKPKey
from msgspec import Struct

from hutch.wire.errors import Fault, Wrong

ALGORITHM = "Ed25519"
AUDIENCE = "hutch"
#: Clocks of gateways may differ by this much.
LEEWAY_SECONDS = 60
_REMEMBERED = 20_000


class Caller(Struct, frozen=True):
    """Who calls. `expires_at` is in seconds since 1970."""

    player: str
    display_name: str
    expires_at: int


def load_keys(path: Path) -> KeySet:
    """The signing keys in that file (a private JWK set), made there if there is none.

    Several gateways may start at once on one file: the first to write it wins.
    """
    if not path.exists():
        key = OKPKey.generate_key("Ed25519", {"use": "sig"}, private=True, auto_kid=True)
        fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w") as out:
            json.dump(KeySet([key]).as_dict(private=True), out)
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    try:
        return KeySet.import_key_set(json.loads(path.read_text()))
    except (ValueError, JoseError) as fault:
        raise ValueError(f"{path} holds no JWK set of signing keys: {fault}") from fault


class Tokens:
    """Signs and checks tokens. The last key of the set signs; all of them are trusted."""

    def __init__(self, keys: KeySet, *, issuer: str, lifetime_seconds: int) -> None:
        self._keys = keys
        self._signing = keys.keys[-1]
        self._issuer = issuer
        self._lifetime = lifetime_seconds
        self._known: OrderedDict[str, Caller] = OrderedDict()

    def issue(self, player: str, display_name: str) -> tuple[str, int]:
        """A token for that player, and when it ends (seconds since 1970)."""
        now = int(time.time())
        ends = now + self._lifetime
        claims = {
            "iss": self._issuer,
            "aud": AUDIENCE,
            "sub": player,
            "name": display_name,
            "iat": now,
            "exp": ends,
        }
        header = {"alg": ALGORITHM, "kid": self._signing.kid}
        return jwt.encode(header, claims, self._signing, algorithms=[ALGORITHM]), ends

    def check(self, token: str) -> Caller:
        """Who holds that token. Raises `Fault` TOKEN_INVALID or TOKEN_EXPIRED."""
        caller = self._known.get(token)
        if caller is None:
            caller = self._verified(token)
            self._known[token] = caller
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        if caller.expires_at + LEEWAY_SECONDS < time.time():
            raise Fault(Wrong.TOKEN_EXPIRED, "The token has expired; get a new one.")
        return caller

    def _verified(self, token: str) -> Caller:
        try:
            claims = jwt.decode(token, self._keys, algorithms=[ALGORITHM]).claims
        except (JoseError, ValueError):
            raise Fault(Wrong.TOKEN_INVALID, "The token is not one of this service.") from None
        player, ends = claims.get("sub"), claims.get("exp")
        fits = claims.get("iss") == self._issuer and claims.get("aud") == AUDIENCE
        if not fits or not isinstance(player, str) or not player or not isinstance(ends, int):
            raise Fault(Wrong.TOKEN_INVALID, "The token is not one of this service.")
        return Caller(player, str(claims.get("name", "")), ends)
