"""Reading: whoever asks for what is not there is told so."""

from __future__ import annotations

import pytest

from hutch.client import Hutch, Table
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import CATALOGUE, Wrong
from tests.services.failures import Failure
from tests.services.wrongdoing import Trouble
from tests.stacks import RunningStack

#: Page tokens that nobody was given. A recording goes on after its deal.
FOREIGN_TOKENS = {
    "ListTables": ["-", "1", "1-", "1-not ours", "1-ääääääää", f"{10**13}-abcdefgh"],
    "GetReplay": ["-1", "one", "1.5", "\u0663", str(10**18)],
    "GetRecording": ["7", "-", "1-2-3", "0-0", "0-5", "00-5", "\u0663-\u0663", f"1-{10**18}"],
}


@pytest.fixture
async def over(ada: Hutch) -> Table:
    """A game of one bot, played to its end."""
    table = await ada.create_table("rabbit-space", seats=1)
    await table.assign_bot(0, "random")
    await table.start()
    async for _ in table.watch():
        pass
    return table


@pytest.fixture
def trouble(stack: RunningStack, ada: Hutch, ben: Hutch, over: Table) -> Trouble:
    return Trouble(stack, ada, ben, over)


def assert_refused(failure: Failure | None, reason: Wrong) -> None:
    assert failure is not None, "it was accepted"
    assert (failure.reason, failure.code) == (reason, CATALOGUE[reason].code)


@pytest.mark.parametrize("method", FOREIGN_TOKENS)
async def test_a_page_token_that_nobody_was_given_is_refused(trouble: Trouble, method: str) -> None:
    for token in FOREIGN_TOKENS[method]:
        requests = {
            "ListTables": service_pb.ListTablesRequest(page_token=token),
            "GetReplay": service_pb.GetReplayRequest(name=trouble.table.name, page_token=token),
            "GetRecording": service_pb.GetRecordingRequest(
                name=trouble.table.name, page_token=token
            ),
        }
        assert_refused(await trouble.call(method, requests[method]), Wrong.PAGE_TOKEN_INVALID)


@pytest.mark.parametrize("state", [-1, 5, 2**31 - 1])
async def test_tables_of_a_state_that_is_none_are_not_all_tables(
    trouble: Trouble, state: int
) -> None:
    request = service_pb.ListTablesRequest(state=state)  # type: ignore[arg-type]
    assert_refused(await trouble.call("ListTables", request), Wrong.ARGUMENT_INVALID)


async def test_a_seat_that_is_not_there_saw_nothing(trouble: Trouble) -> None:
    request = service_pb.GetReplayRequest(name=f"{trouble.table.name}/seats/1")
    assert_refused(await trouble.call("GetReplay", request), Wrong.SEAT_NOT_FOUND)
