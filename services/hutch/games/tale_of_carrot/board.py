"""What lies on the table: Villages, Zones, decks, the token supply, and where the turn stands."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Final

from msgspec import Struct

START_HP: Final = 10
MOST_HP: Final = 10
ZONES: Final = 2
SLOTS: Final = 3
MOST_SEATS: Final = 6
NOBODY: Final = -1


class Step(IntEnum):
    """The steps of a turn, in their order; `turn.py` says what happens in each."""

    HEROES = 1
    INVASION = 2
    SWAP = 3
    GIFTS = 4
    CALL = 5
    TOKENS = 6
    ADVENTURE = 7
    TOKENS_AGAIN = 8
    DECLARATIONS = 9
    RED_TOKENS = 10
    SUPREMES = 11
    ATTACK = 12


class Village(Struct, array_like=True):
    """A player's Village, Hero and cards. A fallen one has 0 HP and no tokens."""

    hp: int = START_HP
    fallen: bool = False
    #: The Heroes to choose from, until one is kept.
    drawn: list[str] = []
    hero: str = ""
    #: The Hero put back: out of the game, known to this player alone.
    spare: str = ""
    #: The Hero lies face up.
    revealed: bool = False
    #: The Supreme was activated (TC-060: once a game).
    spent: bool = False
    slots: list[str] = []
    reserve: list[str] = []
    shielded: bool = False
    #: The damage of the last batch suffered (O18).
    suffered: int = 0
    #: The Mage's card in hand, and whether everybody has seen it.
    hand: str = ""
    hand_known: bool = False
    #: The deck was made anew since: whoever counts knows which card it is.
    hand_counted: bool = False
    pizzas: int = 0
    #: The player left a table where that forfeits the seat (O57).
    forfeited: bool = False

    def living(self) -> bool:
        """Whether this player is not defeated."""
        return not self.fallen


class Declaration(Struct, frozen=True, array_like=True):
    """A declared Supreme, and what everybody saw at that moment: who could have declared."""

    seat: int
    hp: int
    living: int
    surrounded: bool


class TokenInUse(Struct, frozen=True, array_like=True):
    """A token whose effect is under way: out of the supply, in no slot yet (O45)."""

    seat: int
    token: str
    from_reserve: bool


class Cloak(Struct, frozen=True, array_like=True):
    """The Knight's Cloak: the holder falls with the Princess."""

    princess: int
    holder: int


class Board(Struct, array_like=True):
    """The table. A Zone is counted through all Villages: two to a Village, "" while empty."""

    villages: list[Village]
    zones: list[str]
    supply: dict[str, int] = {}
    #: Decks have their top at the end; discard piles too.
    rabbits: list[str] = []
    rabbit_discards: list[str] = []
    adventures: list[str] = []
    adventure_discards: list[str] = []
    golemiglios: int = 0
    first: int = NOBODY
    active: int = NOBODY
    turn: int = 0
    step: Step = Step.HEROES
    #: A drawn Rabbit that is not placed yet, and who drew it.
    held: str = ""
    holder: int = NOBODY
    #: A Rabbit was placed in this turn's Invasion.
    placed: bool = False
    going: bool = False
    #: An Adventure card was drawn in this turn by TC-022.
    went: bool = False
    adventure: str = ""
    in_use: TokenInUse | None = None
    #: The last to use a token in the open window.
    last_user: int = NOBODY
    declared: list[Declaration] = []
    #: The Necromancer's chosen Rabbits, still to be placed.
    raised: list[str] = []
    cloak: Cloak | None = None
    #: The active player fell: the turn is cut short (O15).
    cut: bool = False
    #: How many players were defeated; forfeited seats do not count.
    falls: int = 0
    #: The living players whose Supreme was activated, in that order.
    acting: list[int] = []
    winners: list[int] | None = None


def empty_board(seats: int) -> Board:
    """A board with nothing on it."""
    return Board([Village() for _ in range(seats)], [""] * (seats * ZONES))


def left_of(board: Board, seat: int) -> int:
    """The next seat in turn order (O03)."""
    return (seat + 1) % len(board.villages)


def right_of(board: Board, seat: int) -> int:
    """The previous seat in turn order (O03)."""
    return (seat - 1) % len(board.villages)


def clockwise(board: Board, start: int) -> tuple[int, ...]:
    """All seats in turn order, beginning with `start`."""
    return _clockwise(len(board.villages), start)


def living(board: Board, start: int = 0) -> list[int]:
    """The seats of players who are not defeated, in turn order from `start`."""
    villages = board.villages
    return [seat for seat in _clockwise(len(villages), start) if not villages[seat].fallen]


def zones_of(seat: int) -> tuple[int, int]:
    """The two Zones of a Village."""
    return _ZONES_OF[seat]


def owner_of(zone: int) -> int:
    """The seat in whose Village that Zone lies."""
    return zone // ZONES


def place_of(zone: int) -> str:
    """The Zone's name for players, such as `village:2/zone:1`: seats from 0, Zones from 1."""
    return f"village:{zone // ZONES}/zone:{zone % ZONES + 1}"


def zones_from(board: Board, seat: int) -> tuple[int, ...]:
    """All Zones: the own Village's before the others', clockwise; Zone 1 before Zone 2."""
    return _zones_from(len(board.villages), seat)


@lru_cache
def _clockwise(seats: int, start: int) -> tuple[int, ...]:
    return tuple([seat % seats for seat in range(start, start + seats)])


@lru_cache
def _zones_from(seats: int, seat: int) -> tuple[int, ...]:
    return tuple([zone for owner in _clockwise(seats, seat) for zone in _ZONES_OF[owner]])


_ZONES_OF: Final = tuple([(seat * ZONES, seat * ZONES + 1) for seat in range(MOST_SEATS)])
