"""Roaming Red Run cards: their attacks, now and at every end of their launcher's turn (KB-090)."""

from __future__ import annotations

from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Game, Roamer
from hutch.games.killer_bunnies.circle import clovers_under, cyber_on, find
from hutch.games.killer_bunnies.deaths import kill, move_on, remove_roamer
from hutch.games.killer_bunnies.dice import beats
from hutch.games.killer_bunnies.events.bunnies import BunnyInfected, RoamerAttacked
from hutch.games.killer_bunnies.interrupts import Threat, window
from hutch.games.killer_bunnies.printed import CARDS, CYBER, EBOLA

#: KB-111: what the violet die must beat.
CYBER_LEVEL = 9


def attack(table: Game, card: int) -> Script[None]:
    """A roamer attacks the bunny it sits on, and moves on whatever the result."""
    board = table.board
    roamer = next(one for one in board.roamers if one.card == card)
    bunny = find(board, roamer.bunny)
    assert bunny is not None
    table.emit(RoamerAttacked(card, bunny.card))
    if card == EBOLA:
        cyber = cyber_on(board, bunny.card)
        # KB-112: against a roaming weapon Cyber Bunny rolls first.
        if cyber is not None and not beats(table, cyber.seat, CYBER, CARDS[EBOLA].level):
            yield from remove_roamer(table, CYBER)
        table.emit(BunnyInfected(bunny.card))
        lives = beats(table, bunny.seat, bunny.card, CARDS[EBOLA].level - clovers_under(bunny))
    else:
        lives = beats(table, bunny.seat, bunny.card, CYBER_LEVEL, die="violet")
    if lives:
        yield from move_on(table, card)
    else:
        yield from kill(table, [bunny.card], by_roamer=card)


def due_roamer(table: Game) -> Roamer | None:
    """The turn player's next roamer to attack, in order of launch; not in its first turn."""
    board = table.board
    for roamer in board.roamers:
        if roamer.seat == board.active and roamer.turn < board.turn:
            return roamer
    return None


def attack_again(table: Game, roamer: Roamer) -> Script[None]:
    """A later attack, with its own window. Whoever drives it off its bunny averts the attack."""
    card, bunny = roamer.card, roamer.bunny
    yield from window(table, Threat("attack", card, roamer.seat, bunny))
    if not any(one is roamer for one in table.board.roamers):
        return  # it left play; where it was launched afresh it has attacked already (O-28)
    if roamer.bunny == bunny:
        yield from attack(table, card)
    else:
        table.emit(RoamerAttacked(card, 0))
