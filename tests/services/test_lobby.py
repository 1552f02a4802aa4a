"""The lobby: tables are opened, found, filled, started and left."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Coroutine
from random import Random
from typing import Any, Final

import msgspec
import pytest

from hutch.client import (
    Ended,
    ForbiddenError,
    Hutch,
    InvalidRequestError,
    NotPossibleError,
    Seat,
    SeatTakenError,
    Snapshot,
    Table,
    TableChanged,
    TimeControl,
)
from hutch.engine.refusals import Reason
from hutch.store.commits import Commit
from hutch.store.store import Store
from hutch.v1 import table_pb2
from hutch.wire.errors import Wrong
from tests.stacks import RunningStack
from tests.turns.arranging import damage

SEED: Final = 20261130
ROUNDS: Final = 12


async def test_a_table_that_cannot_be_read_is_missing_from_lists_and_no_other(
    stack: RunningStack, ada: Hutch
) -> None:
    before, broken, after = [await ada.create_table("rabbit-space", seats=2) for _ in range(3)]
    table_id = broken.name.removeprefix("tables/")
    async with await Store.open(stack.redis_url) as store:
        stored = await store.tables.load(table_id)
        assert stored is not None
        await damage(store, table_id, "meta")
        listed = [one.name async for one in ada.tables()]
        await store.tables.commit(
            Commit(table_id=table_id, expected_revision=stored.revision, meta=stored.meta)
        )
    assert [after.name, before.name] == listed[:2]
    assert broken.name not in listed


async def test_the_same_request_opens_one_table(ada: Hutch) -> None:
    request_id = str(uuid.uuid4())
    first = await ada.create_table("rabbit-space", seats=2, request_id=request_id)
    again = await ada.create_table("rabbit-space", seats=2, request_id=request_id)
    assert first.name == again.name


async def test_a_table_is_listed_under_its_state(ada: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=1)
    await table.claim(0)
    assert await is_listed(ada, table, table_pb2.TABLE_STATE_GATHERING)
    await table.start()
    assert not await is_listed(ada, table, table_pb2.TABLE_STATE_GATHERING)
    assert await is_listed(ada, table, table_pb2.TABLE_STATE_PLAYING)


async def is_listed(hutch: Hutch, table: Table, state: table_pb2.TableState.ValueType) -> bool:
    return table.name in [one.name async for one in hutch.tables(state=state)]


async def test_a_seat_that_is_given_up_before_the_deal_is_free_again(
    ada: Hutch, ben: Hutch
) -> None:
    table = await ada.create_table("rabbit-space", seats=2)
    seat = await table.claim(1)
    with pytest.raises(SeatTakenError):
        await ben.table(table.name).claim(1)
    left = await seat.leave()
    assert await seat.leave() == left  # as it is asked once more where the reply was lost
    await ben.table(table.name).claim(1)
    assert (await table.get()).seats[1].display_name == "Ben"


async def test_a_host_who_leaves_the_own_seat_stays_host(ada: Hutch, ben: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=1)
    await (await table.claim(0)).leave()
    await ben.table(table.name).claim(0)
    assert (await table.start()).host == (await table.get()).host


async def test_whoever_sits_at_or_watches_a_table_that_is_given_up_is_told_and_then_no_more(
    ada: Hutch, ben: Hutch
) -> None:
    table = await ada.create_table("rabbit-space", seats=2)
    seat = await ben.table(table.name).claim(1)
    watches = [table.watch(), seat.watch()]
    snapshots = [await anext(watch) for watch in watches]
    playing = asyncio.ensure_future(played(seat))
    given_up = await table.abandon()
    assert (given_up.state, given_up.HasField("result")) == (table_pb2.TABLE_STATE_ABANDONED, False)
    async with asyncio.timeout(60):
        for watch in watches:
            changed, ended = [update async for update in watch]
            assert isinstance(changed, TableChanged)
            assert (changed.table, ended) == (given_up, Ended(None))
            late = seat.watch(changed.resume_token)
            assert [type(update) async for update in late] == [Snapshot, Ended]
        assert isinstance(snapshots[0], Snapshot)
        missed = [update async for update in table.watch(snapshots[0].resume_token)]
        assert missed[-1] == Ended(None)
        assert await playing == 0


async def played(seat: Seat) -> int:
    """How often the seat was asked, up to the end."""
    return len([turn async for turn in seat.play()])


async def test_a_table_that_is_given_up_is_listed_no_more_among_those_that_gather(
    ada: Hutch,
) -> None:
    table = await ada.create_table("rabbit-space", seats=2)
    await table.abandon()
    assert not await is_listed(ada, table, table_pb2.TABLE_STATE_GATHERING)
    assert await is_listed(ada, table, table_pb2.TABLE_STATE_ABANDONED)


async def test_only_the_host_gives_a_table_up_and_only_before_the_deal(
    ada: Hutch, ben: Hutch
) -> None:
    table = await ada.create_table("rabbit-space", seats=1)
    seat = await ben.table(table.name).claim(0)
    with pytest.raises(ForbiddenError, match="Only the table's host"):
        await ben.table(table.name).abandon()
    started = await table.start()
    with pytest.raises(NotPossibleError, match="is playing; after the deal only a seat") as refused:
        await table.abandon()
    assert refused.value.reason == Wrong.TABLE_NOT_GATHERING
    assert (await table.get()).revision == started.revision
    await seat.leave()
    async for _ in table.watch():
        pass  # until a bot has played it to the end
    with pytest.raises(NotPossibleError, match="is finished; after the deal"):
        await table.abandon()


async def test_of_dealing_and_giving_up_at_once_one_is_done_and_the_other_is_told_so(
    ada: Hutch, ben: Hutch
) -> None:
    random = Random(SEED)
    for _ in range(ROUNDS):
        table = await ada.create_table("rabbit-space", seats=1)
        before = (await table.assign_bot(0, "random")).revision
        watching = asyncio.ensure_future(states(ben, table))
        deeds: list[Coroutine[Any, Any, object]] = [table.abandon(), table.start()]
        random.shuffle(deeds)
        told = await asyncio.gather(*deeds, return_exceptions=True)
        (done,) = [one for one in told if isinstance(one, table_pb2.Table)]
        (refused,) = [one for one in told if isinstance(one, NotPossibleError)]
        assert refused.reason == Wrong.TABLE_NOT_GATHERING
        assert done.revision == before + 1
        async with asyncio.timeout(60):
            last = (await watching)[-1]
        given_up = done.state == table_pb2.TABLE_STATE_ABANDONED
        assert (last == table_pb2.TABLE_STATE_ABANDONED) == given_up, f"seed {SEED}"


async def test_who_sits_down_while_the_table_is_given_up_is_seated_before_or_refused(
    ada: Hutch, ben: Hutch
) -> None:
    random = Random(SEED)
    for _ in range(ROUNDS):
        table = await ada.create_table("rabbit-space", seats=1)
        taking = ben.table(table.name).claim(0)
        deeds: list[Coroutine[Any, Any, object]] = [table.abandon(), taking]
        random.shuffle(deeds)
        told = await asyncio.gather(*deeds, return_exceptions=True)
        after = await table.get()
        assert after in told
        assert after.state == table_pb2.TABLE_STATE_ABANDONED
        refused = [one for one in told if isinstance(one, NotPossibleError)]
        assert bool(after.seats[0].player) == (not refused), f"seed {SEED}"
        assert all(one.reason == Wrong.TABLE_NOT_GATHERING for one in refused)


async def states(hutch: Hutch, table: Table) -> list[table_pb2.TableState.ValueType]:
    """The states that a watcher is told, up to the end."""
    told = []
    async for update in hutch.table(table.name).watch():
        match update:
            case Snapshot(view=view):
                told.append(view.table.state)
            case TableChanged(table=changed):
                told.append(changed.state)
    return told


async def test_claiming_twice_is_claiming_once(ada: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=2)
    await table.claim(0)
    revision = (await table.get()).revision
    await table.claim(0)
    assert (await table.get()).revision == revision


async def test_a_game_goes_on_when_a_player_leaves_and_the_seat_can_be_taken_over(
    ada: Hutch, ben: Hutch
) -> None:
    table = await ada.create_table("rabbit-space", seats=2, options={"absent": "bot"})
    seat = await table.claim(0)
    other = await ada.another(ada.token).table(table.name).claim(1)
    await table.start()
    left = await seat.leave()
    assert left.seats[0].left
    assert left.seats[0].bot
    taken = await ben.table(table.name).claim(0)
    after = await table.get()
    assert (after.seats[0].display_name, after.seats[0].left) == ("Ben", False)
    assert (await taken.view()).table.name == table.name
    await other.leave()


async def test_leaving_and_coming_back_twice_is_doing_so_once(ada: Hutch, ben: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=2, options={"absent": "bot"})
    seat = await table.claim(0)
    await ben.table(table.name).claim(1)
    await table.start()
    for _ in range(2):
        assert (await seat.leave()).seats[0].left
    for _ in range(2):
        await table.claim(0)
        seated = (await table.get()).seats[0]
        assert (seated.display_name, seated.bot, seated.left) == ("Ada", "", False)


async def test_starting_twice_is_starting_once(ada: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=1)
    await table.claim(0)
    first = await table.start()
    assert (await table.start()).revision == first.revision


@pytest.mark.parametrize(
    ("reason", "field", "wanted"),
    [
        (Reason.BAD_OPTIONS, "table.options", {"options": {"competitve": True}}),
        (Reason.BAD_OPTIONS, "table.options", {"options": {"competitive": "yes"}}),
        (Reason.BAD_OPTIONS, "table.options", {"options": {"mission": "sun"}}),
        (Reason.BAD_SEAT_COUNT, "table.seats", {"seats": 5}),
        (Reason.BAD_SEAT_COUNT, "table.seats", {"seats": 0}),
        (Wrong.ARGUMENT_INVALID, "table.limits", {"limits": {"chess": 10.0}}),
        (Wrong.ARGUMENT_INVALID, "table.limits", {"limits": {"phase": 0.001}}),
        (Wrong.ARGUMENT_INVALID, "table.limits", {"limits": {"*": 31 * 86_400}}),
        (Wrong.ARGUMENT_INVALID, "table.limits", {"limits": {"turn": 60}}),  # it has phases
        (
            Wrong.ARGUMENT_INVALID,
            "table.time_bank",
            {"time_control": TimeControl.per_turn(60, bank=31 * 86_400)},
        ),
    ],
)
async def test_a_table_that_cannot_be_is_refused_naming_the_field(
    reason: str, field: str, wanted: dict[str, object], ada: Hutch
) -> None:
    arguments: dict[str, object] = {"seats": 2, **wanted}
    with pytest.raises(InvalidRequestError) as refused:
        await ada.create_table("rabbit-space", **arguments)  # type: ignore[arg-type]
    assert (refused.value.reason, refused.value.metadata["field"]) == (reason, field)


async def test_options_that_do_not_fit_are_refused_saying_where_they_are_described(
    ada: Hutch,
) -> None:
    with pytest.raises(InvalidRequestError, match=r"'sun'.* `options_schema`"):
        await ada.create_table("rabbit-space", seats=2, options={"mission": "sun"})


@pytest.mark.parametrize(
    ("options", "choice"),
    [
        ({"absent": "away"}, "'bot', 'defaults'"),
        ({"evolutions": ["mars", "sun"]}, "'mars', .*'vesta'"),
        ({"competitve": True}, "competitive, absent, evolutions, mission"),
    ],
)
async def test_an_option_or_a_word_that_is_unknown_is_refused_with_those_that_are_known(
    options: dict[str, object], choice: str, ada: Hutch
) -> None:
    with pytest.raises(InvalidRequestError, match=choice):
        await ada.create_table("rabbit-space", seats=2, options=options)


async def test_every_option_of_a_game_is_described_in_its_schema(ada: Hutch) -> None:
    for game in await ada.rulesets():
        schema = msgspec.json.decode(game.options_schema)["$defs"]["Options"]
        undescribed = [name for name in schema["properties"] if name not in schema["description"]]
        assert undescribed == [], game.ruleset


async def test_a_time_bank_without_any_limit_is_refused(ada: Hutch) -> None:
    bank = TimeControl({"*": 1}, bank=60)
    object.__setattr__(bank, "limits", {})  # as no client of ours would send it
    with pytest.raises(InvalidRequestError, match="no clock has one") as refused:
        await ada.create_table("rabbit-space", seats=2, time_control=bank)
    assert refused.value.metadata["field"] == "table.time_bank"


async def test_the_catalogue_tells_what_can_be_played(ada: Hutch) -> None:
    rulesets = {one.ruleset: one for one in await ada.rulesets()}
    game = rulesets["rabbit-space"]
    assert (game.min_seats, game.max_seats) == (1, 4)
    assert {"random", "greedy"} <= set(game.bots)
    assert list(game.clocks) == ["phase", "decision"]
    assert list(rulesets["tale-of-carrot"].clocks) == ["turn", "decision", "window"]
    assert "competitive" in game.options_schema
    cards = await ada.cards("rabbit-space")
    assert {"B01", "S1"} <= {card.card for card in cards}
    assert all(card.name and card.kind for card in cards)


async def test_a_seat_that_the_options_leave_free_is_taken_while_the_game_is_on(
    ada: Hutch, ben: Hutch
) -> None:
    table = await ada.create_table("killer-bunnies", seats=3, options={"free_seats": [2]})
    await table.claim(0)
    await table.assign_bot(1, "random")
    await table.start()
    await ben.table(table.name).claim(2)
    seated = (await table.get()).seats[2]
    assert (seated.display_name, seated.left) == ("Ben", False)
    view = await ben.table(table.name).seat(2).view()
    assert view.HasField("killer_bunnies")
