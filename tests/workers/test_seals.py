"""Sealed hints: a worker takes what the dispatcher has sealed, and nothing else."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from pathlib import Path

import pytest

from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from hutch.workers.celery_app import BOTS, PLAY, celery_app
from hutch.workers.seals import SealKeyError, load_seals
from tests.oracle import judge
from tests.redis_servers import eventually, own_redis_server
from tests.services.processes import Served, serving
from tests.turns.arranging import bot_table, revision_of

__all__ = ["own_redis_server"]

CALL = (PLAY, [["t"]])


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """Where the keys are."""
    return tmp_path / "broker-keys"


def add_key(key_file: Path) -> None:
    """Rotate, as the manual says."""
    with key_file.open("a") as file:
        file.write(f"{os.urandom(32).hex()}\n")


def test_a_seal_is_of_one_call_alone(key_file: Path) -> None:
    seals = load_seals(key_file)
    seal = seals.seal(*CALL)
    assert seals.is_sealed(seal, *CALL)
    assert not seals.is_sealed(seal, PLAY, [["u"]])
    assert not seals.is_sealed(seal, "hutch.tally", [["t"]])
    for forged in (None, "", 7, "ä" * 64, seal[:-1], seal + "0", "0" * 64):
        assert not seals.is_sealed(forged, *CALL)


def test_a_seal_fits_the_call_as_it_comes_out_of_the_broker(key_file: Path) -> None:
    seals = load_seals(key_file)
    seal = seals.seal("hutch.tally", ([(3, "1-0", "t")],))
    assert seals.is_sealed(seal, "hutch.tally", [[[3, "1-0", "t"]]])


def test_a_rotation_needs_no_restart_and_old_keys_are_trusted_until_they_go(key_file: Path) -> None:
    dispatcher, worker = load_seals(key_file), load_seals(key_file)
    old = dispatcher.seal(*CALL)
    add_key(key_file)
    new = dispatcher.seal(*CALL)
    assert new != old
    assert worker.is_sealed(old, *CALL)
    assert worker.is_sealed(new, *CALL)
    key_file.write_text(key_file.read_text().splitlines()[-1])
    assert not worker.is_sealed(old, *CALL)
    assert worker.is_sealed(new, *CALL)


def test_keys_that_are_known_go_on_while_the_file_cannot_be_read(key_file: Path) -> None:
    seals = load_seals(key_file)
    seal = seals.seal(*CALL)
    key_file.write_text("short\n")
    assert seals.is_sealed(seal, *CALL)
    key_file.unlink()
    assert seals.is_sealed(seal, *CALL)


@pytest.mark.parametrize(("text", "mode"), [("", 0o600), ("short\n", 0o600), ("x" * 64, 0o644)])
def test_a_file_that_does_not_keep_a_secret_is_refused(
    key_file: Path, text: str, mode: int
) -> None:
    key_file.touch(mode)
    key_file.write_text(text)
    with pytest.raises(SealKeyError, match="broker-keys") as refused:
        load_seals(key_file)
    assert "x" * 64 not in str(refused.value)


async def test_what_is_not_sealed_is_dropped_and_counted_and_the_games_go_on(
    own_redis_server: EmbeddedServer,
    key_file: Path,
    tmp_path: Path,
) -> None:
    variables = {"HUTCH_REDIS_URL": own_redis_server.url, "HUTCH_BROKER_KEY_FILE": str(key_file)}
    broker = f"{own_redis_server.url.replace('unix:', 'redis+socket:')}?virtual_host=1"
    strangers = load_seals(tmp_path / "other-keys")
    with serving("hutch.workers bots", tmp_path / "worker.log", **variables) as worker:
        async with await Store.open(own_redis_server.url) as store:
            lobby = Lobby(TurnPath(store.tables, LocalRules(Resolver())))
            tables = [await bot_table(lobby) for _ in range(3)]
            dealt = [await revision_of(store, table_id) for table_id in tables]
            for app in (celery_app(broker), celery_app(broker, strangers)):
                app.send_task(PLAY, args=[tables], queue=BOTS, ignore_result=True)
            await eventually(partial(has_dropped, worker, 2), within_s=60)
            # They would have been played by now: the worker takes one message after the other.
            assert [await revision_of(store, table_id) for table_id in tables] == dealt
            with serving("hutch.workers dispatcher", tmp_path / "dispatcher.log", **variables):
                await eventually(partial(are_over, store, tables), within_s=60)
            for table_id in tables:
                assert not (await judge(store, table_id)).faults


async def has_dropped(worker: Served, messages: int) -> bool:
    """Whether that worker has dropped so many messages."""
    text = await asyncio.to_thread(worker.scrape)
    return f'hutch_messages_dropped_total{{cause="unsealed"}} {messages}.0' in text


async def are_over(store: Store, tables: list[str]) -> bool:
    """Whether all those games are over."""
    return all([(await judge(store, table_id)).finished for table_id in tables])
