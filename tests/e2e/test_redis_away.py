"""Redis away, as the logs of all processes tell it: a line when it goes, one when it is back."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from hutch.store.contact import REMIND_S
from hutch.store.embedded import EmbeddedServer
from tests.redis_servers import eventually
from tests.services.processes import Served, serving

WHO_NEEDS_REDIS = ("hutch.gateway", "hutch.timekeeper", "hutch.workers dispatcher")


async def test_every_process_tells_once_that_redis_is_away_and_once_that_it_is_back(
    tmp_path: Path,
) -> None:
    with EmbeddedServer(tmp_path / "redis") as redis, ExitStack() as held:
        rules = held.enter_context(serving("hutch.rules", tmp_path / "rules.log"))
        processes = [
            held.enter_context(
                serving(
                    module,
                    tmp_path / f"{number}.log",
                    HUTCH_REDIS_URL=redis.url,
                    HUTCH_RULES_ADDRESSES=rules.address,
                    HUTCH_TOKEN_KEY_FILE=str(tmp_path / "keys.json"),
                )
            )
            for number, module in enumerate(WHO_NEEDS_REDIS)
        ]
        for process in processes:
            await eventually(partial(is_ready, process), within_s=60)
        went_at = monotonic()
        redis.stop()
        for process in processes:
            await eventually(partial(has_failed, process, 10), within_s=60, every_s=0.1)
        redis.start()
        for process in processes:
            await eventually(partial(tells_it_is_back, process), within_s=60, every_s=0.1)
        reminders = int((monotonic() - went_at) / REMIND_S)  # none, unless the machine is very slow
    for process in processes:
        *away, came = [one for one in told(process) if one["event"].startswith("store_")]
        assert {one["event"] for one in away} == {"store_unavailable"}
        assert came["event"] == "store_available"
        assert len(away) <= 1 + reminders
        assert came["failed"] >= 10
        assert sum(one["level"] != "info" for one in told(process)) <= 4 + reminders, (
            "the gateway says besides what is out of reach, and that it is not any more"
        )


async def is_ready(process: Served) -> bool:
    """Whether it takes work."""
    return "hutch_ready 1.0" in process.scrape()


async def has_failed(process: Served, times: int) -> bool:
    """Whether it asked for something in vain so often. It is scraped again and again meanwhile."""
    found = re.search(r"^hutch_store_failures_total (\S+)", process.scrape(), re.MULTILINE)
    return found is not None and float(found[1]) >= times


async def tells_it_is_back(process: Served) -> bool:
    """Whether it has logged that."""
    return any(one["event"] == "store_available" for one in told(process))


def told(process: Served) -> Sequence[dict[str, Any]]:
    """All that it has logged."""
    return [json.loads(line) for line in process.log.read_text().splitlines()]
