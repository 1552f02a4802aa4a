"""Playing: a worker answers for the bots and the absent players of a slice of tables, through the
turn path.

A bot may fail: it raises, answers what it may not, thinks for too long, or ends its process, which
is not ours unless its strategy has earned trust. That is an attempt; after too many the default is
played for it. What attempts there were is counted in Redis before they are made, so that it
outlives the worker. See decision 16.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from random import Random
from time import monotonic

import structlog
from msgspec.structs import replace

from hutch.engine.live import Live
from hutch.engine.refusals import Reason, Refusal
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.runtime import metrics
from hutch.runtime.tracing import follow, followed, of_sampled, sampled_id
from hutch.store.commits import Failure, Stored
from hutch.store.errors import StoreUnavailable
from hutch.store.hints import Hints
from hutch.turns.absence import Amend, forfeiting
from hutch.turns.attendance import leaving
from hutch.turns.resolver import Resolver
from hutch.turns.table_meta import TableMeta, decode_meta
from hutch.turns.turn import Check, Turn
from hutch.turns.turn_path import TurnPath
from hutch.wire.errors import Fault, Wrong
from hutch.wire.failures import where_of
from hutch.workers.answering import BotFailed, answer
from hutch.workers.thinkers import NoThinker, Thinkers
from hutch.workers.thoughts import Asked
from hutch.workers.trust import Strategy, Trust

log = structlog.get_logger(__name__)

#: A turn this close to the end of a slice is its last: the next hint is due at once.
_LAST_SECONDS = 0.05
#: With more tables than these under way, a worker takes no others on.
_ENOUGH = 64
#: Others were first, or the game is over: nothing is wrong.
_OVERTAKEN = {
    Reason.PROMPT_CLOSED,
    Reason.GAME_OVER,
    Reason.NOTHING_DUE,
    Wrong.TABLE_NOT_PLAYING,
    Wrong.TABLE_NOT_FOUND,
    Wrong.BUSY,
    Wrong.NOT_YOUR_SEAT,  # its player is back
}


class BotPlayer:
    """Plays the bots of tables, and for absent players, a slice of time at once."""

    def __init__(
        self,
        path: TurnPath,
        hints: Hints,
        resolver: Resolver,
        thinkers: Thinkers,
        trust: Trust,
        *,
        attempts: int,
        answer_seconds: float,
        slice_seconds: float,
        hint_retry_seconds: float,
        rng: Random,
    ) -> None:
        self._path = path
        self._hints = hints
        self._resolver = resolver
        self._thinkers = thinkers
        self._trust = trust
        self._attempts = attempts
        self._answer_seconds = answer_seconds
        self._slice_seconds = slice_seconds
        self._retry_ms = int(hint_retry_seconds * 1000)
        self._rng = rng
        self._under_way: dict[str, asyncio.Task[None]] = {}
        #: Those of them that we were told of once more.
        self._again: set[str] = set()

    async def play(self, table_ids: list[str]) -> None:
        """Begin to answer for the seats of those tables that are ours to answer for, as long as
        they are awaited, for a slice of time at most; return once there is room for other tables.

        Each table gets a turn at least. One that was tried before gets no more than that: it may
        have come alone. Tables do not wait for each other, whatever their bots are about.
        """
        for table_id in table_ids:
            if table_id in self._under_way:
                self._again.add(table_id)
            else:
                self._begin(table_id)
        while len(self._under_way) > _ENOUGH:
            await asyncio.wait(self._under_way.values(), return_when=asyncio.FIRST_COMPLETED)

    async def finish(self, within_s: float | None = None) -> None:
        """Wait until no table is under way; those that are after that time come again with their
        hints."""
        try:
            async with asyncio.timeout(within_s):
                while self._under_way:
                    await asyncio.wait(self._under_way.values())
        except TimeoutError:
            late = [*self._under_way.values()]
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    def _begin(self, table_id: str) -> None:
        self._under_way[table_id] = asyncio.create_task(self._play_table(table_id))

    async def _play_table(self, table_id: str) -> None:
        """A slice of a table, once more where a bot fails, until it is given up."""
        began = monotonic()
        until = began + self._slice_seconds
        try:
            while await self._has_failed(table_id, until):
                pass
        finally:
            del self._under_way[table_id]
            metrics.BOT_SLICE_SECONDS.labels().observe(monotonic() - began)
        if table_id in self._again:  # most likely as it was said that the slice is over
            self._again.discard(table_id)
            self._begin(table_id)

    async def _has_failed(self, table_id: str, until: float) -> bool:
        """Play a table: whether that failed, so that there is no need to wait before it is tried
        again. A try that ends with its worker comes again with the table's hint."""
        is_bots_turn = False
        try:
            stored, meta = await self._path.load(table_id)
            follow(of_sampled(stored.trace_id))
            if not self._ours(stored, meta) and forfeiting(meta) is None:
                return False
            attempt = await self._hints.begin(table_id, self._retry_ms)
            if not attempt:
                return False
            is_bots_turn = attempt <= self._attempts
            if attempt > 1:
                until = monotonic()
            after = await self._play_one(stored, meta, until, attempt)
            while after is not None:  # as was said to others with the commit
                after = await self._play_one(after, decode_meta(after.meta), until)
            if sampled_id() is not None:
                log.info("played", table=table_id, after=stored.revision)
        except Fault as fault:
            if fault.reason in _OVERTAKEN:
                return False
            log.error("turn_refused", table=table_id, reason=fault.reason, why=fault.sentence)
        except StoreUnavailable:
            return False
        except BotFailed as failure:
            log.error("bot_failed", table=table_id, why=failure.why, trace=failure.trace)
            await self._note_failure(table_id, failure.why)
        except NoThinker:
            log.error("no_thinker", table=table_id)
            return False
        except Exception as error:  # a fault at one table must not stop the slice's others
            log.exception("turn_failed", table=table_id)
            await self._note_failure(table_id, where_of(error))
        else:
            return False
        return is_bots_turn  # else the default failed as well: that is left to the hint

    async def _play_one(
        self, stored: Stored, meta: TableMeta, until: float, attempt: int = 1
    ) -> Stored | None:
        """One answer for one seat: the table after it, or None where none of ours is awaited."""
        if (leaver := forfeiting(meta)) is not None and attempt <= self._attempts:
            seat = leaver
            turn = leaving(stored.table_id, seat, "clock", _is_forfeiting(seat))
        elif not (ours := self._ours(stored, meta)):
            return None
        else:
            # Once one has failed it is always the first, for it is that one that is given up.
            live, seat = self._rng.choice(ours) if attempt == 1 else ours[0]
            place = meta.seats[seat]
            if place.bot and attempt > (attempts := max(0, self._attempts - place.given_up)):
                turn = await self._give_up(stored.table_id, meta, seat, attempts)
            elif place.bot:
                turn = await self._answer(stored, meta, live, seat, is_suspect=attempt > 1)
            else:
                turn = _default(stored.table_id, seat)
        hint_after_ms = self._retry_ms if monotonic() + _LAST_SECONDS < until else 0
        try:
            accepted = await self._path.play(replace(turn, hint_after_ms=hint_after_ms))
        except Fault as fault:
            if turn.by == "bot" and fault.reason not in _OVERTAKEN:
                raise self._failed(meta, seat, BotFailed(f"{fault.reason}: {fault}")) from None
            raise
        if turn.by == "bot":
            ruleset, bot = _strategy(meta, seat)
            self._trust.answered((ruleset, bot))
            metrics.BOT_TURNS.labels(ruleset=ruleset, strategy=bot).inc()
        return accepted.stored if hint_after_ms else None

    async def _answer(
        self, stored: Stored, meta: TableMeta, live: Live, seat: int, *, is_suspect: bool
    ) -> Turn:
        """The turn that answers for a seat as its bot wants to, which thinks here where its
        strategy has earned that, and nothing is held against the bot."""
        _, bot = strategy = _strategy(meta, seat)
        is_suspect = is_suspect or meta.seats[seat].given_up > 0 or self._trust.is_lost(strategy)
        command = rules_pb.ResolveRequest()
        command.submit.seat = seat
        action = command.submit.action
        try:
            if self._trust.is_earned(strategy) and not is_suspect:
                action.CopyFrom(answer(live, seat, bot, self._rng, seconds=self._answer_seconds))
            else:
                asked = Asked(bot, stored.record or b"", seat)
                action.MergeFromString(await self._thinkers.think(asked, is_suspect=is_suspect))
        except BotFailed as failure:
            raise self._failed(meta, seat, failure) from None
        return Turn(
            table_id=stored.table_id,
            request=command,
            seat=seat,
            by="bot",
            check=_is_ours(seat),
            # The same question gets one answer, however many workers are told of it. It is no UUID,
            # as players' ids are: a player who used it first would have the bot fail.
            request_id=f"bot {seat} {action.prompt_id}",
        )

    def _failed(self, meta: TableMeta, seat: int, failure: BotFailed) -> BotFailed:
        """That failure, held against its strategy."""
        ruleset, bot = _strategy(meta, seat)
        self._trust.failed((ruleset, bot))
        metrics.BOT_FAILURES.labels(ruleset=ruleset, strategy=bot).inc()
        return failure

    async def _give_up(self, table_id: str, meta: TableMeta, seat: int, failed: int) -> Turn:
        """The default, for a bot that could not be made to answer, so that the game goes on.

        The next time it gets an attempt fewer, and in the end none: what it costs does not grow
        with the length of the game.
        """
        metrics.BOTS_GIVEN_UP.labels(ruleset=meta.ruleset).inc()
        turn = _default(table_id, seat)
        if not failed:
            return turn
        log.error("bot_given_up", table=table_id, seat=seat, bot=meta.seats[seat].bot)
        await self._hints.give_up(table_id, failed)
        return replace(turn, amend=_give_up_once_more(seat))

    async def _note_failure(self, table_id: str, why: str) -> None:
        """Keep what a bot failed of, for whoever asks why its table stands still."""
        with suppress(StoreUnavailable):
            stored = await self._path.store.load(table_id)
            if stored is not None:
                what, trace_id = f"a bot: {why}", str(followed() or "")
                failure = Failure(stored.now_ms, stored.revision, what, trace_id=trace_id)
                await self._path.store.note_failure(table_id, failure)

    def _ours(self, stored: Stored, meta: TableMeta) -> list[tuple[Live, int]]:
        """The awaited seats that are ours to answer for, with the game to look at."""
        if stored.record is None or meta.state != "playing":
            return []
        live = self._resolver.live(stored.record)
        if isinstance(live, Refusal):
            log.error("rules_gone", table=stored.table_id, why=live.sentence)
            return []
        return [(live, seat) for seat in live.awaited() if meta.seats[seat].is_answered_for]


def _strategy(meta: TableMeta, seat: int) -> Strategy:
    """What plays that seat."""
    return meta.ruleset, meta.seats[seat].bot


def _default(table_id: str, seat: int) -> Turn:
    """The turn that plays the default of a seat."""
    request = rules_pb.ResolveRequest(play_default=rules_pb.PlayDefault(seat=seat))
    return Turn(table_id=table_id, request=request, seat=seat, by="clock", check=_is_ours(seat))


def _give_up_once_more(seat: int) -> Amend:
    """Remember that the seat's bot was given up."""

    def amend(meta: TableMeta) -> None:
        meta.seats[seat].given_up += 1

    return amend


def _is_ours(seat: int) -> Check:
    """Whoever comes back meanwhile answers for themselves."""

    def check(meta: TableMeta) -> None:
        if not meta.seats[seat].is_answered_for:
            raise Fault(Wrong.NOT_YOUR_SEAT, f"The player of seat {seat} is back.")

    return check


def _is_forfeiting(seat: int) -> Check:
    """A game is told once that a player is gone."""

    def check(meta: TableMeta) -> None:
        if forfeiting(meta) != seat:
            raise Fault(Wrong.NOT_YOUR_SEAT, f"Seat {seat} is settled already.")

    return check
