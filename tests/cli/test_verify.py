"""`hutch verify`: a verdict and a status, from a file or from a table."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from hutch.client import connect
from hutch.engine.recording import Recording, decode_recording, encode_recording
from tests.commands import hutch
from tests.fairness.games import played
from tests.stacks import RunningStack

SEED = 7


@pytest.fixture(scope="module")
def game() -> Recording:
    """A recording of a whole game."""
    return played("rabbit-space", 2, SEED)


@pytest.fixture
def file(game: Recording, tmp_path: Path) -> Path:
    """The recording as a file."""
    path = tmp_path / "game.json"
    path.write_bytes(encode_recording(game))
    return path


def test_a_true_recording_is_verified_with_what_its_players_noted(
    game: Recording, file: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.json"
    batches = [b64encode(batch).decode() for batch in game.told["1"][:5]]
    kept.write_bytes(msgspec.json.encode({"told": {"1": batches}}))
    checked = hutch(
        *("verify", str(file), "--commitment", game.commitment.hex()),
        *("--salt", f"1={game.salts[1].hex()}", "--told", str(kept)),
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    lines = checked.stdout.splitlines()
    assert lines[-1] == "verified"
    assert all(line.startswith("  holds: ") for line in lines[1:-1])
    assert "  holds: the 5 batches kept by seat 1 are as the rules say" in lines


def test_what_nobody_has_noted_is_left_open(game: Recording, file: Path) -> None:
    """A server that committed itself once it knew the salts has a recording that holds, too."""
    commitment = ("--commitment", game.commitment.hex())
    salt = ("--salt", f"1={game.salts[1].hex()}")
    for noted, is_open in (
        ((), True),
        (commitment, True),
        (salt, True),
        (commitment + salt, False),
    ):
        checked = hutch("verify", str(file), *noted)
        assert checked.returncode == 0
        assert ("  open: whether the server chose the deck" in checked.stdout) == is_open


def test_a_false_recording_is_told_with_status_1(game: Recording, tmp_path: Path) -> None:
    false = tmp_path / "false.json"
    assert game.result is not None
    scores = tuple([score + 1 for score in game.result.scores])
    false.write_bytes(encode_recording(replace(game, result=replace(game.result, scores=scores))))
    checked = hutch("verify", str(false))
    assert checked.returncode == 1
    assert "  FALSE: The result is not that of the rules" in checked.stdout
    assert checked.stdout.splitlines()[-1].startswith("NOT FAIR")


def test_what_is_no_recording_is_told_with_status_2(file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_bytes(file.read_bytes()[:100])
    checked = hutch("verify", str(broken))
    assert checked.returncode == 2
    assert "holds no recording" in checked.stderr
    checked = hutch("verify", str(file), "--salt", "mine")
    assert checked.returncode == 2
    assert "is not SEAT=HEX" in checked.stderr


async def test_a_table_is_fetched_verified_and_saved_once_its_game_is_over(
    stack: RunningStack, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.json"
    async with connect(stack.gateway) as ada:
        await ada.guest("Ada")
        table = await ada.create_table("rabbit-space", seats=2)
        await table.assign_bot(1, "random")
        seat = await table.claim(0)
        await table.start()
        early = hutch("verify", table.name, "--address", stack.gateway)
        assert early.returncode == 2
        assert "GAME_NOT_OVER" in early.stderr
        async for turn in seat.play():
            await turn.answer(*turn.sample())
    checked = hutch("verify", table.name, "--address", stack.gateway, "--save", str(saved))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert sorted(decode_recording(saved.read_bytes()).told) == ["0", "1", "public"]
    again = hutch("verify", str(saved))
    assert (again.returncode, again.stdout) == (0, checked.stdout)


def test_without_a_gateway_nothing_is_proved() -> None:
    checked = hutch("verify", "0123456789abcdef", "--address", "127.0.0.1:1")
    assert checked.returncode == 2
    assert checked.stderr.startswith("hutch verify: ")
