"""Gambles against the dice: Casino, Bakery and Supplies Surprise."""

from __future__ import annotations

from hutch.engine.prompts import Ask
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Bunny, Game
from hutch.games.killer_bunnies.cards.bunnies import revive
from hutch.games.killer_bunnies.circle import has_halo, neighbours
from hutch.games.killer_bunnies.deaths import kill
from hutch.games.killer_bunnies.deciding import (
    NO,
    choose_bunny,
    decide,
    number_option,
    question,
    value_of,
)
from hutch.games.killer_bunnies.dice import roll, roll_five
from hutch.games.killer_bunnies.events.goods import CarrotTaken
from hutch.games.killer_bunnies.events.turns import FIVE
from hutch.games.killer_bunnies.feeding import feed_now
from hutch.games.killer_bunnies.market import choose_carrots, is_open
from hutch.games.killer_bunnies.printed import printed
from hutch.games.killer_bunnies.purse import receive, take_supply_card


@printed(
    "Carrot Top Casino",
    (66, 67),
    type="special",
    kind="gamble",
    pink=True,
    text="A bunny's owner rolls five dice. All different: a Carrot and 7 Dolla. A pair: feed 1/1 "
    "now. Three alike: the bunny dies.",
)
def carrot_top_casino(table: Game, seat: int, card: int) -> Script[None]:
    """KB-122: reward and penalty are the owner's (O-04); two pairs feed once (O-05)."""
    bunny = yield from choose_bunny(table, seat, "gamble.target", lambda one: True, about=card)
    if bunny is None:
        return
    values = roll_five(table, bunny.seat)
    match max(values.count(value) for value in values):
        case 1:
            if is_open(table.board):
                yield from _carrot_if_he_likes(table, bunny.seat, card)
            receive(table, bunny.seat, "dolla", 7)
        case 2:
            yield from feed_now(table, bunny.card, cabbage=1, water=1)
        case _:
            yield from _snuff(table, [bunny])


def _carrot_if_he_likes(table: Game, seat: int, card: int) -> Script[None]:
    board = table.board

    def build() -> Ask:
        carrots = [number_option("carrot", carrot) for carrot in board.market]
        return question(board, seat, "casino.carrot", [*carrots, NO], about=card)

    option = (yield from decide(table, seat, build, interruptible=False)).option
    if option != NO.id:
        table.emit(CarrotTaken(seat, value_of(option)))


def _snuff(table: Game, bunnies: list[Bunny]) -> Script[None]:
    """They die, but for a Halo bunny (KB-097)."""
    yield from kill(table, [bunny.card for bunny in bunnies if not has_halo(bunny)])


@printed(
    "The Mad, Mad Donnelaith Bakery",
    (74, 75),
    type="special",
    kind="gamble",
    pink=True,
    text="A bunny's owner rolls. 10-12: a Carrot. 7-9: a Cabbage and a Water Card. 4-6: feed 1/1 "
    "now. 2-3: it dies. 1: its neighbours too.",
)
def mad_bakery(table: Game, seat: int, card: int) -> Script[None]:
    """KB-126, KB-127: the orange die stands in for the red one of a later deck."""
    board = table.board
    bunny = yield from choose_bunny(table, seat, "gamble.target", lambda one: True, about=card)
    if bunny is None:
        return
    owner = bunny.seat
    match roll(table, owner, "orange", bunny=bunny.card):
        case 10 | 11 | 12:
            if is_open(board):
                yield from choose_carrots(table, owner, 1, about=card)
        case 7 | 8 | 9:
            if is_open(board):
                take_supply_card(table, owner, "cabbage")
                take_supply_card(table, owner, "water")
        case 4 | 5 | 6:
            yield from feed_now(table, bunny.card, cabbage=1, water=1)
        case 2 | 3:
            yield from _snuff(table, [bunny])
        case _:
            yield from _snuff(table, [bunny, *neighbours(board, bunny.card)])


@printed(
    "Supplies Surprise",
    (78, 79),
    type="special",
    kind="gamble",
    text="Roll five dice, the lowest pay: violet a dead bunny, orange a Carrot, green a Cabbage "
    "Card, yellow 10 Dolla, blue a Water Card.",
)
def supplies_surprise(table: Game, seat: int, card: int) -> Script[None]:
    """KB-129, KB-130: market goods only if it is open; nothing is owed (KB-072)."""
    values = roll_five(table, seat)
    for die, value in zip(FIVE, values, strict=True):
        if value > min(values):
            continue
        match die:
            case "violet":
                yield from revive(table, seat, about=card)
            case "yellow":
                receive(table, seat, "dolla", 10, owed=False)
            case _ if not is_open(table.board):
                pass
            case "orange":
                yield from choose_carrots(table, seat, 1, about=card)
            case "green":
                take_supply_card(table, seat, "cabbage")
            case _:
                take_supply_card(table, seat, "water")
