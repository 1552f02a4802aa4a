"""Watching: each update once and in order, however often the stream is cut."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from random import Random

import pytest

from hutch.client import (
    Batch,
    Ended,
    Hutch,
    NotFoundError,
    Retries,
    Snapshot,
    TableChanged,
    UnavailableError,
    Update,
    connect,
)
from hutch.v1 import table_pb2
from tests.chaos.proxy import Proxy
from tests.sdk.conftest import QUICK
from tests.sdk.contract import ContractService, Faults
from tests.sdk.counting import Game
from tests.sdk.waiting import until


async def finish(game: Game) -> None:
    """Let the game end with the next revision."""
    game.answers = len(game.accepted)
    await game.append()


def revisions(updates: list[Update]) -> list[int]:
    """The revisions that the updates tell, snapshots as the place they start from."""
    told = []
    for update in updates:
        match update:
            case Snapshot(view=view):
                told.append(view.revision)
            case Batch(batch=batch):
                told.append(batch.revision)
    return told


async def test_a_watcher_gets_a_snapshot_then_every_batch_then_the_end(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open()
    await game.append()
    seen: list[Update] = []
    async for update in hutch.table(game.name).watch():
        seen.append(update)
        if isinstance(update, Snapshot):
            await game.append()
            await finish(game)
    assert revisions(seen) == [1, 2, 3]
    assert seen[-1] == Ended(game.result())
    assert isinstance(seen[0], Snapshot)


async def test_watching_a_game_that_is_over_ends_at_once(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open(answers=0)
    seen = [update async for update in hutch.table(game.name).watch()]
    assert [type(update) for update in seen] == [Snapshot, Ended]


async def test_a_table_that_is_given_up_ends_without_a_result(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open()
    seen: list[Update] = []
    async for update in hutch.table(game.name).watch():
        seen.append(update)
        if len(seen) == 1:
            await game.change(table_pb2.TABLE_STATE_ABANDONED)
    assert [type(update) for update in seen] == [Snapshot, TableChanged, Ended]
    assert seen[-1] == Ended(None)


async def test_an_undo_is_told_as_a_snapshot(service: ContractService, hutch: Hutch) -> None:
    game = service.open()
    seen: list[Update] = []
    async for update in hutch.table(game.name).watch():
        seen.append(update)
        if len(seen) == 1:
            await game.append()
            await game.append(rewound=True)
        elif len(seen) == 3:
            await finish(game)
    kinds = [type(update) for update in seen]
    assert kinds == [Snapshot, Batch, Snapshot, TableChanged, Batch, Ended]
    assert revisions(seen) == [0, 1, 2, 3]


async def test_a_watcher_goes_on_from_a_token_kept_elsewhere(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open()
    token = b""
    async with aclosing(hutch.table(game.name).watch()) as updates:
        async for update in updates:
            assert isinstance(update, Snapshot | Batch)
            token = update.resume_token
            if isinstance(update, Batch):
                break
            await game.append()
    await game.append()
    await finish(game)
    async with connect(service.address, retries=QUICK) as other:
        seen = [update async for update in other.table(game.name).watch(token)]
    assert revisions(seen) == [2, 3]


async def test_a_token_that_is_not_valid_any_more_starts_with_a_snapshot(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open(answers=0)
    seen = [update async for update in hutch.table(game.name).watch(b"spoilt")]
    assert isinstance(seen[0], Snapshot)


async def test_a_table_that_is_not_there_is_told_at_once(
    service: ContractService, hutch: Hutch
) -> None:
    with pytest.raises(NotFoundError) as raised:
        async for _ in hutch.table("tables/nowhere").watch():
            pass
    assert raised.value.reason == "TABLE_NOT_FOUND"


async def test_a_stream_that_says_nothing_is_taken_for_dead_and_resumed(
    service: ContractService,
) -> None:
    game = service.open()
    patience = Retries(first_wait=0.002, silence=0.3, give_up_after=10)
    async with connect(service.address, retries=patience) as hutch:
        seen: list[Update] = []
        async for update in hutch.table(game.name).watch():
            seen.append(update)
            if len(seen) == 1:
                service.faults.mute = True
                await game.append()
                asyncio.get_running_loop().call_later(0.5, setattr, service.faults, "mute", False)
            elif len(seen) == 2:
                await finish(game)
    assert revisions(seen) == [0, 1, 2]


async def test_a_watcher_gives_up_when_nobody_answers_for_long(service: ContractService) -> None:
    game = service.open()
    patience = Retries(first_wait=0.01, longest_wait=0.05, give_up_after=3)
    async with connect(service.address, retries=patience) as hutch:
        updates = hutch.table(game.name).watch()
        await anext(updates)
        await service.stop()
        with pytest.raises(UnavailableError):
            await anext(updates)


@pytest.mark.parametrize("seed", [11, 12])
@pytest.mark.parametrize("gaps", [0.0, 0.05], ids=["without gaps", "with gaps"])
async def test_through_every_kind_of_fault_each_revision_is_told_once_in_order(
    service: ContractService, hutch: Hutch, seed: int, gaps: float
) -> None:
    print(f"seed {seed}")
    game = service.open()
    service.faults = Faults(
        Random(seed), cut=0.2, going_away=0.05, repeat=0.2, skip=gaps, snapshot=gaps
    )
    for _ in range(5):
        await game.append()
    known, snapshots = 0, 0
    async for update in hutch.table(game.name).watch():
        match update:
            case Snapshot(view=view):
                assert view.revision >= known
                known = view.revision
                snapshots += 1
            case Batch(batch=batch):
                assert batch.revision == known + 1
                known = batch.revision
        while game.revision < min(known + 5, 400):  # a few ahead, so that cuts fall in between
            await game.append()
        if known == 400:
            await finish(game)
    assert known == 401
    assert service.faults.counts["cut"] > 20
    assert service.faults.counts["repeat"] > 20
    # Who draws when differs a little from run to run, so whether there are any is chance.
    assert (snapshots > 1) == bool(service.faults.counts.get("snapshot"))


async def test_after_a_thousand_cuts_of_the_network_nothing_is_missed_or_doubled(
    service: ContractService,
) -> None:
    watchers, rounds = 20, 50
    game = service.open()
    async with Proxy(service.address) as proxy:
        done = [asyncio.create_task(everything(proxy.address, game)) for _ in range(watchers)]
        for _ in range(rounds):
            await until(lambda: proxy.connections == watchers)
            for _ in range(3):
                await game.append()
            proxy.sever()
            await game.append()
        await finish(game)
        told = await asyncio.gather(*done)
    assert proxy.severed >= watchers * rounds
    for one in told:
        assert one == list(range(one[0], game.revision + 1))


async def test_changes_before_the_deal_are_told_as_the_table(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open()
    game.state = table_pb2.TABLE_STATE_GATHERING
    seen: list[Update] = []
    async for update in hutch.table(game.name).watch():
        seen.append(update)
        match update:
            case Snapshot():
                await game.change(table_pb2.TABLE_STATE_PLAYING)
            case TableChanged(table=table) if table.state == table_pb2.TABLE_STATE_PLAYING:
                await finish(game)
    kinds = [type(update) for update in seen]
    assert kinds == [Snapshot, TableChanged, TableChanged, Batch, Ended]


async def everything(address: str, game: Game) -> list[int]:
    """All revisions that one watcher, on a connection of its own, is told."""
    own = [("grpc.use_local_subchannel_pool", 1)]
    async with connect(address, retries=QUICK, options=own) as hutch:
        return revisions([update async for update in hutch.table(game.name).watch()])
