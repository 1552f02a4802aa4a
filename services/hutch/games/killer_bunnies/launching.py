"""Launching: weapons from the aim to the discard (KB-083 to KB-088, O-40 to O-48)."""

from __future__ import annotations

from typing import Literal

from hutch.engine.prompts import Ask, Option
from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Bunny, Game
from hutch.games.killer_bunnies.circle import (
    bunnies_of,
    clovers_under,
    cyber_on,
    find,
    has_halo,
    is_viable,
    spread,
)
from hutch.games.killer_bunnies.deaths import kill, move_on, remove_roamer
from hutch.games.killer_bunnies.deciding import card_option, decide, question, value_of
from hutch.games.killer_bunnies.dice import beats
from hutch.games.killer_bunnies.events.bunnies import (
    RoamerLaunched,
    TrojanLaid,
    TrojanLifted,
)
from hutch.games.killer_bunnies.events.turns import KarmaFulfilled, Launched
from hutch.games.killer_bunnies.interrupts import Threat, window
from hutch.games.killer_bunnies.piles import discard
from hutch.games.killer_bunnies.printed import CARDS, CYBER, EBOLA, MINILITH, TROJAN
from hutch.games.killer_bunnies.reuse import finish, is_used_again, may_come_back
from hutch.games.killer_bunnies.roaming import attack
from hutch.games.killer_bunnies.targets import weapon_targets

#: What became of a launch: no target, eliminated unused, or used.
Fate = Literal["none", "void", "used"]


def launch(table: Game, seat: int, card: int) -> Script[None]:
    """A weapon from the run cycle: aim, window, effect, second use, discard, then the Trojan."""
    fuses: list[int] = []
    fate, last = yield from _fire(table, seat, card, fuses)
    if fate == "none":
        return
    used = fate == "used" and card in table.board.resolving
    if used and (source := (yield from is_used_again(table, seat, card, last=last))):
        yield from _fire(table, seat, card, fuses, again=last)
        discard(table, card)
        yield from finish(table, seat, source)
    yield from _put_away(table, seat, card)
    yield from _set_off(table, fuses)


def relaunch(table: Game, seat: int, card: int) -> Script[None]:
    """A Trojan or Ebola that has just left play is launched afresh (O-28)."""
    fuses: list[int] = []
    yield from _fire(table, seat, card, fuses)
    yield from _put_away(table, seat, card)
    yield from _set_off(table, fuses)


def _put_away(table: Game, seat: int, card: int) -> Script[None]:
    """Discard a weapon that is done; a Trojan or Ebola eliminated unused may come back (O-28)."""
    if card in table.board.resolving:
        discard(table, card)
        if card in (TROJAN, EBOLA):
            yield from may_come_back(table, seat, card)


def _fire(
    table: Game, seat: int, card: int, fuses: list[int], *, again: int = 0
) -> Script[tuple[Fate, int]]:
    """Aim, let others answer, and let it land: its fate, and the bunny that it was aimed at.

    The `fuses` become the launcher's bunnies whose Trojan this sets off.
    """
    board = table.board
    aim = yield from _take_aim(table, seat, card, again)
    if aim is None:
        return "none", 0
    target, at_cyber = aim
    weapon = CARDS[card]
    # KB-149: The Minilith doubles what is printed, and lets it reach the neighbours.
    doubled = MINILITH in board.seats[seat].saved and weapon.level < 10
    shot = Threat(
        "launch",
        card,
        seat,
        target,
        level=2 * weapon.level if doubled else weapon.level,
        reach=max(1, weapon.reach) if doubled else weapon.reach,
        at_cyber=at_cyber,
        fuses=fuses,
    )
    fuses[:] = [bunny.card for bunny in bunnies_of(board, seat) if bunny.trojan]
    table.emit(Launched(seat, card, target, shot.level, at_cyber))
    if karma := board.seats[seat].karma:
        table.emit(KarmaFulfilled(seat, list(karma)))
    yield from window(table, shot)
    if shot.is_void(board):
        return "void", 0
    if card == TROJAN:
        table.emit(TrojanLaid(seat, card, shot.bunny))
        return "used", 0
    if card == EBOLA:
        yield from _let_roam(table, shot)
        return "used", 0
    yield from _strike(table, shot)
    return "used", 0 if at_cyber else shot.bunny


def _take_aim(table: Game, seat: int, card: int, again: int) -> Script[tuple[int, bool] | None]:
    """The bunny a weapon is aimed at, and whether Cyber Bunny on it is meant."""
    board = table.board

    def options() -> list[Option]:
        bunnies, cybers = weapon_targets(board, seat, card, again=again)
        return [card_option("bunny", bunny) for bunny in bunnies] + [
            card_option("cyber", bunny) for bunny in cybers
        ]

    if not options():
        return None

    def build() -> Ask:
        given = options() or [_NOBODY]
        return question(board, seat, "weapon.target", given, about=card, lays=True)

    option = (yield from decide(table, seat, build)).option
    if option == _NOBODY.id:
        return None
    return value_of(option), option.startswith("cyber:")


_NOBODY = Option("nobody")


def _let_roam(table: Game, shot: Threat) -> Script[None]:
    """Ebola lands; a bunny that was dressed in time is passed by."""
    board = table.board
    table.emit(RoamerLaunched(shot.seat, shot.card, shot.bunny))
    bunny = find(board, shot.bunny)
    if bunny is not None and is_viable(board, shot.card, bunny):
        yield from attack(table, shot.card)
    else:
        yield from move_on(table, shot.card)


def _strike(table: Game, shot: Threat) -> Script[None]:
    """All rolls by distance, then all deaths at once (O-48)."""
    board = table.board
    weapon = CARDS[shot.card]
    dead: list[int] = []
    cyber_dies = False
    for bunny, distance in spread(board, shot.bunny, shot.reach):
        level = shot.level - weapon.falloff * distance
        if level < 1:
            break
        cyber = cyber_on(board, bunny.card)
        if cyber is not None and (shot.at_cyber or shot.reach):
            cyber_dies |= not beats(table, cyber.seat, CYBER, level)
        if (shot.at_cyber and not shot.reach) or not shot.hits(bunny):
            continue
        if is_viable(board, shot.card, bunny) and not beats(
            table, bunny.seat, bunny.card, level - clovers_under(bunny)
        ):
            dead.append(bunny.card)
    if cyber_dies:
        yield from remove_roamer(table, CYBER)
    yield from kill(table, dead)


def _set_off(table: Game, fuses: list[int]) -> Script[None]:
    """Trojans that lay under the launcher's bunnies explode, where they still do (O-42)."""
    for card in fuses:
        bunny = find(table.board, card)
        if bunny is not None and bunny.trojan:
            yield from _explode(table, bunny)


def _explode(table: Game, bunny: Bunny) -> Script[None]:
    """The bunny and both neighbours must each beat 10; The Minilith never counts (O-42)."""
    board = table.board
    card, launcher = bunny.trojan, bunny.trojan_by
    threat = Threat("explosion", card, launcher, bunny.card)
    yield from window(table, threat)
    if threat.is_void(board):
        return
    table.emit(TrojanLifted(card, bunny.card))
    dead: list[int] = []
    cyber_dies = False
    for near, _ in spread(board, bunny.card, 1):
        cyber = cyber_on(board, near.card)
        if cyber is not None:
            cyber_dies |= not beats(table, cyber.seat, CYBER, CARDS[card].level)
        if not has_halo(near) and not beats(
            table, near.seat, near.card, CARDS[card].level - clovers_under(near)
        ):
            dead.append(near.card)
    if cyber_dies:
        yield from remove_roamer(table, CYBER)
    yield from kill(table, dead)
    discard(table, card)
    yield from may_come_back(table, launcher, card)
