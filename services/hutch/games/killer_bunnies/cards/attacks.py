"""Cards given to a player: Bad Karma and Baker Street."""

from __future__ import annotations

from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Game, seats_from
from hutch.games.killer_bunnies.deciding import choose_seat
from hutch.games.killer_bunnies.events.turns import KarmaGiven, TurnWillBeLost
from hutch.games.killer_bunnies.printed import printed


@printed(
    "Bad Karma",
    51,
    kind="player_attack",
    pink=True,
    text="A player must launch his next weapon at one of his own bunnies.",
)
def bad_karma(table: Game, seat: int, card: int) -> Script[None]:
    """KB-108."""
    victim = yield from choose_seat(
        table, seat, "player.choose", lambda: seats_from(table.board, seat), about=card
    )
    if victim is not None:
        table.emit(KarmaGiven(victim, card))


@printed(
    "Baker Street",
    52,
    kind="player_attack",
    pink=True,
    text="A player loses his next turn.",
)
def baker_street(table: Game, seat: int, card: int) -> Script[None]:
    """KB-109: he need not own a bunny."""
    victim = yield from choose_seat(
        table, seat, "player.choose", lambda: seats_from(table.board, seat), about=card
    )
    if victim is not None:
        table.emit(TurnWillBeLost(victim, card))
