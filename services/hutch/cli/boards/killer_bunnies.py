"""Killer Bunnies in a terminal: the market and the dice, then a line a player with his bunnies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hutch.cli.boards.art import Art, Cards, Sitting
from hutch.killer_bunnies.v1 import board_pb2 as pb
from hutch.v1 import table_pb2

STAGES: Final = {
    "lay": "laying the first cards",
    "gifts": "choosing first Carrots",
    "before": "before the play",
    "after": "after the play",
    "between": "before a second play",
    "starve": "hunger",
    "roam": "roamers",
    "over": "over",
}
HALO: Final = "0058"
CYBER: Final = "0054"

_PAPER: Final = {
    "blue": "#79a7dc",
    "green": "#86bb72",
    "orange": "#e08a3c",
    "yellow": "#e6c95a",
    "violet": "#a98bd4",
}
_WILD: Final = "#d8d8d8"
_DICE: Final = {**_PAPER, "black": "#8a8a8a"}
_INK: Final = "#1d1d1d"
_FAINT: Final = "grey42"
_CARROT: Final = "#f08a3c"
_HUNGRY: Final = "bold red"
_NAME: Final = 10
_GOODS: Final = 24


def headline(view: table_pb2.View) -> Text:
    """The turn and where it stands."""
    board = view.killer_bunnies
    text = Text().append(f"turn {board.turn}", style="bold")
    text.append(" · ", style=_FAINT)
    text.append(STAGES.get(board.stage, "between turns"))
    text.append(" · ", style=_FAINT)
    text.append(f"{len(board.market.carrots)} Carrots left", style=_CARROT)
    return text


def board(sitting: Sitting, width: int) -> RenderableType:
    """Market and dice, then the players with the circle in its order."""
    view = sitting.view.killer_bunnies
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=_NAME, no_wrap=True)
    grid.add_column(width=_GOODS, no_wrap=True)
    grid.add_column(width=max(10, width - _NAME - _GOODS - 2), no_wrap=True)
    grid.add_row(Text("market", style=_FAINT), _market(view.market, view.half_price), _dice(view))
    awaited = set(sitting.view.awaited_seats)
    for seat, player in enumerate(view.seats):
        grid.add_row(
            _player(sitting.names[seat], view, seat, awaited=seat in awaited),
            _goods(player),
            _bunnies(view, seat, sitting.cards),
        )
    return grid


def lines(seats: int) -> int:
    """How many lines the board of so many seats takes."""
    return seats + 1


def scores(view: table_pb2.View) -> Sequence[int]:
    """Carrots by seat."""
    return [len(seat.carrots) for seat in view.killer_bunnies.seats]


def _market(market: pb.Market, half_price: bool) -> Text:
    if not market.open:
        return Text("closed", style="red")
    prices = f"C{market.cabbage_price} W{market.water_price} Carrot {market.carrot_price}"
    return Text(prices + (" at half" if half_price else ""))


def _dice(view: pb.Board) -> Text:
    """What fell last, and what it had to beat."""
    text = Text()
    for colour, value in sorted(view.roll.dice.items()):
        text.append(f" {value} ", style=f"{_INK} on {_DICE[colour]}")
        text.append(" ")
    if view.roll.beat:
        text.append(f"to beat {view.roll.beat}", style=_FAINT)
    return text


def _player(name: str, view: pb.Board, seat: int, *, awaited: bool) -> Text:
    text = Text()
    text.append("▸ " if awaited else "  ", style="bold green")
    absent = view.seats[seat].state in ("vacant", "leaving")
    style = "strike" if absent else "bold" if seat == view.active_seat else ""
    return text.append(name[: _NAME - 2], style=style)


def _goods(player: pb.Seat) -> Text:
    """Carrots, Dolla, Cabbage and Water, and how many cards are saved."""
    text = Text()
    text.append(f"{len(player.carrots):>2}▲", style=_CARROT if player.carrots else _FAINT)
    text.append(f" {player.dolla:>2}$", style="" if player.dolla else _FAINT)
    for units, sign in ((sum(player.cabbage), "C"), (sum(player.water), "W")):
        text.append(f" {units:>2}{sign}", style="" if units else _FAINT)
    text.append(f" {len(player.saved)}s", style="" if player.saved else _FAINT)
    return text


def _bunnies(view: pb.Board, seat: int, cards: Cards) -> Text:
    """The player's part of the circle: each bunny in its colour, with what is on and under it."""
    roamers = {roamer.bunny: roamer.card for roamer in view.roamers}
    text = Text()
    for bunny in view.circle:
        if bunny.seat != seat:
            continue
        facts = cards[bunny.card].facts if bunny.card in cards else {}
        paper = _PAPER.get(facts.get("colour", ""), _WILD)
        text.append(f"{facts.get('breed', 'wild')[:4]:^6}", style=f"{_INK} on {paper}")
        if HALO in bunny.modifiers:
            text.append("○", style="bold")
        if bunny.clovers:
            text.append(f"♣{bunny.clovers}", style="green")
        for feed in bunny.feeds:
            text.append(f"!{feed.cabbage}/{feed.water}", style=_HUNGRY)
        if bunny.trojan:
            text.append("T", style=_HUNGRY)
        if bunny.card in roamers:
            text.append("☠" if roamers[bunny.card] == CYBER else "☣", style=_HUNGRY)
        text.append(" ")
    if view.HasField("abductee") and view.abductee.seat == seat:
        text.append("(abducted)", style=_FAINT)
    return text


ART: Final = Art(headline=headline, board=board, lines=lines, scores=scores)
