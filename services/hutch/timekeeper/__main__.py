"""`python -m hutch.timekeeper`: play the defaults of clocks that ran out. Several may run."""

from __future__ import annotations

import asyncio

from hutch.games import RULESETS
from hutch.runtime import metrics
from hutch.runtime.process import Process, take_no_arguments
from hutch.runtime.settings.timekeeper import TimekeeperSettings
from hutch.runtime.tls import CertificateError
from hutch.store.store import Store
from hutch.timekeeper.census import export_tables
from hutch.timekeeper.crediting import Crediting
from hutch.timekeeper.keeping import Timekeeper
from hutch.timekeeper.patrol import Patrol
from hutch.turns.lobby import Lobby
from hutch.turns.outages import Outages
from hutch.turns.rules_link import RemoteRules, rules_credentials
from hutch.turns.turn_path import TurnPath

#: The patrol goes round so often before a table that stands still counts as stuck.
ROUNDS_WHILE_STILL = 3


def main() -> None:
    """Run until told to stop."""
    take_no_arguments(__doc__)
    Process("timekeeper", TimekeeperSettings).run(serve)


async def serve(process: Process[TimekeeperSettings], stop: asyncio.Event) -> None:
    """Keep time until `stop` is set."""
    settings = process.settings
    metrics.RULESET.allow(*RULESETS)
    try:
        to_rules = rules_credentials(settings.rules)
    except CertificateError as fault:
        process.refuse(str(fault))
    poll_seconds = settings.timekeeper.poll_seconds
    store = await Store.open_once_up(
        settings.redis.url, stop, process.refuse, poll_s=poll_seconds, **settings.redis.retention
    )
    if store is None:
        return
    async with store, RemoteRules(list(settings.rules.addresses), to_rules) as rules:
        outages = Outages(store.pulse.listen)
        path = TurnPath(store.tables, rules, outages)
        still_seconds = settings.timekeeper.still_seconds
        patrol = Patrol(
            store,
            Lobby(path),
            still_seconds=still_seconds,
            round_seconds=still_seconds / ROUNDS_WHILE_STILL,
            idle_days=settings.timekeeper.idle_days,
        )
        export_tables(store, patrol, asyncio.get_running_loop())
        keeper = Timekeeper(
            path,
            store,
            outages,
            lease_seconds=settings.timekeeper.lease_seconds,
            poll_seconds=poll_seconds,
        )
        process.health.serving()
        crediting = Crediting(path, store, outages)
        await asyncio.gather(keeper.run(stop), crediting.run(stop), patrol.run(stop))
        process.health.draining()


if __name__ == "__main__":
    main()
