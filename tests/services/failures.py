"""What a client sees of a call that failed."""

from __future__ import annotations

from dataclasses import dataclass, field

import grpc
from google.rpc import error_details_pb2, status_pb2


@dataclass
class Failure:
    """What a client sees of a call that failed."""

    code: grpc.StatusCode
    sentence: str
    reason: str
    domain: str
    retry_ms: int | None
    metadata: dict[str, str] = field(default_factory=dict)


def failure_of(error: grpc.aio.AioRpcError) -> Failure:
    """The failure that an error of gRPC stands for."""
    seen = Failure(error.code(), error.details() or "", "", "", None)
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            status = status_pb2.Status.FromString(value)
            for detail in status.details:
                told = error_details_pb2.ErrorInfo()
                retry = error_details_pb2.RetryInfo()
                if detail.Unpack(told):
                    seen.reason, seen.domain = told.reason, told.domain
                    seen.metadata = dict(told.metadata)
                elif detail.Unpack(retry):
                    seen.retry_ms = retry.retry_delay.ToMilliseconds()
    return seen
