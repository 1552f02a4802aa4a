"""A run: tables are opened and played while the stack is struck, and then every table is judged."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import Final

from msgspec import Struct

from hutch.client import Hutch, HutchError
from hutch.store.errors import StoreUnavailable
from hutch.store.keys import ALL_SHARDS
from hutch.store.store import Store
from hutch.store.tallies import Measure
from tests.chaos.people import Ledger, Playing, crowd, look_on, open_table
from tests.chaos.plan import Plan
from tests.chaos.report import Fault, Report, percentile
from tests.chaos.striking import Striker
from tests.chaos.wishes import Wish, wish
from tests.oracle import Verdict, judge
from tests.stacks import RunningStack

OPENERS: Final = 8
LOOK_SECONDS: Final = 0.5
#: Whoever plays or looks on is told of the end within that time.
TOLD_SECONDS: Final = 30.0
#: A finished game is in the statistics within that time.
TALLY_SECONDS: Final = 60.0
#: What the processes log when something went wrong that no kill excuses.
ALARMING: Final = frozenset(
    {
        "bot_failed",
        "bot_given_up",
        "deal_failed",
        "doorbell_failed",
        "message_dropped",
        "message_failed",
        "nothing_to_tally",
        "patrol_failed",
        "resolve_failed",
        "rules_gone",
        "table_stuck",
        "tally_failed",
        "timer_failed",
        "timer_unsettled",
        "turn_failed",
        "turn_refused",
    }
)


class Opened(Struct):
    """A table of the run, and everybody who plays or watches there."""

    wish: Wish
    name: str
    clients: list[asyncio.Task[None]]

    @property
    def table_id(self) -> str:
        """Its id in the store."""
        return self.name.removeprefix("tables/")


class Run:
    """One run against a stack that is up. `tell` is told of the progress."""

    def __init__(self, plan: Plan, stack: RunningStack, tell: Callable[[str], None]) -> None:
        self._plan = plan
        self._stack = stack
        self._tell = tell
        self.ledger = Ledger()
        self._striker = Striker(stack, plan.rng("victims"))
        self._opened: list[Opened] = []
        self._faults: list[Fault] = []
        self._began = monotonic()
        self._blows_done = 0
        self._blows = plan.blows()

    async def run(self) -> Report:
        """Carry the plan out."""
        store = await Store.open(self._stack.redis_url)
        try:
            async with crowd(self._stack.gateways, self._plan.players) as players:
                await self._storm(store, players)
                last_blow = monotonic()
                await self._settle(store)
                await self._end_clients()
                settled = monotonic() - last_blow
            await self._see_tallied(store)
            self._look_at_log()
            verdicts = await self._judge(store)
            await self._compare_tallies(store, verdicts)
            stuck = self._stuck_tables()
        finally:
            await store.aclose()
        return self._report(verdicts, settled, stuck)

    async def _storm(self, store: Store, players: Sequence[Hutch]) -> None:
        """Open all tables while blow after blow falls."""
        numbers = iter(range(self._plan.tables))
        room = asyncio.Event()
        until = monotonic() + self._plan.minutes * 60

        async def open_some() -> None:
            for number in numbers:
                while number >= self._allowed() or not room.is_set():
                    await asyncio.sleep(0.02)
                if monotonic() > until:
                    return
                await self._open(players, number)

        async def look() -> None:
            while True:
                self._striker.require_stack()
                with suppress(StoreUnavailable):
                    counts = await store.index.counts()
                    playing = sum(n for listing, n in counts.items() if listing.state == "playing")
                    (room.set if playing < self._plan.at_once else room.clear)()
                    self._show(f"{playing:4} on")
                await asyncio.sleep(LOOK_SECONDS)

        async with asyncio.TaskGroup() as storm:
            looking = storm.create_task(look())
            opening = [storm.create_task(open_some()) for _ in range(OPENERS)]
            await asyncio.gather(storm.create_task(self._strike()), *opening)
            await self._striker.recovered()
            looking.cancel()

    async def _strike(self) -> None:
        """All blows of the plan."""
        rng = self._plan.rng("pauses")
        for blow in self._blows:
            await self._striker.strike(blow, rng.uniform(*self._plan.every))
            self._blows_done += 1

    def _allowed(self) -> int:
        """So many tables may be open by now: they are to last as long as the blows."""
        share = (self._blows_done + 1) / (len(self._blows) + 1)
        return int(self._plan.tables * share) + OPENERS

    async def _open(self, players: Sequence[Hutch], number: int) -> None:
        wished = wish(self._plan, number)
        try:
            table, seats = await open_table(players, wished)
        except HutchError as error:
            self._faults.append(Fault(f"wish {number}", f"could not be opened: {error}"))
            return
        tasks = [
            asyncio.create_task(Playing(self._plan, wished, seat, self.ledger).play())
            for seat in seats.values()
        ]
        if wished.watched:
            tasks.append(asyncio.create_task(look_on(table, self.ledger)))
        self._opened.append(Opened(wished, table.name, tasks))

    async def _settle(self, store: Store) -> None:
        """Wait until all games are over, or one has stood still for too long."""
        moved: dict[str, tuple[int, float]] = {}
        while True:
            self._striker.require_stack()
            try:
                standing = await tables_on(store)
            except StoreUnavailable:
                await asyncio.sleep(LOOK_SECONDS)
                continue
            if not standing:
                return
            now = monotonic()
            moved = {
                table: moved[table]
                if table in moved and moved[table][0] == revision
                else (revision, now)
                for table, revision in standing.items()
            }
            still = [t for t, (_, at) in moved.items() if now - at > self._plan.patience_seconds]
            if still:
                self._faults += [
                    Fault(f"tables/{table}", f"stuck at revision {moved[table][0]}")
                    for table in still
                ]
                return
            self._show(f"{len(standing):4} on")
            await asyncio.sleep(LOOK_SECONDS)

    async def _end_clients(self) -> None:
        """Everybody is told of the end."""
        owners = {task: opened.name for opened in self._opened for task in opened.clients}
        if not owners:
            return
        done, waiting = await asyncio.wait(owners, timeout=TOLD_SECONDS)
        stuck = {fault.table for fault in self._faults}
        for task in waiting:
            if owners[task] not in stuck:
                sentence = "a client was not told that the game is over"
                self._faults.append(Fault(owners[task], sentence))
            task.cancel()
        for task in done:
            task.result()
        self._faults += [Fault(*problem) for problem in self.ledger.problems]
        self._faults += [Fault("", sentence) for sentence in self._striker.problems]

    async def _see_tallied(self, store: Store) -> None:
        self._show("waiting for the statistics")
        until = monotonic() + TALLY_SECONDS
        while left := await store.outbox.size():
            if monotonic() > until:
                self._faults.append(Fault("", f"{left} finished games are not tallied"))
                return
            await asyncio.sleep(LOOK_SECONDS)

    async def _judge(self, store: Store) -> dict[str, Verdict]:
        verdicts = {}
        for number, opened in enumerate(self._opened):
            name = opened.name
            verdict = await judge(
                store, opened.table_id, self.ledger.answers[name], self.ledger.told[name]
            )
            verdicts[name] = verdict
            self._faults += [Fault(name, sentence) for sentence in verdict.faults]
            if number % 50 == 0:
                self._show(f"{number:4} judged")
        return verdicts

    async def _compare_tallies(self, store: Store, verdicts: dict[str, Verdict]) -> None:
        """Every finished game is in the statistics once."""
        finished = [one for one in self._opened if verdicts[one.name].finished]
        games = Counter((one.wish.ruleset, one.wish.seats) for one in finished)
        turns: Counter[tuple[str, int]] = Counter()
        for one in finished:
            turns[one.wish.ruleset, one.wish.seats] += verdicts[one.name].turns
        tallied: Counter[tuple[str, int]] = Counter()
        tallied_turns: Counter[tuple[str, int]] = Counter()
        for measure, spread in (await store.tallies.read()).items():
            if measure == Measure(measure.ruleset, measure.form, measure.seats, "turns"):
                tallied[measure.ruleset, measure.seats] += spread.count
                tallied_turns[measure.ruleset, measure.seats] += int(spread.total)
        if games != tallied:
            self._faults.append(Fault("", f"{games} are finished, but {tallied} tallied"))
        elif turns != tallied_turns:
            self._faults.append(Fault("", f"{turns} turns, but {tallied_turns} tallied"))

    def _look_at_log(self) -> None:
        """What no kill excuses."""
        for line in self._stack.log.read_text().splitlines():
            _, _, logged = line.partition(" │ ")
            with suppress(json.JSONDecodeError):
                entry = json.loads(logged)
                if entry.get("event") in ALARMING:
                    table = entry.get("table", "")
                    self._faults.append(Fault(table and f"tables/{table}", logged[:500]))

    def _stuck_tables(self) -> float:
        """The metric that operators are alarmed by."""
        page = self._stack.scrape("timekeeper")
        (line,) = [one for one in page.splitlines() if one.startswith("hutch_stuck_tables ")]
        return float(line.split()[1])

    def _show(self, what: str) -> None:
        last = self._striker.struck[-1] if self._striker.struck else None
        self._tell(
            f"{monotonic() - self._began:4.0f} s  {len(self._opened):4} of {self._plan.tables} "
            f"tables opened, {what}  {self._blows_done:3} of {len(self._blows)} blows  "
            f"{self.ledger.acknowledged:6} answers acknowledged"
            + (f"  last: {last.blow} ({', '.join(last.victims[:1])})" if last else "")
        )

    def _report(self, verdicts: dict[str, Verdict], settled: float, stuck: float) -> Report:
        if stuck:
            self._faults.append(Fault("", f"hutch_stuck_tables is {stuck:.0f}"))
        ledger = self.ledger
        return Report(
            plan=self._plan,
            seconds=monotonic() - self._began,
            tables=dict(Counter(one.wish.ruleset for one in self._opened)),
            finished=sum(verdict.finished for verdict in verdicts.values()),
            turns=sum(verdict.turns for verdict in verdicts.values()),
            struck=self._striker.struck,
            acknowledged=ledger.acknowledged,
            refused=ledger.refused,
            repeated=ledger.repeated,
            told=sum(map(len, ledger.told.values())),
            answer_seconds={
                "p50": percentile(ledger.seconds, 0.5),
                "p99": percentile(ledger.seconds, 0.99),
                "longest": max(ledger.seconds, default=0.0),
            },
            settled_seconds=settled,
            stuck_metric=stuck,
            faults=self._faults,
        )


async def tables_on(store: Store) -> dict[str, int]:
    """The tables whose games are on, with their revisions."""
    pages = await asyncio.gather(
        *[store.inspection.playing(shard, 0, 10_000) for shard in ALL_SHARDS]
    )
    return {one.table_id: one.revision for page in pages for one in page}
