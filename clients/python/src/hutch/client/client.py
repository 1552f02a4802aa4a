"""The client: connect, become a player, open and find tables, read the catalogue."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Self

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from hutch.client.calls import Calls
from hutch.client.campaign import Campaign
from hutch.client.channel import Balancing, open_channel
from hutch.client.errors import HutchError
from hutch.client.names import campaign_name, split_seat, table_name
from hutch.client.play import PlayStream
from hutch.client.retries import Retries
from hutch.client.seat import Seat, new_request_id
from hutch.client.table import Absence, Table, wished_table
from hutch.client.time_controls import Time, TimeControl, time_control_of
from hutch.v1 import (
    campaign_pb2,
    campaign_service_pb2,
    catalog_service_pb2,
    player_service_pb2,
    table_pb2,
    table_service_pb2,
)

#: A token is renewed when so much of its life is over.
RENEW_AFTER: Final = 2 / 3
PAGE_SIZE: Final = 200


@dataclass(frozen=True, slots=True)
class Player:
    """Who the caller is."""

    #: Format: `players/{player}`.
    name: str
    display_name: str


def connect(
    addresses: str | Sequence[str],
    *,
    token: str = "",
    balancing: Balancing = "failover",
    credentials: grpc.ChannelCredentials | None = None,
    retries: Retries | None = None,
    options: Sequence[tuple[str, Any]] = (),
) -> Hutch:
    """A client of the gateways at those addresses.

    Use it as `async with connect("127.0.0.1:50551") as hutch:`. Nothing is connected before the
    first call. One address is `host:port` (or any target of gRPC); several are `ip:port` each, the
    first that answers is used (failover) or all in turn (round robin). `credentials` are for TLS.
    `options` are channel options of gRPC.
    """
    channel = open_channel(addresses, balancing=balancing, credentials=credentials, options=options)
    return Hutch(channel, token=token, retries=retries or Retries(), owns_channel=True)


class Hutch:
    """One player's client, made by `connect`. Every method may raise `HutchError`."""

    def __init__(
        self, channel: grpc.aio.Channel, *, token: str, retries: Retries, owns_channel: bool
    ) -> None:
        self._calls = Calls(channel, token, retries)
        self._stream = PlayStream(self._calls)
        self._owns_channel = owns_channel
        self._token_ends = datetime.max.replace(tzinfo=UTC)
        self._renewing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End all streams, and the connection if it is this client's own."""
        self._calls.is_closed = True
        if self._renewing is not None:
            self._renewing.cancel()
            with suppress(asyncio.CancelledError):
                await self._renewing
        await self._stream.close()
        if self._owns_channel:
            await self._calls.channel.close()

    @property
    def token(self) -> str:
        """What names the player. It is as good as a password: keep it from others."""
        return self._calls.token

    def another(self, token: str = "") -> Hutch:
        """A client for another player over the same connection; close it before this one."""
        return Hutch(
            self._calls.channel, token=token, retries=self._calls.retries, owns_channel=False
        )

    # Who the caller is

    async def guest(self, display_name: str = "") -> Player:
        """Become a player without an account. The token is kept, and renewed in time."""
        response = await self._calls.unary(
            self._calls.players.CreateGuest,
            player_service_pb2.CreateGuestRequest(display_name=display_name),
        )
        self._keep(response.token, response.expire_time)
        return Player(response.player, response.display_name)

    async def renew(self) -> datetime:
        """Swap the token for a fresh one, which is kept and renewed in time: when that ends."""
        response = await self._calls.unary(
            self._calls.players.RenewToken, player_service_pb2.RenewTokenRequest()
        )
        self._keep(response.token, response.expire_time)
        return self._token_ends

    # Tables

    async def create_table(
        self,
        ruleset: str,
        *,
        seats: int,
        options: Mapping[str, Any] | None = None,
        limits: Mapping[str, Time] | None = None,
        time_control: TimeControl | None = None,
        people_only: bool = False,
        absence: Absence | None = None,
        after_timeouts: int | None = None,
        request_id: str | None = None,
    ) -> Table:
        """Open a table; the caller becomes its host.

        `options` are the game's own, as the catalogue lists them. How long players have is said
        by a `time_control`, or where there is no time bank by its `limits` alone; without either
        no clock runs. Where it is for `people_only`, bots are kept from its seats.

        `absence` says what becomes of the seat of a player who leaves the game, or whose time runs
        out `after_timeouts` times in a row (0: never by time): a `bot` plays, the usual; it is
        played by default while they are `away`; or it is `forfeited`.
        """
        wished = wished_table(
            ruleset,
            seats=seats,
            options=options,
            time_control=time_control_of(limits, time_control),
            people_only=people_only,
            absence=absence,
            after_timeouts=after_timeouts,
        )
        created = await self._calls.unary(
            self._calls.tables.CreateTable,
            table_service_pb2.CreateTableRequest(
                table=wished, request_id=request_id or new_request_id()
            ),
        )
        return self.table(created.name)

    def table(self, name: str) -> Table:
        """The table of that name (`tables/7c1f`, or `7c1f`)."""
        return Table(self._calls, self._stream, table_name(name))

    def seat(self, name: str) -> Seat:
        """The seat of that name (`tables/7c1f/seats/0`)."""
        table, number = split_seat(name)
        return self.table(table).seat(number)

    async def tables(
        self,
        *,
        ruleset: str = "",
        state: table_pb2.TableState.ValueType = table_pb2.TABLE_STATE_UNSPECIFIED,
    ) -> AsyncGenerator[table_pb2.Table, None]:
        """Tables, newest first: all, or those of a game or in a state."""
        request = table_service_pb2.ListTablesRequest(
            page_size=PAGE_SIZE, ruleset=ruleset, state=state
        )
        while True:
            page = await self._calls.unary(self._calls.tables.ListTables, request)
            for table in page.tables:
                yield table
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    # Campaigns

    async def create_campaign(
        self, display_name: str = "", *, request_id: str | None = None
    ) -> Campaign:
        """Open a campaign of Rabbit Space; the caller becomes its first player and host."""
        created = await self._calls.unary(
            self._calls.campaigns.CreateCampaign,
            campaign_service_pb2.CreateCampaignRequest(
                display_name=display_name, request_id=request_id or new_request_id()
            ),
        )
        return self.campaign(created.name)

    def campaign(self, name: str) -> Campaign:
        """The campaign of that name (`campaigns/7c1f`, or `7c1f`)."""
        return Campaign(self._calls, self._stream, campaign_name(name))

    async def campaigns(self) -> list[campaign_pb2.Campaign]:
        """The caller's campaigns, newest first."""
        response = await self._calls.unary(
            self._calls.campaigns.ListCampaigns, campaign_service_pb2.ListCampaignsRequest()
        )
        return list(response.campaigns)

    # The catalogue

    async def rulesets(self) -> list[catalog_service_pb2.Ruleset]:
        """The games on offer."""
        response = await self._calls.unary(
            self._calls.catalogue.ListRulesets, catalog_service_pb2.ListRulesetsRequest()
        )
        return list(response.rulesets)

    async def cards(self, ruleset: str) -> list[catalog_service_pb2.Card]:
        """The cards of a game, with short texts."""
        response = await self._calls.unary(
            self._calls.catalogue.ListCards, catalog_service_pb2.ListCardsRequest(ruleset=ruleset)
        )
        return list(response.cards)

    # Inside

    def _keep(self, token: str, expire_time: Timestamp) -> None:
        self._calls.token = token
        self._token_ends = expire_time.ToDatetime(UTC)
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._renew_in_time(), name="hutch-renew")

    async def _renew_in_time(self) -> None:
        while True:
            left = (self._token_ends - datetime.now(UTC)).total_seconds()
            await asyncio.sleep(max(1.0, left * RENEW_AFTER))
            try:
                await self.renew()
            except HutchError as error:
                # Nobody may answer for longer than a call is patient: the token still lives. Where
                # it cannot be renewed, whatever is called next tells the caller why.
                if not error.is_transient:
                    return
