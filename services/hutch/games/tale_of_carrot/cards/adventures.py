"""Adventure cards: the effects of the legend (TC-112 to TC-118), and drawing a card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from hutch.engine.rules import Script
from hutch.games.tale_of_carrot.board import NOBODY
from hutch.games.tale_of_carrot.card_events import (
    AdventureDiscarded,
    AdventureDrawn,
    DeckShuffled,
    PizzaServed,
)
from hutch.games.tale_of_carrot.damage import strike
from hutch.games.tale_of_carrot.moments import Hit, TaleTable
from hutch.games.tale_of_carrot.tables import PIZZA
from hutch.games.tale_of_carrot.words import (
    choose_player,
    discard_any,
    discard_from,
    own_rabbits,
    play_rabbit,
    recover,
    tables_of,
    win,
)

PIZZAS_TO_WIN: Final = 4

#: What an effect does: the table, who drew the card, the amount, and who is unhurt by it (O26).
Act = Callable[[TaleTable, int, int, int], Script[None]]


class Effect(Struct, frozen=True):
    """An effect of the legend: its text, with `{n}` for the amount, and what it does."""

    text: str
    act: Act


EFFECTS: Final[dict[str, Effect]] = {}


def effect(code: str, text: str) -> Callable[[Act], Act]:
    """Declare an effect."""

    def register(act: Act) -> Act:
        EFFECTS[code] = Effect(text, act)
        return act

    return register


@effect("HEAL_SELF", "Recover {n} HP.")
def heal_self(t: TaleTable, drawer: int, amount: int, unhurt: int) -> Script[None]:
    recover(t, drawer, amount)
    yield from ()


@effect("LOSE_SELF", "Suffer {n} damage.")
def lose_self(t: TaleTable, drawer: int, amount: int, unhurt: int) -> Script[None]:
    yield from strike(t, [Hit(drawer, amount)], unhurt=unhurt)


@effect("PLAY_RABBIT", "Draw a Rabbit and place it in any Zone.")
def place_one(t: TaleTable, drawer: int, amount: int, unhurt: int) -> Script[None]:
    yield from play_rabbit(t, drawer)


@effect("DISCARD_OWN", "Discard {n} Rabbits from your Village.")
def discard_own(t: TaleTable, drawer: int, amount: int, unhurt: int) -> Script[None]:
    for zone in own_rabbits(t.board, drawer)[:amount]:
        discard_from(t, zone)
    yield from ()


@effect("HEAL_CHOSEN", "Choose a player: they recover {n} HP.")
def heal_chosen(t: TaleTable, drawer: int, amount: int, unhurt: int) -> Script[None]:
    target = yield from choose_player(t, drawer, "player.heal", amount=amount)
    if target is not None:
        recover(t, target, amount)


@effect("DISCARD_ANY", "Discard a Rabbit from any Village.")
def discard_one(t: TaleTable, drawer: int, amount: int, unhurt: int) -> Script[None]:
    yield from discard_any(t, drawer)


@effect("DAMAGE_CHOSEN", "Choose a player: they suffer {n} damage.")
def damage_chosen(t: TaleTable, drawer: int, amount: int, unhurt: int) -> Script[None]:
    target = yield from choose_player(t, drawer, "player.damage", amount=amount)
    if target is not None:
        yield from strike(t, [Hit(target, amount)], unhurt=unhurt)


def adventure_in_deck(t: TaleTable) -> bool:
    """Whether an Adventure can be drawn; an empty deck takes in its discards first (O39)."""
    board = t.board
    if not board.adventures and board.adventure_discards:
        cards = t.chance.shuffled("decks", board.adventure_discards)
        t.emit(DeckShuffled("adventures", tuple(cards)))
    return bool(board.adventures)


def draw_adventure(
    t: TaleTable, drawer: int, *, by_rule: bool = False, unhurt: int = NOBODY
) -> Script[None]:
    """Draw an Adventure card, resolve it from top to bottom, and discard it (TC-022, O08)."""
    if not adventure_in_deck(t):
        return
    board = t.board
    villages = board.villages
    t.emit(AdventureDrawn(drawer, board.adventures[-1], by_rule))
    ref = board.adventure
    if ref == PIZZA:
        serve_pizza(t)
        return
    for code, amount in tables_of(t).adventures[ref].effects:
        yield from EFFECTS[code].act(t, drawer, amount, unhurt)
        if villages[drawer].fallen:
            break
    t.emit(AdventureDiscarded(ref))


def serve_pizza(t: TaleTable) -> None:
    """A drawn Pizza goes before the Pizza Maker; the fourth one wins (TC-081, TC-082, O31)."""
    board = t.board
    for seat, village in enumerate(board.villages):
        if village.hero == "pizza_maker" and village.spent and not village.fallen:
            t.emit(PizzaServed(seat, village.pizzas + 1))
            if village.pizzas >= PIZZAS_TO_WIN:
                win(t, [seat], "pizza_maker")
            return
    t.emit(AdventureDiscarded(board.adventure))
