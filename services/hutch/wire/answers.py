"""Answers of the rules, framed: what a command led to goes to Redis and to clients as bytes, so no
message is filled on the way."""

from __future__ import annotations

from collections.abc import Sequence

from hutch.engine.live import Live
from hutch.internal.v1 import rules_service_pb2 as pb
from hutch.wire.framing import field, number_field
from hutch.wire.prompts import result_message

# Fields of `ResolveBatchesResponse`, and of `ResolveResponse`.
_RESPONSES = 1
_OUTCOME, _REFUSAL = 1, 2
# Fields of `Outcome`.
_RECORD, _INPUTS, _SHARED, _FACES, _DUE_MS, _AWAITED = 1, 2, 3, 4, 5, 6
_RESULT, _REWOUND, _RULES_REVISION, _TIMED_OUT = 7, 8, 9, 10


def accepted(
    live: Live,
    record: bytes,
    logged: bytes,
    told: tuple[bytes, list[bytes]],
    *,
    rewound: bool,
    timed_out: Sequence[int],
) -> bytes:
    """The `ResolveResponse` that tells where a command led: to that game, with that record.

    `logged` is the command for the input log, `told` what all may see and the other parts.
    """
    shared, faces = told
    fields = [
        field(_RECORD, record),
        field(_INPUTS, logged),
        field(_SHARED, shared),
        *[field(_FACES, face) for face in faces],
        number_field(_RULES_REVISION, live.rules.revision),
    ]
    # What says nothing is left away: most turns have none of it.
    if due_ms := live.next_due_ms():
        fields.append(number_field(_DUE_MS, due_ms))
    if awaited := live.awaited():
        fields.append(field(_AWAITED, bytes(awaited)))
    if live.result is not None:
        fields.append(field(_RESULT, result_message(live.result).SerializeToString()))
    if rewound:
        fields.append(number_field(_REWOUND, True))
    if timed_out:
        fields.append(field(_TIMED_OUT, bytes(timed_out)))
    return field(_OUTCOME, b"".join(fields))


def refused(refusal: pb.Refusal) -> bytes:
    """The `ResolveResponse` that tells why a command was refused."""
    return field(_REFUSAL, refusal.SerializeToString())


def batch_of(answers: Sequence[bytes]) -> bytes:
    """The `ResolveBatchesResponse` of these answers."""
    return b"".join([field(_RESPONSES, answer) for answer in answers])
