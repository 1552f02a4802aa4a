"""Feed The Bunny cards, and the Danish that meets them."""

from __future__ import annotations

from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Game
from hutch.games.killer_bunnies.deciding import choose_bunny
from hutch.games.killer_bunnies.events.bunnies import FeedLaid
from hutch.games.killer_bunnies.feeding import feed_fully, hungry
from hutch.games.killer_bunnies.printed import DANISHES, print_card, printed
from hutch.games.killer_bunnies.targets import why_not_put, why_not_target


def lay_feed(table: Game, seat: int, card: int) -> Script[None]:
    """KB-074, KB-076: put on a bunny, whose owner must meet it by the end of his next turn."""
    board = table.board
    bunny = yield from choose_bunny(
        table,
        seat,
        "feed.target",
        lambda one: not why_not_target(board, seat, card, one),
        about=card,
    )
    if bunny is not None:
        table.emit(FeedLaid(card, bunny.card))


def _feed(number: int, cabbage: int, water: int, *, name: str = "Feed", own: bool = False) -> None:
    print_card(
        number,
        name=f"{name} The Bunny {cabbage}/{water}",
        type="run",
        kind="feed",
        text=f"The bunny needs {cabbage} Cabbage and {water} Water Units by the end of its owner's "
        "next turn, or dies.",
        pink=True,
        any_bunny=own,
        cabbage=cabbage,
        water=water,
        guard=why_not_put,
        play=lay_feed,
    )


_feed(24, 1, 1)
_feed(25, 2, 1)
_feed(26, 1, 3)
_feed(27, 3, 1)
_feed(28, 3, 4)
_feed(29, 5, 4)
_feed(30, 5, 5)
_feed(125, 2, 2)
_feed(126, 4, 4)
_feed(127, 10, 10, name="Gorge", own=True)


@printed(
    "Large Prune Danish",
    DANISHES,
    type="special",
    kind="supply",
    text="Meets everything that is demanded for one bunny.",
    guard=lambda board, seat, card: "" if hungry(board) else "No bunny has to be fed (O-68).",
)
def large_prune_danish(table: Game, seat: int, card: int) -> Script[None]:
    """KB-079."""
    bunny = yield from choose_bunny(
        table, seat, "danish.target", lambda one: bool(one.feeds), about=card
    )
    if bunny is not None:
        feed_fully(table, bunny)
