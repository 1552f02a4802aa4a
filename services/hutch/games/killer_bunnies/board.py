"""The board: all there is on the table. Only events change it.

Large cards are their identification numbers, Carrots their own numbers, supply cards their units.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from hutch.engine.table import Table

Supply = Literal["dolla", "cabbage", "water"]
#: Where a turn stands; every stage begins with a checkpoint.
Stage = Literal["lay", "gifts", "begin", "before", "after", "between", "starve", "roam", "over"]

VACANT, PLAYING, LEAVING, JOINING = range(4)


class Feed(Struct, array_like=True):
    """A pending Feed card, laid in that turn."""

    card: int
    since: int


class Bunny(Struct, array_like=True):
    """A bunny in the circle with all that lies on and under it, roamers apart."""

    card: int
    seat: int
    under: list[int] = field(default_factory=list)
    feeds: list[Feed] = field(default_factory=list)
    trojan: int = 0
    trojan_by: int = -1


class Roamer(Struct, array_like=True):
    """A Roaming Red Run card on a bunny. `turn` is when it attacked last, or was launched."""

    card: int
    seat: int
    bunny: int
    turn: int


class Debt(Struct, array_like=True):
    """What the game owes a seat of one kind, all in all (KB-072)."""

    seat: int
    supply: Supply
    amount: int


class Away(Struct, array_like=True):
    """The abducted bunny, and who owned it when it was taken."""

    card: int
    seat: int


class Roll(Struct, array_like=True):
    """The dice that fell last in this turn, for whom, and what they had to beat."""

    seat: int
    dice: dict[str, int]
    bunny: int = 0
    beat: int = 0


class Goods(Struct, array_like=True):
    """One side of a trade, hand cards apart."""

    dolla: int = 0
    cabbage: int = 0
    water: int = 0
    carrots: list[int] = field(default_factory=list)
    bunnies: list[int] = field(default_factory=list)
    saved: list[int] = field(default_factory=list)


class Shown(Struct, array_like=True):
    """Hand cards that one player has just shown to another."""

    seat: int
    to: int
    cards: list[int]


class Offer(Struct, array_like=True):
    """An offer on the table. `hand` is what `by` would give, `named` what `to` would."""

    by: int
    to: int
    give: Goods
    want: Goods
    hand: list[int] = field(default_factory=list)
    wish: str = ""
    named: list[int] = field(default_factory=list)


class Seat(Struct, array_like=True):
    """A player's place."""

    state: int = PLAYING
    hand: list[int] = field(default_factory=list)
    top: int = 0
    bottom: int = 0
    saved: list[int] = field(default_factory=list)
    dolla: list[int] = field(default_factory=list)
    cabbage: list[int] = field(default_factory=list)
    water: list[int] = field(default_factory=list)
    carrots: list[int] = field(default_factory=list)
    karma: list[int] = field(default_factory=list)
    lost_turns: list[int] = field(default_factory=list)
    #: Chains of trade offers with the turn player in this turn.
    chains: int = 0
    #: The newest batch that the run cards can be of: the Draw Pile's when they were laid.
    top_batch: int = 0
    bottom_batch: int = 0
    #: Who knows the Top Run card besides: all that passed it on (KB-154).
    top_known: list[int] = field(default_factory=list)


class Board(Struct, array_like=True):
    """The whole truth of a game."""

    seats: list[Seat]
    #: The seats in play, clockwise; the circle's segments follow it.
    order: list[int]
    first: int
    turn: int = 0
    active: int = 0
    stage: Stage = "lay"
    plays: int = 0
    half_price: bool = False
    flo_used: bool = False
    #: Bunnies in ring order, clockwise.
    circle: list[Bunny] = field(default_factory=list)
    roamers: list[Roamer] = field(default_factory=list)
    away: Away | None = None
    #: Bunnies that Ebola does not visit: those it attacked and, once it has left play, those of
    #: them that lived (KB-102). It killed the `felled` since it came into play.
    infected: list[int] = field(default_factory=list)
    felled: list[int] = field(default_factory=list)
    pile: list[int] = field(default_factory=list)
    #: In which making of the Draw Pile of the discards, from 1, a card came in last. All saw that.
    batch: dict[int, int] = field(default_factory=dict)
    discards: list[int] = field(default_factory=list)
    spent_dolla: list[int] = field(default_factory=list)
    cabbage: list[int] = field(default_factory=list)
    water: list[int] = field(default_factory=list)
    spent_cabbage: list[int] = field(default_factory=list)
    spent_water: list[int] = field(default_factory=list)
    #: Carrots in the market; none left ends the game (KB-168).
    market: list[int] = field(default_factory=list)
    market_card: int = 0
    small_carrots: list[int] = field(default_factory=list)
    turned: list[int] = field(default_factory=list)
    #: Cards being resolved.
    resolving: list[int] = field(default_factory=list)
    debts: list[Debt] = field(default_factory=list)
    #: Numbers of large cards that were traded once (KB-160).
    traded: list[int] = field(default_factory=list)
    #: Cards set aside for good: the starter, cards that a variant removed.
    aside: list[int] = field(default_factory=list)
    offer: Offer | None = None
    shown: Shown | None = None
    roll: Roll | None = None


Game = Table[Board]


def newest_batch(board: Board) -> int:
    """How often the Draw Pile was made of the discards."""
    return max(board.batch.values(), default=0)


def pile_of(board: Board, supply: Supply) -> list[int]:
    """The public pile that a kind of money or supply is spent on."""
    match supply:
        case "dolla":
            return board.spent_dolla
        case "cabbage":
            return board.spent_cabbage
        case "water":
            return board.spent_water


def purse_of(seat: Seat, supply: Supply) -> list[int]:
    """A seat's own cards of that kind."""
    match supply:
        case "dolla":
            return seat.dolla
        case "cabbage":
            return seat.cabbage
        case "water":
            return seat.water


def next_in_order(board: Board, seat: int) -> int:
    """The left neighbour: the next seat in order of play."""
    order = board.order
    return order[(order.index(seat) + 1) % len(order)]


def seats_from(board: Board, seat: int) -> list[int]:
    """All seats in play, that one first, in order of play."""
    order = board.order
    start = order.index(seat) if seat in order else 0
    return order[start:] + order[:start]


def is_over(board: Board) -> bool:
    """Whether the last Carrot left the market, or the game has come to its end otherwise."""
    return not board.market or board.stage == "over"


def somebody_leaves(board: Board) -> bool:
    """Whether a player who left has still to be cleared away."""
    return LEAVING in [seat.state for seat in board.seats]


def is_deserted(board: Board) -> bool:
    """Whether nobody is left in play, or one alone and nobody is about to join (O-60, O-61)."""
    left = len(board.order)
    return left == 0 or (left == 1 and all(seat.state != JOINING for seat in board.seats))
