"""Weapons and the two Roaming Red Run cards."""

from __future__ import annotations

from typing import Any

from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Game
from hutch.games.killer_bunnies.deciding import choose_bunny
from hutch.games.killer_bunnies.events.bunnies import RoamerLaunched
from hutch.games.killer_bunnies.events.turns import Launched
from hutch.games.killer_bunnies.interrupts import Threat, window
from hutch.games.killer_bunnies.launching import launch, relaunch
from hutch.games.killer_bunnies.printed import CYBER, EBOLA, TROJAN, print_card, printed
from hutch.games.killer_bunnies.roaming import attack
from hutch.games.killer_bunnies.targets import why_not_launch, why_not_put, why_not_target


def _weapon(number: int, name: str, level: int, text: str = "", **facts: Any) -> None:
    print_card(
        number,
        name=name,
        level=level,
        text=text or f"An opponent's bunny must roll above {level} on the black die, or dies.",
        kind="weapon",
        pink=True,
        guard=why_not_launch,
        play=launch,
        **{"type": "run", "again": relaunch, **facts},
    )


_weapon(31, "Kitchen Whisk", 1)
_weapon(128, "Sling Shot", 1)
_weapon(32, "Green Gelatin", 2)
_weapon(129, "Scissors", 2)
_weapon(33, "Ice Pick", 3)
_weapon(130, "Loose Stalactite", 3)
_weapon(34, "Butcher's Cleaver", 4)
_weapon(35, "Food Processor", 4)
_weapon(36, "Boiling Tar", 5)
_weapon(37, "Roaches", 5)
_weapon(38, "Bow & Arrow", 6)
_weapon(39, "Chain Saw", 6)
_weapon(40, "Guillotine", 7)
_weapon(41, "Sword", 7)
_weapon(42, "Flame Thrower", 8)
_weapon(43, "Torus Ring", 8)
_weapon(44, "Fluorine Gas", 9)
_weapon(45, "Laser Gun", 9)
_weapon(
    131,
    "Sea Whiz Mount",
    10,
    "Any bunny must beat 10, and each neighbour 9.",
    reach=1,
    falloff=1,
    any_bunny=True,
)
_weapon(
    132,
    "Miniature Black Hole",
    11,
    "Any bunny must roll 12, its neighbours beat 10, the next 9, and so on round the circle.",
    reach=99,
    falloff=1,
    any_bunny=True,
)
_weapon(
    48,
    "Nuclear Warhead",
    12,
    "Any bunny and all within two spaces die; only Clovers give a roll.",
    reach=2,
    any_bunny=True,
)
_weapon(
    133,
    "Stray Asteroid",
    12,
    "Any bunny and all within three spaces die; only Clovers give a roll.",
    reach=3,
    any_bunny=True,
)
_weapon(
    TROJAN,
    "The Trojan Bunny",
    10,
    "Waits under any bunny until its owner launches a weapon: then it and both neighbours must "
    "beat 10.",
    any_bunny=True,
)
_weapon(
    EBOLA,
    "The Ebola Virus",
    11,
    "Any bunny must roll 12. Then it roams counter-clockwise, one bunny a round, none twice.",
    any_bunny=True,
    type="roaming_red_run",
)


@printed(
    "Cyber Bunny",
    CYBER,
    type="roaming_red_run",
    kind="roamer",
    pink=True,
    any_bunny=True,
    guard=why_not_put,
    text="Any bunny must beat 9 on the violet die. Then it roams clockwise, one bunny a round.",
)
def cyber_bunny(table: Game, seat: int, card: int) -> Script[None]:
    """KB-111: no weapon, so that Clovers do not help."""
    board = table.board
    bunny = yield from choose_bunny(
        table,
        seat,
        "roamer.target",
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
    table.emit(RoamerLaunched(seat, card, bunny.card))
    yield from attack(table, card)
