"""Epochs: what was seen in a past that the store has lost is never taken for what is there now."""

from __future__ import annotations

import shutil
from pathlib import Path

from hutch.store.commits import Commit, Committed, Conflict, Stored
from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from tests.redis_servers import eventually


async def made(store: Store, revision: int, record: bytes, onto: bytes = b"") -> Committed:
    """A commit on top of that revision."""
    done = await store.tables.commit(
        Commit(table_id="t", expected_revision=revision, onto=onto, record=record, log={"s": b"s"})
    )
    assert isinstance(done, Committed)
    return done


async def loaded(store: Store) -> Stored:
    """The table."""
    stored = await store.tables.load("t")
    assert stored is not None
    return stored


def kept_back(server: EmbeddedServer, copy: Path) -> None:
    """Keep a copy of what the server has on disk."""
    shutil.copytree(server.folder / "appendonlydir", copy)


def taken_back(server: EmbeddedServer, copy: Path) -> None:
    """Start the server on that copy, as from a backup."""
    server.kill()
    shutil.rmtree(server.folder / "appendonlydir")
    shutil.copytree(copy, server.folder / "appendonlydir")
    server.start()


async def test_the_epoch_stays_while_the_server_lives_and_is_the_same_for_all(
    own_redis_server: EmbeddedServer,
) -> None:
    async with await Store.open(own_redis_server.url) as one:
        done = await made(one, 0, b"r")
        async with await Store.open(own_redis_server.url) as other:
            assert (await loaded(other)).epoch == done.epoch
            epoch, (entry,) = await other.tables.read_news("t", 0, 10)
        assert (epoch, entry.epoch) == (done.epoch, done.epoch)
        assert 0 < epoch < 1 << 53


async def test_a_server_that_starts_again_has_another_epoch_for_all_who_ask(
    own_redis_server: EmbeddedServer,
) -> None:
    async with (
        await Store.open(own_redis_server.url) as one,
        await Store.open(own_redis_server.url) as other,
    ):
        before = (await made(one, 0, b"r")).epoch
        await loaded(other)
        own_redis_server.kill()
        own_redis_server.start()
        epochs = {(await loaded(store)).epoch for store in (one, other)}
        assert len(epochs) == 1
        assert before not in epochs


async def test_a_commit_on_a_revision_that_is_lost_is_a_conflict_though_the_number_fits(
    own_redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with await Store.open(own_redis_server.url) as store:
        await made(store, 0, b"dealt")
        kept_back(own_redis_server, tmp_path / "backup")
        lost = await made(store, 1, b"a move that is lost")
        taken_back(own_redis_server, tmp_path / "backup")
        kept = await made(store, 1, b"another move")
        assert kept.revision == lost.revision
        late = Commit(table_id="t", expected_revision=2, onto=lost.token, record=b"built on sand")
        assert await store.tables.commit(late) == Conflict(2)
        assert (await loaded(store)).record == b"another move"
        await made(store, 2, b"built on rock", onto=kept.token)


async def test_a_commit_whose_past_is_whole_goes_through_a_restart(
    own_redis_server: EmbeddedServer,
) -> None:
    async with await Store.open(own_redis_server.url) as store:
        first = await made(store, 0, b"r")
        own_redis_server.kill()
        own_redis_server.start()
        second = await made(store, 1, b"r", onto=first.token)
        assert second.epoch != first.epoch


async def test_a_primary_that_was_a_replica_meanwhile_has_another_epoch(
    own_redis_server: EmbeddedServer,
) -> None:
    """Over the same connection, and with the same server process: a failover there and back."""
    async with await Store.open(own_redis_server.url) as store:
        before = (await made(store, 0, b"r")).epoch
        # A replica of nobody who answers: what matters is that it stops being the primary.
        own_redis_server.ask("REPLICAOF", "127.0.0.1", "1")
        own_redis_server.ask("REPLICAOF", "NO", "ONE")

        async def is_another() -> bool:
            return (await loaded(store)).epoch != before

        await eventually(is_another)
