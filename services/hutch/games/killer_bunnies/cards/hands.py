"""Cards about hands and run cards."""

from __future__ import annotations

from hutch.engine.prompts import Ask, Option
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Board, Game, seats_from
from hutch.games.killer_bunnies.circle import opponents
from hutch.games.killer_bunnies.deciding import (
    NO,
    card_option,
    choose_seat,
    decide,
    question,
    value_of,
)
from hutch.games.killer_bunnies.events.piles import (
    HandCardsDiscarded,
    HandCardsSwapped,
    TopRunsRotated,
    WeaponsHidden,
    WeaponsShown,
)
from hutch.games.killer_bunnies.piles import draw_up
from hutch.games.killer_bunnies.printed import CARDS, TOP_RUN_ROTATE, printed


def weapons_in_hand(board: Board, seat: int) -> list[int]:
    """The weapons in a hand; Trojan and Ebola are some, Cyber Bunny is none (O-13)."""
    return [card for card in board.seats[seat].hand if CARDS[card].kind == "weapon"]


def with_hands(board: Board, seats: list[int]) -> list[int]:
    """Those of the seats who hold cards."""
    return [seat for seat in seats if board.seats[seat].hand]


@printed(
    "Geneva Convention",
    70,
    type="special",
    kind="player_attack",
    pink=True,
    text="A player discards all weapons in his hand, and draws back to five.",
)
def geneva_convention(table: Game, seat: int, card: int) -> Script[None]:
    """KB-124: run slots are safe; the rest of the hand stays hidden (O-13)."""
    board = table.board
    victim = yield from choose_seat(
        table,
        seat,
        "player.choose",
        lambda: with_hands(board, seats_from(board, seat)),
        about=card,
    )
    if victim is None:
        return
    weapons = weapons_in_hand(board, victim)
    if weapons:
        table.emit(HandCardsDiscarded(victim, weapons))
        yield from draw_up(table, victim)


def why_not_exchange(board: Board, seat: int, card: int) -> str:
    """KB-152: the player must have a weapon in his hand."""
    if not weapons_in_hand(board, seat):
        return "You need a weapon in your five-card hand (KB-152)."
    return "" if with_hands(board, opponents(board, seat)) else "No opponent holds cards."


@printed(
    "Rooney's Weapons Exchange",
    149,
    type="special",
    kind="weapon_helper",
    pink=True,
    guard=why_not_exchange,
    text="An opponent shows you his weapons; you may swap one of yours for one of them.",
)
def weapons_exchange(table: Game, seat: int, card: int) -> Script[None]:
    """KB-152: only the player sees the weapons shown."""
    board = table.board
    other = yield from choose_seat(
        table,
        seat,
        "player.choose",
        lambda: with_hands(board, opponents(board, seat)),
        about=card,
    )
    if other is None:
        return
    table.emit(WeaponsShown(other, seat, weapons_in_hand(board, other)))

    def theirs() -> Ask:
        shown = board.shown.cards if board.shown is not None else []
        options = [card_option("take", weapon) for weapon in shown]
        return question(board, seat, "exchange.take", [*options, NO], about=card, default=NO.id)

    taken = (yield from decide(table, seat, theirs, interruptible=False)).option
    if taken != NO.id and weapons_in_hand(board, seat):
        # The place, not the card: in worlds that third players imagine another lies there.
        hand = board.seats[other].hand
        place = hand.index(value_of(taken))

        def mine() -> Ask:
            options: list[Option] = [
                card_option("give", weapon) for weapon in weapons_in_hand(board, seat)
            ]
            return question(board, seat, "exchange.give", options, about=card)

        given = (yield from decide(table, seat, mine, interruptible=False)).option
        table.emit(HandCardsSwapped(seat, other, [value_of(given)], [hand[place]]))
    table.emit(WeaponsHidden(other))


@printed(
    "Top Run Rotate",
    TOP_RUN_ROTATE,
    type="special",
    kind="run_control",
    text="Every player passes his Top Run card to the player on his right.",
)
def top_run_rotate(table: Game, seat: int, card: int) -> Script[None]:
    """KB-154."""
    board = table.board
    order = board.order
    givers = [giver for giver in order if board.seats[giver].top]
    table.emit(
        TopRunsRotated(
            givers,
            [order[order.index(giver) - 1] for giver in givers],
            [board.seats[giver].top for giver in givers],
        )
    )
    yield from ()
