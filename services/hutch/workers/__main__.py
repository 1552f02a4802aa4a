"""`python -m hutch.workers dispatcher`: hand awaited bots and finished games out.
`python -m hutch.workers bots analytics`: a Celery worker that plays the bots and tallies the games,
or does one of both where only that queue is named."""

from __future__ import annotations

import asyncio
import os
import sys
import warnings
from collections.abc import Iterable
from socket import gethostname
from typing import Any

from celery import Celery
from celery.bootsteps import StartStopStep
from celery.exceptions import SecurityWarning
from celery.signals import worker_init, worker_ready, worker_shutting_down

from hutch.bots import STRATEGIES
from hutch.games import RULESETS
from hutch.runtime import metrics
from hutch.runtime.health import BEAT_SECONDS, Health
from hutch.runtime.process import Process, show_usage
from hutch.runtime.redaction import mask_credentials
from hutch.runtime.settings.workers import WorkerSettings
from hutch.store.connect import open_client
from hutch.store.errors import StoreMisnamed
from hutch.store.outbox import Note
from hutch.store.store import Store
from hutch.workers.analytics import LEFT, PERSON
from hutch.workers.analytics_notes import NoteDispatcher
from hutch.workers.bounds import MemoryBound
from hutch.workers.celery_app import ANALYTICS, BOTS, PLAY, TALLY, celery_app
from hutch.workers.dispatching import Dispatcher
from hutch.workers.seals import SealKeyError, Seals, load_seals
from hutch.workers.watchdog import START_ANEW_STATUS, Watchdog
from hutch.workers.worker import Worker

#: Hints are looked for this often even if no doorbell rings.
POLL_SECONDS = 0.5
QUEUES = {BOTS, ANALYTICS}


def main() -> None:
    """Run what the first argument names, until told to stop."""
    match sys.argv[1:]:
        case ["dispatcher"]:
            Process("dispatcher", WorkerSettings).run(dispatch)
        case [*queues] if queues and QUEUES.issuperset(queues):
            process = Process("worker", WorkerSettings)
            # Celery's own words at a shutdown would go there, beside the log.
            sys.__stdout__ = None  # type: ignore[misc]
            status = work(process, queues)
            process.log.info("stopped", status=status)
            sys.exit(status)
        case _:
            show_usage(__doc__)


async def dispatch(process: Process[WorkerSettings], stop: asyncio.Event) -> None:
    """Hand awaited bots and finished games out until `stop` is set."""
    settings = process.settings
    app = app_of(process)
    store = await Store.open_once_up(
        settings.redis.url, stop, process.refuse, poll_s=POLL_SECONDS, **settings.redis.retention
    )
    if store is None:
        return
    async with store:
        bots = Dispatcher(
            store,
            app,
            retry_seconds=settings.bots.hint_retry_seconds,
            batch=settings.bots.batch,
        )
        notes = NoteDispatcher(
            store,
            app,
            poll_seconds=settings.analytics.poll_seconds,
            retry_seconds=settings.analytics.retry_seconds,
            batch=settings.analytics.batch,
        )
        await notes.join(stop)
        process.health.serving()
        async with asyncio.TaskGroup() as both:
            both.create_task(bots.run(stop))
            both.create_task(notes.run(stop))
        process.health.draining()


def app_of(process: Process[WorkerSettings]) -> Celery:
    """The Celery app of the process' broker."""
    broker, redis = process.settings.broker, process.settings.redis
    seals = seals_of(process)
    try:
        app = celery_app(process.settings.broker_url, seals)
        app.connection_for_write().get_transport_cls()  # so far it has only kept the URL
    except (KeyError, TypeError, ValueError) as fault:
        variable = "HUTCH_BROKER_URL" if broker.url else "HUTCH_REDIS_URL"
        url = mask_credentials(broker.url or redis.url)
        process.refuse(f"{variable}: {url!r} is no good: {fault.args[0]}")
    return app


def seals_of(process: Process[WorkerSettings]) -> Seals | None:
    """What messages are sealed with, if they are."""
    path = process.settings.broker.key_file
    try:
        return None if path is None else load_seals(path)
    except SealKeyError as fault:
        process.refuse(f"HUTCH_BROKER_KEY_FILE: {fault}")


def work(process: Process[WorkerSettings], queues: Iterable[str]) -> int:
    """Work those queues off, as a Celery worker with one task at a time (`--pool solo`): it does
    not fork, so Redis connections and metrics are this process' own. The nursery, where bots that
    are not trusted think, is a program of its own.

    Until told to stop, or until Celery cannot go on: the status to end with.
    """
    settings = process.settings
    metrics.RULESET.allow(*RULESETS)
    metrics.STRATEGY.allow(*_strategies(), PERSON, LEFT)
    # Celery's warning of pickles sent to root: no pickle is taken here, whoever we are.
    warnings.simplefilter("ignore", SecurityWarning)
    app = app_of(process)
    try:
        open_client(settings.redis.url)  # which it does with the first message, and again
    except StoreMisnamed as fault:
        process.refuse(f"HUTCH_REDIS_URL: {fault}")
    worker = Worker(settings)
    memory = MemoryBound(settings.bots.memory_megabytes)

    @app.task(name=PLAY)  # type: ignore[untyped-decorator]
    def play_tables(tables: list[str]) -> None:
        process.health.beat()
        worker.play(tables)
        if memory.is_near:
            process.log.critical("memory_short")
            os._exit(START_ANEW_STATUS)

    @app.task(name=TALLY)  # type: ignore[untyped-decorator]
    def tally_games(notes: list[tuple[int, str, str]]) -> None:
        process.health.beat()
        worker.tally([Note(shard, entry, table, b"") for shard, entry, table in notes])

    app.steps["consumer"].add(_beating(process.health))
    watchdog = Watchdog(app, process.exposition.address)

    def ready(**_: object) -> None:
        process.health.serving()
        watchdog.start()

    celery_worker: Any = None

    def begun(sender: Any, **_: object) -> None:
        nonlocal celery_worker
        celery_worker = sender

    worker_init.connect(begun, weak=False)
    worker_ready.connect(ready, weak=False)
    worker_shutting_down.connect(lambda **_: process.health.draining(), weak=False)

    try:
        app.worker_main(
            [
                "--quiet",
                "worker",
                "--pool=solo",
                f"--queues={','.join([*queues, watchdog.queue])}",
                f"--hostname=worker-{os.getpid()}@{gethostname()}",
                "--without-gossip",
                "--without-mingle",
                "--without-heartbeat",
                f"--loglevel={settings.log.level}",
            ]
        )
    finally:
        worker.finish()
    return celery_worker.exitcode or 0


def _beating(health: Health) -> type[StartStopStep]:
    """A step of the worker that beats while it goes round; started with every connection."""

    class Beating(StartStopStep):  # type: ignore[misc]
        requires = ("celery.worker.consumer.tasks:Tasks",)

        def start(self, consumer: Any) -> None:
            consumer.timer.call_repeatedly(BEAT_SECONDS, health.beat)

    return Beating


def _strategies() -> set[str]:
    return {name for strategies in STRATEGIES.values() for name in strategies}


if __name__ == "__main__":
    main()
