"""A watched worker with a task that never ends: `python -m tests.workers.watched_worker BROKER`.

It writes a line for each canary that it hears.
"""

from __future__ import annotations

import sys
import threading

from celery import Celery
from celery.signals import task_success, worker_ready

from hutch.workers.celery_app import BOTS, celery_app
from hutch.workers.watchdog import CANARY, Watchdog

HANG = "hutch.hang"


def main() -> None:
    """Work until the watchdog ends it."""
    app: Celery = celery_app(sys.argv[1])
    # A busy machine is no reason to end. Once it hangs, there is nothing to be patient for.
    watchdog = Watchdog(app, "worker:1", every_seconds=0.1, patience_seconds=60.0)

    def hang() -> None:
        watchdog._patience_seconds = 0.5
        threading.Event().wait()

    app.task(name=HANG)(hang)

    def told(sender: object = None, **_: object) -> None:
        if getattr(sender, "name", "") == CANARY:
            print("heard", flush=True)

    task_success.connect(told, weak=False)
    worker_ready.connect(lambda **_: watchdog.start(), weak=False)
    app.worker_main(["--quiet", "worker", "--pool=solo", f"--queues={BOTS},{watchdog.queue}"])


if __name__ == "__main__":
    main()
