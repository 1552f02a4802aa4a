"""The API: the public services put together, without the socket that they are served at."""

from __future__ import annotations

from typing import NamedTuple

from hutch.callers.tokens import Tokens
from hutch.games import RULESETS, rabbit_space
from hutch.gateway import campaigns, catalog, players, tables
from hutch.gateway.actions import Actions
from hutch.gateway.admission import Admission
from hutch.gateway.calls import Calls, Handler
from hutch.gateway.feeds import Feeds
from hutch.gateway.heart import Heart
from hutch.gateway.play import PlayStreams
from hutch.gateway.quotas import Quotas
from hutch.gateway.rates import Rate
from hutch.gateway.streams import Streams
from hutch.gateway.watching import Watching
from hutch.runtime.settings.gateway import GatewaySettings
from hutch.store.store import Store
from hutch.turns.allowances import Allowances
from hutch.turns.attendance import Attendance
from hutch.turns.campaigns import Campaigns
from hutch.turns.lobby import Lobby
from hutch.turns.rules_link import RulesLink
from hutch.turns.turn_path import TurnPath

#: A refused token is no reason to wait, unless there are this many seconds' worth of them.
_REFUSALS_SECONDS = 4


class Api(NamedTuple):
    """The handlers of each service by method, and what runs beside them."""

    services: dict[str, dict[str, Handler]]
    watching: Watching
    feeds: Feeds
    heart: Heart
    streams: Streams
    quotas: Quotas


def assembled(settings: GatewaySettings, store: Store, rules: RulesLink, tokens: Tokens) -> Api:
    """The public services over that store and those rules."""
    limit, budgets = settings.limit, store.budgets
    heart = Heart(store.pulse, rules, grace_seconds=settings.outage.grace_seconds)
    path = TurnPath(store.tables, rules, heart.outages)
    feeds = Feeds(store.tables, store.doorbell)
    path.listen(feeds.tell)
    quotas = Quotas(store.holdings, limit.lease_seconds)
    streams = Streams(quotas, limit.streams)
    watching = Watching(
        path,
        feeds,
        quotas,
        heartbeat_seconds=settings.stream.heartbeat_seconds,
        spectators=limit.spectators,
    )
    actions = Actions(
        path,
        Attendance(path),
        Rate(budgets, "actions", limit.actions_per_second, limit.actions_burst),
        Admission("actions", limit.actions_at_once, limit.patience_seconds),
    )
    calls = Calls(
        tokens,
        Rate(budgets, "calls", limit.calls_per_second, limit.calls_burst),
        Rate(
            budgets,
            "refused tokens",
            limit.refusals_per_second,
            max(1, int(_REFUSALS_SECONDS * limit.refusals_per_second)),
        ),
        streams,
        Admission("calls", limit.calls_at_once, limit.patience_seconds),
        message_bytes=limit.message_bytes,
        slow_seconds=settings.stream.slow_seconds,
    )
    play = PlayStreams(
        calls,
        actions,
        watching,
        Rate(budgets, "watches", limit.calls_per_second, max(limit.calls_burst, limit.watches)),
        watches=limit.watches,
        slow_seconds=settings.stream.slow_seconds,
    )
    guests = Rate(
        budgets, "guests", limit.guests_per_minute / 60, max(1, int(limit.guests_per_minute))
    )
    allowances = Allowances(
        store.engagements, store.tables, tables=limit.tables, bot_seats=limit.bot_seats
    )
    lobby = Lobby(path, allowances)
    sheet = RULESETS[rabbit_space.RULES.name].tables
    services = {
        tables.SERVICE: tables.handlers(
            calls,
            tables.TableService(path, lobby, store.index, actions, watching),
            play,
        ),
        campaigns.SERVICE: campaigns.handlers(
            calls, campaigns.CampaignService(Campaigns(path, sheet))
        ),
        players.SERVICE: players.handlers(
            calls, players.PlayerService(tokens, guests, takes_guests=settings.token.guests)
        ),
        catalog.SERVICE: catalog.handlers(calls),
    }
    return Api(services, watching, feeds, heart, streams, quotas)
