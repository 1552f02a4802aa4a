"""A toy game for the engine's tests, and a way to play any script on its board.

The game (`GAME`): rabbits bid hidden cards for carrots, dig for more with a die, and may pounce on
the leader. Between them its rounds hold a sealed choice, a simultaneous phase, a first-come window,
a turn-ordered one, cards playable at any time, private draws, dice and players who leave.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import ListValue
from google.protobuf.struct_pb2 import Struct as PlainStruct
from msgspec import Struct, field

from hutch.engine.asking import PASS, ask_seat, each, pass_or, passes, sealed, window
from hutch.engine.events import Event
from hutch.engine.prompts import Ask, Clock, Option, Picks, Reply, card, picks
from hutch.engine.records import Result
from hutch.engine.rules import CatalogueCard, Rules, Script
from hutch.engine.table import Table

if TYPE_CHECKING:
    from random import Random

SEED: Final = bytes(range(32))
ROUNDS: Final = 3
HAND: Final = 3
DIGS: Final = 2
POUNCING: Final = 10
SHOUTING: Final = 5
REPLAY_BOUND: Final = 120


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`cards`: how many there are. `shouting`: whether cards may be played at any time."""

    cards: int = 30
    shouting: bool = True


class Board(Struct, array_like=True):
    """The table. The top of the deck is its end; `pile` is what was played, face up."""

    carrots: list[int]
    hands: list[list[int]]
    digs: list[int]
    left: list[bool]
    deck: list[int] = field(default_factory=list)
    pile: list[int] = field(default_factory=list)
    round: int = 0
    digging: bool = False


Tabled = Table[Board]
Play = Callable[[Tabled], Script[Any]]


class Dealt(Event, frozen=True):
    hands: tuple[tuple[int, ...], ...]
    deck: tuple[int, ...]

    def apply(self, board: Board) -> None:
        board.hands = [list(hand) for hand in self.hands]
        board.deck = list(self.deck)

    def face(self, seat: int | None) -> Dealt:
        hands = [
            hand if owner == seat else (0,) * len(hand) for owner, hand in enumerate(self.hands)
        ]
        return Dealt(tuple(hands), (0,) * len(self.deck))


class Drew(Event, frozen=True):
    seat: int
    card: int

    def apply(self, board: Board) -> None:
        board.deck.pop()
        board.hands[self.seat].append(self.card)

    def face(self, seat: int | None) -> Drew:
        return self if seat == self.seat else Drew(self.seat, 0)


class Played(Event, frozen=True):
    seat: int
    card: int

    reveals: ClassVar[bool] = True

    def apply(self, board: Board) -> None:
        board.hands[self.seat].remove(self.card)
        board.pile.append(self.card)


class Took(Event, frozen=True):
    seat: int
    carrots: int

    def apply(self, board: Board) -> None:
        board.carrots[self.seat] += self.carrots


class Dug(Event, frozen=True):
    seat: int
    die: int

    def apply(self, board: Board) -> None:
        board.digs[self.seat] -= 1
        board.carrots[self.seat] += self.die == 6


class Rested(Event, frozen=True):
    seat: int

    def apply(self, board: Board) -> None:
        board.digs[self.seat] = 0


class Discarded(Event, frozen=True):
    card: int

    def apply(self, board: Board) -> None:
        board.pile.append(self.card)


class Tired(Event, frozen=True):
    seat: int

    def apply(self, board: Board) -> None:
        board.digs[self.seat] = 1


class Drafted(Event, frozen=True):
    seat: int
    option: str
    ready: bool


class RoundBegan(Event, frozen=True):
    round: int

    def apply(self, board: Board) -> None:
        board.round = self.round
        board.digs = [DIGS] * len(board.digs)


class DiggingBegan(Event, frozen=True):
    def apply(self, board: Board) -> None:
        board.digging = True


class DiggingEnded(Event, frozen=True):
    def apply(self, board: Board) -> None:
        board.digging = False


class PlayerLeft(Event, frozen=True):
    seat: int

    def apply(self, board: Board) -> None:
        board.left[self.seat] = True


class PlayerReturned(Event, frozen=True):
    seat: int

    def apply(self, board: Board) -> None:
        board.left[self.seat] = False


# The game


def setup(table: Tabled) -> None:
    deck = table.chance.shuffled("deck", range(1, table.options.cards + 1))
    hands = [tuple(deck[seat * HAND : (seat + 1) * HAND]) for seat in range(table.seats)]
    table.emit(Dealt(tuple(hands), tuple(deck[table.seats * HAND :])))


def play(table: Tabled, auction: Play | None = None) -> Script[Result]:
    """The game; `auction` is another way to hold the one of each round."""
    board = table.board
    seats = range(table.seats)
    while board.round < ROUNDS or board.digging:
        yield from table.checkpoint()
        if not board.digging:
            table.emit(RoundBegan(board.round + 1))
            yield from (auction or sealed_auction)(table)
            table.emit(DiggingBegan())
            continue
        yield from each(table, seats, partial(dig_question, table), partial(dig, table))
        pouncing = partial(pounce_question, table), partial(pounce, table)
        yield from window(table, lambda: seats, *pouncing)
        drawing = partial(draw_question, table), partial(draw, table)
        yield from passes(table, lambda: seats, *drawing)
        table.emit(DiggingEnded())
    most = max(board.carrots)
    winners = [seat for seat, carrots in enumerate(board.carrots) if carrots == most]
    return Result(tuple(board.carrots), tuple(winners))


def sealed_auction(table: Tabled) -> Script[None]:
    bids = yield from sealed(table, range(table.seats), partial(bid_question, table))
    cards = {seat: int(bid[0].option) for seat, bid in bids.items()}
    for seat, bid in cards.items():
        table.emit(Played(seat, bid))
    if cards:
        table.emit(Took(max(cards, key=lambda seat: cards[seat]), 3))


def bid_question(table: Tabled, seat: int) -> Ask | None:
    hand = table.board.hands[seat]
    if not hand or table.board.left[seat]:
        return None
    return Ask("bid", cards_of(hand), default=picks(str(hand[0])), clock=phase(table))


def dig_question(table: Tabled, seat: int) -> Ask | None:
    if not table.board.digs[seat] or table.board.left[seat]:
        return None
    return pass_or("dig", (Option("dig"),), clock=phase(table))


def dig(table: Tabled, reply: Reply) -> bool:
    if reply.option == PASS.id:
        table.emit(Rested(reply.seat))
    else:
        table.emit(Dug(reply.seat, table.chance.roll("dice", 6)))
    return False


def pounce_question(table: Tabled, seat: int) -> Ask | None:
    hand = table.board.hands[seat]
    if not hand or table.board.left[seat]:  # asked whether it can pounce or not: no tells
        return None
    return pass_or("pounce", cards_of([one for one in hand if one % POUNCING == 0]))


def pounce(table: Tabled, reply: Reply) -> Script[bool]:
    board = table.board
    table.emit(Played(reply.seat, int(reply.option)))
    victim = board.carrots.index(max(board.carrots))
    stolen = min(1, board.carrots[victim])
    table.emit(Took(victim, -stolen))
    table.emit(Took(reply.seat, stolen))
    return False
    yield  # pragma: no cover - a script that asks nothing


def draw_question(table: Tabled, seat: int) -> Ask | None:
    board = table.board
    if not board.deck or len(board.hands[seat]) >= HAND or board.left[seat]:
        return None
    return pass_or("draw", (Option("draw"),))


def draw(table: Tabled, reply: Reply) -> Script[bool]:
    table.emit(Drew(reply.seat, table.board.deck[-1]))
    return False
    yield  # pragma: no cover - a script that asks nothing


def offers(table: Tabled) -> Mapping[int, Ask]:
    if not table.options.shouting:
        return {}
    return {
        seat: Ask(
            "shout", cards_of([one for one in free_cards(table, seat) if one % SHOUTING == 0])
        )
        for seat, hand in enumerate(table.board.hands)
        if hand and not table.board.left[seat]
    }


def free_cards(table: Tabled, seat: int) -> list[int]:
    """The hand without the card that is bid already, but not yet played."""
    bids = [choices[seat] for choices in (*table.sealed_under, table.sealed) if seat in choices]
    return [
        one for one in table.board.hands[seat] if one not in [int(b.picks[0].option) for b in bids]
    ]


def interject(table: Tabled, seat: int, picked: Picks) -> Script[None]:
    table.emit(Played(seat, int(picked[0].option)))
    reply = yield from ask_seat(table, seat, lambda: SHOUT)
    if reply is not None and reply.option == "carrot":
        table.emit(Took(seat, 1))
    elif table.board.deck:
        table.emit(Drew(seat, table.board.deck[-1]))


def resample(table: Tabled, seat: int | None, rng: Random) -> None:
    board = table.board
    hidden = [board.deck, *[hand for owner, hand in enumerate(board.hands) if owner != seat]]
    unseen = [one for zone in hidden for one in zone]
    rng.shuffle(unseen)
    for zone in hidden:
        for place in range(len(zone)):
            zone[place] = unseen.pop()


def look(table: Tabled, seat: int | None) -> Message:
    board = table.board
    choice = None if seat is None else table.sealed.get(seat)
    seen = {
        "round": board.round,
        "digging": board.digging,
        "carrots": board.carrots,
        "digs": board.digs,
        "left": board.left,
        "hands": [
            [str(one) for one in hand] if owner == seat else len(hand)
            for owner, hand in enumerate(board.hands)
        ],
        "deck": len(board.deck),
        "pile": [str(one) for one in board.pile],
        "chosen": None if choice is None else choice.picks[0].option,
    }
    return ParseDict(seen, PlainStruct())


def tell(event: Event) -> Message:
    """An event as its name and its fields, cards as texts."""
    told: list[Any] = [type(event).__name__]
    for name, value in msgspec.to_builtins(event).items():
        if name in ("card", "hands", "deck"):
            value = _refs(value)
        told.append(value)
    message = ListValue()
    message.extend(told)
    return message


def _refs(cards: Any) -> Any:
    if isinstance(cards, int):
        return str(cards) if cards else "face down"
    return [_refs(one) for one in cards]


def why_not(table: Tabled, seat: int, ask: Ask, option: str) -> str:
    return "A card below 1 was never printed." if option == "0" else ""


def check(seats: int, options: Options) -> str:
    if options.cards < seats * HAND:
        return f"{options.cards} cards are too few for {seats} players."
    return ""


def catalogue() -> list[CatalogueCard]:
    return [CatalogueCard(str(one), f"Card {one}", "number", "A number.") for one in range(1, 31)]


def new_board(seats: int, options: Any) -> Board:
    return Board([0] * seats, [[] for _ in range(seats)], [0] * seats, [False] * seats)


def phase(table: Tabled) -> Clock:
    return Clock("phase", str(table.board.round))


def cards_of(cards: list[int]) -> tuple[Option, ...]:
    return tuple([Option(str(one), (card(str(one)),)) for one in cards])


SHOUT: Final = Ask("shouted", (Option("carrot"), Option("card")), default=picks("card"))


def rules(**changes: Any) -> Rules:
    """The toy game, with these parts of its manifest changed."""
    manifest: dict[str, Any] = {
        "name": "toy",
        "title": "Toy",
        "revision": 1,
        "seats": range(1, 5),
        "board_type": Board,
        "options_type": Options,
        "new_board": new_board,
        "setup": setup,
        "play": play,
        "look": look,
        "tell": tell,
        "resample": resample,
        "replay_bound": REPLAY_BOUND,
        "why_not": why_not,
        "offers": offers,
        "interject": interject,
        "leave": lambda table, seat: table.emit(PlayerLeft(seat)),
        "rejoin": lambda table, seat: table.emit(PlayerReturned(seat)),
        "check": check,
        "clocks": ("decision", "phase"),
        "topics": {topic: topic for topic in ("bid", "dig", "pounce", "draw", "shout", "shouted")},
        "catalogue": catalogue,
    }
    return Rules(**(manifest | changes))


GAME: Final = rules()
