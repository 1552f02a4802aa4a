"""Errors: every reason a call can fail for, its code, and what a client does about it.

One table for server, SDK and docs. The kernel's refusals come through under their own names.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import NamedTuple

import grpc
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

from hutch.engine.refusals import Reason
from hutch.internal.v1 import rules_service_pb2 as rules_pb

DOMAIN = "hutch"
#: A sentence may repeat what was sent. It travels in headers, where much is refused by gRPC itself.
SENTENCE_BYTES = 1_000
#: After a passing trouble the client retries after so long.
BUSY_MS = 200


class Advice(NamedTuple):
    """How a reason is answered: the gRPC code, and what the client does."""

    code: grpc.StatusCode
    do: str


class Wrong(StrEnum):
    """Reasons that are not the rules' own."""

    TOKEN_MISSING = "TOKEN_MISSING"
    TOKEN_INVALID = "TOKEN_INVALID"
    TOKEN_EXPIRED = "TOKEN_EXPIRED"
    TOKEN_REVOKED = "TOKEN_REVOKED"
    TOKEN_NOT_OURS = "TOKEN_NOT_OURS"
    SCOPE_MISSING = "SCOPE_MISSING"
    GUESTS_REFUSED = "GUESTS_REFUSED"
    NOT_YOUR_SEAT = "NOT_YOUR_SEAT"
    NOT_HOST = "NOT_HOST"
    NAME_INVALID = "NAME_INVALID"
    ARGUMENT_INVALID = "ARGUMENT_INVALID"
    MALFORMED_MESSAGE = "MALFORMED_MESSAGE"
    MESSAGE_TOO_LARGE = "MESSAGE_TOO_LARGE"
    REQUEST_ID_INVALID = "REQUEST_ID_INVALID"
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    PAGE_TOKEN_INVALID = "PAGE_TOKEN_INVALID"
    RESUME_TOKEN_INVALID = "RESUME_TOKEN_INVALID"
    RULESET_UNKNOWN = "RULESET_UNKNOWN"
    BOT_UNKNOWN = "BOT_UNKNOWN"
    TABLE_NOT_FOUND = "TABLE_NOT_FOUND"
    SEAT_NOT_FOUND = "SEAT_NOT_FOUND"
    SEAT_TAKEN = "SEAT_TAKEN"
    SEAT_FORFEITED = "SEAT_FORFEITED"
    PEOPLE_ONLY = "PEOPLE_ONLY"
    SEATS_EMPTY = "SEATS_EMPTY"
    TABLE_NOT_GATHERING = "TABLE_NOT_GATHERING"
    TABLE_NOT_PLAYING = "TABLE_NOT_PLAYING"
    CAMPAIGN_NOT_FOUND = "CAMPAIGN_NOT_FOUND"
    NOT_IN_CAMPAIGN = "NOT_IN_CAMPAIGN"
    INVITE_INVALID = "INVITE_INVALID"
    CAMPAIGN_FULL = "CAMPAIGN_FULL"
    TOO_MANY_CAMPAIGNS = "TOO_MANY_CAMPAIGNS"
    CAMPAIGN_GAME_ON = "CAMPAIGN_GAME_ON"
    MISSION_LOCKED = "MISSION_LOCKED"
    SHEET_DECIDES = "SHEET_DECIDES"
    BOX_NOT_OPEN = "BOX_NOT_OPEN"
    NO_BOXES_LEFT = "NO_BOXES_LEFT"
    GAME_NOT_OVER = "GAME_NOT_OVER"
    REVISION_CONFLICT = "REVISION_CONFLICT"
    EPOCH_OVER = "EPOCH_OVER"
    RATE_LIMITED = "RATE_LIMITED"
    OVERLOADED = "OVERLOADED"
    TOO_MANY_WATCHES = "TOO_MANY_WATCHES"
    TOO_MANY_STREAMS = "TOO_MANY_STREAMS"
    TOO_MANY_SPECTATORS = "TOO_MANY_SPECTATORS"
    TOO_MANY_TABLES = "TOO_MANY_TABLES"
    TOO_MANY_SEATS = "TOO_MANY_SEATS"
    SLOW_READER = "SLOW_READER"
    BUSY = "BUSY"
    INTERNAL = "INTERNAL"


_C = grpc.StatusCode

CATALOGUE: dict[str, Advice] = {
    Wrong.TOKEN_MISSING: Advice(_C.UNAUTHENTICATED, "get a token with CreateGuest and send it"),
    Wrong.TOKEN_INVALID: Advice(_C.UNAUTHENTICATED, "get a new token"),
    Wrong.TOKEN_EXPIRED: Advice(_C.UNAUTHENTICATED, "get a new token; renew earlier next time"),
    Wrong.TOKEN_REVOKED: Advice(_C.UNAUTHENTICATED, "stop: an operator has revoked the token"),
    Wrong.TOKEN_NOT_OURS: Advice(_C.FAILED_PRECONDITION, "renew it where it was issued"),
    Wrong.SCOPE_MISSING: Advice(_C.PERMISSION_DENIED, "use a token with a scope that is named"),
    Wrong.GUESTS_REFUSED: Advice(_C.PERMISSION_DENIED, "get a token from this service's issuer"),
    Wrong.NOT_YOUR_SEAT: Advice(_C.PERMISSION_DENIED, "act for your own seat, or watch the table"),
    Wrong.NOT_HOST: Advice(_C.PERMISSION_DENIED, "leave it to the host"),
    Wrong.NAME_INVALID: Advice(_C.INVALID_ARGUMENT, "mend the resource name"),
    Wrong.ARGUMENT_INVALID: Advice(_C.INVALID_ARGUMENT, "mend the field that is named"),
    Wrong.MALFORMED_MESSAGE: Advice(_C.INVALID_ARGUMENT, "send the message its proto describes"),
    Wrong.MESSAGE_TOO_LARGE: Advice(_C.RESOURCE_EXHAUSTED, "send less"),
    Wrong.REQUEST_ID_INVALID: Advice(_C.INVALID_ARGUMENT, "send a fresh UUID as request_id"),
    Wrong.REQUEST_ID_REUSED: Advice(_C.ALREADY_EXISTS, "use a fresh request_id for another action"),
    Wrong.PAGE_TOKEN_INVALID: Advice(_C.INVALID_ARGUMENT, "start again without a page token"),
    Wrong.RESUME_TOKEN_INVALID: Advice(_C.INVALID_ARGUMENT, "watch again without a resume token"),
    Wrong.RULESET_UNKNOWN: Advice(_C.NOT_FOUND, "pick a ruleset that ListRulesets names"),
    Wrong.BOT_UNKNOWN: Advice(_C.NOT_FOUND, "pick a bot that ListRulesets names"),
    Wrong.TABLE_NOT_FOUND: Advice(_C.NOT_FOUND, "drop the table: it never was, or has expired"),
    Wrong.SEAT_NOT_FOUND: Advice(_C.NOT_FOUND, "pick a seat that the table has"),
    Wrong.SEAT_TAKEN: Advice(_C.ALREADY_EXISTS, "pick another seat"),
    Wrong.SEAT_FORFEITED: Advice(_C.FAILED_PRECONDITION, "watch the table, or play at another"),
    Wrong.PEOPLE_ONLY: Advice(_C.FAILED_PRECONDITION, "play at a table that takes bots"),
    Wrong.SEATS_EMPTY: Advice(_C.FAILED_PRECONDITION, "fill the seats that are named, then start"),
    Wrong.TABLE_NOT_GATHERING: Advice(
        _C.FAILED_PRECONDITION, "get the table: it has started, or was given up"
    ),
    Wrong.TABLE_NOT_PLAYING: Advice(_C.FAILED_PRECONDITION, "get the table: no game is on"),
    Wrong.CAMPAIGN_NOT_FOUND: Advice(_C.NOT_FOUND, "drop the campaign: it never was, or is over"),
    Wrong.NOT_IN_CAMPAIGN: Advice(_C.PERMISSION_DENIED, "join the campaign first"),
    Wrong.INVITE_INVALID: Advice(_C.PERMISSION_DENIED, "ask a player of the campaign for it"),
    Wrong.CAMPAIGN_FULL: Advice(_C.FAILED_PRECONDITION, "join another, or wait for one to leave"),
    Wrong.TOO_MANY_CAMPAIGNS: Advice(_C.FAILED_PRECONDITION, "leave one of your campaigns first"),
    Wrong.CAMPAIGN_GAME_ON: Advice(_C.FAILED_PRECONDITION, "finish the game, or give it up"),
    Wrong.MISSION_LOCKED: Advice(_C.FAILED_PRECONDITION, "vote for a mission that is unlocked"),
    Wrong.SHEET_DECIDES: Advice(_C.INVALID_ARGUMENT, "leave out the option that is named"),
    Wrong.BOX_NOT_OPEN: Advice(_C.FAILED_PRECONDITION, "check boxes that are open, in order"),
    Wrong.NO_BOXES_LEFT: Advice(_C.FAILED_PRECONDITION, "check as many as are left; play for more"),
    Wrong.GAME_NOT_OVER: Advice(_C.FAILED_PRECONDITION, "ask again once the game is over"),
    Wrong.REVISION_CONFLICT: Advice(_C.ABORTED, "get the view and decide again"),
    Wrong.EPOCH_OVER: Advice(
        _C.FAILED_PRECONDITION, "get the view and decide again: what was seen may be undone"
    ),
    Wrong.RATE_LIMITED: Advice(_C.RESOURCE_EXHAUSTED, "wait as long as RetryInfo says, then retry"),
    Wrong.OVERLOADED: Advice(_C.RESOURCE_EXHAUSTED, "wait as long as RetryInfo says, then retry"),
    Wrong.TOO_MANY_WATCHES: Advice(_C.RESOURCE_EXHAUSTED, "unwatch a table, or open a stream more"),
    Wrong.TOO_MANY_STREAMS: Advice(_C.RESOURCE_EXHAUSTED, "end a stream, or share one by `Play`"),
    Wrong.TOO_MANY_SPECTATORS: Advice(_C.RESOURCE_EXHAUSTED, "wait as RetryInfo says, then retry"),
    Wrong.TOO_MANY_TABLES: Advice(
        _C.RESOURCE_EXHAUSTED, "give up one that has not started, or have one played to its end"
    ),
    Wrong.TOO_MANY_SEATS: Advice(_C.RESOURCE_EXHAUSTED, "finish a game, leave one, or wait"),
    Wrong.SLOW_READER: Advice(_C.UNAVAILABLE, "open the stream again with the last resume token"),
    Wrong.BUSY: Advice(_C.UNAVAILABLE, "retry with the same request_id"),
    Wrong.INTERNAL: Advice(_C.INTERNAL, "report it with its `trace_id`"),
    Reason.PROMPT_CLOSED: Advice(_C.FAILED_PRECONDITION, "answer a prompt that is open now"),
    Reason.NOT_AN_OPTION: Advice(_C.INVALID_ARGUMENT, "pick from the prompt's options"),
    Reason.TOO_FEW_PICKS: Advice(_C.INVALID_ARGUMENT, "pick at least min_picks"),
    Reason.TOO_MANY_PICKS: Advice(_C.INVALID_ARGUMENT, "pick at most max_picks"),
    Reason.COUNT_OUT_OF_RANGE: Advice(_C.INVALID_ARGUMENT, "keep counts within max_count"),
    Reason.PICKED_TWICE: Advice(_C.INVALID_ARGUMENT, "give each option once, with a count"),
    Reason.GAME_OVER: Advice(_C.FAILED_PRECONDITION, "get the table: it has its result"),
    Reason.SEAT_UNKNOWN: Advice(_C.NOT_FOUND, "pick a seat that the table has"),
    Reason.SEAT_NOT_LEFT: Advice(_C.FAILED_PRECONDITION, "get the table: the seat has a player"),
    Reason.SEAT_ALREADY_LEFT: Advice(_C.FAILED_PRECONDITION, "nothing: the seat is left already"),
    Reason.NOT_UNDOABLE: Advice(_C.FAILED_PRECONDITION, "play on"),
    Reason.NOTHING_DUE: Advice(_C.FAILED_PRECONDITION, "nothing: the clock has not run out"),
    Reason.RULES_GONE: Advice(_C.FAILED_PRECONDITION, "play it on a server that has the revision"),
    Reason.NOT_TAKEN_OVER: Advice(
        _C.FAILED_PRECONDITION, "nothing: the game goes on under its own revision"
    ),
    Reason.BAD_SEAT_COUNT: Advice(_C.INVALID_ARGUMENT, "open a table with a seat count that fits"),
    Reason.BAD_OPTIONS: Advice(_C.INVALID_ARGUMENT, "mend the option that is named"),
}


class Fault(Exception):
    """A call that failed: raised inside, told to the client once, at the border."""

    def __init__(
        self,
        reason: Enum,
        sentence: str,
        metadata: dict[str, str] | None = None,
        *,
        retry_after_ms: int | None = None,
    ) -> None:
        super().__init__(sentence)
        self.reason: str = reason.value
        self.sentence = _brief(sentence)
        self.metadata = metadata or {}
        self.retry_after_ms = retry_after_ms

    @property
    def code(self) -> grpc.StatusCode:
        """The gRPC code of the reason."""
        return CATALOGUE[self.reason].code

    def status(self) -> status_pb2.Status:
        """As `google.rpc.Status` with `ErrorInfo`, and `RetryInfo` where waiting helps."""
        status = status_pb2.Status(code=self.code.value[0], message=self.sentence)
        status.details.add().Pack(
            error_details_pb2.ErrorInfo(reason=self.reason, domain=DOMAIN, metadata=self.metadata)
        )
        if self.retry_after_ms is not None:
            wait = Duration()
            wait.FromMilliseconds(self.retry_after_ms)
            status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=wait))
        return status


def _brief(sentence: str) -> str:
    """The sentence, or as much of it as may travel."""
    data = sentence.encode(errors="replace")
    if len(data) <= SENTENCE_BYTES:
        return sentence
    return data[:SENTENCE_BYTES].decode(errors="ignore") + "\u2026"


def refusal_fault(refusal: rules_pb.Refusal) -> Fault:
    """A refusal of the rules as a fault. Where they failed, the facts are for operators alone."""
    if refusal.reason == Wrong.INTERNAL:
        return Fault(Wrong.INTERNAL, refusal.sentence)
    return Fault(Reason(refusal.reason), refusal.sentence, dict(refusal.facts))


def busy(sentence: str) -> Fault:
    """A passing trouble: the client retries with the same request id."""
    return Fault(Wrong.BUSY, sentence, retry_after_ms=BUSY_MS)


def error_table() -> str:
    """The catalogue as a Markdown table, for the docs."""
    rows = ["| reason | code | what the client does |", "|---|---|---|"]
    rows += [
        f"| `{reason}` | {advice.code.name} | {advice.do} |"
        for reason, advice in sorted(CATALOGUE.items())
    ]
    return "\n".join(rows) + "\n"
