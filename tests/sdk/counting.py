"""A count: the game of the contract service, and what it refuses. Its log is the truth."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

from hutch.v1 import table_pb2, table_service_pb2

Code = grpc.StatusCode
Watch = table_service_pb2.WatchTableResponse


@dataclass(frozen=True, slots=True)
class Refused(Exception):
    """A request that fails, as the API tells it."""

    code: Code
    reason: str
    sentence: str = "That is not possible."
    metadata: dict[str, str] = field(default_factory=dict)
    retry_after_ms: int | None = None

    def status(self) -> status_pb2.Status:
        """As details of a unary call."""
        details: list[Any] = [
            error_details_pb2.ErrorInfo(reason=self.reason, domain="hutch", metadata=self.metadata)
        ]
        if self.retry_after_ms is not None:
            wait = Duration()
            wait.FromMilliseconds(self.retry_after_ms)
            details.append(error_details_pb2.RetryInfo(retry_delay=wait))
        packed = []
        for detail in details:
            packed.append(Packed())
            packed[-1].Pack(detail)
        return status_pb2.Status(code=self.code.value[0], message=self.sentence, details=packed)

    async def abort(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """End a call with it."""
        details = self.status().SerializeToString()
        metadata = (("grpc-status-details-bin", details),) if self.reason else ()
        await context.abort(self.code, self.sentence, metadata)

    def refusal(self) -> table_service_pb2.Refusal:
        """As an answer on a Play stream."""
        return table_service_pb2.Refusal(
            code=self.code.value[0],
            reason=self.reason,
            message=self.sentence,
            metadata=self.metadata
            if self.retry_after_ms is None
            else {**self.metadata, "retry_after_ms": str(self.retry_after_ms)},
        )


class Game:
    """A table of the contract service: its log is the truth."""

    def __init__(self, name: str, seats: int, answers: int) -> None:
        self.name = name
        self.seats = seats
        self.answers = answers
        self.epoch = 1
        self.log: list[table_pb2.EventBatch] = []
        self.rewound: set[int] = set()
        self.changes: dict[int, table_pb2.Table] = {}
        self.outcomes: dict[str, table_pb2.EventBatch] = {}
        self.bodies: dict[str, bytes] = {}
        self.accepted: list[tuple[int, str]] = []
        self.prompt_ids = {seat: seat + 1 for seat in range(seats)}
        self.state: table_pb2.TableState.ValueType = table_pb2.TABLE_STATE_PLAYING
        self.changed = asyncio.Condition()

    @property
    def revision(self) -> int:
        """Of the last entry."""
        return len(self.log)

    @property
    def over(self) -> bool:
        """Whether the game has its result."""
        return len(self.accepted) >= self.answers

    def table(self) -> table_pb2.Table:
        """The public face."""
        table = table_pb2.Table(
            name=self.name,
            ruleset="count",
            state=table_pb2.TABLE_STATE_FINISHED if self.over else self.state,
            revision=self.revision,
            epoch=self.epoch,
            seats=[table_pb2.Seat(name=f"{self.name}/seats/{seat}") for seat in range(self.seats)],
        )
        if self.over:
            table.result.CopyFrom(self.result())
        return table

    def result(self) -> table_pb2.Result:
        """How it ended."""
        return table_pb2.Result(scores=[len(self.accepted)] * self.seats, winners=[0])

    def prompts(self, seat: int | None) -> table_pb2.PromptSet:
        """What a seat is asked."""
        if seat is None or self.over:
            return table_pb2.PromptSet()
        return table_pb2.PromptSet(
            prompts=[
                table_pb2.Prompt(
                    prompt_id=self.prompt_ids[seat],
                    topic="count",
                    options=[table_pb2.Option(option_id=one) for one in ("one", "two", "three")],
                    min_picks=1,
                    max_picks=1,
                )
            ]
        )

    def view(self, seat: int | None) -> table_pb2.View:
        """What a seat sees."""
        return table_pb2.View(
            revision=self.revision,
            epoch=self.epoch,
            table=self.table(),
            prompts=self.prompts(seat),
            awaited_seats=[] if self.over else range(self.seats),
        )

    async def append(self, *, rewound: bool = False) -> table_pb2.EventBatch:
        """Store a revision and tell whoever watches."""
        batch = table_pb2.EventBatch(
            revision=self.revision + 1, events=[table_pb2.Event()], awaited_seats=range(self.seats)
        )
        if self.over:
            batch.result.CopyFrom(self.result())
        self.log.append(batch)
        if rewound:
            self.rewound.add(batch.revision)
        async with self.changed:
            self.changed.notify_all()
        return batch

    async def change(self, state: table_pb2.TableState.ValueType) -> None:
        """Store a revision at which only the table itself changes."""
        self.state = state
        table = self.table()
        table.revision = self.revision + 1
        self.changes[table.revision] = table
        await self.append()

    async def submit(self, request: table_service_pb2.SubmitActionRequest) -> table_pb2.EventBatch:
        """Count an answer once; a repeat gets the stored outcome."""
        body = request.SerializeToString(deterministic=True)
        if request.request_id in self.outcomes:
            if self.bodies[request.request_id] != body:
                raise Refused(Code.ALREADY_EXISTS, "REQUEST_ID_REUSED")
            return self.outcomes[request.request_id]
        seat = int(request.seat.rpartition("/")[2])
        if self.over:
            raise Refused(Code.FAILED_PRECONDITION, "GAME_OVER")
        if request.expected_revision and request.expected_revision != self.revision:
            raise Refused(
                Code.ABORTED,
                "REVISION_CONFLICT",
                metadata={"revision": str(self.revision)},
            )
        if request.action.prompt_id != self.prompt_ids[seat]:
            raise Refused(Code.FAILED_PRECONDITION, "PROMPT_CLOSED")
        option = request.action.picks[0].option_id
        if option not in ("one", "two", "three"):
            raise Refused(Code.INVALID_ARGUMENT, "NOT_AN_OPTION", f"{option} is no option.")
        self.accepted.append((seat, option))
        self.prompt_ids[seat] = max(self.prompt_ids.values()) + 1
        batch = await self.append()
        batch.prompts.CopyFrom(self.prompts(seat))
        self.outcomes[request.request_id] = batch
        self.bodies[request.request_id] = body
        return batch

    def told(self, revision: int, seat: int | None) -> list[Watch]:
        """The updates that lead to a revision."""
        token = str(revision).encode()
        if revision in self.rewound:
            return [Watch(snapshot=self.view(seat), resume_token=str(self.revision).encode())]
        batch = table_pb2.EventBatch()
        batch.CopyFrom(self.log[revision - 1])
        batch.prompts.CopyFrom(self.prompts(seat))
        told = Watch(batch=batch, resume_token=token)
        if revision in self.changes:
            return [Watch(table=self.changes[revision], resume_token=token)]
        if batch.HasField("result"):  # the table first, under a token from before the revision
            before = str(revision - 1).encode()
            return [Watch(table=self.table(), resume_token=before), told]
        return [told]
