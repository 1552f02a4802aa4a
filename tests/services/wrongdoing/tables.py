"""Tables that cannot be opened, found, joined, started or looked into."""

from __future__ import annotations

import uuid

from hutch.engine.refusals import Reason
from hutch.v1 import table_pb2
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import Wrong
from tests.services.failures import Failure
from tests.services.wrongdoing.trouble import Trouble, provokes


@provokes(Wrong.NAME_INVALID)
async def no_name(trouble: Trouble) -> Failure | None:
    return await trouble.call("GetTable", service_pb.GetTableRequest(name="table 7"))


@provokes(Wrong.ARGUMENT_INVALID)
async def no_such_clock(trouble: Trouble) -> Failure | None:
    wanted = table_pb2.Table(ruleset="rabbit-space", seats=[table_pb2.Seat()])
    wanted.limits["chess"].FromSeconds(10)
    return await trouble.call("CreateTable", create_request(wanted))


@provokes(Reason.BAD_OPTIONS)
async def no_such_option(trouble: Trouble) -> Failure | None:
    wanted = table_pb2.Table(ruleset="rabbit-space", seats=[table_pb2.Seat()])
    wanted.options["competitve"] = True
    return await trouble.call("CreateTable", create_request(wanted))


@provokes(Reason.BAD_SEAT_COUNT)
async def too_many_seats(trouble: Trouble) -> Failure | None:
    wanted = table_pb2.Table(ruleset="rabbit-space", seats=[table_pb2.Seat()] * 9)
    return await trouble.call("CreateTable", create_request(wanted))


@provokes(Wrong.PAGE_TOKEN_INVALID)
async def made_up_page(trouble: Trouble) -> Failure | None:
    return await trouble.call("ListTables", service_pb.ListTablesRequest(page_token="page two"))


@provokes(Wrong.RULESET_UNKNOWN)
async def unknown_game(trouble: Trouble) -> Failure | None:
    wanted = table_pb2.Table(ruleset="chess", seats=[table_pb2.Seat()] * 2)
    return await trouble.call("CreateTable", create_request(wanted))


@provokes(Wrong.BOT_UNKNOWN)
async def unknown_bot(trouble: Trouble) -> Failure | None:
    gathering = await trouble.ada.create_table("rabbit-space", seats=2)
    request = service_pb.AssignBotRequest(name=f"{gathering.name}/seats/1", bot="oracle")
    return await trouble.call("AssignBot", request)


@provokes(Wrong.TABLE_NOT_FOUND)
async def unknown_table(trouble: Trouble) -> Failure | None:
    return await trouble.call(
        "GetTable", service_pb.GetTableRequest(name="tables/0123456789abcdef")
    )


@provokes(Wrong.SEAT_NOT_FOUND)
async def unknown_seat(trouble: Trouble) -> Failure | None:
    request = service_pb.GetViewRequest(name=f"{trouble.table.name}/seats/7")
    return await trouble.call("GetView", request)


@provokes(Wrong.SEAT_TAKEN)
async def taken_seat(trouble: Trouble) -> Failure | None:
    gathering = await trouble.ada.create_table("rabbit-space", seats=2)
    await gathering.claim(0)
    request = service_pb.ClaimSeatRequest(name=f"{gathering.name}/seats/0")
    return await trouble.call("ClaimSeat", request, token=trouble.ben.token)


@provokes(Wrong.SEAT_FORFEITED)
async def forfeited_seat(trouble: Trouble) -> Failure | None:
    table = await trouble.ada.create_table("rabbit-space", seats=2, absence="forfeited")
    seat = await table.claim(0)
    await table.assign_bot(1, "random")
    await table.start()
    await seat.leave()
    return await trouble.call("ClaimSeat", service_pb.ClaimSeatRequest(name=seat.name))


@provokes(Wrong.PEOPLE_ONLY)
async def bot_among_people(trouble: Trouble) -> Failure | None:
    gathering = await trouble.ada.create_table("rabbit-space", seats=2, people_only=True)
    request = service_pb.AssignBotRequest(name=f"{gathering.name}/seats/1", bot="greedy")
    return await trouble.call("AssignBot", request)


@provokes(Wrong.SEATS_EMPTY)
async def start_too_early(trouble: Trouble) -> Failure | None:
    gathering = await trouble.ada.create_table("rabbit-space", seats=2)
    return await trouble.call("StartTable", service_pb.StartTableRequest(name=gathering.name))


@provokes(Wrong.TABLE_NOT_GATHERING)
async def claim_too_late(trouble: Trouble) -> Failure | None:
    request = service_pb.ClaimSeatRequest(name=f"{trouble.table.name}/seats/1")  # Ben's
    return await trouble.call("ClaimSeat", request)


@provokes(Wrong.GAME_NOT_OVER)
async def look_into_the_deck(trouble: Trouble) -> Failure | None:
    request = service_pb.GetRecordingRequest(name=trouble.table.name)
    return await trouble.call("GetRecording", request)


def create_request(wanted: table_pb2.Table) -> service_pb.CreateTableRequest:
    return service_pb.CreateTableRequest(table=wanted, request_id=str(uuid.uuid4()))
