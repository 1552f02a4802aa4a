"""Heroes whose Supreme lasts from its activation until they fall (TC-062, O51).

The HP to declare with and the icons stand in `data/heroes.csv`.
"""

from __future__ import annotations

from typing import Final

from hutch.engine.rules import Script
from hutch.games.tale_of_carrot.board import Board, living, owner_of, zones_from, zones_of
from hutch.games.tale_of_carrot.card_events import (
    HandDrawn,
    PizzasAdded,
    RabbitMoved,
    RabbitShown,
    RabbitSwapped,
)
from hutch.games.tale_of_carrot.damage import strike
from hutch.games.tale_of_carrot.events import (
    ChampionPlaced,
    CloakEnded,
    CloakGiven,
    CloakPulled,
    HpGiven,
)
from hutch.games.tale_of_carrot.moments import (
    EVASION,
    GIFTS,
    LINK,
    REPLACEMENT,
    REQUIREMENT,
    SWAP,
    WARD,
    Hit,
    TaleTable,
    supreme,
)
from hutch.games.tale_of_carrot.tables import CHAMPION, PIZZA
from hutch.games.tale_of_carrot.words import (
    after_replacement,
    can_swap,
    choose_player,
    choose_zone,
    first_free,
    own_rabbits,
    rabbit_in_deck,
    rabbits_left,
    say_yes,
    tables_of,
)

BLOCKED: Final = "II"
HAUNT: Final = 2
COURT: Final = 3


@supreme(
    "berserker",
    "About to suffer damage, may show a Rabbit from the deck: level II cancels the damage.",
    at=EVASION,
)
def berserker(t: TaleTable, seat: int) -> Script[bool]:
    if not rabbits_left(t.board):
        return False
    if not (yield from say_yes(t, seat, "berserker.draw", default=True)):
        return False
    rabbit_in_deck(t)
    shown = t.board.rabbits[-1]
    t.emit(RabbitShown(seat, shown))
    return tables_of(t).rabbits[shown].danger == BLOCKED


@supreme("guardian", "Rabbits of danger level II do not hurt the Guardian.", at=WARD)
def guardian(hit: Hit) -> bool:
    return hit.danger == BLOCKED


@supreme(
    "mage",
    "Draw a Rabbit into the hand; after each Invasion it may be swapped with one of the active "
    "player's Rabbits.",
)
def mage(t: TaleTable, seat: int) -> Script[None]:
    if rabbit_in_deck(t):
        t.emit(HandDrawn(seat, t.board.rabbits[-1]))
    yield from ()


@SWAP.of("mage")
def mage_swaps(t: TaleTable, seat: int) -> Script[None]:
    board = t.board
    village = board.villages[seat]
    if not village.hand:
        return

    def swappable() -> list[int]:
        return [zone for zone in zones_of(board.active) if can_swap(board, zone)]

    zone = yield from choose_zone(
        t, seat, "mage.swap", swappable, about=lambda: village.hand, may_pass=True
    )
    if zone is not None:
        t.emit(RabbitSwapped(seat, zone, village.hand, board.zones[zone]))


@supreme("pizza_maker", "Shuffle the 6 Pizzas into the Adventure deck; four served Pizzas win.")
def pizza_maker(t: TaleTable, seat: int) -> Script[None]:
    board = t.board
    deck = (board.adventures or board.adventure_discards) + [PIZZA] * tables_of(t).support[PIZZA]
    t.emit(PizzasAdded(seat, tuple(t.chance.shuffled("decks", deck))))
    yield from ()


@supreme("champion", "The Hero card goes into any Zone and attacks from there with 2/0/2.")
def champion(t: TaleTable, seat: int) -> Script[None]:
    board = t.board
    zone = yield from choose_zone(
        t,
        seat,
        "champion.zone",
        lambda: zones_from(board, seat),
        default=lambda zones: first_free(board, zones[:2]),
        about=lambda: CHAMPION,
    )
    assert zone is not None, "there are always Zones"
    replaced = board.zones[zone]
    t.emit(ChampionPlaced(seat, zone, replaced))
    if replaced:
        yield from after_replacement(t, zone)


@supreme(
    "gondolier",
    "At the end of Invasion the active player may give 1 HP to move a Rabbit elsewhere.",
    at=GIFTS,
)
def gondolier(t: TaleTable, seat: int) -> Script[None]:
    board = t.board
    giver = board.active
    while True:
        source = yield from choose_zone(
            t, giver, "gift.rabbit", lambda: _movable(board, giver), may_pass=True
        )
        if source is None:
            return
        t.emit(HpGiven(giver, seat))
        yield from _move(t, giver, source)
        yield from t.checkpoint()


def _move(t: TaleTable, giver: int, source: int) -> Script[None]:
    board = t.board
    rabbit = board.zones[source]
    zone = yield from choose_zone(
        t, giver, "gift.zone", lambda: _free_elsewhere(board, giver), about=lambda: rabbit
    )
    assert zone is not None, "a gift needs a free Zone"
    t.emit(RabbitMoved(rabbit, source, zone))


def _movable(board: Board, giver: int) -> list[int]:
    """The Rabbits that may be moved for 1 HP: the giver keeps 1 at least (O34)."""
    if board.villages[giver].hp < 2 or not _free_elsewhere(board, giver):
        return []
    return own_rabbits(board, giver)


def _free_elsewhere(board: Board, giver: int) -> list[int]:
    zones = zones_from(board, giver)
    return [zone for zone in zones if not board.zones[zone] and owner_of(zone) != giver]


def holds_court(board: Board, seat: int) -> bool:
    """Whether enough players are living for the Princess (TC-088)."""
    return len(living(board)) >= COURT


REQUIREMENT.of("princess")(holds_court)


@supreme("princess", "With 3 players or more living: another gets the Cloak and falls with her.")
def princess(t: TaleTable, seat: int) -> Script[None]:
    if not holds_court(t.board, seat):
        return
    holder = yield from choose_player(t, seat, "cloak.holder", others=True)
    if holder is not None:
        t.emit(CloakGiven(seat, holder))


@LINK.of("princess")
def cloak_pulls(t: TaleTable, seat: int, down: list[int]) -> int | None:
    cloak = t.board.cloak
    if cloak is None or cloak.princess != seat or cloak.holder in down:
        return None
    if [one for one in living(t.board) if one not in down] == [cloak.holder]:
        t.emit(CloakEnded(cloak.holder))
        return None
    t.emit(CloakPulled(cloak.holder))
    return cloak.holder


@supreme(
    "shaman",
    "A replaced Rabbit in the active player's Village costs that player 2 damage.",
    at=REPLACEMENT,
)
def shaman(t: TaleTable, active: int) -> Script[None]:
    yield from strike(t, [Hit(active, HAUNT)])
