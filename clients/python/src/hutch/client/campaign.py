"""A campaign of Rabbit Space: the team, its Evolution sheet and its games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hutch.client.calls import Calls
from hutch.client.play import PlayStream
from hutch.client.seat import new_request_id
from hutch.client.table import Absence, Table, wished_table
from hutch.client.time_controls import Time, TimeControl, time_control_of
from hutch.v1 import campaign_pb2, campaign_service_pb2


class Campaign:
    """A campaign, as anybody sees it. Making one calls nobody."""

    def __init__(self, calls: Calls, stream: PlayStream, name: str) -> None:
        self.name = name
        self._calls = calls
        self._stream = stream

    def __repr__(self) -> str:
        return f"Campaign({self.name!r})"

    async def get(self) -> campaign_pb2.Campaign:
        """The campaign as it is now; a game that is over has been credited."""
        return await self._calls.unary(
            self._calls.campaigns.GetCampaign,
            campaign_service_pb2.GetCampaignRequest(name=self.name),
        )

    async def join(self, invite: str) -> campaign_pb2.Campaign:
        """Join the team with the invite that one of its players passed on."""
        return await self._calls.unary(
            self._calls.campaigns.JoinCampaign,
            campaign_service_pb2.JoinCampaignRequest(name=self.name, invite=invite),
        )

    async def leave(self) -> campaign_pb2.Campaign:
        """Leave the team. Seats at tables stay."""
        return await self._calls.unary(
            self._calls.campaigns.LeaveCampaign,
            campaign_service_pb2.LeaveCampaignRequest(name=self.name),
        )

    async def vote(self, mission: str) -> campaign_pb2.Campaign:
        """Vote on the mission of the next game: an unlocked one, `none` to play without, or the
        empty string to take the vote back."""
        return await self._calls.unary(
            self._calls.campaigns.VoteMission,
            campaign_service_pb2.VoteMissionRequest(name=self.name, mission=mission),
        )

    async def start_game(
        self,
        *,
        seats: int = 0,
        options: Mapping[str, Any] | None = None,
        limits: Mapping[str, Time] | None = None,
        time_control: TimeControl | None = None,
        absence: Absence | None = None,
        after_timeouts: int | None = None,
        request_id: str | None = None,
    ) -> Table:
        """Open the table of the next game; for the host alone.

        The team is seated, and `claim` adds a salt to a seat of one's own. More `seats` than
        players are free for bots and guests. Then `start` deals. Boxes that were not checked are
        lost. The other arguments are as for `create_table`.
        """
        started = await self._calls.unary(
            self._calls.campaigns.StartCampaignGame,
            campaign_service_pb2.StartCampaignGameRequest(
                name=self.name,
                table=wished_table(
                    "",
                    seats=seats,
                    options=options,
                    time_control=time_control_of(limits, time_control),
                    absence=absence,
                    after_timeouts=after_timeouts,
                ),
                request_id=request_id or new_request_id(),
            ),
        )
        return Table(self._calls, self._stream, started.table)

    async def abandon_game(self, table: str) -> campaign_pb2.Campaign:
        """Give up the game at that table, if it is on; for the host alone."""
        return await self._calls.unary(
            self._calls.campaigns.AbandonCampaignGame,
            campaign_service_pb2.AbandonCampaignGameRequest(name=self.name, table=table),
        )

    async def check(self, *boxes: str, request_id: str | None = None) -> campaign_pb2.Campaign:
        """Check boxes for the game before, in that order, all or none; for the host alone."""
        return await self._calls.unary(
            self._calls.campaigns.CheckBoxes,
            campaign_service_pb2.CheckBoxesRequest(
                name=self.name, boxes=boxes, request_id=request_id or new_request_id()
            ),
        )
