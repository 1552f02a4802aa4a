"""Logs: one event a line, JSON for machines or coloured for people, without secrets.

    log = structlog.get_logger("hutch.gateway")
    with structlog.contextvars.bound_contextvars(table=table_id, request=request_id):
        log.info("table started", seats=4)

What other libraries log through `logging` comes out in the same form.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import warnings
from types import TracebackType
from typing import Any, Final, TextIO

import msgspec
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from hutch.runtime.redaction import redact
from hutch.runtime.settings.shared import LogSettings
from hutch.runtime.tracing import followed

# Chatty at INFO, or noisy where nothing is wrong.
_QUIET: Final = {
    "asyncio": logging.WARNING,
    "amqp": logging.WARNING,
    "celery": logging.WARNING,
    "celery.worker.strategy": logging.WARNING,
    "grpc": logging.WARNING,
    # Two aio servers in one process wake each other's poller: harmless, logged as an error.
    "grpc._cython.cygrpc": logging.CRITICAL,
    "kombu": logging.WARNING,
    # A worker that stops puts a message back that came just then: harmless, told as a warning.
    "kombu.transport.virtual.base": logging.ERROR,
}

_FIRST: Final = ("time", "level", "process", "logger", "event")


def configure_logs(settings: LogSettings, *, process: str, stream: TextIO = sys.stderr) -> None:
    """Set logging up for this process; `process` is in every line. May be called again."""
    # The C core writes lines of its own making; only its errors are worth breaking the form.
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    level = logging.getLevelNamesMapping()[settings.level.upper()]

    def name_process(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        event["process"] = process
        return event

    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        name_process,
        _name_trace,
    ]
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.StackInfoRenderer(),
                structlog.processors.format_exc_info,
                _redact,
                *_rendering(settings, stream),
            ],
        )
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for name, least in _QUIET.items():
        logging.getLogger(name).setLevel(max(level, least))
    warnings.showwarning = _log_warning
    sys.excepthook = _log_crash
    threading.excepthook = _log_thread_crash


def _name_trace(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    trace = followed()
    if trace is not None:
        event.setdefault("trace_id", str(trace))
    return event


def _redact(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    return redact(dict(event))


def _rendering(settings: LogSettings, stream: TextIO) -> list[Processor]:
    terminal = stream.isatty() or bool(os.environ.get("FORCE_COLOR"))
    match settings.format:
        case "json":
            people = False
        case "console":
            people = True
        case "auto":
            people = terminal
    if not people:
        return [_to_json]
    colours = terminal and not os.environ.get("NO_COLOR")
    return [
        _shorten_time,
        structlog.dev.ConsoleRenderer(
            colors=colours,
            timestamp_key="time",
            pad_event_to=28,
            # The pretty ones print local variables, which may hold anything.
            exception_formatter=structlog.dev.plain_traceback,
        ),
    ]


def _shorten_time(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    event["time"] = event["time"][11:23]
    event.pop("process", None)
    return event


def _to_json(_: WrappedLogger, __: str, event: EventDict) -> str:
    first = {name: event[name] for name in _FIRST if name in event}
    return msgspec.json.encode(first | dict(event)).decode()


def _log_crash(
    kind: type[BaseException], fault: BaseException, traceback: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    log: Any = structlog.get_logger("hutch")
    log.critical("crashed", exc_info=(kind, fault, traceback))


def _log_thread_crash(crash: threading.ExceptHookArgs) -> None:
    if crash.exc_value is not None:
        _log_crash(crash.exc_type, crash.exc_value, crash.exc_traceback)


def _log_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    log: Any = structlog.get_logger("warnings")
    # One line, however it was laid out.
    log.warning(
        " ".join(str(message).split()), category=category.__name__, at=f"{filename}:{lineno}"
    )
