"""Any process may be killed at any moment: nothing acknowledged is lost or doubled, nothing stands
still. The short form of `make chaos`."""

from __future__ import annotations

from pathlib import Path
from secrets import randbelow

import pytest

from tests.chaos.plan import PROCESS_KINDS, Plan
from tests.chaos.run import Run
from tests.chaos.stage import chaotic_stack


@pytest.mark.slow
async def test_tables_are_played_as_acknowledged_though_every_kind_of_process_is_killed(
    tmp_path: Path,
) -> None:
    plan = Plan(
        seed=randbelow(1 << 32),
        tables=30,
        at_once=30,
        kills=len(PROCESS_KINDS),
        redis_kills=1,
        holds=1,
        alls=0,
        crashes=1,
        every=(0.1, 0.5),
        rules=1,
        workers=1,
        players=4,
    )
    print(f"seed {plan.seed}; again with: python -m tests.chaos --seed {plan.seed} --tables 30")
    with chaotic_stack(plan, tmp_path / "data") as stack:
        report = await Run(plan, stack, print).run()
    assert report.faults == []
    assert report.finished == plan.tables
    assert report.acknowledged > plan.tables
    assert {one.blow for one in report.struck} >= {"crash", "kill redis"} | {
        f"kill {kind}" for kind in PROCESS_KINDS
    }
