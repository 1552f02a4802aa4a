"""The board in a terminal: the circle, the market, pending feeds and the dice can be followed."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from hutch.cli.boards.art import Sitting
from hutch.cli.boards.killer_bunnies import ART
from hutch.games.killer_bunnies import RULES
from hutch.games.killer_bunnies.board import Feed, Roamer
from hutch.v1 import catalog_service_pb2, table_pb2
from tests.games.killer_bunnies.arranging import Player, Playing, arrange


def shown(game: Playing) -> str:
    view = table_pb2.View(awaited_seats=[0])
    view.killer_bunnies.CopyFrom(RULES.look(game.live.table, None))  # type: ignore[arg-type]
    cards = {card.ref: catalog_service_pb2.Card(facts=card.facts) for card in RULES.catalogue()}
    console = Console(width=100, record=True, file=StringIO())
    console.print(ART.headline(view))
    console.print(ART.board(Sitting(view=view, cards=cards, names=["Ann", "Ben"]), 100))
    assert ART.scores(view) == [1, 0]
    return console.export_text()


def test_everything_on_the_table_is_drawn() -> None:
    game = arrange(
        Player(bunnies=(1,), carrots=(3,), dolla=(98,), top=45),
        Player(bunnies=(6, 57), cabbage=(5,)),
        under={6: (62,)},
        roamers=(Roamer(54, 1, 57, 5),),
        dice=(8,),
    )
    game.board.pile.remove(24)
    game.bunny(57).feeds.append(Feed(24, 10))

    text = shown(game.go("flip", "play", "bunny:6"))

    for part in ("turn 10", "11 Carrots left", "C Cabbage 3 W Water 3 ▲ Carrot 10", "▸ Ann", "Ben"):
        assert part in text
    for part in ("♣2", "!1C1W by 11", "☠", "wild", "8  beats 7"):
        assert part in text


def test_a_closed_market_says_so() -> None:
    assert "closed" in shown(arrange(Player(carrots=(3,)), Player(), market_card=60))
