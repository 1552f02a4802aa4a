"""Commits: what is stored of a table, how it changes, and what came of it."""

from __future__ import annotations

import msgspec
from msgspec import Struct


class Stored(Struct, frozen=True):
    """A table as stored. `now_ms` is the time of the load, by Redis' clock, since 1970, and
    `resolved_ms` that at which the last command was resolved; 0 where none was.

    `epoch` names the history that the server told of: another one after a restart or a failover,
    which may have cost the latest commits. `token` is of the commit that made the revision, and
    `trace_id` of the caller that it came of, if that one wants to see where it leads.
    """

    table_id: str
    revision: int
    epoch: int
    meta: bytes
    record: bytes | None
    now_ms: int
    resolved_ms: int
    token: bytes = b""
    trace_id: bytes | None = None
    #: A timer or a hint may be set. Not so where the commit of that token set none.
    is_armed: bool = True


class Listing(Struct, frozen=True):
    """Under what a table is listed: a state such as `playing`, and its ruleset. Single words."""

    state: str
    ruleset: str

    def __post_init__(self) -> None:
        for word in (self.state, self.ruleset):
            if len(word.split()) != 1 or word != word.strip():
                raise ValueError(f"{word!r} cannot be listed: it must be one word")


class Commit(Struct, frozen=True, kw_only=True):
    """One change of a table: all of it happens, or nothing.

    `due_ms` and `hint` say how things stand *after* the commit: a timer or a hint that is not
    given is disarmed, whoever may have claimed it.
    """

    table_id: str
    #: The revision that the change was made from; 0 for a new table.
    expected_revision: int
    #: The token of the commit that made that revision: one of the same number, made in a past that
    #: the store has lost since, is another one. Empty: any will do.
    onto: bytes = b""
    #: A timer or a hint may be set so far. False spares looking for them; it needs `onto`.
    is_armed: bool = True
    #: What is stored from now on; None keeps what there is.
    meta: bytes | None = None
    record: bytes | None = None
    #: When the command that led here was resolved, in ms since 1970; None: none did.
    resolved_ms: int | None = None
    #: The entry of the log, in parts, so that a reader fetches all and shows each seat its own.
    #: Empty: nobody is told anything, and there is none.
    log: dict[str, bytes] = {}
    #: Appended to the input log, with the time of the commit.
    inputs: bytes | None = None
    #: When the clock will act, in ms since 1970. None: no clock runs.
    due_ms: int | None = None
    #: Bots are awaited: the dispatcher gets a hint, again and again, until a commit says no.
    hint: bool = False
    #: By Redis' clock, in ms since 1970: it is stored no earlier. None: at once.
    not_before_ms: int | None = None
    #: How long the first hint waits: for workers that mean to play on themselves, which counts as
    #: an attempt. Such a hint is not rung for; dispatchers know when a shard's next one is due, or
    #: find it by their slow poll.
    hint_after_ms: int = 0
    #: For other services; each is delivered at least once to every consumer group.
    notes: tuple[bytes, ...] = ()
    #: The same request is carried out once, however often it comes.
    request_id: str | None = None
    request_digest: bytes = b""
    #: The game is over: the table is kept for the store's `finished_ttl_s` and then goes. It has
    #: no timer and no hint any more, whatever this commit or a later one says.
    finished: bool = False
    #: The table is listed, and goes after the store's `unstarted_ttl_s` unless it is listed under
    #: another state before.
    unstarted: bool = False
    #: Where the table is listed from now on; None leaves it where it is.
    listing: Listing | None = None
    #: Whose call this comes of, if the caller wants to see where it leads.
    trace_id: bytes | None = None


class Committed(Struct, frozen=True):
    """It happened: the table's new revision, when (ms since 1970), in what epoch, and the token."""

    revision: int
    commit_ms: int
    epoch: int
    token: bytes


class Conflict(Struct, frozen=True):
    """Nothing happened: the table has another revision than expected (0: there is no such table),
    or has come to it in another way."""

    revision: int


class Repeated(Struct, frozen=True):
    """Nothing happened: the request was carried out before, and made that revision."""

    revision: int
    digest: bytes


class LogEntry(Struct, frozen=True):
    """What one commit told, in the parts it was given in. `commit_ms` since 1970; `epoch` is the
    one that it was read or made in."""

    revision: int
    commit_ms: int
    fields: dict[str, bytes]
    epoch: int


class Failure(Struct, frozen=True):
    """What went wrong last at a table: no player's mistake, but a fault of ours.

    `revision` is the one that the table stood at, `command` what was being resolved, as for the
    input log (None: nothing had come so far), `trace_id` whose call it came of, in hexadecimal.
    """

    at_ms: int
    revision: int
    what: str
    command: bytes | None = None
    trace_id: str = ""


def encode_failure(failure: Failure) -> bytes:
    """The failure as bytes."""
    return msgspec.msgpack.encode(failure)


def decode_failure(data: bytes) -> Failure:
    """The failure that those bytes hold."""
    return msgspec.msgpack.decode(data, type=Failure)
