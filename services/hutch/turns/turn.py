"""A turn: a command for a table as somebody asks for it, and what it led to once it is stored."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Literal

from msgspec import Struct

from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.store.commits import Stored
from hutch.turns.absence import Amend
from hutch.turns.table_meta import TableMeta

By = Literal["person", "bot", "clock"]
#: Looks at a table before anything is done: raises `Fault` where the caller may not.
Check = Callable[[TableMeta], None]


class Turn(Struct, frozen=True, kw_only=True):
    """A command for a table. `seat` is whose view the answer is; `digest` tells requests apart that
    claim the same id. `amend` changes what is stored beside the game, in the same commit."""

    table_id: str
    request: rules_pb.ResolveRequest
    seat: int
    by: By
    check: Check | None = None
    request_id: str | None = None
    digest: bytes = b""
    expected_revision: int = 0
    #: The epoch that the caller knows the table from; 0: any.
    epoch: int = 0
    amend: Amend | None = None
    #: It is later than this, whatever the copy at hand says.
    since_ms: int = 0
    #: By Redis' clock: it is resolved at once, and stored no earlier than this. None: at once.
    not_before_ms: int | None = None
    #: How long the hint waits, should bots be awaited next.
    hint_after_ms: int = 0


class Accepted(Struct, frozen=True):
    """A turn that is stored. `batch` is the `hutch.v1.EventBatch` its seat is told.

    `stored` is the table as the turn left it, and `awaited` who must answer next: neither is known
    of a request that came again.
    """

    revision: int
    batch: bytes
    stored: Stored | None = None
    awaited: tuple[int, ...] = ()


def digest_of(*parts: bytes) -> bytes:
    """A short fingerprint of a request's content."""
    mixed = blake2b(digest_size=8)
    for part in parts:
        mixed.update(len(part).to_bytes(4, "big"))
        mixed.update(part)
    return mixed.digest()
