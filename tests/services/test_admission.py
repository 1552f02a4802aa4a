"""Places: so many at once, first come, first served, and nobody waits for ever."""

from __future__ import annotations

import asyncio

import pytest

from hutch.gateway.admission import Admission
from hutch.wire.errors import Fault, Wrong
from tests.sdk.waiting import until

LONG = 60.0


class Guest:
    """Somebody who takes a place and keeps it until told to go."""

    def __init__(self, admission: Admission) -> None:
        self.is_in = False
        self.may_go = asyncio.Event()
        self.staying = asyncio.create_task(self._stay(admission))

    async def _stay(self, admission: Admission) -> None:
        async with admission:
            self.is_in = True
            await self.may_go.wait()
        self.is_in = False


async def inside(guests: list[Guest]) -> list[bool]:
    """Who is in, once everybody has done what can be done."""
    for _ in range(5):
        await asyncio.sleep(0)
    return [guest.is_in for guest in guests]


async def test_as_many_are_let_in_as_there_are_places_and_the_others_as_they_came() -> None:
    admission = Admission("actions", 2, LONG)
    guests = [Guest(admission) for _ in range(4)]
    assert await inside(guests) == [True, True, False, False]
    guests[1].may_go.set()
    assert await inside(guests) == [True, False, True, False]
    guests[0].may_go.set()
    assert await inside(guests) == [False, False, True, True]
    for guest in guests:
        guest.may_go.set()
    await asyncio.gather(*(guest.staying for guest in guests))
    again = [Guest(admission) for _ in range(3)]
    assert await inside(again) == [True, True, False]
    for guest in again:
        guest.staying.cancel()


async def test_who_waits_too_long_is_told_to_come_back_later_and_later() -> None:
    admission = Admission("actions", 1, 0.01)
    guest = Guest(admission)
    assert await inside([guest]) == [True]
    waits = []
    for _ in range(20):
        with pytest.raises(Fault) as refused:
            async with admission:
                pass
        assert refused.value.reason == Wrong.OVERLOADED
        assert refused.value.retry_after_ms is not None
        waits.append(refused.value.retry_after_ms)
    assert waits[0] >= 500
    assert waits == sorted(waits)
    assert waits[-1] <= 10_000
    guest.may_go.set()
    await guest.staying
    async with admission:
        pass


async def test_who_goes_away_while_waiting_or_just_let_in_costs_no_place() -> None:
    admission = Admission("actions", 1, LONG)
    first, second, third, fourth = [Guest(admission) for _ in range(4)]
    assert await inside([first, second]) == [True, False]
    second.staying.cancel()
    first.may_go.set()
    await first.staying  # the place is the third's now, who does not know yet
    third.staying.cancel()
    await until(lambda: fourth.is_in)
    fourth.may_go.set()
    await fourth.staying
    async with admission:
        pass


async def test_a_place_is_free_again_after_a_failure() -> None:
    admission = Admission("actions", 1, LONG)
    with pytest.raises(ValueError, match="failed"):
        async with admission:
            raise ValueError("failed")
    async with admission:
        pass
