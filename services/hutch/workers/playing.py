"""Playing: a worker answers for the bots of a slice of tables, through the turn path."""

from __future__ import annotations

import asyncio
from random import Random
from time import monotonic
from uuid import UUID, uuid5

import structlog

from hutch.bots import STRATEGIES, Sight
from hutch.engine.refusals import Reason, Refusal
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.runtime import metrics
from hutch.store.errors import StoreUnavailable
from hutch.turns.resolver import Resolver
from hutch.turns.table_meta import TableMeta
from hutch.turns.turn_path import Accepted, Turn, TurnPath
from hutch.wire.errors import Fault, Wrong
from hutch.wire.prompts import action_of

log = structlog.get_logger(__name__)

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
        resolver: Resolver,
        *,
        slice_seconds: float,
        hint_retry_seconds: float,
        rng: Random,
    ) -> None:
        self._path = path
        self._resolver = resolver
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
            record = stored.record
            while record is not None and meta.state == "playing":
                accepted = await self._play_one(table_id, meta, record, until)
                if accepted is None or accepted.stored is None or monotonic() >= until:
                    return
                record = accepted.stored.record
        except Fault as fault:
            if fault.reason not in _OVERTAKEN:
                log.error("bot_refused", table=table_id, reason=fault.reason, why=fault.sentence)
        except StoreUnavailable as fault:
            log.warning("store_unavailable", table=table_id, error=str(fault)[:200])
        except Exception:  # a bot's fault must not take the other tables of the slice along
            log.exception("bot_failed", table=table_id)

    async def _play_one(
        self, table_id: str, meta: TableMeta, record: bytes, until: float
    ) -> Accepted | None:
        """One answer of one bot; None where no bot is awaited."""
        live = self._resolver.live(record)
        if isinstance(live, Refusal):
            log.error("rules_gone", table=table_id, why=live.sentence)
            return None
        bots = [seat for seat in live.awaited() if meta.seats[seat].bot]
        if not bots:
            return None
        seat = bots[0] if len(bots) == 1 else self._rng.choice(bots)
        name = meta.seats[seat].bot
        number, picks = STRATEGIES[meta.ruleset][name](Sight(live, seat), self._rng)
        command = rules_pb.ResolveRequest()
        command.submit.seat = seat
        command.submit.action.CopyFrom(action_of(number, picks))
        goes_on = monotonic() + 0.05 < until
        turn = Turn(
            table_id=table_id,
            request=command,
            seat=seat,
            by="bot",
            # The same question gets one answer, however many workers are told of it.
            request_id=uuid5(_BOT_SPACE, f"{table_id} {seat} {number}").hex,
            hint_after_ms=self._retry_ms if goes_on else 0,
        )
        accepted = await self._path.play(turn)
        metrics.BOT_TURNS.labels(ruleset=meta.ruleset, strategy=name).inc()
        return accepted if goes_on else None
