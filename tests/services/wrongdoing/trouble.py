"""Trouble: what there is to do something wrong with, and what was done."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import grpc
from google.protobuf.message import Message

from hutch.client import Hutch, Table
from hutch.v1 import table_pb2
from hutch.v1 import table_service_pb2 as service_pb
from tests.services.failures import Failure, failure_of
from tests.stacks import RunningStack

SERVICE = "/hutch.v1.TableService"


@dataclass
class Trouble:
    """What is at hand to do something wrong with."""

    stack: RunningStack
    ada: Hutch
    ben: Hutch
    table: Table

    async def call(
        self, method: str, request: Message | bytes, *, token: str | None = None
    ) -> Failure | None:
        """Call a method as Ada, or with that token: how it failed."""
        data = request if isinstance(request, bytes) else request.SerializeToString()
        token = self.ada.token if token is None else token
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        path = method if method.startswith("/") else f"{SERVICE}/{method}"
        async with grpc.aio.insecure_channel(self.stack.gateway) as channel:
            try:
                await channel.unary_unary(path)(data, metadata=metadata, timeout=60)
            except grpc.aio.AioRpcError as error:
                return failure_of(error)
        return None

    async def seat0(self) -> table_pb2.Prompt:
        """What Ada is asked."""
        view = await self.table.seat(0).view()
        return next(prompt for prompt in view.prompts.prompts if not prompt.offered)

    async def submit(self, **fields: object) -> Failure | None:
        """Submit an answer for Ada; the fields given replace the right ones."""
        if "prompt_id" not in fields:
            fields["prompt_id"] = (await self.seat0()).prompt_id
        picks = fields.pop("picks", ())
        action = table_pb2.Action(
            prompt_id=int(str(fields.pop("prompt_id"))),
            picks=picks,  # type: ignore[arg-type]
        )
        request = service_pb.SubmitActionRequest(
            seat=str(fields.pop("seat", f"{self.table.name}/seats/0")),
            action=action,
            request_id=str(fields.pop("request_id", uuid.uuid4())),
            expected_revision=int(str(fields.pop("expected_revision", 0))),
            epoch=int(str(fields.pop("epoch", 0))),
        )
        return await self.call("SubmitAction", request, token=str(fields.pop("token", "")) or None)


Wrongdoing = Callable[[Trouble], Awaitable[Failure | None]]
PROVOKED: dict[str, Wrongdoing] = {}


def provokes(reason: str) -> Callable[[Wrongdoing], Wrongdoing]:
    """Says that a deed has that reason for its refusal."""

    def note(deed: Wrongdoing) -> Wrongdoing:
        PROVOKED[reason] = deed
        return deed

    return note
