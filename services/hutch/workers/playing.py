"""Playing: a worker answers for the bots of a slice of tables, through the turn path."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from random import Random
from time import monotonic
from uuid import UUID, uuid5

import structlog

from hutch.bots import STRATEGIES, Sight
from hutch.engine.live import Live
from hutch.engine.refusals import Reason, Refusal
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.runtime import metrics
from hutch.store.commits import Failure, Stored
from hutch.store.errors import StoreUnavailable
from hutch.store.hints import Hints
from hutch.turns.resolver import Resolver, where_of
from hutch.turns.table_meta import TableMeta, decode_meta
from hutch.turns.turn_path import Turn, TurnPath
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
    Wrong.TABLE_NOT_PLAYING,
    Wrong.TABLE_NOT_FOUND,
    Wrong.BUSY,
}


class BotPlayer:
    """Plays the bots of tables, a slice of time at once."""

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
        """Answer for the bots of those tables, as long as they are awaited and the slice lasts."""
        until = monotonic() + self._slice_seconds
        await asyncio.gather(*[self._play_table(table_id, until) for table_id in table_ids])

    async def _play_table(self, table_id: str, until: float) -> None:
        try:
            stored, meta = await self._path.load(table_id)
            if not self._bots(stored, meta):
                return
            attempt = await self._hints.begin(table_id)
            if attempt > self._attempts:
                await self._play_default(stored, meta, attempt)
                return
            after: Stored | None = stored
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
        """One answer of one bot: the table after it, or None where no bot is awaited."""
        bots = self._bots(stored, meta)
        if not bots:
            return None
        live, seat = bots[0] if len(bots) == 1 else self._rng.choice(bots)
        name = meta.seats[seat].bot
        number, picks = STRATEGIES[meta.ruleset][name](Sight(live, seat), self._rng)
        command = rules_pb.ResolveRequest()
        command.submit.seat = seat
        command.submit.action.CopyFrom(action_of(number, picks))
        turn = Turn(
            table_id=stored.table_id,
            request=command,
            seat=seat,
            by="bot",
            # The same question gets one answer, however many workers are told of it.
            request_id=uuid5(_BOT_SPACE, f"{stored.table_id} {seat} {number}").hex,
            hint_after_ms=self._retry_ms if monotonic() + _LAST_SECONDS < until else 0,
        )
        accepted = await self._path.play(turn)
        metrics.BOT_TURNS.labels(ruleset=meta.ruleset, strategy=name).inc()
        return accepted.stored if turn.hint_after_ms else None

    async def _play_default(self, stored: Stored, meta: TableMeta, attempt: int) -> None:
        """Play the default for a bot that could not be made to answer, so that the game goes on."""
        _, seat = self._bots(stored, meta)[0]
        log.error("bot_given_up", table=stored.table_id, seat=seat, bot=meta.seats[seat].bot)
        await self._hints.give_up(stored.table_id, attempt - 1)
        request = rules_pb.ResolveRequest(play_default=rules_pb.PlayDefault(seat=seat))
        await self._path.play(
            Turn(table_id=stored.table_id, request=request, seat=seat, by="clock")
        )
        metrics.BOTS_GIVEN_UP.labels(ruleset=meta.ruleset).inc()

    async def _note_failure(self, table_id: str, error: Exception) -> None:
        """Keep what a bot failed of, for whoever asks why its table stands still."""
        with suppress(StoreUnavailable):
            stored = await self._path.store.load(table_id)
            if stored is not None:
                failure = Failure(stored.now_ms, stored.revision, f"a bot: {where_of(error)}")
                await self._path.store.note_failure(table_id, failure)

    def _bots(self, stored: Stored, meta: TableMeta) -> list[tuple[Live, int]]:
        """The seats of bots that are awaited, with the game to look at."""
        if stored.record is None or meta.state != "playing":
            return []
        live = self._resolver.live(stored.record)
        if isinstance(live, Refusal):
            log.error("rules_gone", table=stored.table_id, why=live.sentence)
            return []
        return [(live, seat) for seat in live.awaited() if meta.seats[seat].bot]
