"""A seat of the caller's at a table."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Iterable

from hutch.client.calls import Calls
from hutch.client.names import split_seat
from hutch.client.picks import PickLike, picks
from hutch.client.play import PlayStream, Turn, turns
from hutch.client.updates import Update
from hutch.client.watch import watch
from hutch.v1 import table_pb2, table_service_pb2


class Seat:
    """A place at a table, as its player sees it. Making one calls nobody."""

    def __init__(self, calls: Calls, stream: PlayStream, name: str) -> None:
        self.name = name
        self.table, self.number = split_seat(name)
        self._calls = calls
        self._stream = stream

    def __repr__(self) -> str:
        return f"Seat({self.name!r})"

    async def view(self) -> table_pb2.View:
        """What the seat may see now."""
        return await self._calls.unary(
            self._calls.tables.GetView, table_service_pb2.GetViewRequest(name=self.name)
        )

    def watch(self, resume_token: bytes = b"") -> AsyncGenerator[Update, None]:
        """Everything that happens, as the seat may see it, each once, up to the end of the game.

        A token from an earlier update goes on after that one; without it a snapshot comes first.
        """
        return watch(self._calls, self.name, resume_token)

    def play(self, *, offers: bool = False) -> AsyncGenerator[Turn, None]:
        """The questions that wait for the seat, each shown once, up to the end of the game.

        One that is left alone is not shown again; one whose answer was refused is, if it is still
        open. `offers` shows also what may be answered and need not be.
        """
        return turns(self._stream, self, offers=offers)

    async def submit(
        self,
        prompt: table_pb2.Prompt | int,
        *likes: PickLike,
        request_id: str | None = None,
        expected_revision: int = 0,
        epoch: int = 0,
    ) -> table_pb2.EventBatch:
        """Answer the prompt (or the one of that id): what it led to. It is stored by then.

        The same request id is sent until the outcome is known; give your own (a UUID) to go on
        with an action after a restart of yours. With `expected_revision` the answer is refused
        (`ConflictError`) where the table has moved past that; with the `epoch` of the view that is
        answered, where the store may have gone back in time since (`EpochOverError`).
        """
        request = self.request(prompt, likes, request_id, epoch=epoch)
        request.expected_revision = expected_revision
        response = await self._calls.unary(
            self._calls.tables.SubmitAction, request, retry_conflicts=not expected_revision
        )
        return self._settled(response.batch)

    async def undo(self, *, request_id: str | None = None, epoch: int = 0) -> table_pb2.EventBatch:
        """Take the seat's last answer back, where nothing was learnt from it. `epoch` as for
        `submit`."""
        response = await self._calls.unary(
            self._calls.tables.UndoAction,
            table_service_pb2.UndoActionRequest(
                seat=self.name, request_id=request_id or new_request_id(), epoch=epoch
            ),
        )
        return self._settled(response.batch)

    async def leave(self) -> table_pb2.Table:
        """Give the seat up. A game goes on as its rules and the table's `absence` say."""
        return await self._calls.unary(
            self._calls.tables.LeaveTable, table_service_pb2.LeaveTableRequest(name=self.name)
        )

    def request(
        self,
        prompt: table_pb2.Prompt | int,
        likes: Iterable[PickLike],
        request_id: str | None = None,
        *,
        epoch: int = 0,
    ) -> table_service_pb2.SubmitActionRequest:
        """What `submit` sends: an answer under a request id of its own."""
        prompt_id = prompt if isinstance(prompt, int) else prompt.prompt_id
        return table_service_pb2.SubmitActionRequest(
            seat=self.name,
            action=table_pb2.Action(prompt_id=prompt_id, picks=picks(likes)),
            request_id=request_id or new_request_id(),
            epoch=epoch,
        )

    def _settled(self, batch: table_pb2.EventBatch) -> table_pb2.EventBatch:
        self._stream.settle(self.name, batch.revision)
        return batch


def new_request_id() -> str:
    """A fresh id for a request that must count once."""
    return str(uuid.uuid4())
