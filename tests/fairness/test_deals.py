"""Who has only the page, the cards of the catalogue and the seed deals each game again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.message import Message

from hutch.callers.caller import Caller
from hutch.engine.recording import Recording
from hutch.gateway.catalog import list_cards
from hutch.turns.verification import PUBLIC
from hutch.v1 import catalog_service_pb2 as catalog_pb
from hutch.v1 import table_pb2 as pb
from tests.fairness.games import played
from tests.fairness.pages import defined

SEED = 20261130
SEATS = 4
ANYBODY = Caller(player="", display_name="", expires_at=0)


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    return defined()


async def dealt(ruleset: str, page: dict[str, Any]) -> tuple[Recording, Any, list[catalog_pb.Card]]:
    """A game, the streams of its seed, and the game's cards."""
    game = played(ruleset, SEATS, SEED)
    cards = (await list_cards(ANYBODY, catalog_pb.ListCardsRequest(ruleset=ruleset))).cards
    return game, page["Streams"](page["mix_seed"](game.secret, game.salts)), list(cards)


def happened(game: Recording, audience: str | int) -> Iterator[tuple[str, Message]]:
    """The events that were told, by their kind."""
    for batch in game.told[str(audience)]:
        for event in pb.EventBatch.FromString(batch).events:
            told = getattr(event, event.WhichOneof("kind") or "")
            kind = told.WhichOneof("kind")
            yield kind, getattr(told, kind)


def of_kind(game: Recording, audience: str | int, *kinds: str) -> list[Any]:
    return [event for kind, event in happened(game, audience) if kind in kinds]


async def test_rabbit_space_is_dealt_as_the_page_says(page: dict[str, Any]) -> None:
    game, streams, cards = await dealt("rabbit-space", page)
    starting, pile = page["rabbit_space"](streams, SEATS, cards)
    (deal,) = of_kind(game, PUBLIC, "cards_dealt")
    assert [list(seat.cards) for seat in deal.starting_cards] == starting
    per_round = 4 * SEATS + 1  # one is set aside
    for one in of_kind(game, PUBLIC, "cards_drawn")[: len(pile) // per_round]:
        drawn, pile = pile[: -4 * SEATS - 1 : -1], pile[:-per_round]
        assert [list(hand.cards) for hand in one.hands] == [drawn[n::SEATS] for n in range(SEATS)]


async def test_killer_bunnies_is_dealt_as_the_page_says(page: dict[str, Any]) -> None:
    game, streams, cards = await dealt("killer-bunnies", page)
    pile, _, _, carrots = page["killer_bunnies"](streams, cards)
    kinds = ("card_drawn", "dolla_drawn", "misfortune_drawn")
    turned_up = [
        event.card
        for told in zip(*[list(happened(game, seat)) for seat in range(SEATS)], strict=True)
        for seat, (kind, event) in enumerate(told)
        if kind in kinds and event.seat == seat
    ]
    assert turned_up[: len(pile)] == pile[::-1][: len(turned_up)]
    rolled = [
        value
        for event in of_kind(game, PUBLIC, "die_rolled", "dice_rolled")
        for value in getattr(event, "values", None) or [event.value]
    ]
    assert rolled
    assert rolled == [streams.roll("dice", 12) for _ in rolled]
    turned = [event.carrot for event in of_kind(game, PUBLIC, "small_carrot_turned")]
    assert turned
    assert turned == carrots[::-1]


async def test_tale_of_carrot_is_dealt_as_the_page_says(page: dict[str, Any]) -> None:
    game, streams, cards = await dealt("tale-of-carrot", page)
    first, rabbits, adventures, heroes = page["tale_of_carrot"](streams, SEATS, cards)
    (laid,) = of_kind(game, PUBLIC, "table_laid")
    assert laid.first == first
    for seat in range(SEATS):
        mine = [event for event in of_kind(game, seat, "heroes_drawn") if event.seat == seat]
        assert [list(event.heroes) for event in mine] == [heroes[seat]]
    kinds = [kind for kind, _ in happened(game, PUBLIC)]
    anew = kinds.index("pizzas_added") if "pizzas_added" in kinds else len(kinds)
    drawn = [event.card for event in of_kind(game, PUBLIC, "adventure_drawn")]
    drawn = drawn[: kinds[:anew].count("adventure_drawn")][: len(adventures)]
    assert drawn
    assert drawn == adventures[::-1][: len(drawn)]
    placed = [event.card for event in of_kind(game, first, "rabbit_drawn") if event.card]
    assert placed[0] == rabbits[-1]
