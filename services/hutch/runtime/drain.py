"""Drain: run until told to stop, then stop in order.

The first SIGTERM or SIGINT asks, the second does not wait. Readiness goes first, so that nobody
sends new work; calls and streams then have a grace period to end.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import grpc.aio
import structlog

from hutch.runtime.health import Health
from hutch.runtime.settings.shared import DrainSettings

# Handlers that swallow their cancellation would hold `stop` up for ever.
_STUBBORN_SECONDS: Final = 2.0
_HARD_STOP_STATUS: Final = 130

log = structlog.get_logger(__name__)

Main = Callable[[asyncio.Event], Awaitable[None]]


def run_until_signalled(
    main: Main,
    *,
    signals: Iterable[signal.Signals] = (signal.SIGTERM, signal.SIGINT),
    at_once: Callable[[], None] = lambda: None,
) -> None:
    """Run `main` on a fresh event loop; the event it is given is set by the first signal.

    The second one calls `at_once` and ends this process there and then.
    """
    with asyncio.Runner(loop_factory=_new_loop()) as runner:
        runner.run(_with_signals(main, tuple(signals), at_once))


async def drain(
    server: grpc.aio.Server,
    health: Health,
    settings: DrainSettings,
    closing: asyncio.Event | None = None,
) -> None:
    """Stop that server: not ready, a notice to load balancers, no new calls, grace, the end.

    `closing` is set after the notice. Streams end then, and no sooner: whoever opened them again
    would come here, for connections stay until the door closes.
    """
    health.draining()
    await asyncio.sleep(settings.notice_seconds)
    if closing is not None:
        closing.set()
    try:
        async with asyncio.timeout(settings.grace_seconds + _STUBBORN_SECONDS):
            await server.stop(settings.grace_seconds)
    except TimeoutError:
        log.warning("calls would not end", grace_seconds=settings.grace_seconds)


async def serve_until(
    stop: asyncio.Event,
    server: grpc.aio.Server,
    health: Health,
    settings: DrainSettings,
    closing: asyncio.Event | None = None,
) -> None:
    """Start that server, be ready, and drain it once `stop` is set; `closing` as for `drain`."""
    await server.start()
    health.serving()
    await stop.wait()
    await drain(server, health, settings, closing)


async def _with_signals(
    main: Main, signals: tuple[signal.Signals, ...], at_once: Callable[[], None]
) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def on_signal(number: signal.Signals) -> None:
        if stop.is_set():
            log.warning("stopped at once", signal=number.name)
            at_once()
            os._exit(_HARD_STOP_STATUS)
        log.info("stopping", signal=number.name)
        stop.set()

    for number in signals:
        # `nohup` has SIGHUP ignored, and means it.
        if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, on_signal, number)
    await main(stop)


def _new_loop() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop
