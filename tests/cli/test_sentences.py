"""Whatever goes wrong in a command is said in a sentence, never as a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hutch.cli.operations import redis_url
from hutch.runtime.redaction import mask_credentials
from hutch.store.errors import StoreError
from tests.commands import hutch

NOBODY = "127.0.0.1:1"
DRIVER = """
import json, sys
from typer.testing import CliRunner
from hutch.cli.commands import app

answers = []
for arguments, variables in json.load(sys.stdin):
    done = CliRunner().invoke(app, arguments, env=variables)
    raised = "" if isinstance(done.exception, SystemExit | None) else repr(done.exception)
    answers.append([done.exit_code, done.stderr, raised])
print(json.dumps(answers))
"""
#: What is typed, with which variables set, and what is said.
WRONG: tuple[tuple[str, dict[str, str], str], ...] = (
    ("why nope", {}, "why: 'nope' is no table's name; one looks like tables/"),
    ("why tables/0123456789 --data /none", {}, "why: No `hutch up` runs on /none; name its folder"),
    ("why 0123456789", {"HUTCH_REDIS_URL": "here"}, "why: HUTCH_REDIS_URL is 'here'; allowed: `re"),
    ("why 0123456789", {"HUTCH_REDIS_URL": f"redis://{NOBODY}"}, "why: the Redis at redis://127.0"),
    ("fix nope --void", {}, "fix: 'nope' is no table's name"),
    ("fix nope", {}, "say either --default SEAT or --void"),
    ("fix nope --default x", {}, "Invalid value for '--default'"),
    ("bundle nope", {}, "bundle: 'nope' is no table's name"),
    ("bundle run", {}, "name the file to run"),
    ("bundle run none.json", {}, "bundle: none.json: No such file or directory"),
    ("bundle run /", {}, "bundle: /: Is a directory"),
    ("bundle run README.md", {}, "bundle: README.md holds no bundle: JSON is malformed"),
    ("stats --data /none", {}, "stats: No `hutch up` runs on /none"),
    (
        "stats",
        {"HUTCH_REDIS_URL": "here"},
        "stats: HUTCH_REDIS_URL is 'here'; allowed: `redis://…`",
    ),
    ("stats", {"HUTCH_LOG_LEVEL": "loud"}, "stats: HUTCH_LOG_LEVEL is 'loud'; allowed: `debug`"),
    ("verify none.json", {}, "verify: There is no file 'none.json', and 'none.json' is no table's"),
    ("verify /", {}, "verify: /: Is a directory"),
    ("verify README.md", {}, "verify: README.md holds no recording"),
    ("verify README.md --told none", {}, "verify: none: No such file or directory"),
    ("verify README.md --salt 1=x", {}, "verify: The salt 'x' is not in hexadecimal"),
    ("play", {"HUTCH_ADDRESS": NOBODY}, f"play: Nobody answers at {NOBODY}; start the services"),
    (f"demo --address {NOBODY}", {}, f"demo: Nobody answers at {NOBODY}; start the services with"),
    ("demo --option x", {}, "Invalid value for '--option': 'x' is not NAME=VALUE"),
    ("demo --once", {}, "Invalid value for '--once': a demo without --games never ends"),
    ("up --demo --once", {}, "Invalid value for '--once': a demo without --games never ends"),
    ("up --games 3", {}, "Invalid value for '--games': there are no games without --demo"),
    ("keys list --data /none", {}, "keys list: /none/keys.json does not exist; a gateway makes it"),
    ("keys list", {"HUTCH_LOG_LEVEL": "loud"}, "keys list: HUTCH_LOG_LEVEL is 'loud'; allowed:"),
    ("keys rotate --data /none", {}, "keys rotate: /none/keys.json does not exist"),
    ("keys drop k --data /none", {}, "keys drop: /none/keys.json does not exist"),
    (
        "keys issue --scope king",
        {},
        "'king' is not one of 'player', 'bot', 'spect",
    ),
    ("keys issue --scope bot --player a/b", {}, "keys issue: 'a/b' is no id of a player, session"),
    ("keys revoke a/b", {}, "keys revoke: 'a/b' is no id of a player, session or token."),
    ("keys revoke ada --data /none", {}, "keys revoke: No `hutch up` runs on /none"),
    ("keys pardon ada --data /none", {}, "keys pardon: No `hutch up` runs on /none"),
    ("keys revoked", {"HUTCH_REDIS_URL": "here"}, "keys revoked: HUTCH_REDIS_URL is 'here'; allow"),
    ("report balance chess", {}, "There is no game 'chess'; the games are"),
    ("report balance tale-of-carrot --out /none/x.png", {}, "There is no folder /none for the pic"),
    ("report balance tale-of-carrot --games 2 --processes 1 --out /", {}, "balance: /: Is a direc"),
    ("report collusion tale-of-carrot --data /none", {}, "collusion: No `hutch up` runs on /none"),
    ("up", {"HUTCH_REDIS_URL": "here"}, "up: HUTCH_REDIS_URL is 'here'; allowed: `redis://…`"),
    ("up", {"HUTCH_LOG_LEVEL": "loud"}, "up: HUTCH_LOG_LEVEL is 'loud'; allowed: `debug`"),
    ("up --data README.md", {}, "up: README.md cannot be the data folder: File exists"),
    ("up --gateway-port 70000", {}, "Invalid value for '--gateway-port'"),
    ("nonsense", {}, "No such command 'nonsense'"),
)


@pytest.fixture(scope="module")
def said() -> list[tuple[int, str, str]]:
    """What each of them ended with, said, and raised: all in one process, which starts once."""
    asked = [[typed.split(), variables] for typed, variables, _ in WRONG]
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps(asked),
        cwd=Path(__file__).resolve().parents[2],
        env={name: value for name, value in os.environ.items() if not name.startswith("HUTCH_")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return [(status, words, raised) for status, words, raised in answers]


@pytest.mark.parametrize(
    "number",
    range(len(WRONG)),
    ids=[" ".join([*variables, typed]) for typed, variables, _ in WRONG],
)
def test_what_goes_wrong_is_said_in_a_sentence(
    said: list[tuple[int, str, str]], number: int
) -> None:
    status, words, raised = said[number]
    assert raised == ""
    assert status in (1, 2)
    assert WRONG[number][2] in words


def start(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_service_says_what_it_is() -> None:
    asked = start("hutch.rules", "--help")
    assert asked.returncode == 0
    assert "serve the rules" in asked.stdout
    assert "`hutch settings`" in asked.stdout


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("hutch.gateway", "--port=1"), "serve the public API.\nIt cannot be run with --port=1."),
        (("hutch.workers",), "analytics`: a Celery worker"),
    ],
    ids=["gateway", "workers"],
)
def test_a_service_that_is_told_what_it_does_not_take_does_not_start(
    command: tuple[str, ...], words: str
) -> None:
    given = start(*command)
    assert given.returncode == 2
    assert words in given.stderr


def test_the_version_is_told() -> None:
    assert hutch("--version").stdout.startswith("hutch ")


@pytest.mark.parametrize(
    "command", ["settings", "report balance rabbit-space --games 2 --out /dev/null"]
)
def test_a_reader_that_is_gone_is_no_fault(command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "hutch.cli", *command.split()],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
        )
    finally:
        os.close(writing)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_a_command_without_a_word() -> None:
    playing = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "hutch.cli", "settings"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert playing.stderr is not None
    for line in playing.stderr:
        if "typer" in line:  # it is still importing its commands
            playing.send_signal(signal.SIGINT)
            break
    rest = playing.communicate(timeout=120)[1]
    assert playing.returncode == 130
    assert "Traceback" not in rest


def test_a_stack_whose_redis_has_a_password_is_not_asked_without_it(tmp_path: Path) -> None:
    url = mask_credentials("redis://ada:word@127.0.0.1:1/0")
    (tmp_path / "stack.json").write_text(json.dumps({"redis_url": url}))
    said = hutch("stats", "--data", str(tmp_path))
    assert said.returncode == 2
    assert "keeps no passwords; set HUTCH_REDIS_URL" in said.stderr


@pytest.mark.parametrize("told", ["", "[]", "null", '"x"', "{}"])
def test_what_no_stack_wrote_tells_of_none(tmp_path: Path, told: str) -> None:
    (tmp_path / "stack.json").write_text(told)
    with pytest.raises(StoreError, match="No `hutch up` runs on"):
        redis_url(tmp_path)
