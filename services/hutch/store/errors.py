"""The errors of the store."""

from __future__ import annotations

import asyncio
from typing import Final

from redis.exceptions import (
    AskError,
    ClusterDownError,
    InvalidResponse,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import (
    ConnectionError as RedisConnectionError,
)
from redis.exceptions import (
    TimeoutError as RedisTimeoutError,
)


class StoreError(Exception):
    """Something went wrong between us and Redis."""


class StoreUnavailable(StoreError):
    """Redis cannot be reached, or cannot serve now. The work may or may not have been done."""


class StoreMisnamed(StoreError, ValueError):
    """A URL that no server can be reached by."""


class StoreTooOld(StoreError):
    """The server is older than the oldest that Hutch works with."""


class DataFolderBusy(StoreError):
    """Another server works on the data folder."""


class ServerNotFound(StoreError):
    """There is no server program to start."""


class ServerFailed(StoreError):
    """The server that was started did not come up."""


_AWAY: Final = (
    RedisConnectionError,  # also while it loads its data
    RedisTimeoutError,
    OSError,  # also a time-out
    InvalidResponse,  # somebody else answers in its place, such as a proxy
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    ClusterDownError,
    AskError,  # also moved: slots that are on the move all the time
    TryAgainError,
    asyncio.CancelledError,  # the process is stopping
)
#: Refusals that redis-py has no class for: the disk is full, replicas are missing, a script hangs.
_NOT_NOW: Final = ("MISCONF", "NOREPLICAS", "BUSY ")


def translated(fault: BaseException) -> StoreError:
    """What went wrong in Redis or on the way there, as an error of ours."""
    words = f"{fault}" or type(fault).__name__
    if isinstance(fault, _AWAY) or words.startswith(_NOT_NOW):
        return StoreUnavailable(f"Redis cannot serve now: {words}")
    if isinstance(fault, ResponseError):
        return StoreError(f"Redis refused a command: {words}")
    return StoreError(f"a command went wrong: {type(fault).__name__}: {words}")
