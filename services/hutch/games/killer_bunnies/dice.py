"""Dice: single rolls, the five coloured ones, and contests (O-49)."""

from __future__ import annotations

from typing import Final

from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Game
from hutch.games.killer_bunnies.deciding import wants
from hutch.games.killer_bunnies.events.turns import FIVE, DiceRolled, Die, DieRolled

SIDES: Final = 12


def roll(table: Game, seat: int, die: Die, *, bunny: int = 0, beat: int = 0) -> int:
    """A seat rolls one die."""
    value = table.chance.roll("dice", SIDES)
    table.emit(DieRolled(seat, die, value, bunny, beat))
    return value


def roll_five(table: Game, seat: int) -> list[int]:
    """A seat rolls violet, orange, green, yellow and blue."""
    values = [table.chance.roll("dice", SIDES) for _ in FIVE]
    table.emit(DiceRolled(seat, values))
    return values


def beats(table: Game, seat: int, bunny: int, level: int, *, die: Die = "black") -> bool:
    """Whether a roll is above the level (KB-083). No roll where the level decides (KB-084, KB-085).

    `bunny` is the card rolled for: a bunny, or Cyber Bunny.
    """
    if level < 1:
        return True
    if level >= SIDES:
        return False
    return roll(table, seat, die, bunny=bunny, beat=level) > level


def contest(table: Game, player: int, seats: list[int], card: int, *, highest: bool) -> Script[int]:
    """All roll; the card player may roll again once; ties roll until broken: the deciding seat."""
    rolls = {seat: roll(table, seat, "black") for seat in seats}
    if player in rolls and len(seats) > 1:
        again = yield from wants(table, player, "contest.again", about=card, interruptible=False)
        if again:
            rolls[player] = roll(table, player, "black")
    while True:
        best = max(rolls.values()) if highest else min(rolls.values())
        tied = [seat for seat in rolls if rolls[seat] == best]
        if len(tied) == 1:
            return tied[0]
        rolls = {seat: roll(table, seat, "black") for seat in tied}
