"""The Python SDK of Hutch: play, watch and write bots for three rabbit card games.

The client here is for asyncio; `hutch.client.sync` has the same one for plain code. Messages are
those of the API, in `hutch.v1` and in one package for each game.
"""

from hutch.client.campaign import Campaign
from hutch.client.client import Hutch, Player, connect
from hutch.client.errors import (
    ConflictError,
    EpochOverError,
    ForbiddenError,
    HutchError,
    InvalidRequestError,
    LimitError,
    NoGameError,
    NotFoundError,
    NotPossibleError,
    NotYourSeatError,
    PromptClosedError,
    SeatTakenError,
    ServiceError,
    TokenExpiredError,
    UnauthenticatedError,
    UnavailableError,
)
from hutch.client.picks import PickLike, random_picks
from hutch.client.play import Turn
from hutch.client.retries import Retries
from hutch.client.seat import Seat
from hutch.client.table import Table
from hutch.client.time_controls import TimeControl
from hutch.client.tracing import traced
from hutch.client.updates import Batch, Ended, Snapshot, TableChanged, Update

__all__ = [
    "Batch",
    "Campaign",
    "ConflictError",
    "Ended",
    "EpochOverError",
    "ForbiddenError",
    "Hutch",
    "HutchError",
    "InvalidRequestError",
    "LimitError",
    "NoGameError",
    "NotFoundError",
    "NotPossibleError",
    "NotYourSeatError",
    "PickLike",
    "Player",
    "PromptClosedError",
    "Retries",
    "Seat",
    "SeatTakenError",
    "ServiceError",
    "Snapshot",
    "Table",
    "TableChanged",
    "TimeControl",
    "TokenExpiredError",
    "Turn",
    "UnauthenticatedError",
    "UnavailableError",
    "Update",
    "connect",
    "random_picks",
    "traced",
]
