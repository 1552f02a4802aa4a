"""CatalogService: the games on offer, their cards and their questions."""

from __future__ import annotations

from functools import cache

import msgspec

from hutch import games
from hutch.bots import STRATEGIES
from hutch.callers.caller import Caller
from hutch.gateway.calls import Calls, Handler
from hutch.turns.drafts import ruleset_named
from hutch.v1 import catalog_service_pb2 as pb

SERVICE = "hutch.v1.CatalogService"


async def list_rulesets(caller: Caller, request: pb.ListRulesetsRequest) -> pb.ListRulesetsResponse:
    """Every game."""
    return pb.ListRulesetsResponse(rulesets=[_ruleset(name) for name in sorted(games.RULESETS)])


async def list_cards(caller: Caller, request: pb.ListCardsRequest) -> pb.ListCardsResponse:
    """The cards of a game."""
    return _cards(ruleset_named(request.ruleset).name)


def handlers(calls: Calls) -> dict[str, Handler]:
    """The gRPC handlers of CatalogService, by method. No token is needed to look."""
    return calls.unary(
        ("ListRulesets", pb.ListRulesetsRequest, list_rulesets, None),
        ("ListCards", pb.ListCardsRequest, list_cards, None),
    )


@cache
def _ruleset(name: str) -> pb.Ruleset:
    rules = games.RULESETS[name]
    schema = msgspec.json.schema(rules.options_type)
    return pb.Ruleset(
        ruleset=name,
        title=rules.title,
        revision=rules.revision,
        min_seats=rules.seats[0],
        max_seats=rules.seats[-1],
        bots=sorted(STRATEGIES.get(name, {})),
        clocks=rules.clocks,
        topics=rules.topics,
        options_schema=msgspec.json.encode(schema).decode(),
    )


@cache
def _cards(name: str) -> pb.ListCardsResponse:
    cards = sorted(games.RULESETS[name].catalogue(), key=lambda card: card.ref)
    return pb.ListCardsResponse(
        cards=[
            pb.Card(card=card.ref, name=card.name, kind=card.kind, text=card.text, facts=card.facts)
            for card in cards
        ]
    )
