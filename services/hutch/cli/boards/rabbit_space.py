"""Rabbit Space in a terminal: one line a player, with tracks, cards by place, and points."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hutch.cli.boards.art import Art, Cards, Sitting
from hutch.rabbit_space.v1 import rabbit_space_pb2 as pb
from hutch.v1 import table_pb2

ROUNDS: Final = 7
TRACK_END: Final = 20
HELMETS_MOST: Final = 7
SLOTS: Final = 3

STEPS: Final = {
    pb.STEP_ARRANGE: "filling Training",
    pb.STEP_GIVE_CARROTS: "giving Carrots",
    pb.STEP_SPEND_CARROTS: "spending Carrots",
    pb.STEP_GIVE_GOLD: "giving Gold",
    pb.STEP_SPEND_GOLD: "spending Gold",
    pb.STEP_OVER: "over",
    pb.STEP_TURN_STATIONS: "turning Space Stations",
    pb.STEP_KEEP: "keeping resources",
}

# What the cards' colours are on screen, by the catalogue's word.
# Two shades each, so that neighbours of one colour are told apart.
_PAPER: Final = {
    "orange": ("#e08a3c", "#c9742a"),
    "yellow": ("#e6c95a", "#d0b23f"),
    "blue": ("#79a7dc", "#5f8fc9"),
    "green": ("#86bb72", "#6da45a"),
}
_PLAIN: Final = ("grey70", "grey62")
_INK: Final = "#1d1d1d"
_CARROT: Final = "#f08a3c"
_GOLD: Final = "#e8c64a"
_HELMET: Final = "#9fb8d0"
_FAINT: Final = "grey42"

_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
_BAR_CELLS: Final = 5
# What tells how many cards are left out is as wide as this at most.
_MORE: Final = len(" +99")

# Wide enough for bars; what stands beside the cards takes so many columns.
_ROOMY: Final = 96
_BESIDE_ROOMY: Final = 45
_BESIDE: Final = 32
_NAME: Final = 10
_TRACKS: Final = {"Carrots": 8, "Gold": 8, "Helmets": HELMETS_MOST}
# Without bars the Carrots stand close to the name, so that their heading reaches above it.
_TRACKS_CLOSE: Final = {"Gold": 4, "Helm": 4}
# Cards by place, and what each gets of the room.
_PLACES: Final = (("Training", 10), ("Level 1", 12), ("Level 2", 10), ("Space", 14))


def headline(view: table_pb2.View) -> Text:
    """The round and the step."""
    board = view.rabbit_space
    text = Text()
    if board.round:  # Space Stations are turned before the first
        text.append(f"round {board.round}", style="bold")
        text.append(f" of {ROUNDS} · ", style=_FAINT)
    text.append(STEPS.get(board.step, "dealing"), style="default")
    for words in _mission(board):
        text.append(" · ", style=_FAINT)
        text.append(words, style=_HELMET)
    if board.HasField("team_score"):
        text.append(" · ", style=_FAINT)
        text.append(f"team {board.team_score}", style="bold")
    return text


def _mission(board: pb.Board) -> list[str]:
    """What a mission adds to the line above the board."""
    match board.mission:
        case "":
            return []
        case "pluto":
            return [f"Pluto: {board.event_colour} costs less" if board.event_colour else "Pluto"]
        case "ceres":
            return [f"Ceres: {len(board.command_center)} of {SLOTS} slots"]
        case planet:
            return [planet.capitalize()]


def board(sitting: Sitting, width: int) -> RenderableType:
    """The players' boards, a line each, below a line of headings."""
    roomy = width >= _ROOMY
    beside = _BESIDE_ROOMY if roomy else _BESIDE
    rooms = _rooms(width - beside)
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=_NAME if roomy else _NAME + 3, no_wrap=True)
    for track in (_TRACKS if roomy else _TRACKS_CLOSE).values():
        grid.add_column(width=track, no_wrap=True)
    for room in rooms:
        grid.add_column(width=room, no_wrap=True)
    grid.add_column(width=3, justify="right", no_wrap=True)
    grid.add_row(*_headings(roomy))
    awaited = set(sitting.view.awaited_seats)
    best = max([seat.score for seat in sitting.view.rabbit_space.seats], default=0)
    for seat in sitting.view.rabbit_space.seats:
        player = _player(sitting.called(seat.seat), seat, awaited=seat.seat in awaited)
        grid.add_row(
            *(_with_bars if roomy else _close)(player, seat),
            *[
                _cards(cards, sitting.cards, room)
                for cards, room in zip(
                    (seat.training_center, seat.level_1, seat.level_2, seat.space),
                    rooms,
                    strict=True,
                )
            ],
            Text(str(seat.score), style="bold" if seat.score == best and best else ""),
        )
    return grid


def lines(seats: int) -> int:
    """How many lines the board of so many seats takes."""
    return seats + 1


def scores(view: table_pb2.View) -> Sequence[int]:
    """What the cards in Space are worth, by seat."""
    return [seat.score for seat in view.rabbit_space.seats]


def _headings(roomy: bool) -> list[Text]:
    tracks = ("", *_TRACKS) if roomy else ("Carrots".rjust(_NAME + 3), *_TRACKS_CLOSE)
    words = (*tracks, *[place for place, _ in _PLACES], "pts")
    return [Text(word, style=_FAINT) for word in words]


def _player(name: str, seat: pb.SeatBoard, *, awaited: bool) -> Text:
    text = Text()
    text.append("▸ " if awaited else "  ", style="bold green")
    text.append(name[: _NAME - 2], style="strike" if seat.left else "bold green" if awaited else "")
    return text


def _close(player: Text, seat: pb.SeatBoard) -> list[Text]:
    """The player and their tracks, as numbers."""
    player.align("left", _NAME)
    return [
        player.append(f"{seat.carrots:>3}", style=_CARROT),
        Text(f"{seat.gold:>4}", style=_GOLD),
        Text(f"{seat.helmets:>4}", style=_HELMET),
    ]


def _with_bars(player: Text, seat: pb.SeatBoard) -> list[Text]:
    """The player and their tracks, as bars and pips."""
    pips = Text().append("◆" * seat.helmets, style=_HELMET)
    pips.append("◇" * (HELMETS_MOST - seat.helmets), style=_FAINT)
    return [player, _bar(seat.carrots, _CARROT), _bar(seat.gold, _GOLD), pips]


def _bar(amount: int, colour: str) -> Text:
    eighths = round(min(amount, TRACK_END) * _BAR_CELLS * 8 / TRACK_END)
    full, rest = divmod(eighths, 8)
    filled = "█" * full + (_EIGHTHS[rest] if rest else "")
    text = Text().append(filled.ljust(_BAR_CELLS), style=f"{colour} on grey19")
    text.append(f"{amount:>3}", style=colour if amount else _FAINT)
    return text


def _cards(placed: Sequence[pb.PlacedCard], cards: Cards, room: int) -> Text:
    """Cards as chips in their colour, each with its cost after a space, which parts them where
    there are no colours; the newest are left out for want of room, and counted."""
    chips = [_chip(one.card, cards, number) for number, one in enumerate(placed)]
    ends = list(accumulate([len(chip) for chip in chips]))
    fitting = bisect_right(ends, room)
    if fitting < len(chips):
        fitting = bisect_right(ends, room - _MORE)
    text = Text().join(chips[:fitting])
    if fitting < len(chips):
        text.append(f" +{len(chips) - fitting}", style=_FAINT)
    return text


def _chip(card: str, cards: Cards, number: int) -> Text:
    facts = cards[card].facts if card in cards else {}
    paper = _PAPER.get(facts.get("colour", ""), _PLAIN)[number % 2]
    return Text(f" {facts.get('cost', '?')}", style=f"{_INK} on {paper}")


def _rooms(room: int) -> list[int]:
    """The columns' widths, in proportion."""
    shares = sum([share for _, share in _PLACES])
    return [max(3, room * share // shares) for _, share in _PLACES]


ART: Final = Art(headline=headline, board=board, lines=lines, scores=scores)
