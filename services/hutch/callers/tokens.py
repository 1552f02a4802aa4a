"""Tokens: signed names of players (JWT). Whoever holds one is that player.

Ours are signed with Ed25519. Those of another issuer are taken too where one is set. The `kid` of
a token picks the key, the key says who the issuer must be and which algorithms are its own: what
the token says of its algorithm is never believed.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any, NamedTuple

import structlog
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import GuestProtocol, Key

from hutch.callers.caller import NAME_LENGTH, Caller, Scope
from hutch.callers.issuers import ALGORITHMS_BY_TYPE, Issuer
from hutch.callers.keys import ALGORITHM, KeyFileError, SigningKeys
from hutch.wire.errors import Fault, Wrong

log = structlog.get_logger(__name__)

AUDIENCE = "hutch"
#: Clocks of gateways and issuers may differ by this much.
LEEWAY_SECONDS = 60
#: The longest token that is looked at.
TOKEN_CHARACTERS = 8_192
_REMEMBERED = 20_000
_ALGORITHMS = [name for names in ALGORITHMS_BY_TYPE.values() for name in names]
#: Players of another issuer: no guest's id starts so.
_FOREIGN = "x"


class _Signer(NamedTuple):
    """Whose key it is, and what it may sign with."""

    key: Key
    issuer: str
    algorithms: tuple[str, ...]
    is_foreign: bool


class Tokens:
    """Signs and checks tokens. What was checked is remembered until something changes."""

    def __init__(
        self,
        keys: SigningKeys,
        *,
        issuer: str,
        lifetime_seconds: int,
        audience: str = AUDIENCE,
        external: Issuer | None = None,
    ) -> None:
        self._keys = keys
        self._issuer = issuer
        self._lifetime = lifetime_seconds
        self._audience = audience
        self._external = external
        self._revoked: frozenset[str] = frozenset()
        self._known: OrderedDict[str, Caller] = OrderedDict()

    def issue(
        self,
        player: str,
        display_name: str,
        scopes: Iterable[Scope] = (Scope.PLAYER,),
        *,
        session: str = "",
    ) -> tuple[str, int]:
        """A token for that player, and when it ends (seconds since 1970).

        `session` is that of the token which it renews.
        """
        now = int(time.time())
        ends = now + self._lifetime
        token_id = secrets.token_hex(8)
        claims = {
            "iss": self._issuer,
            "aud": self._audience,
            "sub": player,
            "name": display_name,
            "scope": " ".join(sorted(scopes)),
            "jti": token_id,
            "sid": session or token_id,
            "iat": now,
            "exp": ends,
        }
        signing = self._keys.signing
        header = {"alg": ALGORITHM, "kid": signing.kid}
        return jwt.encode(header, claims, signing, algorithms=[ALGORITHM]), ends

    def renew(self, caller: Caller) -> tuple[str, int]:
        """A fresh token for a caller, in the same session. Raises `Fault` TOKEN_NOT_OURS."""
        if caller.is_foreign:
            raise Fault(
                Wrong.TOKEN_NOT_OURS, "Another issuer signed this token; get a fresh one there."
            )
        return self.issue(caller.player, caller.display_name, caller.scopes, session=caller.session)

    def check(self, token: str) -> Caller:
        """Who holds that token. Raises `Fault` TOKEN_INVALID, TOKEN_EXPIRED or TOKEN_REVOKED."""
        caller = self._known.get(token)
        if caller is None:
            caller = self._verified(token)
            if (fault := self.refusal(caller)) is not None:
                raise fault
            self._known[token] = caller
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        elif caller.expires_at + LEEWAY_SECONDS < time.time():
            raise _expired()
        return caller

    def refusal(self, caller: Caller) -> Fault | None:
        """Why a caller who was let in is not any more."""
        if caller.expires_at + LEEWAY_SECONDS < time.time():
            return _expired()
        if not self._revoked.isdisjoint((caller.player, caller.session, caller.token_id)):
            return Fault(Wrong.TOKEN_REVOKED, "The token was revoked.")
        return None

    def revoke(self, names: frozenset[str]) -> None:
        """From now on refuse the tokens of exactly those players, sessions and token ids."""
        if names != self._revoked:
            self._revoked = names
            self._known.clear()

    def refresh_keys(self) -> None:
        """Look whether the key file has changed. One that cannot be used changes nothing."""
        try:
            changed = self._keys.refresh()
        except KeyFileError as fault:
            log.error("key_file_unusable", error=str(fault))
            return
        if changed:
            self._known.clear()

    def forget(self) -> None:
        """Check every token afresh: keys have changed."""
        self._known.clear()

    def _verified(self, token: str) -> Caller:
        if len(token) > TOKEN_CHARACTERS:
            raise _invalid()
        signers: list[_Signer] = []

        def key_of(signature: GuestProtocol) -> Key:
            signer = self._signer(signature.headers())
            signers.append(signer)
            return signer.key

        try:
            claims = jwt.decode(token, key_of, algorithms=_ALGORITHMS).claims
        except (JoseError, ValueError, TypeError, RecursionError):
            raise _invalid() from None
        return self._caller(claims, signers[0])

    def _signer(self, header: Mapping[str, Any]) -> _Signer:
        """Whose key the token names. Raises `ValueError` where it is nobody's, or not its kind."""
        kid, algorithm = header.get("kid"), header.get("alg")
        if not isinstance(kid, str):
            raise ValueError("no kid")
        if kid not in self._keys.by_id:
            self.refresh_keys()  # another gateway may sign with a new one already
        external = self._external
        if (ours := self._keys.by_id.get(kid)) is not None:
            signer = _Signer(ours, self._issuer, (ALGORITHM,), is_foreign=False)
        elif external is not None and (theirs := external.find(kid)) is not None:
            algorithms = ALGORITHMS_BY_TYPE[theirs.key_type]
            signer = _Signer(theirs, external.name, algorithms, is_foreign=True)
        else:
            raise ValueError("unknown kid")
        if algorithm not in signer.algorithms:
            raise ValueError("not an algorithm of that key")
        return signer

    def _caller(self, claims: Mapping[str, Any], signer: _Signer) -> Caller:
        player = claims.get("sub")
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        now = time.time()
        if (
            claims.get("iss") != signer.issuer
            or self._audience not in audiences
            or not isinstance(player, str)
            or not player
            or _seconds(claims.get("iat", 0)) > now + LEEWAY_SECONDS
            or _seconds(claims.get("nbf", 0)) > now + LEEWAY_SECONDS
        ):
            raise _invalid()
        token_id = _text(claims.get("jti"))
        if signer.is_foreign:
            player = foreign_player(signer.issuer, player)
        name = " ".join(_text(claims.get("name")).split())[:NAME_LENGTH]
        return Caller(
            player=player,
            display_name=name if name.isprintable() else "",
            expires_at=int(_seconds(claims.get("exp"))),
            scopes=_scopes(claims.get("scope")),
            token_id=token_id,
            session=_text(claims.get("sid")) or token_id,
            is_foreign=signer.is_foreign,
        )


def foreign_player(issuer: str, subject: str) -> str:
    """The id of another issuer's player: it tells nothing of the subject, and is no guest's."""
    return _FOREIGN + sha256(f"{issuer} {subject}".encode()).hexdigest()[:24]


def _scopes(claim: object) -> frozenset[Scope]:
    """The scopes that are ours; other words mean something elsewhere."""
    scopes = set()
    for word in _text(claim).split():
        with suppress(ValueError):
            scopes.add(Scope(word))
    return frozenset(scopes)


def _text(claim: object) -> str:
    return claim if isinstance(claim, str) else ""


def _seconds(claim: object) -> float:
    """A time of a token. Raises `Fault` TOKEN_INVALID for anything else."""
    if isinstance(claim, bool) or not isinstance(claim, int | float):
        raise _invalid()
    if not 0 <= claim < 1 << 53:  # nor is NaN
        raise _invalid()
    return claim


def _invalid() -> Fault:
    return Fault(Wrong.TOKEN_INVALID, "The token is not one for this service.")


def _expired() -> Fault:
    return Fault(Wrong.TOKEN_EXPIRED, "The token has expired; get a new one.")
