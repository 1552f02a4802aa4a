"""Logs are one event a line, in one form, from whoever logs."""

import io
import json
import logging
import sys
import warnings
from collections.abc import Iterator
from typing import Any, Literal

import kombu
import pytest
import structlog

from hutch.runtime import logs
from hutch.runtime.logs import configure_logs
from hutch.runtime.settings.shared import LogSettings

Level = Literal["debug", "info", "warning", "error"]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """Where logs go; logging is as before afterwards."""
    root = logging.getLogger()
    shown = warnings.showwarning
    handlers, level, hook = root.handlers, root.level, sys.excepthook
    levels = {name: logging.getLogger(name).level for name in logs._QUIET}
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    try:
        yield io.StringIO()
    finally:
        root.handlers, root.level, sys.excepthook = handlers, level, hook
        for name, before in levels.items():
            logging.getLogger(name).setLevel(before)
        warnings.showwarning = shown
        structlog.reset_defaults()
        structlog.contextvars.clear_contextvars()


def configure(
    stream: io.StringIO, level: Level = "info", format: Literal["json", "console"] = "json"
) -> Any:
    configure_logs(LogSettings(level=level, format=format), process="gateway", stream=stream)
    return structlog.get_logger("hutch.test")


def events(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_an_event_is_one_json_object_with_its_context(written: io.StringIO) -> None:
    log = configure(written)
    with structlog.contextvars.bound_contextvars(table="t1", request="r1"):
        log.info("started\ntable", seats=4)
    log.info("later")

    first, second = events(written)
    assert first["event"] == "started\ntable"
    assert {name: first[name] for name in ("level", "process", "logger", "table", "request")} == {
        "level": "info",
        "process": "gateway",
        "logger": "hutch.test",
        "table": "t1",
        "request": "r1",
    }
    assert first["seats"] == 4
    assert first["time"].endswith("Z")
    assert "table" not in second


def test_secrets_are_hidden_wherever_they_are_logged(written: io.StringIO) -> None:
    log = configure(written)
    log.info("in", token="canary", request={"seed": "canary"}, view=object())
    logging.getLogger("other").warning("with %s", "Bearer canary")
    try:
        raise ValueError("redis://me:canary@host is away")
    except ValueError:
        log.exception("failed", hands=["canary"])
    assert "canary" not in written.getvalue()
    assert "ValueError" in events(written)[-1]["exception"]


def test_levels_below_the_setting_are_left_out(written: io.StringIO) -> None:
    log = configure(written, level="warning")
    log.info("quiet")
    log.warning("loud")
    logging.getLogger("other").info("quiet")
    assert [event["event"] for event in events(written)] == ["loud"]


def test_other_libraries_and_warnings_come_in_the_same_form(written: io.StringIO) -> None:
    configure(written)
    logging.getLogger("library").error("number %d", 7)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = logs._log_warning
        warnings.warn("old\n  and stale", DeprecationWarning, stacklevel=1)
    first, second = events(written)
    assert (first["event"], first["logger"], first["level"]) == ("number 7", "library", "error")
    assert (second["event"], second["category"]) == ("old and stale", "DeprecationWarning")


def test_chatty_libraries_are_quiet_at_info_and_heard_at_warning(written: io.StringIO) -> None:
    configure(written, level="debug")
    for name in ("grpc", "asyncio", "celery.app", "kombu.x"):
        logging.getLogger(name).info("chatter")
        logging.getLogger(name).warning("trouble")
    assert [event["event"] for event in events(written)] == ["trouble"] * 4


def test_a_message_that_a_stopping_worker_puts_back_is_nothing_to_tell(
    written: io.StringIO,
) -> None:
    configure(written)
    with kombu.Connection("memory://") as connection:
        channel = connection.default_channel
        queue = kombu.Queue("canary")(channel)
        queue.declare()
        kombu.Producer(channel).publish({}, routing_key="canary")
        taken = channel._get("canary")
        connection.transport._deliver(taken, "canary")  # nobody consumes any more
        assert queue.get() is not None
    assert written.getvalue() == ""


def test_a_crash_is_one_line(written: io.StringIO) -> None:
    configure(written)
    try:
        raise RuntimeError("broken")
    except RuntimeError as fault:
        sys.excepthook(RuntimeError, fault, fault.__traceback__)
    (event,) = events(written)
    assert (event["event"], event["level"]) == ("crashed", "critical")
    assert "RuntimeError: broken" in event["exception"]


def test_lines_for_people_have_no_json_and_no_colour_off_a_terminal(written: io.StringIO) -> None:
    log = configure(written, format="console")
    log.warning("low on carrots", table="t1")
    line = written.getvalue()
    assert "low on carrots" in line
    assert "table=t1" in line
    assert "\x1b" not in line
    assert "{" not in line


def test_colours_follow_the_terminal_at_the_other_end(
    written: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    configure(written, format="console").info("bright")
    assert "\x1b[" in written.getvalue()


def test_the_last_configuration_counts(written: io.StringIO) -> None:
    other = io.StringIO()
    configure(other)
    configure(written).info("here")
    assert other.getvalue() == ""
    assert len(events(written)) == 1
