"""Tale of Carrot in a terminal: one line a Village, with HP, Zones, tokens and the Hero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hutch.cli.boards.art import Art, Cards, Sitting
from hutch.tale_of_carrot.v1 import tale_of_carrot_pb2 as pb
from hutch.v1 import table_pb2

MOST_HP: Final = 10
SLOTS: Final = 3

STEPS: Final = {
    pb.STEP_HEROES: "choosing Heroes",
    pb.STEP_INVASION: "Invasion",
    pb.STEP_SWAP: "Invasion: the Mage",
    pb.STEP_GIFTS: "Invasion: the Gondolier",
    pb.STEP_CALL: "Adventure",
    pb.STEP_TOKENS: "Adventure: tokens",
    pb.STEP_ADVENTURE: "Adventure: the card",
    pb.STEP_TOKENS_AGAIN: "Adventure: tokens",
    pb.STEP_DECLARATIONS: "Revelation: declaring",
    pb.STEP_RED_TOKENS: "Revelation: red tokens",
    pb.STEP_SUPREMES: "Revelation: Supremes",
    pb.STEP_ATTACK: "Every Carrot for Itself",
}

# Paper by danger level; the Champion has none.
_PAPER: Final = {"I": "#86bb72", "II": "#e6c95a", "III": "#d9705a"}
_CHAMPION: Final = "#79a7dc"
_INK: Final = "#1d1d1d"
_HEART: Final = "#d9705a"
_HEALTHY: Final = "#86bb72"
_SHIELD: Final = "#79a7dc"
_FAINT: Final = "grey42"

# Wide enough for a bar of HP beside the number.
_ROOMY: Final = 84
_NAME: Final = 10
_HERO: Final = 11
#: What a card's three numbers are, as far as there is room.
_LEGENDS: Final = ("(hits left own right)", "(left own right)")


def headline(view: table_pb2.View) -> Text:
    """The turn and the step."""
    board = view.tale_of_carrot
    text = Text().append(f"turn {board.turn}", style="bold")
    text.append(" · ", style=_FAINT)
    text.append(STEPS.get(board.step, "dealing"))
    return text


def board(sitting: Sitting, width: int) -> RenderableType:
    """The Villages, a line each, below a line of headings.

    A card shows what it deals to the left, to its own Village and to the right.
    """
    roomy = width >= _ROOMY
    view = sitting.view.tale_of_carrot
    grid = Table.grid(padding=(0, 1))
    columns = (_NAME, MOST_HP + 3 if roomy else 3, 8, 8, 7, _HERO)
    for column in columns:
        grid.add_column(width=column, no_wrap=True)
    grid.add_column(no_wrap=True)
    room = width - sum(columns) - len(columns)
    legend = next((words for words in _LEGENDS if len(words) <= room), "")
    words = ("", "HP", "Zone 1", "Zone 2", "tokens", "Hero", legend)
    grid.add_row(*[Text(word, style=_FAINT) for word in words])
    awaited = set(sitting.view.awaited_seats)
    for village in view.villages:
        grid.add_row(
            _player(sitting.called(village.seat), view, village, awaited=village.seat in awaited),
            _hp(village.hp, roomy=roomy),
            *[_card(zone.card, sitting.cards) for zone in village.zones],
            _tokens(village),
            _hero(village, sitting.cards),
            _marks(view, village),
        )
    return grid


def lines(seats: int) -> int:
    """How many lines the board of so many seats takes."""
    return seats + 1


def scores(view: table_pb2.View) -> Sequence[int]:
    """The HP, by seat."""
    return [village.hp for village in view.tale_of_carrot.villages]


def _player(name: str, view: pb.Board, village: pb.Village, *, awaited: bool) -> Text:
    text = Text()
    mark = "▸ " if awaited else "• " if village.seat == view.active_seat else "  "
    text.append(mark, style="bold green")
    style = "bold green" if awaited else ""
    text.append(name[: _NAME - 2], style="strike" if village.fallen else style)
    return text


def _hp(hp: int, *, roomy: bool) -> Text:
    colour = _HEALTHY if 2 * hp > MOST_HP else _HEART
    text = Text(f"{hp:>2}", style=f"bold {colour}" if hp else _FAINT)
    if roomy:
        text.append(" ").append("■" * hp, style=colour).append("·" * (MOST_HP - hp), style=_FAINT)
    return text


def _card(card: str, cards: Cards) -> Text:
    if not card:
        return Text("   ·", style=_FAINT)
    facts = cards[card].facts if card in cards else {}
    numbers = [_number(facts.get(side, "?")) for side in ("left", "self", "right")]
    paper = _PAPER.get(facts.get("danger", ""), _CHAMPION)
    return Text(f"{numbers[0]:>2}{numbers[1]:>2}{numbers[2]:>2} ", style=f"{_INK} on {paper}")


def _number(printed: str) -> str:
    """Healing numbers are printed with a plus."""
    return f"+{printed[1:]}" if printed.startswith("-") else printed


def _tokens(village: pb.Village) -> Text:
    if village.fallen:
        return Text()
    used = len(village.slots)
    text = Text().append("●" * used).append("○" * (SLOTS - used), style=_FAINT)
    if village.reserve:
        text.append(f" +{len(village.reserve)}", style=_SHIELD)
    return text


def _hero(village: pb.Village, cards: Cards) -> Text:
    if not village.hero:
        return Text("face down", style=_FAINT)
    name = cards[village.hero].name if village.hero in cards else village.hero
    return Text(name, style="" if village.supreme_used and not village.fallen else _FAINT)


def _marks(view: pb.Board, village: pb.Village) -> Text:
    """What else lies before a player, in a word each."""
    words = []
    if village.fallen:
        words.append("fallen")
    if village.shielded:
        words.append("shielded")
    if village.seat in view.declared_seats:
        words.append("declared")
    if view.HasField("cloak") and view.cloak.holder == village.seat:
        words.append("Cloak")
    if village.pizzas:
        words.append(f"Pizza {village.pizzas}")
    return Text(" ".join(words), style=_SHIELD)


ART: Final = Art(headline=headline, board=board, lines=lines, scores=scores)
