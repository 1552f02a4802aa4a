"""Bunnies, and the cards that bring them back or take them out of play."""

from __future__ import annotations

from hutch.engine.prompts import Ask
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Board, Game
from hutch.games.killer_bunnies.deaths import abduct
from hutch.games.killer_bunnies.deciding import (
    NO,
    card_option,
    choose_bunny,
    decide,
    number_option,
    question,
    value_of,
)
from hutch.games.killer_bunnies.dice import SIDES, roll_five
from hutch.games.killer_bunnies.events.bunnies import AbducteeLost
from hutch.games.killer_bunnies.events.turns import Launched, NumberNamed
from hutch.games.killer_bunnies.interrupts import Threat, window
from hutch.games.killer_bunnies.placing import join_circle
from hutch.games.killer_bunnies.printed import CARDS, print_card, printed
from hutch.games.killer_bunnies.targets import why_not_put, why_not_target

BREEDS = ("congenial", "gleeful", "lumbering", "sinister", "timid")
FIRST_OF_COLOUR = {"blue": 1, "green": 6, "orange": 11, "yellow": 111, "violet": 116}
FREE_AGENTS = (57, 138)


def run_bunny(table: Game, seat: int, card: int) -> Script[None]:
    """The bunny joins the circle wherever its owner likes (KB-051)."""
    yield from join_circle(table, seat, card, "run")


for colour, first in FIRST_OF_COLOUR.items():
    for number, breed in enumerate(BREEDS, first):
        print_card(
            number,
            name=f"{colour.capitalize()} {breed.capitalize()} Bunny",
            type="run",
            kind="bunny",
            text="Joins the circle. Three of one colour or one kind allow two plays a turn.",
            colour=colour,
            breed=breed,
            play=run_bunny,
        )

print_card(
    FREE_AGENTS,
    name="Free Agent",
    type="run",
    kind="bunny",
    text="Joins the circle as a bunny of any colour and any kind, whatever is needed.",
    play=run_bunny,
)


def bunnies_in_discards(board: Board) -> list[int]:
    """The bunnies that could be revived (KB-057)."""
    return [card for card in board.discards if CARDS[card].kind == "bunny"]


def revive(table: Game, seat: int, *, about: int, optional: bool = True) -> Script[bool]:
    """A bunny of the player's choice from the discards, straight into the circle."""
    board = table.board
    if not bunnies_in_discards(board):
        return False

    def build() -> Ask:
        options = [card_option("revive", card) for card in bunnies_in_discards(board)]
        return question(
            board, seat, "bunny.revive", [*options, NO] if optional else options, about=about
        )

    reply = yield from decide(table, seat, build, interruptible=False)
    if reply.option == NO.id:
        return False
    yield from join_circle(table, seat, value_of(reply.option), "revived")
    return True


def nothing_to_revive(board: Board, seat: int, card: int) -> str:
    """KB-057: only the discards give bunnies back."""
    return "" if bunnies_in_discards(board) else "There is no bunny in the discards (KB-057)."


@printed(
    "The Magic Fountain",
    (76, 77),
    type="special",
    kind="revive",
    text="Name a number and roll five dice: each hit may bring one bunny back from the discards.",
    guard=nothing_to_revive,
)
def magic_fountain(table: Game, seat: int, card: int) -> Script[None]:
    """KB-128."""

    def build() -> Ask:
        numbers = [number_option("number", value) for value in range(1, SIDES + 1)]
        return question(table.board, seat, "fountain.number", numbers, about=card)

    lucky = value_of((yield from decide(table, seat, build)).option)
    table.emit(NumberNamed(seat, lucky))
    for _ in range(roll_five(table, seat).count(lucky)):
        if not (yield from revive(table, seat, about=card)):
            return


@printed(
    "Area 51",
    (49, 50, 134),
    kind="abduction",
    pink=True,
    any_bunny=True,
    guard=why_not_put,
    text="Takes any bunny out of play; the one taken before comes back to its owner.",
)
def area_51(table: Game, seat: int, card: int) -> Script[None]:
    """KB-105, KB-106: the new bunny leaves first, then the old one returns (O-57)."""
    board = table.board
    bunny = yield from choose_bunny(
        table,
        seat,
        "abduction.target",
        lambda one: not why_not_target(board, seat, card, one),
        about=card,
    )
    if bunny is None:
        return
    table.emit(Launched(seat, card, bunny.card))
    threat = Threat("launch", card, seat, bunny.card)
    yield from window(table, threat)
    if threat.is_void(board):
        return
    before = board.away
    yield from abduct(table, bunny)
    if before is not None:
        yield from join_circle(table, before.seat, before.card, "returned")


def lose_abductee(table: Game, seat: int) -> None:
    """The abducted bunny of a player who leaves goes to the discards (O-61)."""
    away = table.board.away
    if away is not None and away.seat == seat:
        table.emit(AbducteeLost(away.card))
