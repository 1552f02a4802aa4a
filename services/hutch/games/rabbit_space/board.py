"""The board: what lies on the table between two decisions."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, Literal

from msgspec import Struct, field

MOST_SEATS: Final = 4  # RS-003
ROUNDS: Final = 7  # RS-009
CARDS_DRAWN: Final = 4  # RS-011
TRACK_END: Final = 20  # RS-016, RS-021: Carrots and Gold
HELMETS_AT_START: Final = 2  # RS-006
HELMETS_END: Final = 7  # RS-028
MOST_GIVEN: Final = 4  # RS-018, RS-022

SLOTS: Final = 3  # RS-043: in the Command Center

#: RS-035 to RS-041: what an Evolution of that planet adds.
Evolution = Literal["mars", "mercury", "neptune", "saturn", "titan", "uranus", "vesta"]
#: RS-043 to RS-048: what a mission of that planet is played with; "" without one (RS-042).
Mission = Literal["", "ceres", "jupiter", "moon", "pluto", "venus"]

#: Carrots and Gold that outlast a reset.
NOTHING_KEPT: Final = (0, 0)
#: No card, where one may lie.
NONE: Final = -1
#: A card nobody may know, where an event is told to those who do not see it.
FACE_DOWN: Final = -1


class Step(IntEnum):
    """What everybody is doing. Each of them ends with a barrier (O05)."""

    ARRANGE = 1
    GIVE_CARROTS = 2
    SPEND_CARROTS = 3
    GIVE_GOLD = 4
    SPEND_GOLD = 5
    OVER = 6
    #: Venus: Space Stations are turned before round 1.
    TURN_STATIONS = 7
    #: Titan: Scientists keep resources before the tracks are reset.
    KEEP = 8


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """How a table is played.

    `competitive`: the highest score wins alone (RS-049). `absent`: what becomes of a seat whose
    player left (O31): the clock's defaults are played for it at once, or it is asked on, for a bot
    to answer. `evolutions` and `mission`: what is played with beside the base game, by planet.
    """

    competitive: bool = False
    absent: Literal["defaults", "bot"] = "defaults"
    evolutions: tuple[Evolution, ...] = ()
    mission: Mission = ""


class Gift(Struct, frozen=True, array_like=True):
    """A gift laid out for the end of a gift step."""

    receiver: int
    amount: int


class SeatBoard(Struct, array_like=True):
    """One player's board and cards. Cards lie in the order they came, the first first."""

    carrots: int = 0
    gold: int = 0
    helmets: int = HELMETS_AT_START
    hand: list[int] = field(default_factory=list)
    training_center: list[int] = field(default_factory=list)
    level_1: list[int] = field(default_factory=list)
    level_2: list[int] = field(default_factory=list)
    space: list[int] = field(default_factory=list)
    gift: Gift | None = None
    ready: bool = False
    left: bool = False
    #: Saturn: the Mission beside the board.
    mission: int = NONE
    #: Mercury: a Robot that went into Space waits for its owner to choose whom it promotes.
    robot: bool = False
    #: Titan: Carrots and Gold kept through the reset, until they are counted again.
    kept: tuple[int, int] = NOTHING_KEPT
    #: The mission's cards: on the own Moon, Carrots in the Warehouse, the Station and its side.
    moon: list[int] = field(default_factory=list)
    warehouse: int = 0
    station: int = NONE
    side: str = ""


class Board(Struct, array_like=True):
    """The whole table. The top of the draw pile is the end of `pile`.

    `batch` says in which making of the draw pile of the discards, counted from 1, a card came in
    last: everybody saw which they were, so it is no secret in which of them a hidden card is.
    """

    seats: list[SeatBoard]
    round: int = 0
    step: Step = Step.ARRANGE
    pile: list[int] = field(default_factory=list)
    discard: list[int] = field(default_factory=list)
    aside: list[int] = field(default_factory=list)
    batch: dict[int, int] = field(default_factory=dict)
    mission: Mission = ""
    #: Ceres: cards in the Command Center, Astronaut side up.
    command_center: list[int] = field(default_factory=list)
    #: Pluto: the colour that is cheaper this round, and those to come, the next at the end.
    event: str = ""
    events: list[str] = field(default_factory=list)


def new_board(seats: int, options: Options) -> Board:
    """The board before the deal: tracks at their start, no cards yet (RS-006)."""
    return Board([SeatBoard() for _ in range(seats)])
