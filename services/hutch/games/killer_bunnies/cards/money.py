"""Kaballa Dolla, and the card that doubles them."""

from __future__ import annotations

from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Game
from hutch.games.killer_bunnies.printed import DOLLA, print_card, printed
from hutch.games.killer_bunnies.purse import has, receive

for number, dolla in DOLLA.items():
    print_card(
        number,
        name=f"{dolla} Dolla",
        type="kaballa_dolla",
        kind="money",
        text="Money: laid down when drawn, and another card drawn.",
        dolla=dolla,
    )


@printed(
    "Double No Trouble",
    137,
    kind="money",
    text="Gain as much Dolla from the discards as you have; what is missing is owed.",
    guard=lambda board, seat, card: (
        "" if board.seats[seat].dolla else "You have no Dolla to double (O-68)."
    ),
)
def double_no_trouble(table: Game, seat: int, card: int) -> Script[None]:
    """KB-140."""
    receive(table, seat, "dolla", has(table, seat, "dolla"))
    yield from ()
