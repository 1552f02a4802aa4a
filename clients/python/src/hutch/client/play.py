"""Playing: turns and answers over one bidirectional stream that goes on where it was cut."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Final

import grpc

from hutch.client.calls import Calls, receive
from hutch.client.errors import (
    EpochOverError,
    HutchError,
    NoGameError,
    PromptClosedError,
    closed,
    from_refusal,
    unanswered,
)
from hutch.client.picks import PickLike, random_picks
from hutch.client.retries import Backoff
from hutch.client.tracing import traceparent
from hutch.client.updates import Batch, Follower, OutOfStep, Snapshot
from hutch.v1 import table_pb2, table_service_pb2

if TYPE_CHECKING:
    from hutch.client.seat import Seat

_LEAVING_TICKS: Final = 5
_Call = grpc.aio.StreamStreamCall[table_service_pb2.PlayRequest, table_service_pb2.PlayResponse]


class Turn:
    """A question that waits for its seat, and what happened since the turn before."""

    def __init__(self, following: _Following, prompt: table_pb2.Prompt) -> None:
        self.seat = following.seat
        self.prompt = prompt
        self.revision = following.follower.revision or 0
        self.epoch = following.follower.epoch
        self.events = tuple(following.events)
        self.offers = tuple([one for one in following.follower.prompts if one.offered])
        self.deadlines = tuple(following.follower.deadlines)
        self.awaited_seats = following.follower.awaited_seats
        self._following = following
        following.events.clear()

    async def answer(
        self,
        *likes: PickLike,
        prompt: table_pb2.Prompt | None = None,
        request_id: str | None = None,
    ) -> table_pb2.EventBatch | None:
        """Answer with those picks: what it led to. It is stored when this returns.

        None where the question had closed before the answer came (somebody else acted, time ran
        out, or the store went back in time): the next turn shows what is asked now. `prompt`
        answers that offer instead; `request_id` as for `Seat.submit`. Raises `HutchError` for any
        other refusal.
        """
        answered = prompt or self.prompt
        request = self.seat.request(answered, likes, request_id, epoch=self.epoch)
        try:
            batch = await self._following.stream.submit(request)
        except (PromptClosedError, EpochOverError, NoGameError):
            return None
        except HutchError:
            self._following.shown.discard(answered.prompt_id)
            raise
        self._following.shown.discard(answered.prompt_id)
        self._following.settle(batch.revision)
        return batch

    async def view(self) -> table_pb2.View:
        """What the seat may see now."""
        return await self.seat.view()

    def sample(self, rng: Random | None = None) -> list[table_pb2.Pick]:
        """Picks that answer the question, at random."""
        return random_picks(self.prompt, rng or Random())


async def turns(stream: PlayStream, seat: Seat, *, offers: bool) -> AsyncGenerator[Turn, None]:
    """The questions that wait for the seat, each shown once, up to the end of the game.

    One that is left alone is not shown again; one whose answer was refused is, if it is still
    open. `offers` shows also what may be answered and need not be.
    """
    # A loop that was just left by `break` needs some turns of the event loop to end.
    for _ in range(_LEAVING_TICKS):
        if not stream.follows(seat):
            break
        await asyncio.sleep(0)
    following = stream.follow(seat)
    try:
        while (turn := await following.next_turn(offers)) is not None:
            yield turn
    finally:
        stream.unfollow(following)


class _Following:
    """A seat that is played over the stream."""

    def __init__(self, stream: PlayStream, seat: Seat) -> None:
        self.stream = stream
        self.seat = seat
        self.follower = Follower(seat.name)
        self.events: list[table_pb2.Event] = []
        self.shown: set[int] = set()
        self.settled = 0
        self.epoch = 0
        self.error: HutchError | None = None
        self.changed = asyncio.Event()

    async def next_turn(self, offers: bool) -> Turn | None:
        """The next question to show; None once the game is over."""
        while True:
            if self.error is not None:
                raise self.error
            if self.follower.ended:
                return None
            for prompt in self._open():
                if (offers or not prompt.offered) and prompt.prompt_id not in self.shown:
                    self.shown.add(prompt.prompt_id)
                    return Turn(self, prompt)
            self.changed.clear()
            await self.changed.wait()

    def settle(self, revision: int) -> None:
        """The caller knows of that revision; what was open before it is not shown any more."""
        self.settled = max(self.settled, revision)
        self.changed.set()

    def take(self, response: table_service_pb2.WatchTableResponse) -> None:
        """Follow one response. Raises `OutOfStep`."""
        for update in self.follower.take(response):
            match update:
                case Snapshot(view=view):
                    self.events.clear()
                    if view.epoch != self.epoch:
                        # The store went back in time: what was settled since is not any more.
                        self.epoch = view.epoch
                        self.settled = 0
                        self.shown.clear()
                case Batch(batch=batch):
                    self.events.extend(batch.events)
            self.changed.set()

    def fail(self, error: HutchError) -> None:
        """The seat cannot be followed any more."""
        self.error = error
        self.changed.set()

    def _open(self) -> list[table_pb2.Prompt]:
        revision = self.follower.revision
        return self.follower.prompts if revision is not None and revision >= self.settled else []


class PlayStream:
    """One player's Play stream, for all their seats: open while there is something to do.

    When it is cut it is opened again, on any gateway: every seat is resumed after the last update
    taken, and every action without an outcome is sent again under the same request id.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._following: dict[str, _Following] = {}
        self._submissions: dict[str, _Submission] = {}
        self._outgoing: asyncio.Queue[table_service_pb2.PlayRequest] = asyncio.Queue()
        self._running: asyncio.Task[None] | None = None

    def follows(self, seat: Seat) -> bool:
        """Whether the seat is played."""
        return seat.name in self._following

    def follow(self, seat: Seat) -> _Following:
        """Start to play a seat. Raises `RuntimeError` where it is played already."""
        self._calls.require_open()
        if self.follows(seat):
            raise RuntimeError(f"{seat.name} is played already by this client")
        following = self._following[seat.name] = _Following(self, seat)
        self._send(table_service_pb2.PlayRequest(watch=following.follower.request()))
        return following

    def unfollow(self, following: _Following) -> None:
        """Stop to play a seat."""
        del self._following[following.seat.name]
        if self._following and not self._calls.is_closed:
            self._send(table_service_pb2.PlayRequest(unwatch=following.seat.name))
        self._rest()

    def settle(self, name: str, revision: int) -> None:
        """The player of that seat knows of that revision, from elsewhere than this stream."""
        if (following := self._following.get(name)) is not None:
            following.settle(revision)

    async def submit(self, request: table_service_pb2.SubmitActionRequest) -> table_pb2.EventBatch:
        """What an action led to. It is sent until its outcome is known. Raises `RuntimeError` where
        one of the same request id is under way."""
        if request.request_id in self._submissions:
            raise RuntimeError(f"the action {request.request_id} is under way already")
        submission = _Submission(
            table_service_pb2.PlayRequest(submit=request, traceparent=traceparent())
        )
        self._submissions[request.request_id] = submission
        backoff = Backoff(self._calls.retries)
        try:
            while True:
                self._calls.require_open()
                self._send(submission.request)
                try:
                    return await submission.outcome_within(self._calls.retries.try_timeout)
                except HutchError as refused:
                    error = refused
                await backoff.wait_after(error)
        finally:
            del self._submissions[request.request_id]
            self._rest()

    async def close(self) -> None:
        """Stop whatever goes on; the client is closed."""
        self._fail(closed())
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running

    def _send(self, request: table_service_pb2.PlayRequest) -> None:
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run(), name="hutch-play")
        else:
            self._outgoing.put_nowait(request)

    def _rest(self) -> None:
        if not self._following and not self._submissions and self._running is not None:
            self._running.cancel()
            self._running = None

    async def _run(self) -> None:
        backoff = Backoff(self._calls.retries)
        try:
            while True:
                token = self._calls.token
                try:
                    await self._connect(backoff)
                    cut: HutchError = unanswered("The stream ended before the game did.")
                except HutchError as error:
                    if self._calls.has_replaced(token, error):
                        continue
                    cut = error
                await backoff.wait_after(cut)
        except HutchError as error:
            self._fail(error)

    async def _connect(self, backoff: Backoff) -> None:
        """One stream, from opening to its end. Raises `HutchError` where it breaks off."""
        self._calls.require_open()
        self._outgoing = asyncio.Queue()
        for following in self._following.values():
            self._outgoing.put_nowait(
                table_service_pb2.PlayRequest(watch=following.follower.request())
            )
        for submission in self._submissions.values():
            self._outgoing.put_nowait(submission.request)
        call: _Call = self._calls.tables.Play(metadata=self._calls.metadata())
        writing = asyncio.create_task(self._write(call, self._outgoing), name="hutch-play-write")
        try:
            while (response := await receive(call, self._calls.retries.silence)) is not None:
                if response.update.HasField("going_away"):
                    return
                if not response.HasField("refusal"):
                    backoff.reset()
                self._take(response)
        finally:
            writing.cancel()
            call.cancel()

    @staticmethod
    async def _write(call: _Call, outgoing: asyncio.Queue[table_service_pb2.PlayRequest]) -> None:
        # Whoever reads from the call learns why it ended.
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            while True:
                await call.write(await outgoing.get())

    def _take(self, response: table_service_pb2.PlayResponse) -> None:
        match response.WhichOneof("response"):
            case "update":
                if (following := self._following.get(response.name)) is not None:
                    try:
                        following.take(response.update)
                    except OutOfStep:
                        following.follower.restart()
                        self._watch_again(following)
            case "submitted":
                if (submission := self._submissions.get(response.request_id)) is not None:
                    submission.outcome.put_nowait(response.submitted.batch)
            case "refusal":
                self._refused(response)

    def _refused(self, response: table_service_pb2.PlayResponse) -> None:
        error = from_refusal(response.refusal)
        if response.request_id:
            if (submission := self._submissions.get(response.request_id)) is not None:
                submission.outcome.put_nowait(error)
        elif not response.name:
            raise error  # about the stream as a whole
        elif (following := self._following.get(response.name)) is not None:
            if following.follower.must_restart(error):
                self._watch_again(following)
            elif error.is_transient:
                raise error  # the stream is opened again, after a while
            else:
                following.fail(error)

    def _watch_again(self, following: _Following) -> None:
        self._send(table_service_pb2.PlayRequest(unwatch=following.seat.name))
        self._send(table_service_pb2.PlayRequest(watch=following.follower.request()))

    def _fail(self, error: HutchError) -> None:
        for following in self._following.values():
            following.fail(error)
        for submission in self._submissions.values():
            submission.outcome.put_nowait(error)


class _Submission:
    """An action under way."""

    def __init__(self, request: table_service_pb2.PlayRequest) -> None:
        self.request = request
        self.outcome: asyncio.Queue[table_pb2.EventBatch | HutchError] = asyncio.Queue()

    async def outcome_within(self, seconds: float) -> table_pb2.EventBatch:
        """What it led to. Raises `HutchError` for a refusal or where nothing comes in time."""
        try:
            async with asyncio.timeout(seconds):
                outcome = await self.outcome.get()
        except TimeoutError:
            raise unanswered(f"No outcome came within {seconds:g} seconds.") from None
        if isinstance(outcome, HutchError):
            raise outcome
        return outcome
