"""Killer Bunnies in a terminal: market, dice, then a line a player with his part of the circle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hutch.cli.boards.art import Art, Cards, Sitting
from hutch.cli.sentences import counted
from hutch.killer_bunnies.v1 import board_pb2 as pb
from hutch.killer_bunnies.v1 import events_pb2
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
SUIT: Final = "0151"
CYBER: Final = "0054"

_PAPER: Final = {
    "blue": "#79a7dc",
    "green": "#86bb72",
    "orange": "#e08a3c",
    "yellow": "#e6c95a",
    "violet": "#a98bd4",
}
_WILD: Final = "#d8d8d8"
# As the five are rolled together.
_FIVE: Final = ("violet", "orange", "green", "yellow", "blue")
_DICE: Final = {colour: _PAPER[colour] for colour in _FIVE} | {"black": "#8a8a8a"}
_INK: Final = "#1d1d1d"
_FAINT: Final = "grey42"
_CARROT: Final = "#f08a3c"
_HUNGRY: Final = "bold red"
_NAME: Final = 10
#: What players hold, by heading; the market's line says what the others are.
_GOODS: Final = ("▲", "$", "C", "W", "S")
_LEGEND: Final = ("$ Dolla", "S saved")
_GOODS_WIDTH: Final = 2
_BESIDE: Final = _NAME + (_GOODS_WIDTH + 1) * len(_GOODS) + 1
_CIRCLE: Final = "the circle, clockwise"
#: What is with a bunny, by its sign.
_SIGNS: Final = {
    "○": "Halo",
    "◇": "Suit",
    "♣": "Clover",
    "!": "to feed",
    "T": "Trojan",
    "☠": "Cyber",
    "☣": "Ebola",
}
#: How much of a bunny's breed is written, from what is best to read to what always has room.
_LETTERS: Final = (9, 4, 1)


def headline(view: table_pb2.View) -> Text:
    """The turn and where it stands."""
    board = view.killer_bunnies
    text = Text().append(f"turn {board.turn}", style="bold")
    text.append(" · ", style=_FAINT)
    text.append(STAGES.get(board.stage, "between turns"))
    text.append(" · ", style=_FAINT)
    text.append(f"{counted(len(board.market.carrots), 'Carrot')} left", style=_CARROT)
    return text


def board(sitting: Sitting, width: int) -> RenderableType:
    """Market, dice and headings, then the players; read on from the last bunny to the first, their
    bunnies are the circle, clockwise."""
    view = sitting.view.killer_bunnies
    above = Table.grid(padding=(0, 1))
    above.add_column(width=_NAME, no_wrap=True)
    above.add_column(width=max(10, width - _NAME - 1), no_wrap=True)
    above.add_row(Text("  market", style=_FAINT), _market(view.market, half_price=view.half_price))
    above.add_row(Text("  dice", style=_FAINT), _dice(sitting))
    room = max(10, width - _BESIDE)
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=_NAME, no_wrap=True)
    for _ in _GOODS:
        grid.add_column(width=_GOODS_WIDTH, justify="right", no_wrap=True)
    grid.add_column(width=room, no_wrap=True)
    circle = [_segment(view, seat, sitting.cards, room) for seat in range(len(view.seats))]
    words = ("", *_GOODS, _above(circle, room))
    grid.add_row(*[Text(word, style=_FAINT) for word in words])
    awaited = set(sitting.view.awaited_seats)
    for seat, player in enumerate(view.seats):
        grid.add_row(
            _player(sitting.called(seat), view, seat, awaited=seat in awaited),
            *_goods(player),
            circle[seat],
        )
    return Group(above, grid)


def lines(seats: int) -> int:
    """How many lines the board of so many seats takes."""
    return seats + 3


def scores(view: table_pb2.View) -> Sequence[int]:
    """Carrots by seat."""
    return [len(seat.carrots) for seat in view.killer_bunnies.seats]


def _market(market: pb.Market, *, half_price: bool) -> Text:
    """The prices in Dolla, and the Carrots that are left."""
    prices: Sequence[object] = ("-", "-", "-")
    if market.open:
        prices = (market.cabbage_price, market.water_price, market.carrot_price)
    text = Text("C Cabbage {} W Water {} ▲ Carrot {}".format(*prices))
    if not market.open:
        text.append(" closed", style="red")
    elif half_price:
        text.append(" at half", style="bold")
    text.append(": ")
    return text.append(" ".join([str(carrot) for carrot in market.carrots]), style=_CARROT)


def _dice(sitting: Sitting) -> Text:
    """The cards being resolved; then what fell last, against what and for whom."""
    text, board = Text(), sitting.view.killer_bunnies
    resolving = [_called(card, sitting.cards) for card in board.resolving if card]
    if resolving:
        text.append(f"{', '.join(resolving)} is played  ", style="bold")
    turn, rolls = _rolls(sitting)
    if rolls and turn != board.turn:
        text.append(f"turn {turn}: ", style=_FAINT)
    for roll in rolls:
        for colour in sorted(roll.dice, key=list(_DICE).index):
            text.append(f" {roll.dice[colour]} ", style=f"{_INK} on {_DICE[colour]}")
        if roll.beat:
            beaten = all(value > roll.beat for value in roll.dice.values())
            text.append(f" beats {roll.beat} " if beaten else f" fails {roll.beat} ")
        if roll.bunny:
            text.append_text(_chip(roll.bunny, sitting.cards, _LETTERS[0]))
        else:
            text.append(f" {sitting.names[roll.seat]}", style=_FAINT)
        text.append("  ")
    return text


def _rolls(sitting: Sitting) -> tuple[int, list[pb.Roll]]:
    """The last turn in which dice fell, and all its rolls, the newest first. Where the events do
    not tell it, it is this turn with its last roll."""
    turn = rolled_in = 0
    rolls: list[pb.Roll] = []
    for event in sitting.events:
        happened = event.killer_bunnies
        if happened.HasField("turn_began"):
            turn = happened.turn_began.turn
        elif (roll := _roll(happened)) is not None:
            rolls = [roll, *rolls] if turn == rolled_in else [roll]
            rolled_in = turn
    if rolls and rolled_in:
        return rolled_in, rolls
    board = sitting.view.killer_bunnies
    return board.turn, [board.roll] if board.HasField("roll") else []


def _roll(happened: events_pb2.Event) -> pb.Roll | None:
    match happened.WhichOneof("kind"):
        case "die_rolled":
            one = happened.die_rolled
            dice = {one.die: one.value}
            return pb.Roll(seat=one.seat, dice=dice, bunny=one.bunny, beat=one.beat)
        case "dice_rolled":
            five = happened.dice_rolled
            return pb.Roll(seat=five.seat, dice=dict(zip(_FIVE, five.values, strict=True)))
        case _:
            return None


def _called(card: str, cards: Cards) -> str:
    """A card's name, or its reference where the catalogue has none."""
    return cards[card].name or card if card in cards else card


def _chip(card: str, cards: Cards, letters: int) -> Text:
    """A bunny as its breed in its colour; a Free Agent is wild in both."""
    facts = cards[card].facts if card in cards else {}
    word = "cyber" if card == CYBER else facts.get("breed", "wild")
    paper = _PAPER.get(facts.get("colour", ""), _WILD)
    return Text(f" {word[:letters]} ", style=f"{_INK} on {paper}")


def _player(name: str, view: pb.Board, seat: int, *, awaited: bool) -> Text:
    text = Text()
    mark = "▸ " if awaited else "• " if seat == view.active_seat else "  "
    text.append(mark, style="bold green")
    absent = view.seats[seat].state in ("vacant", "leaving")
    style = "strike" if absent else "bold" if seat == view.active_seat else ""
    return text.append(name[: _NAME - 2], style=style)


def _goods(player: pb.Seat) -> list[Text]:
    """What `_GOODS` heads."""
    held = (
        (len(player.carrots), _CARROT),
        (player.dolla, ""),
        (sum(player.cabbage), ""),
        (sum(player.water), ""),
        (len(player.saved), ""),
    )
    return [Text(str(many), style=style if many else _FAINT) for many, style in held]


def _above(circle: Sequence[Text], room: int) -> str:
    """What stands above the circle: what headings and those signs mean that are in it, as far as
    there is room."""
    seen = {letter for segment in circle for letter in segment.plain}
    signs = [f"{sign} {what}" for sign, what in _SIGNS.items() if sign in seen]
    legend, brief = " ".join([*_LEGEND, *signs]), " ".join(signs or _LEGEND)
    choice = (f"{_CIRCLE} ({legend})", f"({legend})", f"({brief})", _CIRCLE)
    return next((words for words in choice if len(words) <= room), "")


def _segment(view: pb.Board, seat: int, cards: Cards, room: int) -> Text:
    """The player's part of the circle, as well to read as there is room for."""
    bunnies = [bunny for bunny in view.circle if bunny.seat == seat]
    text = Text()
    for letters in _LETTERS:
        text = Text(" ").join([_bunny(view, bunny, cards, letters) for bunny in bunnies])
        if text.cell_len <= room:
            break
    if view.HasField("abductee") and view.abductee.seat == seat:
        text.append(" abducted", style=_FAINT)
    elif not bunnies:
        text.append(" no bunny", style=_FAINT)
    return text


def _bunny(view: pb.Board, bunny: pb.Bunny, cards: Cards, letters: int) -> Text:
    """A bunny in its colour, with what lies under it, what it must be fed and what roams on it."""
    text = Text().append_text(_chip(bunny.card, cards, letters))
    if HALO in bunny.modifiers:
        text.append("○", style="bold")
    if SUIT in bunny.modifiers:
        text.append("◇", style="bold")
    if bunny.clovers:
        text.append(f"♣{bunny.clovers}", style="green")
    for feed in bunny.feeds:
        due = f" by {feed.due_turn}" if letters == _LETTERS[0] else ""
        text.append(f"!{feed.cabbage}C{feed.water}W{due}", style=_HUNGRY)
    if bunny.trojan:
        text.append("T", style=_HUNGRY)
    for roamer in view.roamers:
        if roamer.bunny == bunny.card:
            text.append("☠" if roamer.card == CYBER else "☣", style=_HUNGRY)
    return text


ART: Final = Art(headline=headline, board=board, lines=lines, scores=scores)
