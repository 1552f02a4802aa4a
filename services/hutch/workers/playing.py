"""Playing: a worker answers for the bots and the absent players of a slice of tables, through the
turn path."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from random import Random
from time import monotonic
from uuid import UUID, uuid5

import structlog
from msgspec.structs import replace

from hutch.bots import STRATEGIES, Sight
from hutch.engine.live import Live
from hutch.engine.refusals import Reason, Refusal
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.runtime import metrics
from hutch.store.commits import Failure, Stored
from hutch.store.errors import StoreUnavailable
from hutch.store.hints import Hints
from hutch.turns.absence import forfeiting
from hutch.turns.attendance import leaving
from hutch.turns.resolver import Resolver, where_of
from hutch.turns.table_meta import TableMeta, decode_meta
from hutch.turns.turn_path import Check, Turn, TurnPath
from hutch.wire.errors import Fault, Wrong
from hutch.wire.prompts import action_of

log = structlog.get_logger(__name__)

#: A turn this close to the end of a slice is its last: the next hint is due at once.
_LAST_SECONDS = 0.05
_BOT_SPACE = UUID("f3b6a9a4-5f60-4e2b-8a5c-0d1a6a5d9f10")
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
        *,
        attempts: int,
        slice_seconds: float,
        hint_retry_seconds: float,
        rng: Random,
    ) -> None:
        self._path = path
        self._hints = hints
        self._resolver = resolver
        self._attempts = attempts
        self._slice_seconds = slice_seconds
        self._retry_ms = int(hint_retry_seconds * 1000)
        self._rng = rng

    async def play(self, table_ids: list[str]) -> None:
        """Answer for the seats of those tables that are ours to answer for, as long as they are
        awaited and the slice lasts.

        Each table gets a turn at least. One that was tried before gets no more than that: it may
        have come alone, and others wait.
        """
        until = monotonic() + self._slice_seconds
        await asyncio.gather(*[self._play_table(table_id, until) for table_id in table_ids])

    async def _play_table(self, table_id: str, until: float) -> None:
        try:
            stored, meta = await self._path.load(table_id)
            if not self._ours(stored, meta) and forfeiting(meta) is None:
                return
            attempt = await self._hints.begin(table_id)
            if not attempt:
                return
            if attempt > self._attempts:
                await self._play_default(stored, meta, attempt)
                return
            if attempt > 1:
                until = monotonic()
            after = await self._play_one(stored, meta, until)
            while after is not None and monotonic() < until:
                after = await self._play_one(after, decode_meta(after.meta), until)
        except Fault as fault:
            if fault.reason not in _OVERTAKEN:
                log.error("bot_refused", table=table_id, reason=fault.reason, why=fault.sentence)
        except StoreUnavailable as fault:
            log.warning("store_unavailable", table=table_id, error=str(fault)[:200])
        except Exception as error:  # a bot's fault must not take the slice's other tables along
            log.exception("bot_failed", table=table_id)
            await self._note_failure(table_id, error)

    async def _play_one(self, stored: Stored, meta: TableMeta, until: float) -> Stored | None:
        """One answer for one seat: the table after it, or None where none of ours is awaited."""
        if (seat := forfeiting(meta)) is not None:
            turn = leaving(stored.table_id, seat, "clock", _is_forfeiting(seat))
        elif not (ours := self._ours(stored, meta)):
            return None
        else:
            live, seat = ours[0] if len(ours) == 1 else self._rng.choice(ours)
            turn = self._answer(stored.table_id, meta, live, seat)
        hint_after_ms = self._retry_ms if monotonic() + _LAST_SECONDS < until else 0
        accepted = await self._path.play(replace(turn, hint_after_ms=hint_after_ms))
        if turn.by == "bot":
            metrics.BOT_TURNS.labels(ruleset=meta.ruleset, strategy=meta.seats[seat].bot).inc()
        return accepted.stored if hint_after_ms else None

    def _answer(self, table_id: str, meta: TableMeta, live: Live, seat: int) -> Turn:
        """The turn that answers for a seat: as its bot wants to, or by default."""
        name = meta.seats[seat].bot
        if not name:
            return _default(table_id, seat)
        number, picks = STRATEGIES[meta.ruleset][name](Sight(live, seat), self._rng)
        command = rules_pb.ResolveRequest()
        command.submit.seat = seat
        command.submit.action.CopyFrom(action_of(number, picks))
        return Turn(
            table_id=table_id,
            request=command,
            seat=seat,
            by="bot",
            check=_is_ours(seat),
            # The same question gets one answer, however many workers are told of it.
            request_id=uuid5(_BOT_SPACE, f"{table_id} {seat} {number}").hex,
        )

    async def _play_default(self, stored: Stored, meta: TableMeta, attempt: int) -> None:
        """Play the default for a bot that could not be made to answer, so that the game goes on."""
        await self._hints.give_up(stored.table_id, attempt - 1)
        if not (ours := self._ours(stored, meta)):
            return  # nobody waits for a seat that the game still has to be told of
        _, seat = ours[0]
        log.error("bot_given_up", table=stored.table_id, seat=seat, bot=meta.seats[seat].bot)
        await self._path.play(_default(stored.table_id, seat))
        metrics.BOTS_GIVEN_UP.labels(ruleset=meta.ruleset).inc()

    async def _note_failure(self, table_id: str, error: Exception) -> None:
        """Keep what a bot failed of, for whoever asks why its table stands still."""
        with suppress(StoreUnavailable):
            stored = await self._path.store.load(table_id)
            if stored is not None:
                failure = Failure(stored.now_ms, stored.revision, f"a bot: {where_of(error)}")
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


def _default(table_id: str, seat: int) -> Turn:
    """The turn that plays the default of a seat."""
    request = rules_pb.ResolveRequest(play_default=rules_pb.PlayDefault(seat=seat))
    return Turn(table_id=table_id, request=request, seat=seat, by="clock", check=_is_ours(seat))


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
