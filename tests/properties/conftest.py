"""The seeds that games are played from: `--seeds 17`, `--seeds 1-20` or `--seeds 3,5`."""

from __future__ import annotations

import pytest


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        chosen = seeds(metafunc.config.getoption("--seeds"))
        metafunc.parametrize("seed", chosen, ids=[f"seed-{seed}" for seed in chosen])


def seeds(text: str) -> list[int]:
    """The seeds that `text` names."""
    chosen: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        chosen.extend(range(int(first), int(last or first) + 1))
    return chosen
