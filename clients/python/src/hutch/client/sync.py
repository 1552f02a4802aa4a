"""The same client for plain code: every call waits for its answer.

A thread of its own runs the asyncio client; each method here hands its work over to that one and
waits. Methods, arguments, results and errors are those of `hutch.client`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from datetime import datetime
from random import Random
from typing import Any, Self, TypeVar

import grpc

from hutch import client
from hutch.client.channel import Balancing
from hutch.client.client import Player
from hutch.client.errors import HutchError, closed
from hutch.client.picks import PickLike
from hutch.client.retries import Retries
from hutch.client.table import Absence
from hutch.client.time_controls import Time, TimeControl
from hutch.client.updates import Update
from hutch.v1 import campaign_pb2, catalog_service_pb2, recording_pb2, table_pb2

R = TypeVar("R")


def connect(
    addresses: str | Sequence[str],
    *,
    token: str = "",
    balancing: Balancing = "failover",
    credentials: grpc.ChannelCredentials | None = None,
    retries: Retries | None = None,
    options: Sequence[tuple[str, Any]] = (),
) -> Hutch:
    """A client of the gateways at those addresses: `with connect("127.0.0.1:50551") as hutch:`."""
    loop = _LoopThread()

    async def make() -> client.Hutch:
        return client.connect(
            addresses,
            token=token,
            balancing=balancing,
            credentials=credentials,
            retries=retries,
            options=options,
        )

    try:
        return Hutch(loop.run(make()), loop, owns_loop=True)
    except BaseException:
        loop.stop()
        raise


class Hutch:
    """One player's client, made by `connect`. Every method may raise `HutchError`."""

    def __init__(self, hutch: client.Hutch, loop: _LoopThread, *, owns_loop: bool) -> None:
        self._hutch = hutch
        self._loop = loop
        self._owns_loop = owns_loop

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all streams, and the connection if it is this client's own.

        What other threads still wait for fails with the reason CLIENT_CLOSED.
        """
        if self._loop.is_running:
            self._loop.run(self._hutch.close())
        if self._owns_loop:
            self._loop.stop()

    @property
    def token(self) -> str:
        """What names the player. It is as good as a password: keep it from others."""
        return self._hutch.token

    def another(self, token: str = "") -> Hutch:
        """A client for another player over the same connection; close it before this one."""
        return Hutch(self._hutch.another(token), self._loop, owns_loop=False)

    def guest(self, display_name: str = "") -> Player:
        """Become a player without an account. The token is kept, and renewed in time."""
        return self._loop.run(self._hutch.guest(display_name))

    def renew(self) -> datetime:
        """Swap the token for a fresh one, which is kept and renewed in time: when that ends."""
        return self._loop.run(self._hutch.renew())

    def create_table(
        self,
        ruleset: str,
        *,
        seats: int,
        options: Mapping[str, Any] | None = None,
        limits: Mapping[str, Time] | None = None,
        time_control: TimeControl | None = None,
        people_only: bool = False,
        absence: Absence | None = None,
        after_timeouts: int | None = None,
        request_id: str | None = None,
    ) -> Table:
        """Open a table; the caller becomes its host."""
        table = self._loop.run(
            self._hutch.create_table(
                ruleset,
                seats=seats,
                options=options,
                limits=limits,
                time_control=time_control,
                people_only=people_only,
                absence=absence,
                after_timeouts=after_timeouts,
                request_id=request_id,
            )
        )
        return Table(table, self._loop)

    def table(self, name: str) -> Table:
        """The table of that name (`tables/7c1f`, or `7c1f`)."""
        return Table(self._hutch.table(name), self._loop)

    def seat(self, name: str) -> Seat:
        """The seat of that name (`tables/7c1f/seats/0`)."""
        return Seat(self._hutch.seat(name), self._loop)

    def tables(
        self,
        *,
        ruleset: str = "",
        state: table_pb2.TableState.ValueType = table_pb2.TABLE_STATE_UNSPECIFIED,
    ) -> Iterator[table_pb2.Table]:
        """Tables, newest first: all, or those of a game or in a state."""
        return self._loop.iterate(self._hutch.tables(ruleset=ruleset, state=state))

    def create_campaign(self, display_name: str = "", *, request_id: str | None = None) -> Campaign:
        """Open a campaign of Rabbit Space; the caller becomes its first player and host."""
        created = self._hutch.create_campaign(display_name, request_id=request_id)
        return Campaign(self._loop.run(created), self._loop)

    def campaign(self, name: str) -> Campaign:
        """The campaign of that name (`campaigns/7c1f`, or `7c1f`)."""
        return Campaign(self._hutch.campaign(name), self._loop)

    def campaigns(self) -> list[campaign_pb2.Campaign]:
        """The caller's campaigns, newest first."""
        return self._loop.run(self._hutch.campaigns())

    def rulesets(self) -> list[catalog_service_pb2.Ruleset]:
        """The games on offer."""
        return self._loop.run(self._hutch.rulesets())

    def cards(self, ruleset: str) -> list[catalog_service_pb2.Card]:
        """The cards of a game, with short texts."""
        return self._loop.run(self._hutch.cards(ruleset))


class Table:
    """A table, as anybody sees it. Making one calls nobody."""

    def __init__(self, table: client.Table, loop: _LoopThread) -> None:
        self.name = table.name
        self._table = table
        self._loop = loop

    def __repr__(self) -> str:
        return repr(self._table)

    def seat(self, number: int) -> Seat:
        """A seat of the table, counted from 0: of use to the one who holds it."""
        return Seat(self._table.seat(number), self._loop)

    def get(self) -> table_pb2.Table:
        """The table as it is now."""
        return self._loop.run(self._table.get())

    def claim(self, number: int, *, salt: bytes | None = None) -> Seat:
        """Take a free seat, or one whose player left."""
        return Seat(self._loop.run(self._table.claim(number, salt=salt)), self._loop)

    def assign_bot(self, number: int, bot: str) -> table_pb2.Table:
        """Put a bot on a free seat; for the host alone. The catalogue lists strategies."""
        return self._loop.run(self._table.assign_bot(number, bot))

    def start(self) -> table_pb2.Table:
        """Deal; for the host alone."""
        return self._loop.run(self._table.start())

    def abandon(self) -> table_pb2.Table:
        """Give the table up before it has started; for the host alone."""
        return self._loop.run(self._table.abandon())

    def view(self) -> table_pb2.View:
        """What the public may see now."""
        return self._loop.run(self._table.view())

    def watch(self, resume_token: bytes = b"") -> Iterator[Update]:
        """Everything that happens, as the public may see it, each once, up to the end."""
        return self._loop.iterate(self._table.watch(resume_token))

    def deadlines(self) -> list[table_pb2.Deadline]:
        """The moments at which the clock will act: soonest first, those without a time last."""
        return self._loop.run(self._table.deadlines())

    def replay(self, *, seat: int | None = None) -> Iterator[table_pb2.EventBatch]:
        """What happened so far, as the public or a seat of the caller's may see it."""
        return self._loop.iterate(self._table.replay(seat=seat))

    def recording(self) -> recording_pb2.Recording:
        """What a game that is over was dealt from and all that was played, secrets included."""
        return self._loop.run(self._table.recording())


class Campaign:
    """A campaign, as anybody sees it. Making one calls nobody."""

    def __init__(self, campaign: client.Campaign, loop: _LoopThread) -> None:
        self.name = campaign.name
        self._campaign = campaign
        self._loop = loop

    def __repr__(self) -> str:
        return repr(self._campaign)

    def get(self) -> campaign_pb2.Campaign:
        """The campaign as it is now; a game that is over has been credited."""
        return self._loop.run(self._campaign.get())

    def join(self, invite: str) -> campaign_pb2.Campaign:
        """Join the team with the invite that one of its players passed on."""
        return self._loop.run(self._campaign.join(invite))

    def leave(self) -> campaign_pb2.Campaign:
        """Leave the team. Seats at tables stay."""
        return self._loop.run(self._campaign.leave())

    def vote(self, mission: str) -> campaign_pb2.Campaign:
        """Vote on the mission of the next game."""
        return self._loop.run(self._campaign.vote(mission))

    def start_game(
        self,
        *,
        seats: int = 0,
        options: Mapping[str, Any] | None = None,
        limits: Mapping[str, Time] | None = None,
        time_control: TimeControl | None = None,
        absence: Absence | None = None,
        after_timeouts: int | None = None,
        request_id: str | None = None,
    ) -> Table:
        """Open the table of the next game; for the host alone."""
        started = self._campaign.start_game(
            seats=seats,
            options=options,
            limits=limits,
            time_control=time_control,
            absence=absence,
            after_timeouts=after_timeouts,
            request_id=request_id,
        )
        return Table(self._loop.run(started), self._loop)

    def abandon_game(self, table: str) -> campaign_pb2.Campaign:
        """Give up the game at that table, if it is on; for the host alone."""
        return self._loop.run(self._campaign.abandon_game(table))

    def check(self, *boxes: str, request_id: str | None = None) -> campaign_pb2.Campaign:
        """Check boxes for the game before, in that order, all or none; for the host alone."""
        return self._loop.run(self._campaign.check(*boxes, request_id=request_id))


class Seat:
    """A place at a table, as its player sees it. Making one calls nobody."""

    def __init__(self, seat: client.Seat, loop: _LoopThread) -> None:
        self.name = seat.name
        self.table = seat.table
        self.number = seat.number
        self._seat = seat
        self._loop = loop

    def __repr__(self) -> str:
        return repr(self._seat)

    def view(self) -> table_pb2.View:
        """What the seat may see now."""
        return self._loop.run(self._seat.view())

    def watch(self, resume_token: bytes = b"") -> Iterator[Update]:
        """Everything that happens, as the seat may see it, each once, up to the end."""
        return self._loop.iterate(self._seat.watch(resume_token))

    def play(self, *, offers: bool = False) -> Iterator[Turn]:
        """The questions that wait for the seat, each shown once, up to the end of the game."""
        for turn in self._loop.iterate(self._seat.play(offers=offers)):
            yield Turn(turn, self, self._loop)

    def submit(
        self,
        prompt: table_pb2.Prompt | int,
        *likes: PickLike,
        request_id: str | None = None,
        expected_revision: int = 0,
        epoch: int = 0,
    ) -> table_pb2.EventBatch:
        """Answer the prompt (or the one of that id): what it led to. It is stored by then."""
        return self._loop.run(
            self._seat.submit(
                prompt,
                *likes,
                request_id=request_id,
                expected_revision=expected_revision,
                epoch=epoch,
            )
        )

    def undo(self, *, request_id: str | None = None, epoch: int = 0) -> table_pb2.EventBatch:
        """Take the seat's last answer back, where nothing was learnt from it."""
        return self._loop.run(self._seat.undo(request_id=request_id, epoch=epoch))

    def leave(self) -> table_pb2.Table:
        """Give the seat up. The game goes on as its rules say."""
        return self._loop.run(self._seat.leave())


class Turn:
    """A question that waits for its seat, and what happened since the turn before."""

    def __init__(self, turn: client.Turn, seat: Seat, loop: _LoopThread) -> None:
        self.seat = seat
        self.prompt = turn.prompt
        self.revision = turn.revision
        self.epoch = turn.epoch
        self.events = turn.events
        self.offers = turn.offers
        self.deadlines = turn.deadlines
        self.awaited_seats = turn.awaited_seats
        self._turn = turn
        self._loop = loop

    def answer(
        self,
        *likes: PickLike,
        prompt: table_pb2.Prompt | None = None,
        request_id: str | None = None,
    ) -> table_pb2.EventBatch | None:
        """Answer with those picks: what it led to, or None where the question had closed."""
        return self._loop.run(self._turn.answer(*likes, prompt=prompt, request_id=request_id))

    def view(self) -> table_pb2.View:
        """What the seat may see now."""
        return self._loop.run(self._turn.view())

    def sample(self, rng: Random | None = None) -> list[table_pb2.Pick]:
        """Picks that answer the question, at random."""
        return self._turn.sample(rng)


class _LoopThread:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="hutch", daemon=True)
        #: Held while work is handed over, and while the thread is ended: none comes too late.
        self._door = threading.Lock()
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether work can still be handed over."""
        return self._thread.is_alive()

    def run(self, work: Coroutine[Any, Any, R]) -> R:
        """The result of the work. What interrupts the wait (Ctrl-C) cancels the work as well.

        Raises `UnavailableError` where the thread is ended meanwhile.
        """
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("the client is called from its own thread")
        with self._door:
            if not self.is_running:
                work.close()
                raise RuntimeError("the client is closed")
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except CancelledError:
            raise closed() from None
        except BaseException:
            future.cancel()
            raise

    def iterate(self, items: AsyncGenerator[R, None]) -> Iterator[R]:
        """The items, each waited for when it is asked for."""
        at_work = asyncio.Lock()  # a wait that was interrupted has yet to end there

        async def following() -> tuple[R] | None:
            async with at_work:
                try:
                    return (await anext(items),)
                except StopAsyncIteration:
                    return None

        async def close() -> None:
            async with at_work:
                await items.aclose()

        try:
            while (item := self.run(following())) is not None:
                yield item[0]
        finally:
            with suppress(RuntimeError, HutchError):  # the thread has ended them
                self.run(close())

    def stop(self) -> None:
        """End the thread, and whatever it is about. It may be called again."""
        with self._door:
            if self.is_running:
                self._loop.call_soon_threadsafe(self._loop.create_task, self._end())
                self._thread.join()
                self._loop.close()

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._loop.shutdown_asyncgens()
        self._loop.stop()
