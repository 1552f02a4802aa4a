"""Errors: one tree, translated once from what came over the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import grpc
from google.rpc import error_details_pb2, status_pb2

from hutch.v1 import table_service_pb2

_DETAILS: Final = "grpc-status-details-bin"
#: Of a refusal's metadata: what `RetryInfo` says on unary calls.
_RETRY_AFTER_MS: Final = "retry_after_ms"

Code = grpc.StatusCode
_CODES: Final[dict[int, Code]] = {code.value[0]: code for code in Code}


class HutchError(Exception):
    """The service said no, or did not answer.

    `reason` is for programs (the docs list them all), the error's text is a sentence for a person.
    `retry_after` is in seconds, where the service asked to wait; `reason` is empty where no
    service answered at all.
    """

    def __init__(
        self,
        code: Code,
        sentence: str,
        *,
        reason: str = "",
        metadata: Mapping[str, str] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(sentence)
        self.code = code
        self.reason = reason
        self.sentence = sentence
        self.metadata: Mapping[str, str] = dict(metadata or {})
        self.retry_after = retry_after

    def __str__(self) -> str:
        trace_id = self.metadata.get("trace_id")
        trace = f", trace {trace_id}" if trace_id else ""
        return f"{self.sentence} [{self.reason or self.code.name}{trace}]"

    @property
    def is_transient(self) -> bool:
        """Whether the same request may succeed when it is sent again."""
        match self.code:
            case Code.UNAVAILABLE | Code.DEADLINE_EXCEEDED | Code.ABORTED:
                return True
            case Code.RESOURCE_EXHAUSTED:
                return self.retry_after is not None
            case Code.INTERNAL | Code.UNKNOWN | Code.CANCELLED:
                return not self.reason  # a broken connection; the service gives a reason
            case _:
                return False


class UnauthenticatedError(HutchError):
    """No token, or one that is not valid: ask for a guest or use a valid token."""


class TokenExpiredError(UnauthenticatedError):
    """The token has ended: ask for a new guest; next time renew it before that."""


class ForbiddenError(HutchError):
    """The caller is not the one who may do this."""


class NotYourSeatError(ForbiddenError):
    """The seat belongs to somebody else."""


class NotFoundError(HutchError):
    """There is no such table, seat or game."""


class InvalidRequestError(HutchError):
    """The request itself does not fit; sending it again will not help."""


class NotPossibleError(HutchError):
    """The request is well made, but not possible as the table stands."""


class PromptClosedError(NotPossibleError):
    """The question is not open any more: look at the table again."""


class EpochOverError(NotPossibleError):
    """The store went back in time, or may have, since the table was looked at: look again."""


class SeatTakenError(NotPossibleError):
    """Somebody holds the seat."""


class NoGameError(NotPossibleError):
    """No game is on at the table: it has ended, or has not begun."""


class ConflictError(HutchError):
    """The table has moved past the revision that the request expected."""


class LimitError(HutchError):
    """Too much or too often: wait `retry_after` seconds where it is given."""


class UnavailableError(HutchError):
    """No answer was to be had in time. An action may or may not have counted: send it again with
    the same request id, or look at the table."""


class ServiceError(HutchError):
    """The service is at fault."""


_BY_REASON: Final[dict[str, type[HutchError]]] = {
    "TOKEN_EXPIRED": TokenExpiredError,
    "NOT_YOUR_SEAT": NotYourSeatError,
    "PROMPT_CLOSED": PromptClosedError,
    "EPOCH_OVER": EpochOverError,
    "SEAT_TAKEN": SeatTakenError,
    "GAME_OVER": NoGameError,
    "TABLE_NOT_PLAYING": NoGameError,
}

_BY_CODE: Final[dict[Code, type[HutchError]]] = {
    Code.UNAUTHENTICATED: UnauthenticatedError,
    Code.PERMISSION_DENIED: ForbiddenError,
    Code.NOT_FOUND: NotFoundError,
    Code.INVALID_ARGUMENT: InvalidRequestError,
    Code.OUT_OF_RANGE: InvalidRequestError,
    Code.FAILED_PRECONDITION: NotPossibleError,
    Code.ALREADY_EXISTS: NotPossibleError,
    Code.ABORTED: ConflictError,
    Code.RESOURCE_EXHAUSTED: LimitError,
    Code.UNAVAILABLE: UnavailableError,
    Code.DEADLINE_EXCEEDED: UnavailableError,
    Code.CANCELLED: UnavailableError,
}


def from_call(failed: grpc.aio.AioRpcError) -> HutchError:
    """The error that a failed call stands for: from its details where it has them."""
    reason, metadata, retry_after = "", {}, None
    sentence = failed.details() or failed.code().name
    for key, value in failed.trailing_metadata() or ():
        if key != _DETAILS or not isinstance(value, bytes):
            continue
        status = status_pb2.Status.FromString(value)
        sentence = status.message or sentence
        for detail in status.details:
            if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
                stated = error_details_pb2.ErrorInfo()
                detail.Unpack(stated)
                reason, metadata = stated.reason, dict(stated.metadata)
            elif detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR):
                retry = error_details_pb2.RetryInfo()
                detail.Unpack(retry)
                retry_after = retry.retry_delay.ToTimedelta().total_seconds()
    return _error(failed.code(), sentence, reason, metadata, retry_after)


def from_refusal(refusal: table_service_pb2.Refusal) -> HutchError:
    """The error that a refusal on a Play stream stands for."""
    code = _CODES.get(refusal.code, Code.UNKNOWN)
    metadata = dict(refusal.metadata)
    wait_ms = metadata.get(_RETRY_AFTER_MS, "")
    retry_after = int(wait_ms) / 1000 if wait_ms.isdecimal() else None
    return _error(code, refusal.message, refusal.reason, metadata, retry_after)


def unanswered(sentence: str) -> UnavailableError:
    """The error for an answer that did not come."""
    return UnavailableError(Code.UNAVAILABLE, sentence)


def closed() -> UnavailableError:
    """The error for what is asked of a client that was closed."""
    return UnavailableError(Code.CANCELLED, "The client was closed.", reason="CLIENT_CLOSED")


def _error(
    code: Code,
    sentence: str,
    reason: str,
    metadata: Mapping[str, str],
    retry_after: float | None,
) -> HutchError:
    kind = _BY_REASON.get(reason) or _BY_CODE.get(code, ServiceError)
    return kind(code, sentence, reason=reason, metadata=metadata, retry_after=retry_after)
