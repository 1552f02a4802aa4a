"""Tokens of another issuer are taken where its published keys signed them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from joserfc.jwk import ECKey, KeySet, OctKey, OKPKey, RSAKey

from hutch.callers.issuers import PAUSE_SECONDS, Issuer, public_keys
from hutch.callers.keys import SigningKeys
from hutch.callers.tokens import Tokens, foreign_player
from hutch.wire.errors import Fault, Wrong
from tests.callers.signing import refused, signed

ISSUER = "https://id.example"


class Publisher:
    """Another issuer's keys behind a URL of this machine."""

    def __init__(self) -> None:
        self.document = b""
        self.asked = 0
        self.redirects_to = ""
        publisher = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                publisher.asked += 1
                self.send_response(302 if publisher.redirects_to else 200)
                if publisher.redirects_to:
                    self.send_header("Location", publisher.redirects_to)
                self.end_headers()
                self.wfile.write(publisher.document)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/keys"

    def publish(self, *keys: Any) -> None:
        self.document = json.dumps(KeySet(list(keys)).as_dict(private=False)).encode()

    @contextmanager
    def running(self) -> Iterator[Publisher]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    with Publisher().running() as running:
        yield running


def issuer_at(url: str, *, refresh_seconds: float = 3600) -> Issuer:
    return Issuer(ISSUER, url, refresh_seconds=refresh_seconds)


def trusting(keys: SigningKeys, issuer: Issuer) -> Tokens:
    return Tokens(keys, issuer="hutch", lifetime_seconds=60, external=issuer)


def theirs(key: Any, alg: str, **claims: Any) -> str:
    return signed(key, alg=alg, **({"iss": ISSUER, "sub": "ada@example.org"} | claims))


KINDS: dict[str, Callable[[], Any]] = {
    "Ed25519": lambda: OKPKey.generate_key("Ed25519", auto_kid=True),
    "ES256": lambda: ECKey.generate_key("P-256", auto_kid=True),
    "RS256": lambda: RSAKey.generate_key(2048, auto_kid=True),
}


@pytest.mark.parametrize("alg", KINDS)
async def test_another_issuers_tokens_are_taken(
    keys: SigningKeys, publisher: Publisher, alg: str
) -> None:
    key = KINDS[alg]()
    publisher.publish(key)
    issuer = issuer_at(publisher.url)
    assert await issuer.refresh()
    caller = trusting(keys, issuer).check(theirs(key, alg))
    assert caller.player == foreign_player(ISSUER, "ada@example.org")
    assert "ada" not in caller.player
    assert caller.is_foreign


async def test_another_issuers_keys_may_lie_in_a_file(keys: SigningKeys, tmp_path: Path) -> None:
    key = KINDS["Ed25519"]()
    file = tmp_path / "theirs.json"
    file.write_text(json.dumps(KeySet([key]).as_dict(private=False)))
    issuer = issuer_at(str(file))
    await issuer.refresh()
    assert trusting(keys, issuer).check(theirs(key, "Ed25519")).is_foreign


async def test_no_issuer_speaks_for_another(keys: SigningKeys, publisher: Publisher) -> None:
    key = KINDS["Ed25519"]()
    publisher.publish(key)
    issuer = issuer_at(publisher.url)
    await issuer.refresh()
    tokens = trusting(keys, issuer)
    assert refused(tokens, theirs(key, "Ed25519", iss="hutch")) == Wrong.TOKEN_INVALID
    assert refused(tokens, signed(keys.signing, iss=ISSUER)) == Wrong.TOKEN_INVALID


async def test_another_issuer_cannot_take_a_key_id_of_ours(
    keys: SigningKeys, publisher: Publisher
) -> None:
    key = OKPKey.generate_key("Ed25519", {"kid": str(keys.signing.kid)})
    publisher.publish(key)
    issuer = issuer_at(publisher.url)
    await issuer.refresh()
    tokens = trusting(keys, issuer)
    assert refused(tokens, theirs(key, "Ed25519")) == Wrong.TOKEN_INVALID
    assert tokens.check(tokens.issue("ada", "Ada")[0]).player == "ada"


async def test_another_issuers_token_is_not_renewed_here(
    keys: SigningKeys, publisher: Publisher
) -> None:
    key = KINDS["Ed25519"]()
    publisher.publish(key)
    issuer = issuer_at(publisher.url)
    await issuer.refresh()
    tokens = trusting(keys, issuer)
    with pytest.raises(Fault) as refusal:
        tokens.renew(tokens.check(theirs(key, "Ed25519")))
    assert refusal.value.reason == Wrong.TOKEN_NOT_OURS


async def test_keys_are_fetched_once_and_again_when_it_is_time(publisher: Publisher) -> None:
    key = KINDS["Ed25519"]()
    publisher.publish(key)
    issuer = issuer_at(publisher.url)
    assert await issuer.refresh()
    for _ in range(5):
        assert not await issuer.refresh()
    assert publisher.asked == 1
    hasty = issuer_at(publisher.url, refresh_seconds=0)
    await hasty.refresh()
    other = KINDS["Ed25519"]()
    publisher.publish(other)
    assert await hasty.refresh()
    assert hasty.find(str(key.kid)) is None
    assert hasty.find(str(other.kid)) is not None


async def test_unknown_key_ids_do_not_make_it_fetch_without_pause(publisher: Publisher) -> None:
    publisher.publish(KINDS["Ed25519"]())
    issuer = issuer_at(publisher.url)
    await issuer.refresh()
    started = time.monotonic()
    for number in range(100):
        issuer.find(f"made-up-{number}")
        await issuer.refresh()
    pauses = (time.monotonic() - started) / PAUSE_SECONDS  # none, unless the machine is very slow
    assert publisher.asked <= 1 + pauses


@pytest.mark.parametrize(
    "document", [b"", b"[]", b"{}", b'{"keys": 7}', b"{" * 3000, b"x" * 999_999]
)
async def test_an_issuer_that_fails_keeps_the_keys_it_had(
    publisher: Publisher, document: bytes
) -> None:
    key = KINDS["Ed25519"]()
    publisher.publish(key)
    issuer = issuer_at(publisher.url, refresh_seconds=0)
    await issuer.refresh()
    publisher.document = document
    assert not await issuer.refresh()
    assert publisher.asked == 2
    assert issuer.find(str(key.kid)) is not None


async def test_a_redirect_is_not_followed(publisher: Publisher) -> None:
    with Publisher().running() as elsewhere:
        elsewhere.publish(KINDS["Ed25519"]())
        publisher.redirects_to = elsewhere.url
        assert not await issuer_at(publisher.url).refresh()
        assert elsewhere.asked == 0


@pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
def test_keys_that_could_sign_for_anybody_are_left_out() -> None:
    good = KINDS["Ed25519"]()
    weak = RSAKey.generate_key(1024, auto_kid=True)
    secret = OctKey.generate_key(256, auto_kid=True)
    for_encryption = ECKey.generate_key("P-256", {"use": "enc"}, auto_kid=True)
    nameless = OKPKey.generate_key("Ed25519").as_dict(private=False)
    nameless.pop("kid", None)
    documents = [
        good.as_dict(private=False),
        weak.as_dict(private=False),
        secret.as_dict(private=True),
        for_encryption.as_dict(private=False),
        nameless,
    ]
    assert set(public_keys(json.dumps({"keys": documents}).encode())) == {good.kid}
