"""What all tests share: the seeds of random games."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", default="1", help="seeds of random games, such as 17 or 1-20")
