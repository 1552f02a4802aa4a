"""Messages gone wrong: valid ones of every RPC, broken in every way that bytes can be."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable
from random import Random

from google.protobuf.message import Message
from google.protobuf.struct_pb2 import ListValue, Struct, Value

from hutch.v1 import campaign_service_pb2 as campaign_pb
from hutch.v1 import catalog_service_pb2 as catalog_pb
from hutch.v1 import player_service_pb2 as player_pb
from hutch.v1 import table_pb2
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.framing import field, number_field, varint

#: Far beyond what protobuf follows.
DEPTH = 10_000
#: What a single RPC may be sent, and a little more.
BIG_BYTES = 70_000


def valid_requests(table: str, campaign: str = "campaigns/0123456789abcdef") -> dict[str, Message]:
    """A request to each unary RPC that would do no harm, by `Service/Method`."""
    seat = f"{table}/seats/1"
    options = Struct()
    options.update({"competitive": True, "nested": {"a": [1, 2.5, None, "x"]}})
    wanted = table_pb2.Table(ruleset="rabbit-space", seats=[table_pb2.Seat()] * 2, options=options)
    wanted.limits["phase"].FromMilliseconds(60_000)
    action = table_pb2.Action(
        prompt_id=3, picks=[table_pb2.Pick(option_id="pass", count=1), table_pb2.Pick(count=2)]
    )
    fresh = str(uuid.UUID(int=7))
    return {
        "CampaignService/CreateCampaign": campaign_pb.CreateCampaignRequest(
            display_name="Carrots to Mars", request_id=fresh
        ),
        "CampaignService/GetCampaign": campaign_pb.GetCampaignRequest(name=campaign),
        "CampaignService/ListCampaigns": campaign_pb.ListCampaignsRequest(),
        "CampaignService/JoinCampaign": campaign_pb.JoinCampaignRequest(
            name=campaign, invite="0123456789abcdef"
        ),
        "CampaignService/LeaveCampaign": campaign_pb.LeaveCampaignRequest(name=campaign),
        "CampaignService/VoteMission": campaign_pb.VoteMissionRequest(
            name=campaign, mission="moon"
        ),
        "CampaignService/StartCampaignGame": campaign_pb.StartCampaignGameRequest(
            name=campaign, table=wanted, request_id=fresh
        ),
        "CampaignService/AbandonCampaignGame": campaign_pb.AbandonCampaignGameRequest(
            name=campaign, table=table
        ),
        "CampaignService/CheckBoxes": campaign_pb.CheckBoxesRequest(
            name=campaign, boxes=["N1", "Moon"], request_id=fresh
        ),
        "CatalogService/ListRulesets": catalog_pb.ListRulesetsRequest(),
        "CatalogService/ListCards": catalog_pb.ListCardsRequest(ruleset="rabbit-space"),
        "PlayerService/CreateGuest": player_pb.CreateGuestRequest(display_name="Ada Lovelace"),
        "PlayerService/RenewToken": player_pb.RenewTokenRequest(),
        "TableService/CreateTable": service_pb.CreateTableRequest(table=wanted, request_id=fresh),
        "TableService/GetTable": service_pb.GetTableRequest(name=table),
        "TableService/ListTables": service_pb.ListTablesRequest(page_size=3, page_token="1-abc"),
        "TableService/ClaimSeat": service_pb.ClaimSeatRequest(name=seat, salt=b"salt"),
        "TableService/AssignBot": service_pb.AssignBotRequest(name=seat, bot="greedy"),
        "TableService/StartTable": service_pb.StartTableRequest(name=table),
        "TableService/AbandonTable": service_pb.AbandonTableRequest(name=table),
        "TableService/LeaveTable": service_pb.LeaveTableRequest(name=seat),
        "TableService/GetView": service_pb.GetViewRequest(name=seat),
        "TableService/SubmitAction": service_pb.SubmitActionRequest(
            seat=seat, action=action, request_id=fresh, expected_revision=1
        ),
        "TableService/UndoAction": service_pb.UndoActionRequest(seat=seat, request_id=fresh),
        "TableService/ListDeadlines": service_pb.ListDeadlinesRequest(name=table),
        "TableService/GetReplay": service_pb.GetReplayRequest(name=seat, page_size=9),
        "TableService/GetRecording": service_pb.GetRecordingRequest(name=table, page_size=9),
    }


def mutated(data: bytes, rng: Random) -> tuple[str, bytes]:
    """Those bytes, broken; and how."""
    name = rng.choice(list(MUTATIONS))
    return name, MUTATIONS[name](data, rng)


def _random(data: bytes, rng: Random) -> bytes:
    return rng.randbytes(rng.randrange(1, 200))


def _flipped(data: bytes, rng: Random) -> bytes:
    broken = bytearray(data or b"\0")
    for _ in range(rng.randrange(1, 9)):
        broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
    return bytes(broken)


def _truncated(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data) or 1)]


def _trailing(data: bytes, rng: Random) -> bytes:
    return data + rng.randbytes(rng.randrange(1, 40))


def _wrong_wire_type(data: bytes, rng: Random) -> bytes:
    """A field that exists, as a number, a double, a group or something that is none of these."""
    kind = rng.choice((0, 1, 3, 4, 5, 6, 7))
    return data + varint(rng.randrange(1, 8) << 3 | kind) + rng.randbytes(rng.randrange(12))


def _deep(data: bytes, rng: Random) -> bytes:
    """Messages in messages, deeper than anybody follows."""
    nested = b""
    for _ in range(rng.choice((90, 101, 1000, DEPTH))):
        nested = field(rng.choice((1, 2)), nested)
        if len(nested) > BIG_BYTES:
            break
    return data + nested


def _deep_options(data: bytes, rng: Random) -> bytes:
    """Options in options, as deep as protobuf just follows."""
    value = Value(number_value=1)
    for _ in range(rng.randrange(10, 49)):
        value = Value(list_value=ListValue(values=[value]))
    return service_pb.CreateTableRequest(
        table=table_pb2.Table(
            ruleset="rabbit-space",
            seats=[table_pb2.Seat()] * 2,
            options=Struct(fields={"competitive": value}),
        ),
        request_id=str(uuid.UUID(int=rng.getrandbits(128))),
    ).SerializeToString()


def _strange_numbers(data: bytes, rng: Random) -> bytes:
    """Options that are no numbers, or too large for one; limits and sizes beyond all bounds."""
    number = rng.choice((float("nan"), float("inf"), -float("inf"), 1e300, -(2.0**63), 0.1))
    wanted = table_pb2.Table(ruleset="rabbit-space", seats=[table_pb2.Seat()] * 2)
    wanted.options.fields[rng.choice(("competitive", "", "x"))].number_value = number
    if rng.random() < 0.5:
        wanted.limits["phase"].seconds = rng.choice((2**63 - 1, -(2**63), 10**12))
        wanted.limits["phase"].nanos = rng.choice((2**31 - 1, -(2**31), 5))
    return service_pb.CreateTableRequest(
        table=wanted, request_id=str(uuid.UUID(int=rng.getrandbits(128)))
    ).SerializeToString()


def _huge_number(data: bytes, rng: Random) -> bytes:
    number = rng.choice((2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1))
    return data + number_field(rng.randrange(1, 8), number)


def _endless_varint(data: bytes, rng: Random) -> bytes:
    return data + b"\xff" * rng.randrange(10, 20)


def _huge_repeated(data: bytes, rng: Random) -> bytes:
    """The same field again and again, up to the largest message and beyond."""
    piece = field(rng.randrange(1, 8), rng.randbytes(rng.choice((0, 1, 2))))
    return data + piece * (rng.choice((60_000, BIG_BYTES)) // len(piece))


def _bad_text(data: bytes, rng: Random) -> bytes:
    """Text that is no UTF-8, or that looks odd."""
    text = rng.choice(
        (b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\0", b"../../etc", b"tables/\xe2\x80\xae")
    )
    return data + field(rng.randrange(1, 4), text)


def _wrong_length(data: bytes, rng: Random) -> bytes:
    """A field that claims to be longer than what follows."""
    return data + varint(rng.randrange(1, 8) << 3 | 2) + varint(rng.choice((5, 2**31, 2**63)))


MUTATIONS: dict[str, Callable[[bytes, Random], bytes]] = {
    "random": _random,
    "flipped": _flipped,
    "truncated": _truncated,
    "trailing": _trailing,
    "wrong wire type": _wrong_wire_type,
    "deep": _deep,
    "deep options": _deep_options,
    "strange numbers": _strange_numbers,
    "huge number": _huge_number,
    "endless varint": _endless_varint,
    "huge repeated": _huge_repeated,
    "bad text": _bad_text,
    "wrong length": _wrong_length,
    "double": lambda data, rng: struct.pack(">d", rng.random()) + data,
}
