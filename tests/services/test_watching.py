"""Watching: everybody is told everything they may see, once, in order, and nothing more."""

from __future__ import annotations

import asyncio

import grpc
import pytest

from hutch.client import Batch, Ended, Hutch, NotYourSeatError, Snapshot, Table, TableChanged
from hutch.v1 import table_pb2
from hutch.v1 import table_service_pb2 as service_pb
from hutch.v1.table_service_pb2_grpc import TableServiceStub
from tests.services.failures import failure_of
from tests.stacks import RunningStack


async def two_seat_table(ada: Hutch, ben: Hutch, *, competitive: bool = False) -> Table:
    """A table of Ada and Ben, started."""
    table = await ada.create_table("rabbit-space", seats=2, options={"competitive": competitive})
    await table.claim(0)
    await ben.table(table.name).claim(1)
    await table.start()
    return table


async def ask_of(hutch: Hutch, table: Table, seat: int) -> table_pb2.Prompt:
    """What a seat is asked."""
    view = await hutch.table(table.name).seat(seat).view()
    return next(prompt for prompt in view.prompts.prompts if not prompt.offered)


async def test_a_watch_begins_with_a_snapshot_and_goes_on_without_gaps_to_the_end(
    ada: Hutch,
) -> None:
    table = await ada.create_table("rabbit-space", seats=2)
    for seat in range(2):
        await table.assign_bot(seat, "random")
    watch = table.watch()
    first = await anext(watch)
    assert isinstance(first, Snapshot)
    await table.start()
    revisions = []
    async for update in watch:
        last = update
        if isinstance(update, Batch):
            revisions.append(update.batch.revision)
    start = first.view.revision + 1
    assert revisions == list(range(start, start + len(revisions)))
    assert isinstance(last, Ended)
    assert last.result == (await table.get()).result


async def test_a_watch_before_the_deal_tells_who_sits_down(ada: Hutch, ben: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=2)
    watch = table.watch()
    await anext(watch)
    await ben.table(table.name).claim(1)
    changed = await anext(watch)
    assert isinstance(changed, TableChanged)
    assert changed.table.seats[1].display_name == "Ben"


async def test_a_resume_token_goes_on_where_the_watch_was_cut(ada: Hutch, ben: Hutch) -> None:
    table = await two_seat_table(ada, ben)
    watch = table.watch()
    snapshot = await anext(watch)
    await watch.aclose()
    batch = await table.seat(0).submit(await ask_of(ada, table, 0))
    resumed = table.watch(snapshot.resume_token)
    update = await anext(resumed)
    assert isinstance(update, Batch)
    assert update.batch.revision == batch.revision


async def test_a_resume_token_is_good_for_what_it_was_given_for_alone(
    stack: RunningStack, ada: Hutch, ben: Hutch
) -> None:
    tables = [await two_seat_table(ada, ben) for _ in range(2)]
    public = tables[0].watch()
    token = (await anext(public)).resume_token  # type: ignore[union-attr]
    await public.aclose()
    metadata = (("authorization", f"Bearer {ada.token}"),)
    async with grpc.aio.insecure_channel(stack.gateway) as channel:
        for name in (tables[1].name, tables[0].seat(0).name):
            request = service_pb.WatchTableRequest(name=name, resume_token=token)
            call = TableServiceStub(channel).WatchTable(request, metadata=metadata, timeout=60)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await call.read()
            assert failure_of(refused.value).reason == "RESUME_TOKEN_INVALID"
    # The client looks again where its token is refused.
    watch = tables[1].watch(token)
    assert isinstance(await anext(watch), Snapshot)
    await watch.aclose()


async def test_nobody_watches_anothers_seat(ada: Hutch, ben: Hutch) -> None:
    table = await two_seat_table(ada, ben)
    with pytest.raises(NotYourSeatError):
        await anext(ben.table(table.name).seat(0).watch())
    with pytest.raises(NotYourSeatError):
        await ben.table(table.name).seat(0).view()
    with pytest.raises(NotYourSeatError):
        _ = [batch async for batch in ben.table(table.name).replay(seat=0)]


async def test_a_rival_and_the_public_are_told_nothing_of_a_hand(ada: Hutch, ben: Hutch) -> None:
    table = await two_seat_table(ada, ben, competitive=True)
    mine = (await table.seat(0).view()).rabbit_space
    hand = set(mine.seats[0].hand)
    assert hand
    for seen in (await ben.table(table.name).seat(1).view(), await table.view()):
        text = str(seen)
        assert not [card for card in hand if f'"{card}"' in text]
    told = [batch async for batch in ben.table(table.name).replay(seat=1)]
    told += [batch async for batch in table.replay()]
    assert not [card for card in hand if f'"{card}"' in str(told)]


async def test_after_the_end_every_seat_may_be_replayed_by_anybody(ada: Hutch, ben: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=1)
    await table.assign_bot(0, "random")
    await table.start()
    async for _ in table.watch():
        pass
    batches = [batch async for batch in ben.table(table.name).replay(seat=0)]
    assert batches[-1].HasField("result")


async def test_the_seed_is_committed_to_before_the_deal_and_shown_after_the_end(
    ada: Hutch,
) -> None:
    from hashlib import sha256

    table = await ada.create_table("rabbit-space", seats=1)
    await table.assign_bot(0, "random")
    before = await table.get()
    assert not before.seed
    await table.start()
    assert not (await table.get()).seed or (await table.get()).HasField("result")
    async for _ in table.watch():
        pass
    after = await table.get()
    assert sha256(after.seed).digest() == before.seed_commitment


async def test_an_undo_is_told_as_a_fresh_snapshot(ada: Hutch) -> None:
    table = await table_after_a_payment(ada)
    watch = table.seat(0).watch()
    await anext(watch)
    undone = await table.seat(0).undo()
    async with asyncio.timeout(60):
        async for update in watch:
            if isinstance(update, Snapshot):
                assert update.view.revision == undone.revision
                break


async def table_after_a_payment(hutch: Hutch) -> Table:
    """A table of one who has just paid for a card and could pay for another.

    Whether that comes about depends on the cards, so it may take several games.
    """
    while True:
        table = await hutch.create_table("rabbit-space", seats=1)
        seat = await table.claim(0)
        await table.start()
        view = await seat.view()
        asks = [prompt for prompt in view.prompts.prompts if not prompt.offered]
        while asks:
            ask = asks[0]
            keep = [option.option_id for option in ask.options][: ask.max_picks]
            batch = await seat.submit(ask, *keep)
            asks = [prompt for prompt in batch.prompts.prompts if not prompt.offered]
            if ask.topic.startswith("spend") and [one.topic for one in asks] == [ask.topic]:
                return table


async def test_a_quiet_stream_says_that_it_lives(ada: Hutch, ben: Hutch) -> None:
    table = await two_seat_table(ada, ben)
    request = service_pb.WatchTableRequest(name=table.name)
    metadata = (("authorization", f"Bearer {ada.token}"),)
    channel = ada._calls.channel
    call: grpc.aio.UnaryStreamCall[bytes, bytes] = channel.unary_stream(
        "/hutch.v1.TableService/WatchTable"
    )(request.SerializeToString(), metadata=metadata, timeout=30)
    kinds = []
    while len(kinds) < 3:
        data = await call.read()
        assert isinstance(data, bytes)
        kinds.append(service_pb.WatchTableResponse.FromString(data).WhichOneof("update"))
    call.cancel()
    assert kinds == ["snapshot", "heartbeat", "heartbeat"]
