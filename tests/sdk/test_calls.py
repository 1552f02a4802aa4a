"""Unary calls: the same request again while that may help, and never longer than patience lasts."""

from __future__ import annotations

import asyncio
import time
from random import Random

import pytest

from hutch.client import (
    ConflictError,
    Hutch,
    HutchError,
    LimitError,
    Retries,
    UnavailableError,
    connect,
)
from tests.sdk.contract import ContractService, Faults
from tests.sdk.counting import Code, Refused
from tests.sdk.waiting import until


def request_ids(service: ContractService) -> list[str]:
    """Of the requests that came, in order."""
    return [request.request_id for request in service.requests]


async def test_an_answer_is_stored_when_submit_returns(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open()
    batch = await hutch.table(game.name).seat(0).submit(1, "two")
    assert batch.revision == 1
    assert game.accepted == [(0, "two")]


@pytest.mark.parametrize(
    "passing",
    [
        Refused(Code.UNAVAILABLE, "BUSY"),
        Refused(Code.DEADLINE_EXCEEDED, ""),
        Refused(Code.ABORTED, "REVISION_CONFLICT"),
        Refused(Code.RESOURCE_EXHAUSTED, "RATE_LIMITED", retry_after_ms=5),
        Refused(Code.UNKNOWN, ""),
        Refused(Code.INTERNAL, ""),
        Refused(Code.CANCELLED, ""),
    ],
    ids=lambda refused: refused.code.name,
)
async def test_a_passing_error_is_answered_by_the_same_request_again(
    service: ContractService, hutch: Hutch, passing: Refused
) -> None:
    game = service.open()
    service.faults.refusals = [passing, passing]
    await hutch.table(game.name).seat(0).submit(1, "two")
    assert len(request_ids(service)) == 3
    assert len(set(request_ids(service))) == 1
    assert len(game.accepted) == 1


@pytest.mark.parametrize(
    "lasting",
    [
        Refused(Code.INVALID_ARGUMENT, "NOT_AN_OPTION"),
        Refused(Code.FAILED_PRECONDITION, "PROMPT_CLOSED"),
        Refused(Code.PERMISSION_DENIED, "NOT_YOUR_SEAT"),
        Refused(Code.UNAUTHENTICATED, "TOKEN_EXPIRED"),
        Refused(Code.ALREADY_EXISTS, "REQUEST_ID_REUSED"),
        Refused(Code.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE"),
        Refused(Code.INTERNAL, "INTERNAL"),
    ],
    ids=lambda refused: refused.reason,
)
async def test_a_lasting_error_is_raised_at_once(
    service: ContractService, hutch: Hutch, lasting: Refused
) -> None:
    game = service.open()
    service.faults.refusals = [lasting]
    with pytest.raises(HutchError) as raised:
        await hutch.table(game.name).seat(0).submit(1, "two")
    assert raised.value.reason == lasting.reason
    assert len(service.requests) == 1
    assert game.accepted == []


async def test_a_lost_reply_does_not_make_an_answer_count_twice(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open()
    service.faults = Faults(Random(5), lose_reply=0.5)
    seat = hutch.table(game.name).seat(0)
    for count in range(40):
        batch = await seat.submit(game.prompt_ids[0], "one")
        assert batch.revision == count + 1
    assert len(game.accepted) == 40
    assert service.faults.counts["lose_reply"] > 10


async def test_a_repeat_under_the_callers_own_id_returns_the_first_outcome(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open()
    seat = hutch.table(game.name).seat(0)
    first = await seat.submit(1, "one", request_id="0b9f1b9e-7c55-4a3c-9d7f-1d2f6f3c8a01")
    again = await seat.submit(1, "one", request_id="0b9f1b9e-7c55-4a3c-9d7f-1d2f6f3c8a01")
    assert again == first
    assert len(game.accepted) == 1


async def test_a_revision_that_was_expected_and_passed_is_told_at_once(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open()
    for _ in range(3):
        await game.append()
    with pytest.raises(ConflictError) as raised:
        await hutch.table(game.name).seat(0).submit(1, "one", expected_revision=2)
    assert raised.value.metadata == {"revision": "3"}
    assert len(service.requests) == 1


async def test_the_service_is_given_the_time_it_asks_for(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open()
    service.faults.refusals = [Refused(Code.RESOURCE_EXHAUSTED, "RATE_LIMITED", retry_after_ms=300)]
    begun = time.monotonic()
    await hutch.table(game.name).seat(0).submit(1, "one")
    assert time.monotonic() - begun > 0.29


async def test_a_wait_longer_than_patience_is_not_begun(service: ContractService) -> None:
    game = service.open()
    service.faults.refusals = [
        Refused(Code.RESOURCE_EXHAUSTED, "RATE_LIMITED", retry_after_ms=60_000)
    ]
    async with connect(service.address, retries=Retries(give_up_after=5)) as hutch:
        with pytest.raises(LimitError) as raised:
            await hutch.table(game.name).seat(0).submit(1, "one")
    assert raised.value.retry_after == 60
    assert len(service.requests) == 1


async def test_tries_end_when_patience_does(service: ContractService) -> None:
    service.faults.refuse = 1.0
    patience = Retries(first_wait=0.01, longest_wait=0.05, give_up_after=2)
    async with connect(service.address, retries=patience) as hutch:
        begun = time.monotonic()
        with pytest.raises(UnavailableError) as raised:
            await hutch.guest()
    assert raised.value.reason == "BUSY"
    assert 1 < time.monotonic() - begun < 20
    assert len(service.requests) > 1


async def test_a_service_that_does_not_answer_is_asked_again_within_the_deadline_of_a_try(
    service: ContractService,
) -> None:
    game = service.open()
    service.faults.stalls = 2
    async with connect(
        service.address, retries=Retries(first_wait=0.002, try_timeout=0.2)
    ) as hutch:
        await hutch.table(game.name).seat(0).submit(1, "one")
    assert len(set(request_ids(service))) == 1
    assert len(service.requests) >= 3
    assert len(game.accepted) == 1


async def test_an_undo_counts_once(service: ContractService, hutch: Hutch) -> None:
    game = service.open()
    service.faults = Faults(Random(7), lose_reply=0.6)
    await hutch.table(game.name).seat(0).undo()
    assert game.revision == 1
    assert len(service.requests) > 1


async def test_a_table_is_opened_once_though_the_reply_was_lost(
    service: ContractService, hutch: Hutch
) -> None:
    service.faults = Faults(Random(7), lose_reply=0.6)
    table = await hutch.create_table("count", seats=2)
    assert list(service.games) == [table.name]
    assert len(service.requests) > 1


async def test_a_call_that_is_cancelled_is_not_tried_again(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open()
    service.faults.stalls = 1
    call = asyncio.create_task(hutch.table(game.name).seat(0).submit(1, "one"))
    await until(lambda: service.requests)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert len(service.requests) == 1


async def test_a_pick_that_is_none_is_refused_before_it_is_sent(
    service: ContractService, hutch: Hutch
) -> None:
    with pytest.raises(TypeError, match="is no pick"):
        await hutch.table("tables/t1").seat(0).submit(1, 3.5)  # type: ignore[arg-type]
    assert service.requests == []


async def test_a_service_that_is_not_there_is_unavailable() -> None:
    async with connect("127.0.0.1:1", retries=Retries(first_wait=0.01, give_up_after=0.3)) as hutch:
        with pytest.raises(UnavailableError) as raised:
            await hutch.guest()
    assert raised.value.reason == ""


@pytest.mark.parametrize("field", ["first_wait", "give_up_after", "try_timeout", "silence"])
def test_patience_without_any_time_is_refused(field: str) -> None:
    with pytest.raises(ValueError, match=field):
        Retries(**{field: 0.0})
