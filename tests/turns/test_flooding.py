"""Who floods a table with actions stands in nobody's way: neither a stranger nor one who plays."""

from __future__ import annotations

import asyncio
import uuid

import pytest

from hutch.callers.caller import Caller, Scope
from hutch.engine.refusals import Reason
from hutch.gateway.actions import WAITING, Actions
from hutch.gateway.admission import Admission
from hutch.gateway.rates import Rate
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.store.store import Store
from hutch.turns.attendance import Attendance
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import Fault, Wrong
from tests.turns.arranging import started

FLOOD = 20
AT_ONCE = 8


class HeldRules(LocalRules):
    """Rules that answer once they are let, and note for whom."""

    def __init__(self) -> None:
        super().__init__(Resolver())
        self.asked: list[int] = []
        self.are_asked = asyncio.Event()
        self.let = asyncio.Event()

    async def resolve(
        self, table_id: str, request: rules_pb.ResolveRequest
    ) -> rules_pb.ResolveResponse:
        """Apply one command, in time."""
        self.asked.append(request.submit.seat)
        self.are_asked.set()
        await self.let.wait()
        return await super().resolve(table_id, request)


@pytest.fixture
def held() -> HeldRules:
    return HeldRules()


@pytest.fixture
def actions(store: Store, held: HeldRules) -> Actions:
    """What a gateway does with actions, few of them at once."""
    path = TurnPath(store.tables, held)
    return Actions(
        path,
        Attendance(path),
        Rate(store.budgets, "actions", 0, 1),
        Admission("actions", AT_ONCE, patience_seconds=60),
    )


def submitting(actions: Actions, player: str, table_id: str, seat: int) -> asyncio.Task[str]:
    """An answer to a question that was never asked: the reason it is refused for."""

    async def refused() -> str:
        request = service_pb.SubmitActionRequest(
            seat=f"tables/{table_id}/seats/{seat}",
            action=pb.Action(prompt_id=999),
            request_id=str(uuid.uuid4()),
        )
        with pytest.raises(Fault) as refusal:
            await actions.submit(Caller(player, "", 1 << 40, frozenset({Scope.PLAYER})), request)
        return refusal.value.reason

    return asyncio.create_task(refused())


async def test_strangers_do_not_stand_in_line_at_a_table(
    actions: Actions, held: HeldRules, lobby: Lobby
) -> None:
    table_id = await started(lobby, players=2)
    first = submitting(actions, "p0", table_id, 0)
    await held.are_asked.wait()
    strangers = [submitting(actions, f"x{number}", table_id, 1) for number in range(FLOOD)]
    assert set(await asyncio.wait_for(asyncio.gather(*strangers), 30)) == {Wrong.NOT_YOUR_SEAT}
    held.let.set()
    assert await first == Reason.PROMPT_CLOSED


async def test_a_player_who_floods_a_table_waits_behind_nobody_but_themselves(
    actions: Actions, held: HeldRules, lobby: Lobby
) -> None:
    table_id, other_table_id = await started(lobby, players=2), await started(lobby, players=2)
    flood = [submitting(actions, "p0", table_id, 0) for _ in range(FLOOD)]
    await held.are_asked.wait()
    opponent = submitting(actions, "p1", table_id, 1)
    elsewhere = submitting(actions, "p1", other_table_id, 1)
    held.let.set()
    reasons = await asyncio.gather(opponent, elsewhere, *flood)
    assert set(reasons) == {Reason.PROMPT_CLOSED}
    # Each is refused twice: from the copy at hand, and from the table as it is.
    assert max(held.asked.index(1), 0) <= 4


async def test_what_waits_for_a_player_is_bounded(
    actions: Actions, held: HeldRules, lobby: Lobby
) -> None:
    table_id = await started(lobby, players=2)
    flood = [submitting(actions, "p0", table_id, 0) for _ in range(1 + WAITING)]
    await held.are_asked.wait()
    assert await submitting(actions, "p0", table_id, 0) == Wrong.RATE_LIMITED
    held.let.set()
    assert set(await asyncio.gather(*flood)) == {Reason.PROMPT_CLOSED}
