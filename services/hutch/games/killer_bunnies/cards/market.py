"""Cards about Kaballa's Market: its prices, and what is free or cheaper there."""

from __future__ import annotations

from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Board, Game
from hutch.games.killer_bunnies.events.piles import MarketChanged
from hutch.games.killer_bunnies.events.turns import HalfPriceBegan
from hutch.games.killer_bunnies.market import CLOSED, is_open
from hutch.games.killer_bunnies.printed import STARTER, print_card, printed
from hutch.games.killer_bunnies.purse import take_supply_card


def change_market(table: Game, seat: int, card: int) -> Script[None]:
    """KB-067: the newest card rules."""
    table.emit(MarketChanged(card))
    yield from ()


for number, name, prices in (
    (59, "High", (4, 5, 10)),
    (139, "Low", (2, 1, 10)),
    (60, "Closed", None),
    (140, "Closed", None),
    (STARTER, "Starter", (3, 3, 10)),
):
    print_card(
        number,
        name=f"Kaballa's Market ({name})",
        type="starter" if number == STARTER else "run",
        kind="market",
        text=f"Open: Cabbage {prices[0]}, Water {prices[1]}, Carrot {prices[2]} Dolla."
        if prices
        else "Closes the market.",
        prices=prices,
        play=change_market,
    )


@printed(
    "Half Price Coupon",
    71,
    type="special",
    kind="supply",
    text="Market purchases cost half for this turn, rounded up.",
    guard=lambda board, seat, card: "It is half price already (O-68)." if board.half_price else "",
)
def half_price_coupon(table: Game, seat: int, card: int) -> Script[None]:
    """KB-125."""
    table.emit(HalfPriceBegan(seat))
    yield from ()


def _free(number: int, name: str, cabbage: int, water: int) -> None:
    def guard(board: Board, seat: int, card: int) -> str:
        if not is_open(board):
            return CLOSED
        gains = (cabbage and board.cabbage) or (water and board.water)
        return "" if gains else "The market has none of that left (O-24)."

    @printed(
        name,
        number,
        type="special",
        kind="supply",
        cabbage=cabbage,
        water=water,
        guard=guard,
        text=f"Take {cabbage} Cabbage and {water} Water Cards from the open market.",
    )
    def take(table: Game, seat: int, card: int) -> Script[None]:
        """KB-123, KB-148."""
        for _ in range(cabbage):
            take_supply_card(table, seat, "cabbage")
        for _ in range(water):
            take_supply_card(table, seat, "water")
        yield from ()


_free(68, "Free Cabbage", 2, 0)
_free(69, "Free Water", 0, 2)
_free(146, "Free Cabbage And Water", 1, 1)
