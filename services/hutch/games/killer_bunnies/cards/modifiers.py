"""Modifiers that are run: The Heavenly Halo and the Lucky Clovers."""

from __future__ import annotations

from hutch.engine.prompts import Ask
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Board, Bunny, Game
from hutch.games.killer_bunnies.circle import clovers_under
from hutch.games.killer_bunnies.deaths import move_off
from hutch.games.killer_bunnies.deciding import (
    NO,
    card_option,
    choose_bunny,
    decide,
    question,
    value_of,
)
from hutch.games.killer_bunnies.dice import roll
from hutch.games.killer_bunnies.events.bunnies import CloversTaken, FeedsDiscarded, ModifierLaid
from hutch.games.killer_bunnies.piles import discard
from hutch.games.killer_bunnies.playable import NO_TARGET
from hutch.games.killer_bunnies.printed import CARDS, HALO, print_card, printed


def lay_modifier(table: Game, seat: int, card: int) -> Script[None]:
    """KB-094: under any bunny of anybody, for good."""
    bunny = yield from choose_bunny(table, seat, "modifier.target", lambda one: True, about=card)
    if bunny is not None:
        table.emit(ModifierLaid(card, bunny.card))
        if card == HALO:
            yield from _protect(table, bunny)


def _protect(table: Game, bunny: Bunny) -> Script[None]:
    """O-46: pending Feed cards go and roamers move on; a Trojan stays."""
    if bunny.feeds:
        table.emit(FeedsDiscarded(bunny.card, [feed.card for feed in bunny.feeds], False))
    yield from move_off(table, bunny)


def no_bunny_at_all(board: Board, seat: int, card: int) -> str:
    """A modifier needs some bunny to lie under."""
    return "" if board.circle else NO_TARGET


print_card(
    HALO,
    name="The Heavenly Halo",
    type="run",
    kind="modifier",
    text="Under any bunny: safe from weapons, hunger, misfortune, abduction and roamers.",
    guard=no_bunny_at_all,
    play=lay_modifier,
)
for number, clovers, size in (
    (61, 1, "Single"),
    (62, 2, "Double"),
    (63, 3, "Triple"),
    (141, 4, "Quadruple"),
):
    print_card(
        number,
        name=f"Lucky Clover - {size}",
        type="run",
        kind="modifier",
        text=f"Under any bunny: takes {clovers} off the level of every weapon against it.",
        clovers=clovers,
        guard=no_bunny_at_all,
        play=lay_modifier,
    )


@printed(
    "Black Cat",
    53,
    kind="misc",
    pink=True,
    text="Takes all Clovers off one bunny. Green die odd: lay them anew or discard; even: discard.",
    guard=lambda board, seat, card: (
        ""
        if any(clovers_under(bunny) for bunny in board.circle)
        else "No bunny has a Clover (O-68)."
    ),
)
def black_cat(table: Game, seat: int, card: int) -> Script[None]:
    """KB-110."""
    bunny = yield from choose_bunny(
        table, seat, "clovers.target", lambda one: clovers_under(one) > 0, about=card
    )
    if bunny is None:
        return
    taken = [under for under in bunny.under if CARDS[under].clovers]
    table.emit(CloversTaken(bunny.card, taken))
    odd = roll(table, seat, "green") % 2 == 1
    for clover in taken:
        if odd:
            yield from _lay_anew(table, seat, clover)
        discard(table, clover)


def _lay_anew(table: Game, seat: int, clover: int) -> Script[None]:
    board = table.board

    def build() -> Ask:
        options = [card_option("bunny", one.card) for one in board.circle]
        return question(board, seat, "clovers.lay", [*options, NO], about=clover, lays=True)

    reply = yield from decide(table, seat, build, interruptible=False)
    if reply.option != NO.id:
        table.emit(ModifierLaid(clover, value_of(reply.option)))
