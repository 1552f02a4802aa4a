"""The write path: actions a second against a bare echo, and processor time against a naive gateway.

Gateways and the echo server have one core; rules, Redis and the load have the other. All servers
are up all the time and take turns, so that whatever else the machine does meets them alike.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median

from bench.figures import Figure, Target, ratios
from bench.load.orders import Counted, Kind, Run
from bench.measuring import Plan
from bench.memory import read_ns
from bench.processes import LoadProcess, Program
from bench.stack import Stack

SECTION = "write-path"
_SECONDS = 3.0
_WARM_SECONDS = 0.5
#: Actions a second expected at first, until a round has told.
_FIRST_GUESS = 3000.0
#: Actions that a table lasts for, with something to spare, by its seats.
_TABLE_LASTS = {1: 9.0, 4: 70.0}
_SERVERS = ("gateway", "rules", "redis")


def measure(plan: Plan) -> list[Figure]:
    """All figures of the write path."""
    with Stack() as stack, LoadProcess() as load:
        trial = _Trial(plan, stack, load)
        for _ in plan.turns("write path"):
            trial.round()
    return trial.figures()


class _Trial:
    """The servers, and what was counted so far by the name of the measurement."""

    def __init__(self, plan: Plan, stack: Stack, load: LoadProcess) -> None:
        self._plan = plan
        self._stack = stack
        self._load = load
        self._echo, self._gateway, self._naive = (
            stack.echo(),
            stack.gateway(),
            stack.naive_gateway(),
        )
        self._gateway.address()
        self._token = stack.token("bench")
        self._counted: dict[str, list[Counted]] = defaultdict(list)
        self._read_ns: list[float] = []

    def round(self) -> None:
        """Measure everything once."""
        self._read_ns.append(read_ns())
        measurements: tuple[tuple[str, Kind, Program], ...] = (
            ("echo", "echo", self._echo),
            ("unary", "submit", self._gateway),
            ("naive", "submit", self._naive),
            ("play", "play", self._gateway),
            ("echo again", "echo", self._echo),
            ("echo stream", "echo-stream", self._echo),
            ("watched", "tables", self._gateway),
            ("alone", "submit", self._gateway),
        )
        for name, kind, server in measurements:
            self._counted[name].append(self._run(name, kind, server))

    def figures(self) -> list[Figure]:
        """What came out."""
        counted = self._counted
        f = [
            (one.per_second + other.per_second) / 2
            for one, other in zip(counted["echo"], counted["echo again"], strict=True)
        ]
        rates = {name: [one.per_second for one in runs] for name, runs in counted.items()}
        cpu = {name: [one.cpu_us(*_SERVERS) for one in counted[name]] for name in _PATHS}
        return [
            _figure("F: bare echo", "requests/s", f, detail=self._costs("echo", "gateway", "load")),
            _figure(
                "SubmitAction, unary ÷ F",
                "of F",
                ratios(rates["unary"], f),
                Target("more", 0.6, 0.8),
                detail=self._costs("unary"),
            ),
            _figure(
                "Play streams ÷ F",
                "of F",
                ratios(rates["play"], f),
                Target("more", 1.2, 2.0),
                detail=self._costs("play"),
            ),
            _figure(
                "CPU per action ÷ naive, unary",
                "of naive",
                ratios(cpu["unary"], cpu["naive"]),
                Target("less", 0.6, 0.25),
                detail=f"{median(cpu['unary']):.0f} against {median(cpu['naive']):.0f} µs",
            ),
            _figure(
                "CPU per action ÷ naive, Play",
                "of naive",
                ratios(cpu["play"], cpu["naive"]),
                detail=f"{median(cpu['play']):.0f} against {median(cpu['naive']):.0f} µs",
            ),
            _figure(
                "naive gateway, unary ÷ F",
                "of F",
                ratios(rates["naive"], f),
                detail=self._costs("naive"),
            ),
            _figure(
                "bare echo over streams ÷ F",
                "of F",
                ratios(rates["echo stream"], f),
                detail=self._costs("echo stream", "gateway", "load"),
            ),
            _figure(
                "Play with every seat watched ÷ F",
                "of F",
                ratios(rates["watched"], f),
                detail=self._costs("watched"),
            ),
            _figure(
                "SubmitAction, unary, tables of one ÷ F",
                "of F",
                ratios(rates["alone"], f),
                detail=self._costs("alone"),
            ),
            _figure(
                "a read beyond the core's own cache",
                "ns",
                self._read_ns,
                detail=f"{min(self._read_ns):.0f} to {max(self._read_ns):.0f}; "
                f"much more than 60: neighbours have the last cache",
            ),
        ]

    def _run(self, name: str, kind: Kind, server: Program) -> Counted:
        seats = 1 if name == "alone" else 4
        seconds = self._plan.seconds(_SECONDS)
        expected = _FIRST_GUESS
        if runs := self._counted[name]:
            expected = 1.4 * max(one.per_second for one in runs)
        while True:
            stock = 0
            if kind not in ("echo", "echo-stream"):
                stock = 64 + int(expected * (seconds + _WARM_SECONDS) / _TABLE_LASTS[seats])
            counted = self._load.run(
                Run(
                    kind=kind,
                    address=server.address(),
                    redis_url=self._stack.redis.url,
                    player="bench",
                    token=self._token,
                    warm_seconds=min(_WARM_SECONDS, seconds),
                    seconds=seconds,
                    stock=stock,
                    seats=seats,
                    pids={
                        "gateway": server.pid,
                        "rules": self._stack.rules.pid,
                        "redis": self._stack.redis_pid,
                    },
                )
            )
            if not counted.starved:
                return counted
            expected *= 2  # faster than thought: it ran out of tables

    def _costs(self, name: str, *processes: str) -> str:
        """Actions a second, and the processor time an action took of each process."""
        runs = self._counted[name]
        rate = median(one.per_second for one in runs)
        shares = [
            f"{process} {median(one.cpu_us(process) for one in runs):.0f}"
            for process in processes or (*_SERVERS, "load")
        ]
        return f"{rate:.0f}/s; µs of CPU: {', '.join(shares)}"


_PATHS = ("unary", "play", "naive")


def _figure(
    title: str, unit: str, rounds: list[float], target: Target | None = None, *, detail: str
) -> Figure:
    return Figure(
        section=SECTION, title=title, unit=unit, rounds=rounds, target=target, detail=detail
    )
