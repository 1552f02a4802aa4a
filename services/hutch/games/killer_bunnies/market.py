"""Kaballa's Market: what may be bought, for how much (KB-064 to KB-069)."""

from __future__ import annotations

from collections.abc import Callable

from hutch.engine.prompts import Ask, Option
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Board, Game
from hutch.games.killer_bunnies.deciding import (
    decide,
    number_option,
    question,
    some_of,
    value_of,
    word_option,
)
from hutch.games.killer_bunnies.events.goods import CarrotTaken
from hutch.games.killer_bunnies.printed import CARDS
from hutch.games.killer_bunnies.purse import has, pay, take_supply_card

#: What a seat can buy, beside what lies in its basket.
ForSale = Callable[[Game, int, tuple[str, ...]], list[Option]]

CLOSED = "Kaballa's Market is closed (KB-068)."


def prices(board: Board) -> tuple[int, int, int] | None:
    """Dolla for a Cabbage Card, a Water Card and a Carrot; None while the market is closed."""
    return CARDS[board.market_card].prices


def is_open(board: Board) -> bool:
    """Whether Kaballa's Market is open."""
    return prices(board) is not None


def price_of(board: Board, items: list[str]) -> int:
    """What those items cost in one purchase; half price rounds the total up (KB-125, O-67)."""
    cabbage, water, carrot = prices(board) or (0, 0, 0)
    full = sum(
        cabbage if item == "buy:cabbage" else water if item == "buy:water" else carrot
        for item in items
    )
    return -(-full // 2) if board.half_price else full


def why_not_buy(table: Game, seat: int, item: str, basket: tuple[str, ...] = ()) -> str:
    """Why an item may not be bought: `buy:cabbage`, `buy:water` or `buy:carrot:5`."""
    board = table.board
    if seat != board.active:
        return "You may buy only in your own turn (KB-064)."
    if prices(board) is None:
        return CLOSED
    match item.removeprefix("buy:").split(":"):
        case ["cabbage"]:
            left = len(board.cabbage) - basket.count(item)
        case ["water"]:
            left = len(board.water) - basket.count(item)
        case ["carrot", carrot] if carrot.isdecimal():
            left = int(int(carrot) in board.market and item not in basket)
        case _:
            return "The market sells Cabbage Cards, Water Cards and Carrots (KB-065)."
    if left < 1:
        return "The market has none of that left (O-24)."
    cost = price_of(board, [*basket, item])
    if has(table, seat, "dolla") < cost:
        return f"That costs {cost} Dolla, and you have {has(table, seat, 'dolla')}."
    return ""


def supplies_for_sale(table: Game, seat: int, basket: tuple[str, ...] = ()) -> list[Option]:
    """The Cabbage and Water Cards that the seat can buy now, beside what lies in its basket."""
    return [
        word_option(item)
        for item in ("buy:cabbage", "buy:water")
        if not why_not_buy(table, seat, item, basket)
    ]


def goods_for_sale(table: Game, seat: int, basket: tuple[str, ...] = ()) -> list[Option]:
    """All that the seat can buy now, beside what lies in its basket."""
    board = table.board
    if seat != board.active or not board.seats[seat].dolla or prices(board) is None:
        return []
    found = supplies_for_sale(table, seat, basket)
    if has(table, seat, "dolla") >= price_of(board, [*basket, "buy:carrot"]):
        found += [
            number_option("buy:carrot", carrot)
            for carrot in board.market
            if f"buy:carrot:{carrot}" not in basket
        ]
    return found


def deliver(table: Game, seat: int, items: list[str]) -> None:
    """Pay for a purchase and take it; the units of supply cards show after paying (KB-066)."""
    pay(table, seat, "dolla", price_of(table.board, items))
    for item in items:
        match item:
            case "buy:cabbage":
                take_supply_card(table, seat, "cabbage")
            case "buy:water":
                take_supply_card(table, seat, "water")
            case _:
                table.emit(CarrotTaken(seat, value_of(item)))


def buy(table: Game, seat: int, item: str, for_sale: ForSale = goods_for_sale) -> Script[None]:
    """Buy an item; at half price a basket of what is `for_sale`, whose total is rounded (O-67)."""
    board = table.board
    basket = [item]
    while board.half_price:
        options = [word_option("pay"), *for_sale(table, seat, tuple(basket))]
        if len(options) == 1:
            break

        def build(options: list[Option] = options) -> Ask:
            return question(board, seat, "market.basket", options)

        reply = yield from decide(table, seat, build, interruptible=False)
        if reply.option == "pay":
            break
        basket.append(reply.option)
    deliver(table, seat, basket)


def choose_carrots(table: Game, seat: int, count: int, *, about: int = 0) -> Script[None]:
    """Take Carrots of one's choice from the market, open or closed; what is left if fewer."""
    board = table.board
    wanted = min(count, len(board.market))
    if not wanted:
        return

    def build() -> Ask:
        options = [number_option("carrot", carrot) for carrot in board.market]
        most = min(count, len(board.market))
        return some_of(board, seat, "carrot.choose", options, least=most, most=most, about=about)

    reply = yield from decide(table, seat, build, interruptible=False)
    for option in reply.taken:
        table.emit(CarrotTaken(seat, value_of(option)))
