"""Kaballa Dolla, and the card that doubles them."""

from __future__ import annotations

from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Game
from hutch.games.killer_bunnies.printed import print_card, printed
from hutch.games.killer_bunnies.purse import has, receive

for numbers, dolla in (
    ((*range(87, 92), *range(155, 158)), 1),
    ((*range(92, 98), 158, 159), 2),
    ((98, 99, 100, 160), 5),
    ((101, 161), 10),
):
    print_card(
        numbers,
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
