"""What the properties of every game need to know of this one."""

from __future__ import annotations

from typing import Final

from hutch.engine.table import Table
from hutch.games.tale_of_carrot.board import Board
from hutch.games.tale_of_carrot.card_events import AdventureDrawn
from tests.games.tale_of_carrot.arranging import everything
from tests.properties.profile import Profile

#: Fewer cards in the deck, and one may count out what somebody holds.
ENOUGH: Final = 5


def hidden(table: Table[Board], seat: int | None) -> dict[str, object]:
    """The decks' order, Heroes face down and put back, a drawn Rabbit, a Mage's unseen card.

    Used tokens tell icons, and no two Heroes have the same three: a Hero is only sure to be hidden
    before the first.
    """
    board = table.board
    unseen: dict[str, object] = {
        "rabbits": tuple(board.rabbits),
        "adventures": tuple(board.adventures),
    }
    many = len(board.rabbits) >= ENOUGH
    if board.held and board.holder != seat and many:
        unseen["held"] = board.held
    heroes = []
    for other, village in enumerate(board.villages):
        if other == seat:
            continue
        if village.drawn:
            unseen[f"drawn {other}"] = tuple(village.drawn)
        else:
            unseen[f"spare {other}"] = village.spare
            if not (village.revealed or village.slots or board.in_use or board.declared):
                heroes.append(village.hero)
        if village.hand and not (village.hand_known or village.hand_counted) and many:
            unseen[f"hand {other}"] = village.hand
    if len(heroes) > 1:
        unseen["heroes"] = tuple(heroes)
    return unseen


PROFILE: Final = Profile(
    options=(
        {},
        {"timing": "party"},
        {"leaving": "forfeit"},
        {"timing": "party", "leaving": "forfeit"},
        {"heroes": "first-game"},
        {"without": ["jester", "mage"], "jester_at_three": False},
    ),
    decisions=5_000,
    conserved=lambda table: sorted(everything(table.board).items()),
    hidden=hidden,
    peeks=frozenset({AdventureDrawn}),  # a Pizza that was served is only counted
)
