"""The stage of a run: a stack that may be crashed and started again, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from hutch.store.store import Store
from hutch.turns.bundle import bundled, encode_bundle
from tests.chaos.people import Ledger
from tests.chaos.plan import Plan
from tests.chaos.report import Report
from tests.redis_servers import neighbours
from tests.stacks import RunningStack, running_stack

BUNDLES: Final = 10
#: Clients may call as often as they like; streams and tables that stand still are noticed soon.
ENVIRON: Final = {
    "HUTCH_LIMIT_ACTIONS_PER_SECOND": "0",
    "HUTCH_LIMIT_CALLS_PER_SECOND": "0",
    "HUTCH_LIMIT_GUESTS_PER_MINUTE": "0",
    "HUTCH_LIMIT_REFUSALS_PER_SECOND": "0",
    "HUTCH_LIMIT_STREAMS": "10000",
    "HUTCH_STREAM_HEARTBEAT_SECONDS": "2",
    "HUTCH_TIMEKEEPER_STILL_SECONDS": "15",
    "HUTCH_LOG_FORMAT": "json",
    "HUTCH_LOG_LEVEL": "warning",
}


@contextmanager
def chaotic_stack(plan: Plan, data: Path) -> Iterator[RunningStack]:
    """The stack of that plan. Started again, it has the same gateways."""
    counts = {"gateways": plan.gateways, "rules": plan.rules, "workers": plan.workers}
    arguments = [f"--{name}={count}" for name, count in counts.items()]
    with (
        neighbours(plan.gateways) as (port, *_),
        running_stack(data, "--gateway-port", str(port), *arguments, environ=ENVIRON) as stack,
    ):
        yield stack


async def bundle_faults(report: Report, ledger: Ledger, stack: RunningStack, folder: Path) -> None:
    """Keep bundles of the first tables that something was wrong at, and what clients know of their
    answers there."""
    names = list(dict.fromkeys(fault.table for fault in report.faults))
    store = await Store.open(stack.redis_url)
    try:
        for name in [name for name in names if name.startswith("tables/")][:BUNDLES]:
            table_id = name.removeprefix("tables/")
            inspected = await store.inspection.look(table_id)
            if inspected is not None:
                bundle = await bundled(store.tables, inspected, with_secrets=True)
                (folder / f"{table_id}.json").write_bytes(encode_bundle(bundle))
                answers = msgspec.json.encode(ledger.answers[name])
                (folder / f"{table_id}-answers.json").write_bytes(answers)
    finally:
        await store.aclose()
