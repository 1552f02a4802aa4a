"""Carrots, and the cards that take them or send them back."""

from __future__ import annotations

from msgspec.structs import replace

from hutch.engine.prompts import Ask, Pick
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Board, Game
from hutch.games.killer_bunnies.circle import opponents
from hutch.games.killer_bunnies.deciding import (
    choose_seat,
    decide,
    number_option,
    some_of,
    value_of,
    wants,
)
from hutch.games.killer_bunnies.dice import roll
from hutch.games.killer_bunnies.events.goods import CarrotMoved, CarrotReturned, CarrotTaken
from hutch.games.killer_bunnies.market import choose_carrots
from hutch.games.killer_bunnies.printed import CARDS, CARROT_CARDS, FLO, print_card, printed
from hutch.games.killer_bunnies.purse import has, pay

NAMES = (
    "Tucker",
    "Abu",
    "Hikaru",
    "Flo",
    "Remington",
    "Butch",
    "Presto",
    "Seth",
    "Norman",
    "Dex",
    "Rick",
    "Arnie",
)
#: KB-145: what it costs to keep a Carrot fresh, in Dolla.
FRESHNESS = 2

for carrot, name in enumerate(NAMES, 1):
    print_card(
        CARROT_CARDS[carrot],
        name=f"Carrot {carrot} - {name}",
        type="carrot",
        kind="carrot",
        text="May prove to be the Magic Carrot."
        + (" Feeds one bunny for free, once in a game." if carrot == FLO else ""),
        carrot=carrot,
    )


def choose(table: Game, seat: int, card: int) -> Script[None]:
    """KB-134: that many Carrots by choice, open or closed market."""
    yield from choose_carrots(table, seat, CARDS[card].carrot, about=card)


print_card(
    (*range(16, 21), 121, 122),
    name="Choose A Carrot",
    type="run",
    kind="carrot_choice",
    text="Take one Carrot of your choice, even from a closed market.",
    pink=True,
    aggressive=False,
    carrot=1,
    play=choose,
)
print_card(
    (21, 22, 23, 123, 124),
    name="Choose 2 Carrots",
    type="run",
    kind="carrot_choice",
    text="Take two Carrots of your choice, or the last one, even from a closed market.",
    pink=True,
    aggressive=False,
    carrot=2,
    play=choose,
)


@printed(
    "Carrot Thief",
    136,
    kind="theft",
    pink=True,
    text="Roll the orange die: take the Carrot of that number, wherever it is.",
)
def carrot_thief(table: Game, seat: int, card: int) -> Script[None]:
    """KB-139; it may be left, and an own Carrot is no gain (O-20)."""
    board = table.board
    carrot = roll(table, seat, "orange")
    if carrot in board.market:
        if (yield from wants(table, seat, "carrot.steal", about=card, interruptible=False)):
            table.emit(CarrotTaken(seat, carrot))
        return
    for other in opponents(board, seat):
        if carrot in board.seats[other].carrots:
            if (yield from wants(table, seat, "carrot.steal", about=card, interruptible=False)):
                table.emit(CarrotMoved(other, seat, carrot))
            return


def carrot_owners(board: Board, seat: int) -> list[int]:
    """The opponents who have Carrots."""
    return [other for other in opponents(board, seat) if board.seats[other].carrots]


@printed(
    "Weil's Freshness Center",
    144,
    kind="player_attack",
    pink=True,
    text="An opponent pays 2 Dolla for each Carrot he keeps; the rest go back to the market.",
    guard=lambda board, seat, card: (
        "" if carrot_owners(board, seat) else "No opponent has a Carrot (O-68)."
    ),
)
def freshness_center(table: Game, seat: int, card: int) -> Script[None]:
    """KB-145: he chooses which to return, and may return more than he must."""
    board = table.board
    victim = yield from choose_seat(
        table, seat, "player.choose", lambda: carrot_owners(board, seat), about=card
    )
    if victim is None:
        return
    owner = victim

    def build() -> Ask:
        carrots = board.seats[owner].carrots
        most = min(len(carrots), has(table, owner, "dolla") // FRESHNESS)
        options = [number_option("carrot", carrot) for carrot in carrots]
        ask = some_of(board, owner, "carrot.keep", options, least=0, most=most, about=card)
        return replace(ask, default=tuple([Pick(option.id) for option in options[:most]]))

    reply = yield from decide(table, owner, build)
    kept = [value_of(option) for option in reply.taken]
    pay(table, owner, "dolla", FRESHNESS * len(kept))
    for carrot in list(board.seats[owner].carrots):
        if carrot not in kept:
            table.emit(CarrotReturned(owner, carrot))
