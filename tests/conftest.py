"""What all tests share: their environment, the seeds of random games, and how Hypothesis looks for
them."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from hutch.engine import kernel

# What is set where the tests are run is no part of them.
for name in [name for name in os.environ if name.upper().startswith("HUTCH_")]:
    del os.environ[name]
for name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR"):
    os.environ.pop(name, None)
# Signals that a shell had ignored, as for what runs in the background, would be by all we start.
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

# A busy machine is no fault of a test; what fails is printed so that it can be tried again.
settings.register_profile(
    "hutch", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("hutch")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", default="1", help="seeds of random games, such as 17 or 1-20")
    parser.addoption("--long", action="store_true", help="the long forms of tests/chaos")
    parser.addoption("--compiled", action="store_true", help="only with the compiled kernel")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("compiled") and kernel.__file__.endswith(".py"):
        raise pytest.UsageError(f"this kernel is not compiled: {kernel.__file__}")
