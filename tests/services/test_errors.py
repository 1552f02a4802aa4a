"""Every reason of the catalogue is produced by somebody doing the wrong thing, with its code."""

from __future__ import annotations

import uuid
from pathlib import Path

import grpc
import pytest
from google.protobuf.message import Message

from hutch.client import Hutch, Retries, Table, connect
from hutch.engine.refusals import Reason
from hutch.v1 import campaign_service_pb2, player_service_pb2, table_pb2
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import CATALOGUE, DOMAIN, Wrong, error_table
from tests.services.wrongdoing import PROVOKED, Trouble
from tests.services.wrongdoing.campaigns import CAMPAIGNS, start_request
from tests.services.wrongdoing.tables import create_request
from tests.services.wrongdoing.trouble import SERVICE
from tests.stacks import RunningStack

DOCS = Path(__file__).parents[2] / "docs" / "errors.md"

#: Produced by other suites, which say why they cannot be produced here.
ELSEWHERE = {
    Wrong.GUESTS_REFUSED: "tests/services/test_revoking.py: a gateway that takes no guests",
    Wrong.TOKEN_NOT_OURS: "tests/services/test_revoking.py: a gateway with another issuer",
    Wrong.BUSY: "tests/e2e: rules or Redis are down",
    Wrong.INTERNAL: "tests/turns: rules that raise",
    Wrong.SLOW_READER: "tests/services/test_slow_readers.py",
    Wrong.TOO_MANY_TABLES: "tests/services/test_crowding.py: gateways with low limits",
    Wrong.TOO_MANY_SEATS: "tests/services/test_crowding.py: gateways with low limits",
    Reason.RULES_GONE: "tests/turns: a record of a revision that is gone",
    Reason.GAME_OVER: "tests/turns: a command for a finished record",
    Wrong.OVERLOADED: "tests/chaos: more at once than a gateway takes",
    Reason.SEAT_UNKNOWN: "tests/turns: the gateway checks seats before the kernel does",
    Reason.SEAT_NOT_LEFT: "tests/turns: the lobby checks before the kernel does",
    Reason.SEAT_ALREADY_LEFT: "tests/turns: the lobby checks before the kernel does",
    Reason.NOTHING_DUE: "tests/turns: only the timekeeper ticks",
    Reason.NOT_TAKEN_OVER: "tests/engine: newer rules that do not give the same game",
}


@pytest.fixture
def trouble(stack: RunningStack, ada: Hutch, ben: Hutch, table: Table) -> Trouble:
    return Trouble(stack, ada, ben, table)


@pytest.mark.parametrize("reason", PROVOKED)
async def test_a_wrong_deed_gets_its_reason_code_and_a_sentence(
    reason: str, trouble: Trouble
) -> None:
    failure = await PROVOKED[reason](trouble)
    assert failure is not None, "it was accepted"
    assert (failure.reason, failure.domain) == (reason, DOMAIN)
    assert failure.code is CATALOGUE[reason].code
    assert failure.sentence.endswith(".")


@pytest.mark.parametrize("reason", PROVOKED)
async def test_a_wrong_deed_changes_nothing(reason: str, trouble: Trouble) -> None:
    before = (await trouble.table.get()).revision
    await PROVOKED[reason](trouble)
    right_deeds = 1 if reason in (Wrong.REQUEST_ID_REUSED, Reason.TOO_FEW_PICKS) else 0
    assert (await trouble.table.get()).revision == before + right_deeds


def test_every_reason_is_produced_somewhere() -> None:
    assert {*PROVOKED, *ELSEWHERE} == set(CATALOGUE)


def test_the_docs_list_every_reason() -> None:
    assert error_table() in DOCS.read_text()


async def test_a_refusal_is_counted(trouble: Trouble) -> None:
    await PROVOKED[Reason.NOT_AN_OPTION](trouble)
    line = 'code="INVALID_ARGUMENT",method="SubmitAction",reason="NOT_AN_OPTION"'
    assert line in trouble.stack.scrape("gateway")


async def test_too_much_says_when_to_come_again(trouble: Trouble) -> None:
    failure = await PROVOKED[Wrong.RATE_LIMITED](trouble)
    assert failure is not None
    assert failure.retry_ms is not None
    assert 0 < failure.retry_ms < 1000


async def test_a_request_that_comes_again_gets_the_stored_outcome_byte_for_byte(
    trouble: Trouble,
) -> None:
    prompt = await trouble.seat0()
    request = service_pb.SubmitActionRequest(
        seat=f"{trouble.table.name}/seats/0",
        action=table_pb2.Action(prompt_id=prompt.prompt_id),
        request_id=str(uuid.uuid4()),
    )
    metadata = (("authorization", f"Bearer {trouble.ada.token}"),)
    async with grpc.aio.insecure_channel(trouble.stack.gateway) as channel:
        submit = channel.unary_unary(f"{SERVICE}/SubmitAction")
        answers = [
            await submit(request.SerializeToString(), metadata=metadata, timeout=60)
            for _ in range(3)
        ]
    assert len(set(answers)) == 1


async def test_a_guest_needs_no_token_and_gets_one(stack: RunningStack) -> None:
    async with connect(stack.gateway, retries=Retries()) as hutch:
        player = await hutch.guest("  Ada   Lovelace ")
        assert player.display_name == "Ada Lovelace"
        assert player.name.startswith("players/")
        assert hutch.token


@pytest.mark.parametrize(
    ("method", "request_"),
    [
        ("GetCampaign", campaign_service_pb2.GetCampaignRequest(name="tables/0123456789abcdef")),
        ("GetCampaign", campaign_service_pb2.GetCampaignRequest(name="campaigns/shelf-1234567")),
        ("/hutch.v1.TableService/GetTable", service_pb.GetTableRequest(name="tables/campaign-1")),
        ("CreateCampaign", campaign_service_pb2.CreateCampaignRequest(request_id="17")),
        (
            "CreateCampaign",
            campaign_service_pb2.CreateCampaignRequest(
                request_id=str(uuid.uuid4()), display_name="two\x00names"
            ),
        ),
    ],
)
async def test_what_names_no_campaign_and_no_table_is_refused(
    method: str, request_: Message, trouble: Trouble
) -> None:
    path = method if method.startswith("/") else f"{CAMPAIGNS}/{method}"
    failure = await trouble.call(path, request_)
    assert failure is not None
    assert failure.code is grpc.StatusCode.INVALID_ARGUMENT
    assert failure.reason != Wrong.INTERNAL


async def test_a_game_of_a_campaign_that_cannot_be_is_refused_naming_the_field(
    trouble: Trouble,
) -> None:
    campaign = await trouble.ada.create_campaign()
    await trouble.ben.campaign(campaign.name).join((await campaign.get()).invite)
    seat = table_pb2.Seat()
    for wished, reason in (
        (table_pb2.Table(seats=[seat]), Wrong.ARGUMENT_INVALID),
        (table_pb2.Table(seats=[seat] * 5), Reason.BAD_SEAT_COUNT),
        (table_pb2.Table(ruleset="tale-of-carrot"), Wrong.ARGUMENT_INVALID),
    ):
        request = start_request(campaign)
        request.table.CopyFrom(wished)
        failure = await trouble.call(f"{CAMPAIGNS}/StartCampaignGame", request)
        assert failure is not None
        assert failure.reason == reason
    assert not (await campaign.get()).games


@pytest.mark.parametrize("letter", ["x", "\u00fc", "\U0001f955"])
@pytest.mark.parametrize("wanted", ["mission", "evolutions", "none that there is"])
async def test_what_is_wrong_at_great_length_is_refused_in_brief(
    letter: str, wanted: str, trouble: Trouble
) -> None:
    """What was sent is repeated, and a refusal travels where there is room for little."""
    long = letter * (60_000 // len(letter.encode()))
    table = table_pb2.Table(ruleset="rabbit-space", seats=[table_pb2.Seat()])
    match wanted:
        case "evolutions":
            table.options.update({wanted: [long]})
        case "mission":
            table.options.update({wanted: long})
        case _:
            table.options.update({long: True})
    failure = await trouble.call("CreateTable", create_request(table))
    assert failure is not None
    assert failure.reason == Reason.BAD_OPTIONS
    assert failure.sentence.startswith("The options do not fit Rabbit Space")
    assert failure.sentence.endswith("\u2026")


async def test_a_display_name_that_is_too_long_is_refused(trouble: Trouble) -> None:
    request = player_service_pb2.CreateGuestRequest(display_name="x" * 41)
    failure = await trouble.call("/hutch.v1.PlayerService/CreateGuest", request)
    assert failure is not None
    assert failure.reason == Wrong.ARGUMENT_INVALID
