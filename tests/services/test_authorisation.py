"""Who may call what: every RPC, for every kind of caller, at every kind of table.

The RPCs come from the descriptors, so a new one without a row fails here.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha import reflection_pb2 as reflection_pb
from grpc_reflection.v1alpha import reflection_pb2_grpc as reflection_grpc
from joserfc.jwk import OKPKey

import hutch.v1
from hutch.callers.caller import Scope
from hutch.callers.keys import load_keys
from hutch.callers.tokens import Tokens
from hutch.v1 import table_pb2
from hutch.v1 import table_service_pb2 as service_pb
from tests.services.failures import failure_of
from tests.stacks import RunningStack

#: Callers that nobody knows, and what they are told wherever a token is needed.
STRANGERS = {
    "none": "TOKEN_MISSING",
    "garbage": "TOKEN_INVALID",
    "expired": "TOKEN_EXPIRED",
    "wrong-key": "TOKEN_INVALID",
    "wrong-audience": "TOKEN_INVALID",
    "alg-none": "TOKEN_INVALID",
}
#: `host` opened the table and sits on seat 0, `seated` sits on seat 1; seat 2 is free before the
#: deal, a bot's after it. The others sit nowhere. Calls about a seat are about seat 1, where
#: nothing else is said. `other` and `others` have tokens for players; `no-scope` for nothing.
KNOWN = ("no-scope", "spectator", "other", "seated", "host", "bot", "operator")
TABLES = ("gathering", "own", "others", "finished", "missing")
#: Tables like `own` whose seat 1 was left, under each policy, by `seated`; and what is for a seat
#: alone.
LEFT = {
    "away": table_pb2.ABSENCE_AWAY,
    "left": table_pb2.ABSENCE_BOT,
    "forfeited": table_pb2.ABSENCE_FORFEITED,
}
OF_SEATS = [
    "ClaimSeat",
    "LeaveTable",
    "GetView",
    "SubmitAction",
    "UndoAction",
    "WatchTable",
    "Play",
    "GetReplay",
]

#: No token is needed.
OPEN = {"CatalogService.ListRulesets", "CatalogService.ListCards", "PlayerService.CreateGuest"}

MATRIX = """
rpc                          table      no-scope      spectator           other               seated              host                bot                 operator
CatalogService.ListRulesets  -          ok            ok                  ok                  ok                  ok                  ok                  ok
CatalogService.ListCards     -          ok            ok                  ok                  ok                  ok                  ok                  ok
PlayerService.CreateGuest    -          ok            ok                  ok                  ok                  ok                  ok                  ok
PlayerService.RenewToken     -          SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.CreateTable     -          SCOPE_MISSING SCOPE_MISSING       ok                  ok                  ok                  ok                  SCOPE_MISSING
TableService.ListTables      -          SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetTable        gathering  SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetTable        own        SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetTable        others     SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetTable        finished   SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetTable        missing    SCOPE_MISSING TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND
TableService.ClaimSeat       gathering  SCOPE_MISSING SCOPE_MISSING       SEAT_TAKEN          ok                  SEAT_TAKEN          SEAT_TAKEN          SCOPE_MISSING
TableService.ClaimSeat       own        SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_GATHERING ok                  TABLE_NOT_GATHERING TABLE_NOT_GATHERING SCOPE_MISSING
TableService.ClaimSeat       others     SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_GATHERING TABLE_NOT_GATHERING TABLE_NOT_GATHERING TABLE_NOT_GATHERING SCOPE_MISSING
TableService.ClaimSeat       away       SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_GATHERING ok                  TABLE_NOT_GATHERING TABLE_NOT_GATHERING SCOPE_MISSING
TableService.ClaimSeat       left       SCOPE_MISSING SCOPE_MISSING       ok                  ok                  NOT_YOUR_SEAT       ok                  SCOPE_MISSING
TableService.ClaimSeat       forfeited  SCOPE_MISSING SCOPE_MISSING       SEAT_FORFEITED      SEAT_FORFEITED      SEAT_FORFEITED      SEAT_FORFEITED      SCOPE_MISSING
TableService.ClaimSeat       finished   SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_GATHERING TABLE_NOT_GATHERING TABLE_NOT_GATHERING TABLE_NOT_GATHERING SCOPE_MISSING
TableService.ClaimSeat       missing    SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     SCOPE_MISSING
TableService.AssignBot       gathering  SCOPE_MISSING SCOPE_MISSING       NOT_HOST            NOT_HOST            SEAT_TAKEN          NOT_HOST            SCOPE_MISSING
TableService.AssignBot       own        SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_GATHERING TABLE_NOT_GATHERING TABLE_NOT_GATHERING TABLE_NOT_GATHERING SCOPE_MISSING
TableService.AssignBot       others     SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_GATHERING TABLE_NOT_GATHERING TABLE_NOT_GATHERING TABLE_NOT_GATHERING SCOPE_MISSING
TableService.AssignBot       finished   SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_GATHERING TABLE_NOT_GATHERING TABLE_NOT_GATHERING TABLE_NOT_GATHERING SCOPE_MISSING
TableService.AssignBot       missing    SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     SCOPE_MISSING
TableService.StartTable      gathering  SCOPE_MISSING SCOPE_MISSING       NOT_HOST            NOT_HOST            SEATS_EMPTY         NOT_HOST            SCOPE_MISSING
TableService.StartTable      own        SCOPE_MISSING SCOPE_MISSING       NOT_HOST            NOT_HOST            ok                  NOT_HOST            SCOPE_MISSING
TableService.StartTable      others     SCOPE_MISSING SCOPE_MISSING       NOT_HOST            NOT_HOST            NOT_HOST            NOT_HOST            SCOPE_MISSING
TableService.StartTable      finished   SCOPE_MISSING SCOPE_MISSING       NOT_HOST            NOT_HOST            ok                  NOT_HOST            SCOPE_MISSING
TableService.StartTable      missing    SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     SCOPE_MISSING
TableService.AbandonTable    gathering  SCOPE_MISSING SCOPE_MISSING       NOT_HOST            NOT_HOST            ok                  NOT_HOST            SCOPE_MISSING
TableService.AbandonTable    own        SCOPE_MISSING SCOPE_MISSING       NOT_HOST            NOT_HOST            TABLE_NOT_GATHERING NOT_HOST            SCOPE_MISSING
TableService.AbandonTable    others     SCOPE_MISSING SCOPE_MISSING       NOT_HOST            NOT_HOST            NOT_HOST            NOT_HOST            SCOPE_MISSING
TableService.AbandonTable    finished   SCOPE_MISSING SCOPE_MISSING       NOT_HOST            NOT_HOST            TABLE_NOT_GATHERING NOT_HOST            SCOPE_MISSING
TableService.AbandonTable    missing    SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     SCOPE_MISSING
TableService.LeaveTable      gathering  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       ok
TableService.LeaveTable      own        SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       ok
TableService.LeaveTable      others     SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       ok
TableService.LeaveTable      away       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       ok
TableService.LeaveTable      left       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       ok
TableService.LeaveTable      forfeited  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       ok
TableService.LeaveTable      finished   SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       TABLE_NOT_GATHERING NOT_YOUR_SEAT       NOT_YOUR_SEAT       TABLE_NOT_GATHERING
TableService.LeaveTable      missing    SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND
TableService.GetView         gathering  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.GetView         own        SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.GetView         others     SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.GetView         away       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.GetView         left       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.GetView         forfeited  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.GetView         finished   SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.GetView         missing    SCOPE_MISSING TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND
TableService.GetView/public  gathering  SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetView/public  own        SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetView/public  others     SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetView/public  finished   SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetView/public  missing    SCOPE_MISSING TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND
TableService.SubmitAction    gathering  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       TABLE_NOT_PLAYING   NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.SubmitAction    own        SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       PROMPT_CLOSED       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.SubmitAction    others     SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.SubmitAction    away       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       PROMPT_CLOSED       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.SubmitAction    left       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.SubmitAction    forfeited  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.SubmitAction    finished   SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       TABLE_NOT_PLAYING   NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.SubmitAction    missing    SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     SCOPE_MISSING
TableService.UndoAction      gathering  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       TABLE_NOT_PLAYING   NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.UndoAction      own        SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_UNDOABLE        NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.UndoAction      others     SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.UndoAction      away       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_UNDOABLE        NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.UndoAction      left       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.UndoAction      forfeited  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.UndoAction      finished   SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       TABLE_NOT_PLAYING   NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.UndoAction      missing    SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     SCOPE_MISSING
TableService.WatchTable      gathering  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.WatchTable      own        SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.WatchTable      others     SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.WatchTable      away       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.WatchTable      left       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.WatchTable      forfeited  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.WatchTable      finished   SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.WatchTable      missing    SCOPE_MISSING TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND
TableService.WatchTable/public gathering SCOPE_MISSING ok                 ok                  ok                  ok                  ok                  ok
TableService.WatchTable/public own      SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.WatchTable/public others   SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.WatchTable/public finished SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.WatchTable/public missing  SCOPE_MISSING TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND
TableService.Play/watch      own        SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.Play/watch      others     SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.Play/watch      away       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.Play/watch      left       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.Play/watch      forfeited  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.Play/watch      finished   SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.Play/watch      missing    SCOPE_MISSING TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND
TableService.Play/public     own        SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.Play/public     others     SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.Play/submit     gathering  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       TABLE_NOT_PLAYING   NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.Play/submit     own        SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       PROMPT_CLOSED       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.Play/submit     others     SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.Play/submit     away       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       PROMPT_CLOSED       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.Play/submit     left       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.Play/submit     forfeited  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.Play/submit     finished   SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       TABLE_NOT_PLAYING   NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.Play/submit     missing    SCOPE_MISSING SCOPE_MISSING       TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     SCOPE_MISSING
TableService.ListDeadlines   gathering  SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.ListDeadlines   own        SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.ListDeadlines   others     SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.ListDeadlines   finished   SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.ListDeadlines   missing    SCOPE_MISSING TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND
TableService.GetReplay       gathering  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.GetReplay       own        SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.GetReplay       others     SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.GetReplay       away       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       ok                  NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.GetReplay       left       SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.GetReplay       forfeited  SCOPE_MISSING SCOPE_MISSING       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       NOT_YOUR_SEAT       SCOPE_MISSING
TableService.GetReplay       finished   SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetReplay       missing    SCOPE_MISSING TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND
TableService.GetReplay/public gathering SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetReplay/public own       SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetReplay/public others    SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetRecording    gathering  SCOPE_MISSING GAME_NOT_OVER       GAME_NOT_OVER       GAME_NOT_OVER       GAME_NOT_OVER       GAME_NOT_OVER       GAME_NOT_OVER
TableService.GetRecording    own        SCOPE_MISSING GAME_NOT_OVER       GAME_NOT_OVER       GAME_NOT_OVER       GAME_NOT_OVER       GAME_NOT_OVER       GAME_NOT_OVER
TableService.GetRecording    others     SCOPE_MISSING GAME_NOT_OVER       GAME_NOT_OVER       GAME_NOT_OVER       GAME_NOT_OVER       GAME_NOT_OVER       GAME_NOT_OVER
TableService.GetRecording    finished   SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
TableService.GetRecording    missing    SCOPE_MISSING TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND     TABLE_NOT_FOUND
CampaignService.CreateCampaign -          SCOPE_MISSING SCOPE_MISSING       ok                  ok                  ok                  ok                  SCOPE_MISSING
CampaignService.ListCampaigns -          SCOPE_MISSING ok                  ok                  ok                  ok                  ok                  ok
CampaignService.GetCampaign  -          SCOPE_MISSING CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND
CampaignService.LeaveCampaign -          SCOPE_MISSING SCOPE_MISSING       CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND
CampaignService.JoinCampaign -          SCOPE_MISSING SCOPE_MISSING       CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  SCOPE_MISSING
CampaignService.VoteMission  -          SCOPE_MISSING SCOPE_MISSING       CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  SCOPE_MISSING
CampaignService.StartCampaignGame -          SCOPE_MISSING SCOPE_MISSING       CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  SCOPE_MISSING
CampaignService.AbandonCampaignGame -          SCOPE_MISSING SCOPE_MISSING       CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  SCOPE_MISSING
CampaignService.CheckBoxes   -          SCOPE_MISSING SCOPE_MISSING       CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  CAMPAIGN_NOT_FOUND  SCOPE_MISSING
"""  # noqa: E501


class Row:
    """A line of the matrix: an RPC at a kind of table, and what each caller is told."""

    def __init__(self, line: str) -> None:
        what, self.table, *cells = line.split()
        self.rpc, _, self.variant = what.partition("/")
        self.expected = dict(zip(KNOWN, cells, strict=True))
        self.name = f"{what}-{self.table}"


ROWS = [Row(line) for line in MATRIX.strip().splitlines()[1:]]


def services() -> Iterator[MethodDescriptor]:
    """Every RPC of every public service."""
    for module in pkgutil.iter_modules(hutch.v1.__path__):
        if module.name.endswith("_pb2"):
            descriptor = importlib.import_module(f"hutch.v1.{module.name}").DESCRIPTOR
            for service in descriptor.services_by_name.values():
                yield from service.methods


RPCS = {f"{method.containing_service.name}.{method.name}": method for method in services()}


def request_of(row: Row, table: str) -> Message:
    """A request that is right but for who sends it."""
    method = RPCS[row.rpc]
    request: Message = GetMessageClass(method.input_type)()
    seat = f"{table}/seats/1"
    fresh = str(uuid.uuid4())
    match request:
        case service_pb.CreateTableRequest():
            wanted = table_pb2.Table(ruleset="rabbit-space", seats=[table_pb2.Seat()] * 2)
            return service_pb.CreateTableRequest(table=wanted, request_id=fresh)
        case service_pb.PlayRequest():
            if row.variant == "submit":
                return service_pb.PlayRequest(submit=_submit(seat))
            name = table if row.variant == "public" else seat
            return service_pb.PlayRequest(watch=service_pb.WatchTableRequest(name=name))
        case service_pb.SubmitActionRequest():
            return _submit(seat)
        case service_pb.UndoActionRequest():
            return service_pb.UndoActionRequest(seat=seat, request_id=fresh)
    if "ruleset" in method.input_type.fields_by_name and row.rpc.endswith("ListCards"):
        request.ruleset = "rabbit-space"  # type: ignore[attr-defined]
    if "bot" in method.input_type.fields_by_name:
        request.bot = "greedy"  # type: ignore[attr-defined]
    if "request_id" in method.input_type.fields_by_name:
        request.request_id = fresh  # type: ignore[attr-defined]
    if method.containing_service.name == "CampaignService":
        if "name" in method.input_type.fields_by_name:
            request.name = NO_CAMPAIGN  # type: ignore[attr-defined]
        if method.name == "AbandonCampaignGame":
            request.table = f"tables/{0:020x}"  # type: ignore[attr-defined]
        return request
    if "name" in method.input_type.fields_by_name:
        whole = row.variant == "public" or method.name in WHOLE_TABLE
        request.name = table if whole else seat  # type: ignore[attr-defined]
    return request


#: RPCs that take a table's name rather than a seat's.
WHOLE_TABLE = {"GetTable", "StartTable", "AbandonTable", "ListDeadlines", "GetRecording"}
#: No campaign has this name; what its players may do is shown in test_campaigns.py.
NO_CAMPAIGN = f"campaigns/{0:020x}"
#: RPCs that may change the table when they are let through: each call gets a table of its own.
CHANGES = {"ClaimSeat", "AssignBot", "AbandonTable", "LeaveTable"}


def _submit(seat: str) -> service_pb.SubmitActionRequest:
    return service_pb.SubmitActionRequest(
        seat=seat,
        action=table_pb2.Action(prompt_id=999_999),
        request_id=str(uuid.uuid4()),
    )


class World:
    """Callers and tables of every kind."""

    _channel: grpc.aio.Channel

    def __init__(self, stack: RunningStack) -> None:
        self._gateway = stack.gateway
        path = Path(stack.data) / "keys.json"
        self._keys = load_keys(path)
        self.tokens = Tokens(self._keys, issuer="hutch", lifetime_seconds=3600)
        self.ids = {kind: uuid.uuid4().hex[:20] for kind in KNOWN}
        scopes = {
            "no-scope": [],
            "spectator": [Scope.SPECTATOR],
            "bot": [Scope.BOT],
            "operator": [Scope.OPERATOR],
        }
        issue = self.tokens.issue
        self.token = {
            kind: issue(self.ids[kind], kind, scopes.get(kind, [Scope.PLAYER]))[0] for kind in KNOWN
        }
        self.token |= self._strangers(path)
        self.tables: dict[str, str] = {"-": "", "missing": "tables/0123456789abcdef"}

    def _strangers(self, path: Path) -> dict[str, str]:
        """Tokens of the seated player, in all but what is wrong with them."""
        player = self.ids["seated"]
        kid = str(self._keys.signing.kid)
        other = load_keys(path.parent / f"other-{uuid.uuid4().hex}.json")
        forged = OKPKey.import_key({**other.signing.as_dict(private=True), "kid": kid})
        other.signing = forged
        ago = -int(time.time() // 2)
        old = Tokens(self._keys, issuer="hutch", lifetime_seconds=ago)
        forger = Tokens(other, issuer="hutch", lifetime_seconds=60)
        chess = Tokens(self._keys, issuer="hutch", lifetime_seconds=60, audience="chess")
        _, body, _ = self.token["seated"].split(".")
        head = json.dumps({"alg": "none", "kid": kid}).encode()
        return {
            "none": "",
            "garbage": "garbage",
            "expired": old.issue(player, "")[0],
            "wrong-key": forger.issue(player, "")[0],
            "wrong-audience": chess.issue(player, "")[0],
            "alg-none": f"{urlsafe_b64encode(head).rstrip(b'=').decode()}.{body}.",
        }

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Self]:
        """The world with a connection, for one test."""
        async with grpc.aio.insecure_channel(self._gateway) as self._channel:
            yield self

    async def table(self, row: Row) -> str:
        """The name of a table of that row's kind, a fresh one where it may be changed."""
        if RPCS[row.rpc].name in CHANGES and row.table in ("gathering", "own", "others", *LEFT):
            return await self._opened(row.table)
        if row.table not in self.tables:
            self.tables[row.table] = await self._opened(row.table)
        return self.tables[row.table]

    async def _opened(self, kind: str) -> str:
        host, seated = self.token["host"], self.token["seated"]
        if kind == "others":
            host, seated = (self.tokens.issue(uuid.uuid4().hex[:20], "")[0] for _ in range(2))
        wanted = table_pb2.Table(ruleset="rabbit-space", seats=[table_pb2.Seat()] * 3)
        wanted.absence.seat = LEFT.get(kind, table_pb2.ABSENCE_UNSPECIFIED)
        if kind == "finished":
            wanted.limits["phase"].FromMilliseconds(100)
        create = service_pb.CreateTableRequest(table=wanted, request_id=str(uuid.uuid4()))
        opened = table_pb2.Table.FromString(await self.call("CreateTable", create, host))
        for seat, token in enumerate((host, seated)):
            name = f"{opened.name}/seats/{seat}"
            await self.call("ClaimSeat", service_pb.ClaimSeatRequest(name=name), token)
        if kind == "gathering":
            return opened.name
        bot = service_pb.AssignBotRequest(name=f"{opened.name}/seats/2", bot="greedy")
        await self.call("AssignBot", bot, host)
        await self.call("StartTable", service_pb.StartTableRequest(name=opened.name), host)
        if kind in LEFT:
            name = f"{opened.name}/seats/1"
            await self.call("LeaveTable", service_pb.LeaveTableRequest(name=name), seated)
        if kind == "finished":
            watch = self._channel.unary_stream("/hutch.v1.TableService/WatchTable")
            request = service_pb.WatchTableRequest(name=opened.name).SerializeToString()
            async for _ in watch(request, metadata=_bearer(host), timeout=60):
                pass  # until the clock has played it to the end
        return opened.name

    async def call(self, method: str, request: Message, token: str) -> bytes:
        """The answer of a method of TableService. Raises `AioRpcError`."""
        call = self._channel.unary_unary(f"/hutch.v1.TableService/{method}")
        answer: bytes = await call(request.SerializeToString(), metadata=_bearer(token), timeout=60)
        return answer

    async def told(self, row: Row, caller: str) -> str:
        """What a caller of that kind is told: a reason, or `ok`."""
        method = RPCS[row.rpc]
        path = f"/{method.containing_service.full_name}/{method.name}"
        data = request_of(row, await self.table(row)).SerializeToString()
        metadata = _bearer(self.token[caller])
        try:
            if method.client_streaming:
                return await self._played(path, data, metadata)
            if method.server_streaming:
                watch = self._channel.unary_stream(path)(data, metadata=metadata, timeout=60)
                assert await watch.read()
                watch.cancel()
            else:
                await self._channel.unary_unary(path)(data, metadata=metadata, timeout=60)
        except grpc.aio.AioRpcError as error:
            return failure_of(error).reason
        return "ok"

    async def _played(self, path: str, data: bytes, metadata: tuple[tuple[str, str], ...]) -> str:
        while True:
            stream = self._channel.stream_stream(path)(metadata=metadata, timeout=60)
            try:
                await stream.write(data)
                answer = await stream.read()
                if isinstance(answer, bytes):
                    return service_pb.PlayResponse.FromString(answer).refusal.reason or "ok"
                await stream.wait_for_connection()
            except grpc.aio.AioRpcError as error:
                # Refused while it was writing, gRPC's client tells of its write alone.
                if error.details() != "Internal error from Core":
                    raise
            finally:
                stream.cancel()


def _bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),) if token else ()


@pytest.fixture(scope="module")
def callers_and_tables(stack: RunningStack) -> World:
    return World(stack)


@pytest.fixture
async def world(callers_and_tables: World) -> AsyncIterator[World]:
    async with callers_and_tables.connected() as world:
        yield world


@pytest.mark.parametrize("rpc", sorted(RPCS))
async def test_every_caller_is_told_what_the_matrix_says(rpc: str, world: World) -> None:
    found, wanted = {}, {}
    for row in ROWS:
        if row.rpc != rpc:
            continue
        for caller, reason in STRANGERS.items():
            wanted[row.name, caller] = "ok" if rpc in OPEN else reason
            found[row.name, caller] = await world.told(row, caller)
        for caller, reason in row.expected.items():
            wanted[row.name, caller] = reason
            found[row.name, caller] = await world.told(row, caller)
    wrong = {cell: told for cell, told in found.items() if told != wanted[cell]}
    assert not wrong, f"{rpc}: told, against what the matrix says"


def test_every_rpc_has_its_rows() -> None:
    assert {row.rpc for row in ROWS} == set(RPCS)
    for rpc in RPCS:
        tables = {row.table for row in ROWS if row.rpc == rpc}
        left = set(LEFT) if RPCS[rpc].name in OF_SEATS else set()
        assert tables in ({"-"}, {*TABLES, *left}), f"{rpc} lacks a kind of table"


async def test_no_service_is_served_that_the_matrix_does_not_know(stack: RunningStack) -> None:
    async with grpc.aio.insecure_channel(stack.gateway) as channel:
        ask = reflection_grpc.ServerReflectionStub(channel).ServerReflectionInfo
        stream = ask(iter([reflection_pb.ServerReflectionRequest(list_services="")]))
        answer = await stream.read()
    served = {service.name for service in answer.list_services_response.service}
    known = {method.containing_service.full_name for method in RPCS.values()}
    beside = {"grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"}
    assert served - beside == known
