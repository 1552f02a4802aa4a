"""`hutch bundle`: a table in a file, and that file run to the step that fails."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hutch.engine.records import decode_record, encode_record
from hutch.engine.replay import decode_opening
from hutch.games import killer_bunnies
from hutch.store.commits import Commit
from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from hutch.turns import bundle as bundles
from hutch.turns.bundle import Bundle, Step, bundled, decode_bundle, encode_bundle
from hutch.turns.lobby import Lobby
from hutch.turns.turn_path import TurnPath
from hutch.wire.errors import Fault
from tests.commands import hutch
from tests.turns.arranging import SALT, default, started


async def bundle_of(store: Store, table_id: str, *, with_secrets: bool = True) -> Bundle:
    """The bundle of a table."""
    inspected = await store.inspection.look(table_id)
    assert inspected is not None
    return await bundled(store.tables, inspected, with_secrets=with_secrets)


@pytest.fixture
async def table_id(lobby: Lobby, path: TurnPath) -> str:
    """A table of two whose game is on."""
    table_id = await started(lobby, players=2, limits_ms={"phase": 3_600_000})
    await path.play(default(table_id, 0))
    await path.play(default(table_id, 1))
    return table_id


async def test_a_bundle_with_secrets_runs_without_a_service(
    table_id: str, quiet_redis: EmbeddedServer, tmp_path: Path
) -> None:
    file = tmp_path / "table.json"
    file.touch(mode=0o644)  # there is an older one, which everybody may read
    made = hutch(
        *("bundle", table_id, "-o", str(file), "--with-secrets"), HUTCH_REDIS_URL=quiet_redis.url
    )
    assert made.returncode == 0, made.stderr
    assert file.stat().st_mode & 0o077 == 0
    ran = hutch("bundle", "run", str(file), HUTCH_REDIS_URL="redis://127.0.0.1:1")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[0].startswith(f"{file}: made by hutch ")
    assert ran.stdout.splitlines()[-1].endswith(" steps, and none fails here")


async def test_a_bundle_of_a_game_that_is_on_keeps_its_secrets_unless_it_is_told_to(
    table_id: str, store: Store
) -> None:
    whole = await bundle_of(store, table_id)
    opening = decode_opening(whole.inputs[0][1])
    secrets = [whole.meta.secret, opening.seed, SALT]
    hidden = [
        part for entry in whole.log for name, part in entry.fields.items() if name.isdecimal()
    ]
    assert whole.record is not None
    assert hidden
    bundle = await bundle_of(store, table_id, with_secrets=False)
    plain = msgspec.msgpack.encode(bundle)  # bytes as they are, not in base64
    for secret in (*secrets, *hidden, whole.record):
        assert secret in msgspec.msgpack.encode(whole)
        assert secret not in plain
    assert [entry.revision for entry in bundle.log] == [entry.revision for entry in whole.log]
    with pytest.raises(ValueError, match="--with-secrets"):
        next(bundles.run(bundle))


async def test_a_record_that_cannot_be_played_tells_no_card_of_a_hand(
    store: Store, lobby: Lobby
) -> None:
    """What the rules stumble over may be a hidden card, and is in the words of the exception."""
    table_id = await started(lobby, players=2, ruleset="killer-bunnies")
    stored = await store.tables.load(table_id)
    assert stored is not None
    assert stored.record is not None
    record = decode_record(stored.record)
    board = killer_bunnies.RULES.decode_board(record.board)
    board.seats[0].hand[0] = 90_909
    broken = msgspec.structs.replace(record, board=killer_bunnies.RULES.encode_board(board))
    await store.tables.commit(
        Commit(table_id=table_id, expected_revision=stored.revision, record=encode_record(broken))
    )
    diagnosis = (await bundle_of(store, table_id, with_secrets=False)).diagnosis
    assert diagnosis.unreadable.startswith("its record cannot be played: KeyError in ")
    assert "90909" not in str(diagnosis)


async def test_a_bundle_of_a_game_that_is_over_holds_everything(
    table_id: str, store: Store, lobby: Lobby
) -> None:
    await lobby.void(table_id)
    bundle = await bundle_of(store, table_id, with_secrets=False)
    assert bundle.secrets
    assert not [step for step in bundles.run(bundle) if step.fault]


async def test_the_command_that_the_rules_failed_on_fails_again_with_its_traceback(
    table_id: str,
    store: Store,
    path: TurnPath,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The failure is in the store; run by rules that have the fault, the file shows it."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a card divides by its own cost")

    with monkeypatch.context() as broken_rules:
        broken_rules.setattr("hutch.engine.kernel.resolve", broken)
        with pytest.raises(Fault):
            await path.play(default(table_id, 0))
    bundle = decode_bundle(encode_bundle(await bundle_of(store, table_id)))
    steps = [step.what for step in bundles.run(bundle)]
    assert any("what failed then: PlayDefault" in what for what in steps)
    monkeypatch.setattr("hutch.turns.bundle.resolve", broken)
    ran: list[Step] = []
    with pytest.raises(ZeroDivisionError, match="its own cost"):
        ran.extend(bundles.run(bundle))
    assert "what failed then: PlayDefault" in ran[-1].what


async def test_a_stored_command_that_the_rules_refuse_is_the_failing_step(
    table_id: str, store: Store, tmp_path: Path
) -> None:
    bundle = await bundle_of(store, table_id)
    deal, first, second = bundle.inputs
    revisions = [entry for entry in bundle.log if "s" in entry.fields]
    doubled = msgspec.structs.replace(bundle, inputs=[deal, first, first], log=revisions)
    assert first != second
    file = tmp_path / "doubled.json"
    file.write_bytes(encode_bundle(doubled))
    ran = hutch("bundle", "run", str(file))
    assert ran.returncode == 1
    assert f"fails at revision {revisions[2].revision}: PlayDefault" in ran.stdout
    assert "the rules refuse it: Seat 0 is not awaited" in ran.stdout


async def test_what_was_told_otherwise_and_stored_otherwise_is_found(
    table_id: str, store: Store
) -> None:
    bundle = await bundle_of(store, table_id)
    last = bundle.log[-1]
    other = msgspec.structs.replace(last, fields={**last.fields, "p": b"\x08\x01"})
    told = msgspec.structs.replace(bundle, log=[*bundle.log[:-1], other])
    assert list(bundles.run(told))[-1].fault.endswith("in the parts p")
    assert bundle.record is not None
    stored = msgspec.structs.replace(bundle, record=bundle.record[:-1] + b"\x00")
    assert list(bundles.run(stored))[-1].fault.startswith("the rules lead to another record")


def test_what_cannot_be_run_says_why(tmp_path: Path) -> None:
    file = tmp_path / "nothing.json"
    file.write_text("{}")
    for arguments, sentence in (
        (("run", str(file)), "missing required field"),
        (("run", str(tmp_path / "missing")), "No such file"),
        (("a", "b", "c"), "name one table; or say `run` and one file"),
    ):
        refused = hutch("bundle", *arguments)
        assert refused.returncode == 2
        assert sentence in refused.stderr.replace("\n", " ")
