"""The worker: what it does with the messages that it takes, on an event loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from random import Random, SystemRandom
from threading import Thread
from typing import Any

from hutch.runtime.settings.workers import WorkerSettings
from hutch.store.outbox import Note
from hutch.store.store import Store
from hutch.turns.campaign_ledger import Ledger
from hutch.turns.outages import Outages
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from hutch.workers.analytics import Tallier
from hutch.workers.playing import BotPlayer
from hutch.workers.thinkers import Thinkers
from hutch.workers.thoughts import Bounds
from hutch.workers.trust import Trust


class Worker:
    """Plays tables and tallies games, with the rules in this process.

    Its loop runs in a thread of its own: tables whose bots think for long are played on between
    messages. It connects to Redis with the first of them.
    """

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings = settings
        self._resolver = Resolver()
        self._thinkers = Thinkers(
            Bounds(
                answer_seconds=settings.bots.answer_seconds,
                memory_megabytes=settings.bots.thinker_megabytes,
                cards=str(settings.cards.dir or ""),
            )
        )
        self._store: Store | None = None
        self._player: BotPlayer | None = None
        self._loop = asyncio.new_event_loop()
        Thread(target=self._loop.run_forever, name="turns", daemon=True).start()

    def play(self, tables: list[str]) -> None:
        """Begin to play those tables; return once there is room for others."""
        self._run(self._play(tables))

    def tally(self, notes: Sequence[Note]) -> None:
        """Tally the finished games of those notes."""
        self._run(self._tally(notes))

    def finish(self) -> None:
        """Play tables that are under way to the end of their slice, and part with the thinkers."""
        self._run(self._finish())

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _play(self, tables: list[str]) -> None:
        if self._player is None:
            self._player = self._new_player(await self._opened())
        await self._player.play(tables)

    async def _tally(self, notes: Sequence[Note]) -> None:
        store = await self._opened()
        ledger = Ledger(TurnPath(store.tables, LocalRules(self._resolver)))
        await Tallier(store, ledger).tally(notes)

    async def _finish(self) -> None:
        if self._player is not None:
            await self._player.finish(self._settings.bots.slice_seconds)
        self._thinkers.close()

    async def _opened(self) -> Store:
        if self._store is None:
            redis = self._settings.redis
            self._store = await Store.open(redis.url, **redis.retention)
        return self._store

    def _new_player(self, store: Store) -> BotPlayer:
        bots = self._settings.bots
        return BotPlayer(
            TurnPath(store.tables, LocalRules(self._resolver), Outages(store.pulse.listen)),
            store.hints,
            self._resolver,
            self._thinkers,
            Trust(bots.probation),
            attempts=bots.attempts,
            answer_seconds=bots.answer_seconds,
            slice_seconds=bots.slice_seconds,
            hint_retry_seconds=bots.hint_retry_seconds,
            rng=Random(SystemRandom().getrandbits(64)),
        )
