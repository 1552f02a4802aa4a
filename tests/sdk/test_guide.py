"""The guide for writers of clients names what there is, and whoever does as it says plays."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

import grpc
from google.protobuf.descriptor import FileDescriptor
from google.rpc import error_details_pb2, status_pb2

from hutch.v1 import (
    campaign_service_pb2,
    catalog_service_pb2,
    catalog_service_pb2_grpc,
    player_service_pb2,
    player_service_pb2_grpc,
    table_pb2,
    table_service_pb2_grpc,
)
from hutch.v1 import table_service_pb2 as pb
from hutch.wire.errors import CATALOGUE
from tests.stacks import RunningStack

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/writing-a-client.md").read_text()
NAMED = set(re.findall(r"`([^`\n]+)`", GUIDE))
FILES: tuple[FileDescriptor, ...] = (
    campaign_service_pb2.DESCRIPTOR,
    catalog_service_pb2.DESCRIPTOR,
    player_service_pb2.DESCRIPTOR,
    table_pb2.DESCRIPTOR,
    pb.DESCRIPTOR,
)
MESSAGES = [message for file in FILES for message in file.message_types_by_name.values()]
Metadata = tuple[tuple[str, str], ...]
#: What is no name of the API: metadata that travels beside messages, and an address.
BESIDE = {
    "127.0.0.1:50551",
    "authorization: Bearer {token}",
    "grpc-status-details-bin",
    "hutch up",
    "retry_after_ms",
    "tables/{table}",
    "{table.name}/seats/0",
}


def methods() -> set[str]:
    """Every RPC, alone and behind the name of its service."""
    found = [
        (service.name, method.name)
        for file in FILES
        for service in file.services_by_name.values()
        for method in service.methods
    ]
    return {name for _, name in found} | {f"{service}.{name}" for service, name in found}


def known(name: str) -> bool:
    """Whether there is anything of that name."""
    if "/" in name or name.endswith(".proto"):
        google = {file.name for file in (status_pb2.DESCRIPTOR, error_details_pb2.DESCRIPTOR)}
        return any(file.endswith(name) for file in google) or any(
            (folder / name).exists() for folder in (ROOT, ROOT / "protos")
        )
    return (
        name in methods()
        or name in CATALOGUE
        or name in error_details_pb2.DESCRIPTOR.message_types_by_name
        or name in error_details_pb2.ErrorInfo.DESCRIPTOR.fields_by_name
        or name == status_pb2.Status.DESCRIPTOR.full_name
        or (ROOT / "protos/hutch" / name).is_dir()
        or any(name == message.name or name in message.fields_by_name for message in MESSAGES)
    )


def test_everything_that_the_guide_names_is_there() -> None:
    assert sorted(name for name in NAMED - BESIDE if not known(name)) == []


def test_the_guide_speaks_of_every_update_and_every_message_of_the_stream() -> None:
    updates = pb.WatchTableResponse.DESCRIPTOR.oneofs_by_name["update"].fields
    rows = re.findall(r"^\| `(\w+)` \|", GUIDE, re.MULTILINE)
    assert sorted(rows) == sorted(field.name for field in updates)
    for stream in (pb.PlayRequest, pb.PlayResponse):
        for oneof in stream.DESCRIPTOR.oneofs:
            assert {field.name for field in oneof.fields} <= NAMED


async def guest(channel: grpc.aio.Channel) -> Metadata:
    """As of "Get a token": what a new player sends along with each call."""
    players = player_service_pb2_grpc.PlayerServiceStub(channel)
    made = await players.CreateGuest(player_service_pb2.CreateGuestRequest())
    return (("authorization", f"Bearer {made.token}"),)


async def dealt(channel: grpc.aio.Channel, sent: Metadata, friend: Metadata) -> tuple[str, str]:
    """A game with bots and a friend who lets time run out, as of "Open a table": both seats."""
    catalog = catalog_service_pb2_grpc.CatalogServiceStub(channel)
    tables = table_service_pb2_grpc.TableServiceStub(channel)
    listed = await catalog.ListRulesets(catalog_service_pb2.ListRulesetsRequest(), metadata=sent)
    game = next(one for one in listed.rulesets if one.ruleset == "tale-of-carrot")
    wished = table_pb2.Table(ruleset=game.ruleset, seats=[table_pb2.Seat()] * game.min_seats)
    wished.limits["*"].FromSeconds(1)
    wished.absence.after_timeouts = 1
    table = await tables.CreateTable(
        pb.CreateTableRequest(table=wished, request_id=str(uuid.uuid4())), metadata=sent
    )
    seats = [f"{table.name}/seats/{number}" for number in range(game.min_seats)]
    await tables.ClaimSeat(pb.ClaimSeatRequest(name=seats[0]), metadata=sent)
    await tables.ClaimSeat(pb.ClaimSeatRequest(name=seats[1]), metadata=friend)
    for seat in seats[2:]:
        await tables.AssignBot(pb.AssignBotRequest(name=seat, bot=game.bots[0]), metadata=sent)
    await tables.StartTable(pb.StartTableRequest(name=table.name), metadata=sent)
    return seats[0], seats[1]


async def test_whoever_does_as_the_guide_says_plays_a_game_to_its_end(
    stack: RunningStack,
) -> None:
    async with grpc.aio.insecure_channel(stack.gateway) as channel:
        sent, friend = await guest(channel), await guest(channel)
        own, other = await dealt(channel, sent, friend)
        tables = table_service_pb2_grpc.TableServiceStub(channel)
        stream = tables.Play(metadata=sent)
        await stream.write(pb.PlayRequest(watch=pb.WatchTableRequest(name=own)))
        revision = told = epoch = 0
        outstanding: dict[str, int] = {}
        answered: set[int] = set()
        over = by_a_table_alone = False
        while not over:
            answer = await stream.read()
            assert isinstance(answer, pb.PlayResponse), "the stream ended before the game"
            prompts: list[table_pb2.Prompt] = []
            match answer.WhichOneof("response"), answer.update.WhichOneof("update"):
                case "update", "snapshot":
                    view = answer.update.snapshot
                    revision, epoch = view.revision, view.epoch
                    told = revision
                    prompts = list(view.prompts.prompts)
                case "update", "table":
                    table = answer.update.table
                    told = max(told, table.revision)
                    if table.seats[1].absence and not by_a_table_alone:  # the friend comes back
                        await tables.ClaimSeat(pb.ClaimSeatRequest(name=other), metadata=friend)
                case "update", "batch" if answer.update.batch.revision > revision:
                    assert answer.update.batch.revision <= told + 1, "one is missing"
                    by_a_table_alone |= answer.update.batch.revision > revision + 1
                    told = revision = answer.update.batch.revision
                    prompts = list(answer.update.batch.prompts.prompts)
                    over = answer.update.batch.HasField("result")
                case "submitted", _:
                    answered.add(outstanding.pop(answer.request_id))
                case "refusal", _:
                    assert answer.refusal.reason == "PROMPT_CLOSED", answer.refusal
                    del outstanding[answer.request_id]
            for prompt in prompts:
                if prompt.offered or prompt.prompt_id in (*answered, *outstanding.values()):
                    continue
                request_id = str(uuid.uuid4())
                outstanding[request_id] = prompt.prompt_id
                action = table_pb2.Action(prompt_id=prompt.prompt_id, picks=prompt.default_picks)
                submit = pb.SubmitActionRequest(
                    seat=own, action=action, request_id=request_id, epoch=epoch
                )
                await stream.write(pb.PlayRequest(submit=submit))
        stream.cancel()
        assert answered
        assert by_a_table_alone
