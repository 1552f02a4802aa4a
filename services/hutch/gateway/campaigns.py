"""CampaignService: teams of Rabbit Space and their Evolution sheets."""

from __future__ import annotations

from hutch.callers.caller import LEAVES, LOOKS, PLAYS, Caller
from hutch.gateway.calls import Calls, Handler, check_display_name, check_request_id
from hutch.turns.campaigns import Campaigns
from hutch.v1 import campaign_pb2 as pb
from hutch.v1 import campaign_service_pb2 as service_pb
from hutch.wire.names import parse_campaign, parse_table

SERVICE = "hutch.v1.CampaignService"


class CampaignService:
    """What the RPCs do, apart from what all calls share."""

    def __init__(self, campaigns: Campaigns) -> None:
        self._campaigns = campaigns

    async def create_campaign(
        self, caller: Caller, request: service_pb.CreateCampaignRequest
    ) -> pb.Campaign:
        """Open a campaign."""
        request_id = check_request_id(request.request_id)
        name = check_display_name(request.display_name) or f"{caller.display_name}'s campaign"
        return await self._campaigns.create(
            caller.player, caller.display_name, name, request_id, is_bot=caller.is_bot
        )

    async def get_campaign(
        self, caller: Caller, request: service_pb.GetCampaignRequest
    ) -> pb.Campaign:
        """A campaign."""
        return await self._campaigns.get(parse_campaign(request.name), caller.player)

    async def list_campaigns(
        self, caller: Caller, request: service_pb.ListCampaignsRequest
    ) -> service_pb.ListCampaignsResponse:
        """The caller's campaigns."""
        return service_pb.ListCampaignsResponse(
            campaigns=await self._campaigns.list_of(caller.player)
        )

    async def join_campaign(
        self, caller: Caller, request: service_pb.JoinCampaignRequest
    ) -> pb.Campaign:
        """Join the team."""
        return await self._campaigns.join(
            parse_campaign(request.name),
            caller.player,
            caller.display_name,
            request.invite,
            is_bot=caller.is_bot,
        )

    async def leave_campaign(
        self, caller: Caller, request: service_pb.LeaveCampaignRequest
    ) -> pb.Campaign:
        """Leave the team."""
        return await self._campaigns.leave(parse_campaign(request.name), caller.player)

    async def vote_mission(
        self, caller: Caller, request: service_pb.VoteMissionRequest
    ) -> pb.Campaign:
        """Vote on the mission of the next game."""
        return await self._campaigns.vote(
            parse_campaign(request.name), caller.player, request.mission
        )

    async def start_campaign_game(
        self, caller: Caller, request: service_pb.StartCampaignGameRequest
    ) -> pb.Campaign:
        """Open the table of the next game."""
        return await self._campaigns.start_game(
            parse_campaign(request.name),
            caller.player,
            request.table,
            check_request_id(request.request_id),
        )

    async def abandon_campaign_game(
        self, caller: Caller, request: service_pb.AbandonCampaignGameRequest
    ) -> pb.Campaign:
        """Give the game up that is on."""
        return await self._campaigns.abandon_game(
            parse_campaign(request.name), caller.player, parse_table(request.table)
        )

    async def check_boxes(
        self, caller: Caller, request: service_pb.CheckBoxesRequest
    ) -> pb.Campaign:
        """Check boxes of the sheet."""
        return await self._campaigns.check_boxes(
            parse_campaign(request.name),
            caller.player,
            request.boxes,
            check_request_id(request.request_id),
        )


def handlers(calls: Calls, campaigns: CampaignService) -> dict[str, Handler]:
    """The gRPC handlers of CampaignService, by method."""
    return calls.unary(
        ("CreateCampaign", service_pb.CreateCampaignRequest, campaigns.create_campaign, PLAYS),
        ("GetCampaign", service_pb.GetCampaignRequest, campaigns.get_campaign, LOOKS),
        ("ListCampaigns", service_pb.ListCampaignsRequest, campaigns.list_campaigns, LOOKS),
        ("JoinCampaign", service_pb.JoinCampaignRequest, campaigns.join_campaign, PLAYS),
        ("LeaveCampaign", service_pb.LeaveCampaignRequest, campaigns.leave_campaign, LEAVES),
        ("VoteMission", service_pb.VoteMissionRequest, campaigns.vote_mission, PLAYS),
        (
            "StartCampaignGame",
            service_pb.StartCampaignGameRequest,
            campaigns.start_campaign_game,
            PLAYS,
        ),
        (
            "AbandonCampaignGame",
            service_pb.AbandonCampaignGameRequest,
            campaigns.abandon_campaign_game,
            PLAYS,
        ),
        ("CheckBoxes", service_pb.CheckBoxesRequest, campaigns.check_boxes, PLAYS),
    )
