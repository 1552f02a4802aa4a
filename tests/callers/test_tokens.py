"""Only tokens that a known key signed, for this service and this moment, are let in."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from hmac import digest
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import OKPKey

from hutch.callers import keys as key_file
from hutch.callers.caller import LEAVES, LOOKS, PLAYS, Caller, Scope
from hutch.callers.keys import KeyFileError, SigningKeys, load_keys
from hutch.callers.tokens import LEEWAY_SECONDS, TOKEN_CHARACTERS, Tokens
from hutch.wire.errors import Fault, Wrong
from tests.callers.signing import refused, signed


def test_a_token_names_its_player_and_scopes(tokens: Tokens) -> None:
    token, ends = tokens.issue("ada", "Ada", [Scope.PLAYER, Scope.OPERATOR])
    caller = tokens.check(token)
    assert (caller.player, caller.display_name, caller.expires_at) == ("ada", "Ada", ends)
    assert caller.scopes == {Scope.PLAYER, Scope.OPERATOR}


def _unsigned(keys: SigningKeys) -> str:
    _, body, _ = signed(keys.signing).split(".")
    return f"{_b64({'alg': 'none', 'kid': keys.signing.kid})}.{body}."


def _symmetric(keys: SigningKeys) -> str:
    """Signed with the public key as if it were a shared secret."""
    body = signed(keys.signing).split(".")[1]
    content = f"{_b64({'alg': 'HS256', 'kid': keys.signing.kid})}.{body}"
    public = keys.signing.as_dict(private=False)
    secret = json.dumps(public).encode()
    return f"{content}.{_raw_b64(digest(secret, content.encode(), sha256))}"


def _other_key(keys: SigningKeys) -> str:
    return signed(OKPKey.generate_key("Ed25519", auto_kid=True))


def _other_key_under_our_kid(keys: SigningKeys) -> str:
    return jwt.encode(
        {"alg": "Ed25519", "kid": keys.signing.kid},
        {"iss": "hutch", "aud": "hutch", "sub": "ada", "exp": int(time.time()) + 60},
        OKPKey.generate_key("Ed25519"),
        algorithms=["Ed25519"],
    )


def _own_key_brought_along(keys: SigningKeys) -> str:
    other = OKPKey.generate_key("Ed25519", auto_kid=True)
    return signed(other, header={"jwk": other.as_dict(private=False)})


def _kid(value: object) -> Callable[[SigningKeys], str]:
    def forge(keys: SigningKeys) -> str:
        _, body, signature = signed(keys.signing).split(".")
        return f"{_b64({'alg': 'Ed25519', 'kid': value})}.{body}.{signature}"

    return forge


def _spelt(how: Callable[[str], str]) -> Callable[[SigningKeys], str]:
    """A token that we signed, whose signature is written otherwise: the bytes are the same to
    whoever reads base64 leniently."""

    def spell(keys: SigningKeys) -> str:
        content, _, signature = signed(keys.signing).rpartition(".")
        return f"{content}.{how(signature)}"

    return spell


def _next(letter: str) -> str:
    """The next letter of base64, which differs in its last bit: no byte's, at the end."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return letters[letters.index(letter) + 1]


def _claims(**claims: Any) -> Callable[[SigningKeys], str]:
    return lambda keys: signed(keys.signing, **claims)


def _too_early(claim: str) -> Callable[[SigningKeys], str]:
    return lambda keys: signed(keys.signing, **{claim: int(time.time()) + LEEWAY_SECONDS + 60})


def _b64(content: object) -> str:
    return _raw_b64(json.dumps(content).encode())


def _raw_b64(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


FORGERIES: dict[str, Callable[[SigningKeys], str]] = {
    "nothing": lambda keys: "",
    "garbage": lambda keys: "garbage",
    "three parts of garbage": lambda keys: "a.b.c",
    "five parts": lambda keys: "a.b.c.d.e",
    "not ASCII": lambda keys: "ä.ö.ü",
    "no signature": lambda keys: signed(keys.signing).rpartition(".")[0] + ".",
    "alg none": _unsigned,
    "HS256 with the public key": _symmetric,
    "a key that is not ours": _other_key,
    "a key that is not ours, under our kid": _other_key_under_our_kid,
    "a key that it brings along": _own_key_brought_along,
    "no kid": _kid(None),
    "a number for kid": _kid(7),
    "a list for kid": _kid(["x"]),
    "a path for kid": _kid("../../keys.json"),
    "SQL for kid": _kid("' OR 1=1 --"),
    "another issuer": _claims(iss="somebody"),
    "no issuer": _claims(iss=None),
    "another audience": _claims(aud="chess"),
    "other audiences": _claims(aud=["chess", "go"]),
    "no audience": _claims(aud=None),
    "no player": _claims(sub=None),
    "an empty player": _claims(sub=""),
    "a number for a player": _claims(sub=7),
    "no end": _claims(exp=None),
    "an end in words": _claims(exp="tomorrow"),
    "an end that is true": _claims(exp=True),
    "an end beyond all time": _claims(exp=1e300),
    "an end beyond all numbers": _claims(exp=10**400),
    "issued beyond all numbers": _claims(iat=10**400),
    "not valid before the end of all numbers": _claims(nbf=10**400),
    "issued in the future": _too_early("iat"),
    "not valid yet": _too_early("nbf"),
    "a signature with letters that mean nothing": _spelt(
        lambda plain: f"!{plain[:9]}~ {plain[9:]}"
    ),
    "a signature with other bits that are no byte's": _spelt(
        lambda plain: plain[:-1] + _next(plain[-1])
    ),
    "a padded signature": _spelt(lambda plain: plain + "=="),
    "a line's end": _spelt(lambda plain: plain + "\n"),
    "far too long": _claims(name="x" * TOKEN_CHARACTERS),
}


@pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_token_is_refused(tokens: Tokens, keys: SigningKeys, forgery: str) -> None:
    assert refused(tokens, FORGERIES[forgery](keys)) == Wrong.TOKEN_INVALID


def test_clocks_may_differ_by_the_leeway_and_no_more(tokens: Tokens, keys: SigningKeys) -> None:
    now = int(time.time())
    near, far = LEEWAY_SECONDS - 10, LEEWAY_SECONDS + 10
    assert tokens.check(signed(keys.signing, exp=now - near)).player == "ada"
    assert tokens.check(signed(keys.signing, iat=now + near)).player == "ada"
    assert tokens.check(signed(keys.signing, nbf=now + near)).player == "ada"
    assert refused(tokens, signed(keys.signing, exp=now - far)) == Wrong.TOKEN_EXPIRED
    assert refused(tokens, signed(keys.signing, nbf=now + far)) == Wrong.TOKEN_INVALID


def test_a_token_without_a_scope_of_ours_is_good_for_nothing(
    tokens: Tokens, keys: SigningKeys
) -> None:
    caller = tokens.check(signed(keys.signing, scope="admin root"))
    for scopes in (LOOKS, PLAYS, LEAVES):
        with pytest.raises(Fault) as refusal:
            caller.require(scopes)
        assert refusal.value.reason == Wrong.SCOPE_MISSING


def test_a_renewed_token_stays_in_its_session_and_is_another_token(tokens: Tokens) -> None:
    first = tokens.check(tokens.issue("ada", "Ada", [Scope.BOT])[0])
    second = tokens.check(tokens.renew(first)[0])
    third = tokens.check(tokens.renew(second)[0])
    assert {first.session, second.session, third.session} == {first.token_id}
    assert len({first.token_id, second.token_id, third.token_id}) == 3
    assert third.scopes == {Scope.BOT}


@pytest.mark.parametrize("what", ["player", "session", "token_id"])
def test_what_is_revoked_is_refused_though_it_was_let_in_before(tokens: Tokens, what: str) -> None:
    token, _ = tokens.issue("ada", "Ada")
    other, _ = tokens.issue("ben", "Ben")
    caller = tokens.check(token)
    tokens.revoke(frozenset({getattr(caller, what)}))
    assert refused(tokens, token) == Wrong.TOKEN_REVOKED
    assert tokens.check(other).player == "ben"
    tokens.revoke(frozenset())
    assert tokens.check(token) == caller


def test_a_stolen_token_that_was_renewed_ends_with_its_session(tokens: Tokens) -> None:
    stolen = tokens.check(tokens.issue("ada", "Ada")[0])
    renewed, _ = tokens.renew(stolen)
    tokens.revoke(frozenset({stolen.session}))
    assert refused(tokens, renewed) == Wrong.TOKEN_REVOKED


def test_a_new_key_signs_and_the_old_one_is_trusted_meanwhile(
    tokens: Tokens, keys: SigningKeys, path: Path
) -> None:
    old, _ = tokens.issue("ada", "Ada")
    fresh, dropped = key_file.rotate(path, 3600)
    assert dropped == []
    tokens.refresh_keys()
    new, _ = tokens.issue("ben", "Ben")
    assert keys.signing.kid == fresh
    assert tokens.check(old).player == "ada"
    assert tokens.check(new).player == "ben"


def test_a_token_of_a_gateway_that_rotated_first_is_taken_at_once(
    tokens: Tokens, path: Path
) -> None:
    key_file.rotate(path, 3600)
    early = Tokens(load_keys(path), issuer="hutch", lifetime_seconds=60)
    assert tokens.check(early.issue("ada", "Ada")[0]).player == "ada"


def test_a_key_that_is_dropped_takes_its_tokens_along(
    tokens: Tokens, keys: SigningKeys, path: Path
) -> None:
    leaked = str(keys.signing.kid)
    token, _ = tokens.issue("ada", "Ada")
    assert tokens.check(token).player == "ada"
    key_file.rotate(path, 3600)
    assert key_file.drop(path, leaked)
    tokens.refresh_keys()
    assert refused(tokens, token) == Wrong.TOKEN_INVALID


def test_a_key_goes_once_nothing_it_signed_can_be_valid(path: Path) -> None:
    first = str(load_keys(path).signing.kid)
    second, dropped = key_file.rotate(path, 3600)
    assert dropped == []
    listed = json.loads(path.read_text())
    listed["keys"][1]["made"] -= 3601  # the second one has signed for longer than tokens live
    path.write_text(json.dumps(listed))
    third, dropped = key_file.rotate(path, 3600)
    assert dropped == [first]
    assert list(load_keys(path).by_id) == [second, third]


def test_the_only_key_is_not_dropped(path: Path) -> None:
    kid = str(load_keys(path).signing.kid)
    with pytest.raises(KeyFileError):
        key_file.drop(path, kid)


def test_a_broken_key_file_changes_nothing_in_a_gateway_that_runs(
    tokens: Tokens, path: Path
) -> None:
    token, _ = tokens.issue("ada", "Ada")
    path.write_text("{}")
    tokens.refresh_keys()
    assert tokens.check(token).player == "ada"
    assert tokens.issue("ben", "Ben")


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o620, 0o660, 0o777])
def test_a_key_file_that_others_reach_is_refused(path: Path, mode: int) -> None:
    load_keys(path)
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(mode)
    with pytest.raises(KeyFileError, match="chmod 600"):
        load_keys(path)


def test_a_refused_key_file_is_not_quoted(path: Path) -> None:
    listed = {"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "x"}]}
    path.write_text(json.dumps(listed))
    path.chmod(0o600)
    with pytest.raises(KeyFileError) as refusal:
        load_keys(path)
    assert "c2VjcmV0" not in str(refusal.value)


def test_a_token_that_was_checked_is_known_again(tokens: Tokens) -> None:
    token, _ = tokens.issue("ada", "Ada")
    assert tokens.check(token) is tokens.check(token)  # who it names, not verified anew


def test_scopes_are_not_confused() -> None:
    spectator = Caller("a", "A", 1, frozenset({Scope.SPECTATOR}))
    spectator.require(LOOKS)
    with pytest.raises(Fault):
        spectator.require(PLAYS)


def test_keys_that_are_changed_at_the_same_moment_are_all_kept(path: Path) -> None:
    first = load_keys(path).signing.kid
    with ThreadPoolExecutor() as many:
        rotations = [many.submit(key_file.rotate, path, 3600) for _ in range(6)]
        drop = many.submit(key_file.drop, path, str(first))
        fresh = {rotation.result()[0] for rotation in rotations}
        dropped = drop.result() if drop.exception() is None else False
    kept = fresh if dropped else {first, *fresh}
    assert set(SigningKeys(path).by_id) == kept
    assert list(path.parent.iterdir()) == [path]
