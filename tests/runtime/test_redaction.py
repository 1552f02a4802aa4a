"""What must not be read in a log is taken out."""

import msgspec
import pytest

from hutch.runtime.redaction import HIDDEN, is_secret, mask_credentials, redact, redact_text
from hutch.v1.table_pb2 import Table

CANARY = "canary-7f3a"


class Stored(msgspec.Struct):
    """As a record is: a struct whose every field is in its `repr`."""

    seed: str


@pytest.mark.parametrize(
    "name",
    [
        "token", "resume_token", "accessToken", "tokens", "authorization", "Authorization",
        "seed", "server_seed", "salt", "player_salts", "hand", "hands", "my-hand", "record",
        "record_bytes", "invite", "view", "deck", "password", "secret", "signing_key",
    ],
)  # fmt: skip
def test_a_name_that_means_a_secret_hides_its_value(name: str) -> None:
    assert is_secret(name)
    assert redact({name: CANARY}) == {name: HIDDEN}
    assert redact({"request": {name: [CANARY]}}) == {"request": {name: HIDDEN}}


@pytest.mark.parametrize(
    "name",
    ["table", "seat", "handler", "revision", "request", "key", "recorder", "event", "seeded"],
)
def test_other_names_are_left_alone(name: str) -> None:
    assert redact({name: "value"}) == {name: "value"}


def test_a_number_under_a_secret_name_is_a_count_and_stays() -> None:
    assert redact({"tokens": 3, "record_bytes": 812}) == {"tokens": 3, "record_bytes": 812}


def test_a_token_inside_a_sentence_is_hidden() -> None:
    jwt = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJwbGF5ZXJzLzEifQ.c2lnbmF0dXJl"
    assert redact_text(f"refused {jwt} from a") == f"refused {HIDDEN} from a"
    assert redact_text(f"Authorization: Bearer {CANARY}") == f"Authorization: Bearer {HIDDEN}"
    assert CANARY not in str(redact({"headers": [("x", f"bearer {CANARY}")]}))


def test_a_password_in_a_url_is_hidden_and_the_host_is_not() -> None:
    assert mask_credentials(f"redis://u:{CANARY}@host:1/0") == f"redis://{HIDDEN}@host:1/0"
    assert mask_credentials(f"redis://u:p@{CANARY}@host:1/0") == f"redis://{HIDDEN}@host:1/0"
    assert mask_credentials("redis://host:1/0?x=a@b") == "redis://host:1/0?x=a@b"
    for option in ("password", "username", "ssl_password"):
        told = mask_credentials(f"redis://host:1/0?{option}={CANARY}&db=1")
        assert told == f"redis://host:1/0?{option}={HIDDEN}&db=1"
    assert redact_text("no url, an e@mail") == "no url, an e@mail"


def test_whole_records_messages_and_bytes_never_pass() -> None:
    table = Table(name=CANARY)
    record = Stored(seed=CANARY)
    nested = {"d": [table], "e": {"f": record}}
    event = redact({"a": table, "b": record, "c": CANARY.encode()} | nested)
    assert CANARY not in str(event)
    assert event["a"] == "<Table>"
    assert event["c"] == f"<{len(CANARY)} bytes>"


def test_an_exception_passes_as_its_redacted_sentence() -> None:
    fault = ConnectionError(f"cannot reach redis://u:{CANARY}@host")
    assert redact({"fault": fault}) == {
        "fault": f"ConnectionError: cannot reach redis://{HIDDEN}@host"
    }
