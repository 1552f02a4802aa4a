"""PlayerService: guests and their tokens."""

from __future__ import annotations

import secrets

from hutch.callers.caller import LOOKS, Caller
from hutch.callers.tokens import Tokens
from hutch.gateway.calls import Calls, Handler, check_display_name
from hutch.gateway.rates import Rate
from hutch.v1 import player_service_pb2 as pb
from hutch.wire.errors import Fault, Wrong
from hutch.wire.names import player_name

SERVICE = "hutch.v1.PlayerService"


class PlayerService:
    """What the RPCs do, apart from what all calls share."""

    def __init__(self, tokens: Tokens, guests: Rate, *, takes_guests: bool) -> None:
        self._tokens = tokens
        self._guests = guests
        self._takes_guests = takes_guests

    async def create_guest(
        self, caller: Caller, request: pb.CreateGuestRequest
    ) -> pb.CreateGuestResponse:
        """A player without an account."""
        if not self._takes_guests:
            raise Fault(
                Wrong.GUESTS_REFUSED, "This service takes no guests; its issuer gives tokens."
            )
        await self._guests.take(caller.player)
        name = check_display_name(request.display_name)
        player = secrets.token_hex(10)
        name = name or f"Guest {player[:4]}"
        token, ends = self._tokens.issue(player, name)
        response = pb.CreateGuestResponse(
            player=player_name(player), display_name=name, token=token
        )
        response.expire_time.FromSeconds(ends)
        return response

    async def renew_token(
        self, caller: Caller, request: pb.RenewTokenRequest
    ) -> pb.RenewTokenResponse:
        """A fresh token for the caller."""
        token, ends = self._tokens.renew(caller)
        response = pb.RenewTokenResponse(token=token)
        response.expire_time.FromSeconds(ends)
        return response


def handlers(calls: Calls, players: PlayerService) -> dict[str, Handler]:
    """The gRPC handlers of PlayerService, by method."""
    return calls.unary(
        ("CreateGuest", pb.CreateGuestRequest, players.create_guest, None),
        ("RenewToken", pb.RenewTokenRequest, players.renew_token, LOOKS),
    )
