"""The six Ability tokens (TC-101 to TC-106)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from hutch.engine.rules import Script
from hutch.games.tale_of_carrot.board import Board
from hutch.games.tale_of_carrot.cards.adventures import draw_adventure
from hutch.games.tale_of_carrot.damage import strike
from hutch.games.tale_of_carrot.events import Shielded
from hutch.games.tale_of_carrot.moments import Hit, TaleTable
from hutch.games.tale_of_carrot.words import (
    any_rabbit,
    choose_player,
    discard_any,
    play_rabbit,
    rabbits_left,
    recover,
)

Effect = Callable[[TaleTable, int], Script[None]]


class Token(Struct, frozen=True):
    """An Ability token: its text, what it does for its user, and what it needs to be used."""

    name: str
    text: str
    effect: Effect
    #: Says whether there is anything for it to act on (O45); None where there always is.
    needs: Callable[[Board], bool] | None


TOKENS: Final[dict[str, Token]] = {}


def token(
    ref: str, name: str, text: str, *, needs: Callable[[Board], bool] | None = None
) -> Callable[[Effect], Effect]:
    """Declare a token."""

    def register(effect: Effect) -> Effect:
        TOKENS[ref] = Token(name, text, effect, needs)
        return effect

    return register


@token("damage1", "Sting", "Choose a player: they suffer 1 damage.")
def damage1(t: TaleTable, user: int) -> Script[None]:
    target = yield from choose_player(t, user, "player.damage", amount=1)
    if target is not None:
        yield from strike(t, [Hit(target, 1)])


@token(
    "play_rabbit",
    "Lure",
    "Draw a Rabbit and place it in any Zone.",
    needs=rabbits_left,
)
def lure(t: TaleTable, user: int) -> Script[None]:
    yield from play_rabbit(t, user)


@token(
    "adventure",
    "Torch",
    "Draw an Adventure card and resolve it.",
    needs=lambda board: bool(board.adventures or board.adventure_discards),
)
def adventure(t: TaleTable, user: int) -> Script[None]:
    yield from draw_adventure(t, user)


@token("heal2", "Balm", "Choose a player: they recover 2 HP.")
def heal2(t: TaleTable, user: int) -> Script[None]:
    target = yield from choose_player(t, user, "player.heal", amount=2)
    if target is not None:
        recover(t, target, 2)


@token(
    "discard_rabbit",
    "Scare",
    "Discard a Rabbit from any Village.",
    needs=any_rabbit,
)
def discard_rabbit(t: TaleTable, user: int) -> Script[None]:
    yield from discard_any(t, user)


@token("shield", "Shield", "Choose a player: they suffer no damage until the turn ends.")
def shield(t: TaleTable, user: int) -> Script[None]:
    target = yield from choose_player(t, user, "player.shield")
    if target is not None:
        t.emit(Shielded(target))
