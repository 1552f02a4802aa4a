"""Campaigns: somebody else's, full, or not so far yet."""

from __future__ import annotations

import uuid

from hutch.client import Campaign, connect
from hutch.turns.shelves import CAMPAIGNS_MOST
from hutch.v1 import campaign_service_pb2
from hutch.wire.errors import Wrong
from tests.services.failures import Failure
from tests.services.wrongdoing.trouble import Trouble, provokes

CAMPAIGNS = "/hutch.v1.CampaignService"


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


def start_request(campaign: Campaign) -> campaign_service_pb2.StartCampaignGameRequest:
    return campaign_service_pb2.StartCampaignGameRequest(
        name=campaign.name, request_id=str(uuid.uuid4())
    )


def _check(campaign: Campaign, box: str) -> campaign_service_pb2.CheckBoxesRequest:
    return campaign_service_pb2.CheckBoxesRequest(
        name=campaign.name, boxes=[box], request_id=str(uuid.uuid4())
    )
