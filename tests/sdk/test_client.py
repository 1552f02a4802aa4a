"""The client: tokens, tables, pages and the catalogue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest

from hutch.client import (
    Hutch,
    Player,
    TimeControl,
    UnavailableError,
    connect,
    random_picks,
)
from hutch.client.picks import picks
from hutch.v1 import table_pb2
from hutch.v1.table_service_pb2 import AbandonTableRequest
from tests.sdk.conftest import QUICK
from tests.sdk.contract import ContractService
from tests.sdk.counting import Code, Refused
from tests.sdk.waiting import until


async def test_a_guests_token_goes_with_every_later_call(
    service: ContractService, hutch: Hutch
) -> None:
    assert await hutch.guest("Ada") == Player("players/p1", "Ada")
    await hutch.rulesets()
    table = await hutch.create_table("count", seats=1)
    async for turn in table.seat(0).play():
        service.games[table.name].answers = 1
        await turn.answer("one")
    assert service.tokens == ["", *["Bearer token-1"] * 3]
    assert hutch.token == "token-1"


async def test_a_known_token_is_used_from_the_start(service: ContractService) -> None:
    async with connect(service.address, token="mine", retries=QUICK) as hutch:
        await hutch.rulesets()
    assert service.tokens == ["Bearer mine"]


async def test_a_token_is_renewed_before_it_ends(service: ContractService, hutch: Hutch) -> None:
    service.token_life = timedelta(seconds=1.2)
    await hutch.guest()
    await until(lambda: hutch.token == "token-3")
    assert service.tokens == ["", "Bearer token-1", "Bearer token-2"]


async def test_a_token_that_could_not_be_renewed_for_long_is_when_the_service_is_back(
    service: ContractService, hutch: Hutch
) -> None:
    service.token_life = timedelta(seconds=1.2)
    await hutch.guest()
    longer_than_any_patience = Refused(Code.UNAVAILABLE, "BUSY", retry_after_ms=3_600_000)
    service.faults.refusals = [longer_than_any_patience]
    await until(lambda: hutch.token == "token-2")
    assert not service.faults.refusals


async def test_when_a_connection_is_closed_all_who_share_it_are_told(
    service: ContractService,
) -> None:
    game = service.open()
    hutch = connect(service.address, retries=QUICK)
    other = hutch.another()
    turns = other.table(game.name).seat(0).play()
    await anext(turns)
    waiting = asyncio.ensure_future(anext(turns))
    await asyncio.sleep(0)
    await hutch.close()
    for ended in (waiting, other.rulesets(), anext(other.table(game.name).watch())):
        async with asyncio.timeout(10):
            with pytest.raises(UnavailableError) as raised:
                await ended
        assert raised.value.reason == "CLIENT_CLOSED"
    await other.close()


async def test_several_players_share_a_connection(service: ContractService, hutch: Hutch) -> None:
    await hutch.guest("Ada")
    other = hutch.another()
    await other.guest("Bob")
    await hutch.rulesets()
    await other.rulesets()
    await other.close()
    await hutch.rulesets()
    assert service.tokens[2:] == ["Bearer token-1", "Bearer token-2", "Bearer token-1"]


async def test_a_table_is_opened_with_its_options_and_limits(
    service: ContractService, hutch: Hutch
) -> None:
    await hutch.create_table(
        "count",
        seats=3,
        options={"competitive": True},
        limits={"decision": 1.5, "phase": timedelta(minutes=2)},
    )
    wanted = service.requests[-1].table
    assert wanted.ruleset == "count"
    assert len(wanted.seats) == 3
    assert wanted.options["competitive"] is True
    assert wanted.limits["decision"].ToMilliseconds() == 1500
    assert wanted.limits["phase"].ToMilliseconds() == 120_000


async def test_a_limit_of_no_time_is_refused(hutch: Hutch) -> None:
    with pytest.raises(ValueError, match="leave the clock out"):
        await hutch.create_table("count", seats=1, limits={"decision": 0})


@pytest.mark.parametrize(
    ("given", "limits", "bank"),
    [
        (TimeControl.none(), {}, None),
        (TimeControl.per_decision(20), {"decision": 20_000}, None),
        (TimeControl.per_turn(90, bank=timedelta(minutes=5)), {"*": 90_000}, 300_000),
        (TimeControl.correspondence(days=3), {"*": 3 * 86_400_000}, None),
        (TimeControl({"turn": 60, "*": 15}, bank=30), {"turn": 60_000, "*": 15_000}, 30_000),
    ],
)
async def test_a_table_is_opened_with_its_time_control(
    given: TimeControl,
    limits: dict[str, int],
    bank: int | None,
    service: ContractService,
    hutch: Hutch,
) -> None:
    await hutch.create_table("count", seats=1, time_control=given)
    wanted = service.requests[-1].table
    assert {clock: limit.ToMilliseconds() for clock, limit in wanted.limits.items()} == limits
    assert (wanted.time_bank.ToMilliseconds() if wanted.HasField("time_bank") else None) == bank


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: TimeControl.per_turn(0), "leave the clock out"),
        (lambda: TimeControl.correspondence(days=-1), "leave the clock out"),
        (lambda: TimeControl.per_turn(60, bank=-1), "leave it out"),
        (lambda: TimeControl(bank=60), "give a limit"),
    ],
)
def test_a_time_control_that_cannot_be_is_refused(
    make: Callable[[], TimeControl], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        make()


async def test_limits_come_alone_or_in_a_time_control(hutch: Hutch) -> None:
    with pytest.raises(ValueError, match="put the limits into the latter"):
        await hutch.create_table(
            "count", seats=1, limits={"decision": 5}, time_control=TimeControl.none()
        )


async def test_seats_are_claimed_with_a_salt_that_nobody_else_knows(
    service: ContractService, hutch: Hutch
) -> None:
    table = await hutch.create_table("count", seats=2)
    first, second = await table.claim(0), await table.claim(1)
    assert (first.name, second.number) == (f"{table.name}/seats/0", 1)
    salts = [request.salt for request in service.requests[-2:]]
    assert len(set(salts)) == 2
    assert all(len(salt) == 16 for salt in salts)
    await table.claim(0, salt=b"mine")
    assert service.requests[-1].salt == b"mine"


async def test_a_table_is_given_up(service: ContractService, hutch: Hutch) -> None:
    table = await hutch.create_table("count", seats=2)
    assert (await table.abandon()).name == service.requests[-1].name == table.name
    assert isinstance(service.requests[-1], AbandonTableRequest)


async def test_bots_are_seated_the_game_started_and_a_seat_left(
    service: ContractService, hutch: Hutch
) -> None:
    table = await hutch.create_table("count", seats=2)
    await table.assign_bot(1, "greedy")
    assert (service.requests[-1].name, service.requests[-1].bot) == (
        f"{table.name}/seats/1",
        "greedy",
    )
    started = await table.start()
    assert started.name == service.requests[-1].name == table.name
    await table.seat(1).leave()
    assert service.requests[-1].name == f"{table.name}/seats/1"


async def test_views_are_those_of_the_public_or_of_the_seat(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open()
    assert not (await hutch.table(game.name).view()).prompts.prompts
    assert (await hutch.seat(f"{game.name}/seats/0").view()).prompts.prompts


async def test_lists_are_read_page_after_page(service: ContractService, hutch: Hutch) -> None:
    for _ in range(5):
        game = service.open()
    for _ in range(8):
        await game.append()
    assert [table.name async for table in hutch.tables()] == list(service.games)
    replay = hutch.table(game.name).replay()
    assert [batch.revision async for batch in replay] == list(range(1, 9))
    of_seat = hutch.table(game.name).replay(seat=0)
    assert len([batch async for batch in of_seat]) == 8
    assert service.requests[-1].name == f"{game.name}/seats/0"
    recording = await hutch.table(game.name).recording()
    assert recording.table == game.name
    assert [command.revision for command in recording.commands] == list(range(1, 9))


async def test_the_catalogue_and_the_deadlines_are_lists(
    service: ContractService, hutch: Hutch
) -> None:
    assert [game.ruleset for game in await hutch.rulesets()] == ["count"]
    assert [card.name for card in await hutch.cards("count")] == ["One"]
    table = hutch.table(service.open().name)
    assert [deadline.cause for deadline in await table.deadlines()] == ["decision"]


@pytest.mark.parametrize("name", ["", "tables/", "tables/a/seats/0", "players/p1"])
async def test_a_name_that_is_no_tables_is_refused(hutch: Hutch, name: str) -> None:
    with pytest.raises(ValueError, match="is no table"):
        hutch.table(name)


@pytest.mark.parametrize("name", ["", "tables/a", "tables/a/seats/x", "tables/a/seats/-1"])
async def test_a_name_that_is_no_seats_is_refused(hutch: Hutch, name: str) -> None:
    with pytest.raises(ValueError, match="is no seat"):
        hutch.seat(name)


async def test_a_table_may_be_named_by_its_last_part(hutch: Hutch) -> None:
    assert hutch.table("7c1f").name == "tables/7c1f"
    assert repr(hutch.table("7c1f").seat(2)) == "Seat('tables/7c1f/seats/2')"
    with pytest.raises(ValueError, match="count from 0"):
        hutch.table("7c1f").seat(-1)


def test_picks_are_written_in_any_handy_form() -> None:
    written = picks(["a", ("b", 3), table_pb2.Option(option_id="c"), table_pb2.Pick(option_id="d")])
    assert [(one.option_id, one.count) for one in written] == [
        ("a", 0),
        ("b", 3),
        ("c", 0),
        ("d", 0),
    ]


def test_random_picks_keep_within_the_prompt() -> None:
    rng = Random(4)
    prompt = table_pb2.Prompt(
        options=[
            table_pb2.Option(option_id="a", max_count=3),
            table_pb2.Option(option_id="b"),
            table_pb2.Option(option_id="c"),
        ],
        min_picks=1,
        max_picks=4,
    )
    sizes = set()
    for _ in range(200):
        taken = random_picks(prompt, rng)
        counts = {one.option_id: one.count for one in taken}
        assert len(counts) == len(taken)
        assert counts.get("a", 0) <= 3
        assert max(counts.get("b", 0), counts.get("c", 0)) <= 1
        sizes.add(sum(counts.values()))
    assert sizes == {1, 2, 3, 4}
