"""Wrongdoing: for each reason of the catalogue somebody who does what is refused for it."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import grpc
from google.protobuf.message import Message
from typer.testing import CliRunner

from hutch.callers.caller import Scope
from hutch.callers.keys import load_keys
from hutch.callers.tokens import Tokens
from hutch.cli.commands import app as cli
from hutch.client import Campaign, Hutch, Table, connect
from hutch.engine.refusals import Reason
from hutch.turns.shelves import CAMPAIGNS_MOST
from hutch.v1 import campaign_service_pb2, table_pb2
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import DOMAIN, Wrong
from tests.redis_servers import eventually
from tests.services.failures import Failure, failure_of
from tests.stacks import SPECTATORS, STREAMS, WATCHES, RunningStack

SERVICE = "/hutch.v1.TableService"
CAMPAIGNS = "/hutch.v1.CampaignService"


@dataclass
class Trouble:
    """What is at hand to do something wrong with."""

    stack: RunningStack
    ada: Hutch
    ben: Hutch
    table: Table

    async def call(
        self, method: str, request: Message | bytes, *, token: str | None = None
    ) -> Failure | None:
        """Call a method as Ada, or with that token: how it failed."""
        data = request if isinstance(request, bytes) else request.SerializeToString()
        token = self.ada.token if token is None else token
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        path = method if method.startswith("/") else f"{SERVICE}/{method}"
        async with grpc.aio.insecure_channel(self.stack.gateway) as channel:
            try:
                await channel.unary_unary(path)(data, metadata=metadata, timeout=60)
            except grpc.aio.AioRpcError as error:
                return failure_of(error)
        return None

    async def seat0(self) -> table_pb2.Prompt:
        """What Ada is asked."""
        view = await self.table.seat(0).view()
        return next(prompt for prompt in view.prompts.prompts if not prompt.offered)

    async def submit(self, **fields: object) -> Failure | None:
        """Submit an answer for Ada; the fields given replace the right ones."""
        if "prompt_id" not in fields:
            fields["prompt_id"] = (await self.seat0()).prompt_id
        picks = fields.pop("picks", ())
        action = table_pb2.Action(
            prompt_id=int(str(fields.pop("prompt_id"))),
            picks=picks,  # type: ignore[arg-type]
        )
        request = service_pb.SubmitActionRequest(
            seat=str(fields.pop("seat", f"{self.table.name}/seats/0")),
            action=action,
            request_id=str(fields.pop("request_id", uuid.uuid4())),
            expected_revision=int(str(fields.pop("expected_revision", 0))),
            epoch=int(str(fields.pop("epoch", 0))),
        )
        return await self.call("SubmitAction", request, token=str(fields.pop("token", "")) or None)


Wrongdoing = Callable[[Trouble], Awaitable[Failure | None]]
PROVOKED: dict[str, Wrongdoing] = {}


def provokes(reason: str) -> Callable[[Wrongdoing], Wrongdoing]:
    """Says that a deed has that reason for its refusal."""

    def note(deed: Wrongdoing) -> Wrongdoing:
        PROVOKED[reason] = deed
        return deed

    return note


@provokes(Wrong.TOKEN_MISSING)
async def no_token(trouble: Trouble) -> Failure | None:
    return await trouble.call("GetTable", _get(trouble), token="")


@provokes(Wrong.TOKEN_INVALID)
async def forged_token(trouble: Trouble) -> Failure | None:
    head, body, signature = trouble.ada.token.split(".")
    forged = ".".join((head, body, ("A" if signature[0] != "A" else "B") + signature[1:]))
    return await trouble.call("GetTable", _get(trouble), token=forged)


@provokes(Wrong.TOKEN_EXPIRED)
async def expired_token(trouble: Trouble) -> Failure | None:
    keys = load_keys(Path(trouble.stack.data) / "keys.json")
    long_ago = Tokens(keys, issuer="hutch", lifetime_seconds=-int(time.time() // 2))
    token, _ = long_ago.issue("somebody", "Somebody")
    return await trouble.call("GetTable", _get(trouble), token=token)


@provokes(Wrong.TOKEN_REVOKED)
async def revoked_token(trouble: Trouble) -> Failure | None:
    async with connect(trouble.stack.gateway) as hutch:
        player = await hutch.guest("Eve")
        token = hutch.token
    data = str(trouble.stack.data)
    revoke = ["keys", "revoke", player.name, "--data", data]
    revoked = await asyncio.to_thread(CliRunner().invoke, cli, revoke)
    assert revoked.exit_code == 0, revoked.output

    async def refusal() -> Failure | None:
        return await trouble.call("GetTable", _get(trouble), token=token)

    return await eventually(refusal, within_s=30)


@provokes(Wrong.SCOPE_MISSING)
async def play_as_a_spectator(trouble: Trouble) -> Failure | None:
    keys = load_keys(Path(trouble.stack.data) / "keys.json")
    tokens = Tokens(keys, issuer="hutch", lifetime_seconds=60)
    token, _ = tokens.issue("somebody", "Somebody", [Scope.SPECTATOR])
    return await trouble.submit(token=token)


@provokes(Wrong.NOT_YOUR_SEAT)
async def another_players_seat(trouble: Trouble) -> Failure | None:
    return await trouble.submit(token=trouble.ben.token)


@provokes(Wrong.NOT_HOST)
async def start_anothers_table(trouble: Trouble) -> Failure | None:
    request = service_pb.StartTableRequest(name=trouble.table.name)
    return await trouble.call("StartTable", request, token=trouble.ben.token)


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


@provokes(Wrong.MALFORMED_MESSAGE)
async def garbage(trouble: Trouble) -> Failure | None:
    return await trouble.call("SubmitAction", b"\xff\xff\xff\xff\xff")


@provokes(Wrong.MESSAGE_TOO_LARGE)
async def too_much(trouble: Trouble) -> Failure | None:
    return await trouble.submit(request_id="x" * 100_000)


@provokes(Wrong.REQUEST_ID_INVALID)
async def no_uuid(trouble: Trouble) -> Failure | None:
    return await trouble.submit(request_id="17")


@provokes(Wrong.REQUEST_ID_REUSED)
async def one_id_for_two_actions(trouble: Trouble) -> Failure | None:
    request_id = str(uuid.uuid4())
    assert await trouble.submit(request_id=request_id) is None
    return await trouble.submit(request_id=request_id, prompt_id=999_999)


@provokes(Wrong.PAGE_TOKEN_INVALID)
async def made_up_page(trouble: Trouble) -> Failure | None:
    return await trouble.call("ListTables", service_pb.ListTablesRequest(page_token="page two"))


@provokes(Wrong.RESUME_TOKEN_INVALID)
async def made_up_resume(trouble: Trouble) -> Failure | None:
    request = service_pb.WatchTableRequest(name=trouble.table.name, resume_token=b"yesterday")
    return await _watched(trouble, request)


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


@provokes(Wrong.TABLE_NOT_PLAYING)
async def act_before_the_deal(trouble: Trouble) -> Failure | None:
    gathering = await trouble.ada.create_table("rabbit-space", seats=2)
    seat = await gathering.claim(0)
    request = service_pb.SubmitActionRequest(
        seat=seat.name, action=table_pb2.Action(prompt_id=1), request_id=str(uuid.uuid4())
    )
    return await trouble.call("SubmitAction", request)


@provokes(Wrong.GAME_NOT_OVER)
async def look_into_the_deck(trouble: Trouble) -> Failure | None:
    request = service_pb.GetRecordingRequest(name=trouble.table.name)
    return await trouble.call("GetRecording", request)


@provokes(Wrong.REVISION_CONFLICT)
async def expect_the_past(trouble: Trouble) -> Failure | None:
    return await trouble.submit(expected_revision=1)


@provokes(Wrong.EPOCH_OVER)
async def answer_in_another_epoch(trouble: Trouble) -> Failure | None:
    return await trouble.submit(epoch=7)


@provokes(Reason.PROMPT_CLOSED)
async def answer_nothing(trouble: Trouble) -> Failure | None:
    return await trouble.submit(prompt_id=999_999)


@provokes(Reason.NOT_AN_OPTION)
async def pick_from_elsewhere(trouble: Trouble) -> Failure | None:
    return await trouble.submit(picks=[table_pb2.Pick(option_id="the-moon")])


@provokes(Reason.TOO_MANY_PICKS)
async def pick_everything(trouble: Trouble) -> Failure | None:
    prompt = await trouble.seat0()
    return await trouble.submit(
        picks=[table_pb2.Pick(option_id=option.option_id) for option in prompt.options]
    )


@provokes(Reason.TOO_FEW_PICKS)
async def pick_too_little(trouble: Trouble) -> Failure | None:
    # Ada's ready can be taken back, as Ben is not ready: an offer that wants one pick.
    batch = await trouble.table.seat(0).submit(await trouble.seat0())
    offer = next(one for one in batch.prompts.prompts if one.min_picks)
    return await trouble.submit(prompt_id=offer.prompt_id)


@provokes(Reason.COUNT_OUT_OF_RANGE)
async def pick_too_often(trouble: Trouble) -> Failure | None:
    prompt = await trouble.seat0()
    pick = table_pb2.Pick(option_id=prompt.options[0].option_id, count=3)
    return await trouble.submit(picks=[pick])


@provokes(Reason.PICKED_TWICE)
async def pick_the_same_twice(trouble: Trouble) -> Failure | None:
    prompt = await trouble.seat0()
    pick = table_pb2.Pick(option_id=prompt.options[0].option_id)
    return await trouble.submit(picks=[pick, pick])


@provokes(Reason.NOT_UNDOABLE)
async def undo_nothing(trouble: Trouble) -> Failure | None:
    request = service_pb.UndoActionRequest(
        seat=f"{trouble.table.name}/seats/0", request_id=str(uuid.uuid4())
    )
    return await trouble.call("UndoAction", request)


@provokes(Wrong.CAMPAIGN_NOT_FOUND)
async def unknown_campaign(trouble: Trouble) -> Failure | None:
    request = campaign_service_pb2.GetCampaignRequest(name="campaigns/0123456789abcdef")
    return await trouble.call(f"{CAMPAIGNS}/GetCampaign", request)


@provokes(Wrong.NOT_IN_CAMPAIGN)
async def vote_in_anothers_campaign(trouble: Trouble) -> Failure | None:
    campaign = await trouble.ada.create_campaign()
    request = campaign_service_pb2.VoteMissionRequest(name=campaign.name, mission="none")
    return await trouble.call(f"{CAMPAIGNS}/VoteMission", request, token=trouble.ben.token)


@provokes(Wrong.INVITE_INVALID)
async def made_up_invite(trouble: Trouble) -> Failure | None:
    campaign = await trouble.ada.create_campaign()
    request = campaign_service_pb2.JoinCampaignRequest(name=campaign.name, invite="sésame")
    return await trouble.call(f"{CAMPAIGNS}/JoinCampaign", request, token=trouble.ben.token)


@provokes(Wrong.CAMPAIGN_FULL)
async def one_player_too_many(trouble: Trouble) -> Failure | None:
    campaign = await trouble.ada.create_campaign()
    invite = (await campaign.get()).invite
    for _ in range(3):
        async with connect(trouble.stack.gateway) as another:
            await another.guest()
            await another.campaign(campaign.name).join(invite)
    request = campaign_service_pb2.JoinCampaignRequest(name=campaign.name, invite=invite)
    return await trouble.call(f"{CAMPAIGNS}/JoinCampaign", request, token=trouble.ben.token)


@provokes(Wrong.TOO_MANY_CAMPAIGNS)
async def collect_campaigns(trouble: Trouble) -> Failure | None:
    for _ in range(CAMPAIGNS_MOST):
        await trouble.ada.create_campaign()
    request = campaign_service_pb2.CreateCampaignRequest(request_id=str(uuid.uuid4()))
    return await trouble.call(f"{CAMPAIGNS}/CreateCampaign", request)


@provokes(Wrong.CAMPAIGN_GAME_ON)
async def start_two_games(trouble: Trouble) -> Failure | None:
    campaign = await trouble.ada.create_campaign()
    await campaign.start_game()
    return await trouble.call(f"{CAMPAIGNS}/StartCampaignGame", start_request(campaign))


@provokes(Wrong.MISSION_LOCKED)
async def vote_for_the_moon_too_early(trouble: Trouble) -> Failure | None:
    campaign = await trouble.ada.create_campaign()
    request = campaign_service_pb2.VoteMissionRequest(name=campaign.name, mission="moon")
    return await trouble.call(f"{CAMPAIGNS}/VoteMission", request)


@provokes(Wrong.SHEET_DECIDES)
async def play_with_a_locked_deck(trouble: Trouble) -> Failure | None:
    campaign = await trouble.ada.create_campaign()
    request = start_request(campaign)
    request.table.options["evolutions"] = ["titan"]
    return await trouble.call(f"{CAMPAIGNS}/StartCampaignGame", request)


@provokes(Wrong.NO_BOXES_LEFT)
async def check_a_box_for_nothing(trouble: Trouble) -> Failure | None:
    campaign = await trouble.ada.create_campaign()
    return await trouble.call(f"{CAMPAIGNS}/CheckBoxes", _check(campaign, "N1"))


@provokes(Wrong.BOX_NOT_OPEN)
async def jump_to_saturn(trouble: Trouble) -> Failure | None:
    campaign = await trouble.ada.create_campaign()
    game = await campaign.start_game(seats=4, options={"absent": "bot"})
    for seat in (1, 2, 3):
        await game.assign_bot(seat, "greedy")
    await game.start()
    await game.seat(0).leave()
    async for _ in game.watch():
        pass
    return await trouble.call(f"{CAMPAIGNS}/CheckBoxes", _check(campaign, "Saturn"))


@provokes(Wrong.TOO_MANY_WATCHES)
async def watch_the_world(trouble: Trouble) -> Failure | None:
    tables = [await trouble.ada.create_table("rabbit-space", seats=1) for _ in range(WATCHES + 1)]
    watches = [
        service_pb.PlayRequest(watch=service_pb.WatchTableRequest(name=table.name))
        for table in tables
    ]
    return await _played(trouble, watches, Wrong.TOO_MANY_WATCHES)


@provokes(Wrong.TOO_MANY_STREAMS)
async def open_streams_without_end(trouble: Trouble) -> Failure | None:
    return await _crowd(trouble, [trouble.ada] * (STREAMS + 1))


@provokes(Wrong.TOO_MANY_SPECTATORS)
async def crowd_round_a_table(trouble: Trouble) -> Failure | None:
    most = SPECTATORS // 2
    return await _crowd(trouble, [trouble.ada] * most + [trouble.ben] * (SPECTATORS - most + 1))


@provokes(Wrong.RATE_LIMITED)
async def flood(trouble: Trouble) -> Failure | None:
    request = service_pb.SubmitActionRequest(
        seat=f"{trouble.table.name}/seats/0",
        action=table_pb2.Action(prompt_id=999_999),
        request_id=str(uuid.uuid4()),
    )
    play = service_pb.PlayRequest(submit=request)
    return await _played(trouble, [play] * 1500, Wrong.RATE_LIMITED)


def _get(trouble: Trouble) -> service_pb.GetTableRequest:
    return service_pb.GetTableRequest(name=trouble.table.name)


def create_request(wanted: table_pb2.Table) -> service_pb.CreateTableRequest:
    return service_pb.CreateTableRequest(table=wanted, request_id=str(uuid.uuid4()))


def start_request(campaign: Campaign) -> campaign_service_pb2.StartCampaignGameRequest:
    return campaign_service_pb2.StartCampaignGameRequest(
        name=campaign.name, request_id=str(uuid.uuid4())
    )


def _check(campaign: Campaign, box: str) -> campaign_service_pb2.CheckBoxesRequest:
    return campaign_service_pb2.CheckBoxesRequest(
        name=campaign.name, boxes=[box], request_id=str(uuid.uuid4())
    )


async def _crowd(trouble: Trouble, watchers: list[Hutch]) -> Failure | None:
    """Watch the table for all of them at once: how the last one fails."""
    request = service_pb.WatchTableRequest(name=trouble.table.name).SerializeToString()
    async with grpc.aio.insecure_channel(trouble.stack.gateway) as channel:
        watch = channel.unary_stream(f"{SERVICE}/WatchTable")
        calls = []
        try:
            for hutch in watchers:
                metadata = (("authorization", f"Bearer {hutch.token}"),)
                calls.append(watch(request, metadata=metadata, timeout=60))
                await calls[-1].read()
        except grpc.aio.AioRpcError as error:
            return failure_of(error)
        finally:
            for call in calls:
                call.cancel()
    return None


async def _watched(trouble: Trouble, request: service_pb.WatchTableRequest) -> Failure | None:
    metadata = (("authorization", f"Bearer {trouble.ada.token}"),)
    async with grpc.aio.insecure_channel(trouble.stack.gateway) as channel:
        call = channel.unary_stream(f"{SERVICE}/WatchTable")(
            request.SerializeToString(), metadata=metadata, timeout=60
        )
        try:
            await call.read()
        except grpc.aio.AioRpcError as error:
            return failure_of(error)
    return None


async def _played(
    trouble: Trouble, requests: list[service_pb.PlayRequest], reason: str
) -> Failure | None:
    """Send all that over one Play stream: the first refusal of that reason."""
    metadata = (("authorization", f"Bearer {trouble.ada.token}"),)
    async with grpc.aio.insecure_channel(trouble.stack.gateway) as channel:
        call = channel.stream_stream(f"{SERVICE}/Play")(metadata=metadata, timeout=30)
        for request in requests:
            await call.write(request.SerializeToString())
        await call.done_writing()
        while isinstance(data := await call.read(), bytes):
            refusal = service_pb.PlayResponse.FromString(data).refusal
            if refusal.reason == reason:
                code = next(one for one in grpc.StatusCode if one.value[0] == refusal.code)
                wait = refusal.metadata.get("retry_after_ms")
                return Failure(
                    code, refusal.message, refusal.reason, DOMAIN, int(wait) if wait else None
                )
    return None
