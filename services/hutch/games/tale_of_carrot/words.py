"""The card author's vocabulary: choose, draw, place, discard, recover.

Everything a card asks goes through `choose`, so that each question has its default (the move the
clock plays) and its options drawn from what may be done now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final

from hutch.engine.asking import PASS, ask_seat
from hutch.engine.prompts import (
    Ask,
    Clock,
    Option,
    Pick,
    Picks,
    Point,
    card,
    number,
    place,
    word,
)
from hutch.engine.prompts import seat as seat_point
from hutch.engine.rules import Script
from hutch.games.tale_of_carrot.board import (
    MOST_SEATS,
    ZONES,
    Board,
    clockwise,
    living,
    owner_of,
    place_of,
    zones_from,
    zones_of,
)
from hutch.games.tale_of_carrot.card_events import (
    DeckShuffled,
    RabbitDiscarded,
    RabbitDrawn,
    RabbitPlaced,
)
from hutch.games.tale_of_carrot.events import GameWon, HpChanged
from hutch.games.tale_of_carrot.moments import REPLACEMENT, TaleTable
from hutch.games.tale_of_carrot.tables import CHAMPION, GOLEMIGLIO, Tables

DECISION: Final = Clock("decision")
WINDOW: Final = Clock("window")

SEATS: Final = tuple([Option(f"seat:{seat}", (seat_point(seat),)) for seat in range(MOST_SEATS)])
PLACES: Final = tuple(
    [Option(place_of(zone), (place(place_of(zone)),)) for zone in range(MOST_SEATS * ZONES)]
)
ZONE_OF: Final = {option.id: zone for zone, option in enumerate(PLACES)}
SEAT_OF: Final = {option.id: seat for seat, option in enumerate(SEATS)}
YES: Final = Option("yes", (word("yes"),))
NO: Final = Option("no", (word("no"),))


class GameEnded(Exception):
    """The game is over: whatever is pending is dropped (O52). Caught where the game is played."""


def tables_of(t: TaleTable) -> Tables:
    """The numbers this game is played with."""
    tables: Tables = t.rules.tables
    return tables


# Asking


def choose(t: TaleTable, seat: int, build: Callable[[], Ask | None]) -> Script[Picks | None]:
    """Ask a seat: its picks. None where there is nothing to ask.

    Where only one answer is possible, that; for a forfeited seat the default. Leaving out such
    questions tells nothing: what may be picked follows from what all can see.
    """
    question = build()
    if question is None:
        return None
    if len(question.options) <= question.least:
        everything = tuple([Pick(option.id, option.most) for option in question.options])
        if sum([pick.count for pick in everything]) == question.least:
            return everything
    village = t.board.villages[seat]
    if village.forfeited:
        return question.default
    reply = yield from ask_seat(
        t, seat, lambda: None if village.forfeited else build(), first=question
    )
    if reply is not None:
        return reply.picks
    question = build()
    return None if question is None else question.default


def choose_player(
    t: TaleTable, chooser: int, topic: str, *, amount: int = 0, others: bool = False
) -> Script[int | None]:
    """Choose a living player: the seat. None where there is nobody to choose."""
    board = t.board

    def build() -> Ask | None:
        targets = living_targets(board, chooser, others)
        return _player_question(topic, tuple(targets), amount) if targets else None

    picks = yield from choose(t, chooser, build)
    return SEAT_OF[picks[0].option] if picks else None


def living_targets(board: Board, chooser: int, others: bool) -> list[int]:
    """Whom that seat may choose: living players, nearest clockwise first, themselves last."""
    seats = living(board, chooser + 1)
    return [seat for seat in seats if seat != chooser] if others else seats


def choose_zone(
    t: TaleTable,
    chooser: int,
    topic: str,
    zones: Callable[[], Sequence[int]],
    *,
    default: Callable[[Sequence[int]], int] = lambda zones: zones[0],
    about: Callable[[], str] = lambda: "",
    may_pass: bool = False,
) -> Script[int | None]:
    """Choose a Zone: its index. None where there is none, or where they passed."""

    def build() -> Ask | None:
        open_zones = zones()
        if not open_zones:
            return None
        return zone_question(topic, tuple(open_zones), default(open_zones), about(), may_pass)

    picks = yield from choose(t, chooser, build)
    return ZONE_OF.get(picks[0].option) if picks else None


def say_yes(t: TaleTable, seat: int, topic: str, *, default: bool) -> Script[bool]:
    """Ask for a yes or a no."""
    question = _yes_no(topic, default)
    picks = yield from choose(t, seat, lambda: question)
    return picks is not None and picks[0].option == YES.id


@lru_cache(maxsize=4096)
def _player_question(topic: str, seats: tuple[int, ...], amount: int) -> Ask:
    # Harm is for the nearest other player, help for oneself (who stands last).
    chosen = seats[-1] if topic in HELPFUL else seats[0]
    return Ask(
        topic,
        tuple([SEATS[seat] for seat in seats]),
        default=(Pick(SEATS[chosen].id),),
        about=(number(amount),) if amount else (),
        clock=DECISION,
    )


HELPFUL: Final = frozenset({"player.heal", "player.shield"})


@lru_cache(maxsize=16384)
def zone_question(
    topic: str, zones: tuple[int, ...], default: int, about: str, may_pass: bool
) -> Ask:
    """A question for one of those Zones. Where one may pass, passing is the default."""
    options = [PLACES[zone] for zone in zones]
    points: tuple[Point, ...] = (card(about),) if about else ()
    if may_pass:
        return Ask(topic, (*options, PASS), default=(Pick(PASS.id),), about=points, clock=DECISION)
    return Ask(topic, tuple(options), default=(Pick(PLACES[default].id),), about=points)


@lru_cache
def _yes_no(topic: str, default: bool) -> Ask:
    return Ask(topic, (YES, NO), default=(Pick((YES if default else NO).id),), clock=DECISION)


# Rabbits


def is_rabbit(ref: str) -> bool:
    """Whether that is a Rabbit in a Zone: a Golemiglio is, the Champion is not (O28, O32)."""
    return ref not in ("", CHAMPION)


def rabbit_zones(board: Board, seat: int) -> list[int]:
    """Where Rabbits lie, the seat's own Village first."""
    zones = board.zones
    return [zone for zone in zones_from(board, seat) if is_rabbit(zones[zone])]


def placeable(board: Board, seat: int, *, living_only: bool = False) -> Sequence[int]:
    """Where a Rabbit may be placed: any Zone without the Champion, own Village first (O07)."""
    villages, zones = board.villages, board.zones
    everywhere = zones_from(board, seat)
    if not living_only and CHAMPION not in zones:
        return everywhere
    return [
        zone
        for zone in everywhere
        if zones[zone] != CHAMPION and not (living_only and villages[owner_of(zone)].fallen)
    ]


def first_free(board: Board, zones: Sequence[int]) -> int:
    """What the clock plays: the first free Zone, else the first."""
    for zone in zones:
        if not board.zones[zone]:
            return zone
    return zones[0]


def rabbit_in_deck(t: TaleTable) -> bool:
    """Whether a Rabbit can be drawn; an empty deck takes in its discards first (O39)."""
    board = t.board
    if not board.rabbits and board.rabbit_discards:
        t.emit(DeckShuffled("rabbits", tuple(t.chance.shuffled("decks", board.rabbit_discards))))
    return bool(board.rabbits)


def rabbits_left(board: Board) -> bool:
    """Whether a Rabbit could be drawn."""
    return bool(board.rabbits or board.rabbit_discards)


def any_rabbit(board: Board) -> bool:
    """Whether a Rabbit lies anywhere."""
    zones = board.zones
    return len(zones) - zones.count("") > zones.count(CHAMPION)


def play_rabbit(t: TaleTable, seat: int, *, invading: bool = False) -> Script[None]:
    """Draw a Rabbit and place it in a Zone of any Village; what lies there is discarded.

    In the Invasion of a defeated player only living Villages may be chosen (TC-054).
    """
    board = t.board
    if not rabbit_in_deck(t):
        return
    t.emit(RabbitDrawn(seat, board.rabbits[-1]))
    yield from place_rabbit(t, seat, lambda: board.held, invading=invading)


def place_rabbit(
    t: TaleTable, seat: int, rabbit: Callable[[], str], *, invading: bool = False
) -> Script[None]:
    """Place a Rabbit in a Zone of the seat's choice.

    `rabbit` says which, from the board: a script keeps no hidden card while somebody is asked.
    """
    board = t.board
    living_only = invading and board.villages[seat].fallen
    zone = yield from choose_zone(
        t,
        seat,
        "rabbit.place",
        lambda: placeable(board, seat, living_only=living_only),
        default=lambda zones: first_free(board, zones),
        about=rabbit,
    )
    assert zone is not None, "one Champion never fills a Village"
    replaced = board.zones[zone]
    t.emit(RabbitPlaced(seat, rabbit(), zone, replaced, invading))
    if replaced:
        yield from after_replacement(t, zone)


def after_replacement(t: TaleTable, zone: int) -> Script[None]:
    """A Rabbit was replaced: what follows in the living active player's Village (O36)."""
    board = t.board
    active = board.active
    if owner_of(zone) == active and not board.villages[active].fallen:
        for seat, act in REPLACEMENT.in_effect(board):
            if seat != active:
                yield from act(t, active)


def discard_from(t: TaleTable, zone: int) -> None:
    """Discard the Rabbit in that Zone."""
    t.emit(RabbitDiscarded(t.board.zones[zone], zone))


def discard_any(t: TaleTable, seat: int) -> Script[None]:
    """The seat discards one Rabbit from any Village, if there is one."""
    board = t.board
    zone = yield from choose_zone(t, seat, "rabbit.discard", lambda: rabbit_zones(board, seat))
    if zone is not None:
        discard_from(t, zone)


def own_rabbits(board: Board, seat: int) -> list[int]:
    """The Zones of a Village with a Rabbit in them."""
    return [zone for zone in zones_of(seat) if is_rabbit(board.zones[zone])]


def can_swap(board: Board, zone: int) -> bool:
    """Whether the Mage may take what lies there: a Rabbit, but no Golemiglio (TC-077)."""
    return is_rabbit(board.zones[zone]) and board.zones[zone] != GOLEMIGLIO


# HP and the end


def recover(t: TaleTable, seat: int, amount: int) -> None:
    """A living player recovers HP, up to 10."""
    t.emit(HpChanged(((seat, 0, amount),)))


def win(t: TaleTable, winners: Iterable[int], cause: str) -> None:
    """End the game: those seats win."""
    t.emit(GameWon(tuple(winners), cause))
    raise GameEnded


def others_of(board: Board, seat: int) -> list[int]:
    """The other living players, clockwise."""
    return [other for other in clockwise(board, seat)[1:] if not board.villages[other].fallen]
