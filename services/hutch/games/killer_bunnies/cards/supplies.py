"""Supplies from others: Drought, Maggots and Rock Bottom."""

from __future__ import annotations

from hutch.engine.rules import Script
from hutch.games.killer_bunnies.board import Board, Game, Supply, purse_of, seats_from
from hutch.games.killer_bunnies.circle import opponents
from hutch.games.killer_bunnies.deciding import choose_seat
from hutch.games.killer_bunnies.interrupts import Threat, window
from hutch.games.killer_bunnies.printed import printed
from hutch.games.killer_bunnies.purse import hand_over, lose_all, total


def _owners(board: Board, seat: int, supply: Supply) -> list[int]:
    return [other for other in seats_from(board, seat) if purse_of(board.seats[other], supply)]


def _loss(name: str, number: int, supply: Supply) -> None:
    @printed(
        name,
        number,
        kind="player_attack",
        pink=True,
        text=f"A player loses all his {supply.capitalize()} Units.",
        guard=lambda board, seat, card: (
            ""
            if _owners(board, seat, supply)
            else f"Nobody has any {supply.capitalize()} Units (O-68)."
        ),
    )
    def lose(table: Game, seat: int, card: int) -> Script[None]:
        """KB-115, KB-116: his saved Noah's Flood or Bug Off may stop it first (KB-146, KB-147)."""
        board = table.board
        victim = yield from choose_seat(
            table, seat, "player.choose", lambda: _owners(board, seat, supply), about=card
        )
        if victim is None:
            return
        threat = Threat("loss", card, seat, victim=victim)
        yield from window(table, threat)
        if not threat.cancelled:
            lose_all(table, victim, supply)


_loss("Drought", 56, "water")
_loss("Maggots", 64, "cabbage")


def richest(board: Board, seat: int, supply: Supply) -> list[int]:
    """The opponents with most units of a kind, where half of it is at least one (KB-141)."""
    if purse_of(board.seats[seat], supply):
        return []
    units = {
        other: total(supply, purse_of(board.seats[other], supply))
        for other in opponents(board, seat)
    }
    most = max(units.values(), default=0)
    return [other for other, amount in units.items() if amount == most and most > 1]


@printed(
    "Rock Bottom",
    142,
    kind="theft",
    pink=True,
    text="Without Cabbage take half of it from the opponent with most; the same for Water.",
    guard=lambda board, seat, card: (
        ""
        if richest(board, seat, "cabbage") or richest(board, seat, "water")
        else "It needs you to have no Cabbage or no Water, and an opponent with some (KB-141)."
    ),
)
def rock_bottom(table: Game, seat: int, card: int) -> Script[None]:
    """KB-141, KB-142: the odd unit stays, and the player chooses between equals."""
    board = table.board
    supplies: tuple[Supply, Supply] = ("cabbage", "water")
    for supply in supplies:
        rich = richest(board, seat, supply)
        giver: int | None = rich[0] if rich else None
        if len(rich) > 1:
            giver = yield from choose_seat(
                table,
                seat,
                f"rock-bottom.{supply}",
                lambda supply=supply: richest(board, seat, supply),  # type: ignore[misc]
                about=card,
            )
            if giver is None:
                return  # his last bunny is gone, and with it the use of the pink box (KB-044)
        if giver is not None:
            units = total(supply, purse_of(board.seats[giver], supply))
            hand_over(table, giver, seat, supply, units // 2)
