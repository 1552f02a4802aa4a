"""Terrible Misfortunes: Play Immediately cards."""

from __future__ import annotations

from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Game
from hutch.games.killer_bunnies.circle import has_fighter, has_halo
from hutch.games.killer_bunnies.deaths import kill
from hutch.games.killer_bunnies.deciding import choose_bunny
from hutch.games.killer_bunnies.printed import printed

NAMES = {83: "Fiat", 84: "Hedge", 85: "Plutonium", 86: "Yogurt", 153: "BBQ", 154: "Lawn Dart"}


def _misfortune(number: int, name: str) -> None:
    @printed(
        f"Terrible Misfortune - {name}",
        number,
        type="play_immediately",
        kind="misfortune",
        text="When drawn, kill a bunny of yours; without one, an opponent's. Never a Halo's.",
    )
    def strike(table: Game, seat: int, card: int) -> Script[None]:
        """KB-020, KB-021; with no bunny to kill anywhere nothing happens (O-17, O-21)."""
        own = has_fighter(table.board, seat)
        bunny = yield from choose_bunny(
            table,
            seat,
            "misfortune.victim",
            lambda one: not has_halo(one) and (one.seat == seat) == own,
            about=card,
            interruptible=False,
        )
        if bunny is not None:
            yield from kill(table, [bunny.card])


for number, name in NAMES.items():
    _misfortune(number, name)
