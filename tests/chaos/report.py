"""The report of a run: a file for programs and a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

import msgspec
from msgspec import Struct
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from tests.chaos.plan import Plan
from tests.chaos.striking import Struck

SHOWN_FAULTS = 20


class Fault(Struct, frozen=True):
    """What went wrong, and at which table ("" where at none)."""

    table: str
    sentence: str


class Report(Struct, frozen=True, kw_only=True):
    """What came of a run. `tables` and `struck` by name; times in seconds."""

    plan: Plan
    seconds: float
    tables: dict[str, int]
    finished: int
    turns: int
    struck: list[Struck]
    acknowledged: int
    refused: int
    repeated: int
    told: int
    answer_seconds: dict[str, float]
    settled_seconds: float
    stuck_metric: float
    faults: list[Fault]


def write(report: Report, path: Path) -> None:
    """Write the report as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")


def show(report: Report, console: Console) -> None:
    """Print the report."""
    console.print(Group(_blows(report.struck), Text(), _figures(report), Text(), _verdict(report)))


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of all lies at or below; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _blows(struck: Sequence[Struck]) -> RenderableType:
    table = Table("blow", box=None, header_style="bold", title_justify="left")
    for column in ("times", "ready again after", "at the latest"):
        table.add_column(column, justify="right")
    for name in sorted({one.blow for one in struck}):
        ones = [one for one in struck if one.blow == name]
        seconds = [one.seconds for one in ones if one.seconds is not None]
        times = (f"{median(seconds):.1f} s", f"{max(seconds):.1f} s") if seconds else ("", "")
        table.add_row(name, str(len(ones)), *times)
    return table


def _figures(report: Report) -> RenderableType:
    games = ", ".join(f"{count} {ruleset}" for ruleset, count in sorted(report.tables.items()))
    answer = report.answer_seconds
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    for name, value in {
        "seed": str(report.plan.seed),
        "took": f"{report.seconds:.0f} s",
        "tables": f"{sum(report.tables.values())} ({games}), {report.finished} played to the end",
        "blows": f"{len(report.struck)}, a process killed in {_kills(report.struck)} of them",
        "turns": f"{report.turns} stored",
        "people": f"{report.acknowledged} answers acknowledged, {report.refused} refused, "
        f"{report.repeated} sent twice on purpose; {report.told} batches heard",
        "an answer took": f"{answer['p50'] * 1000:.0f} ms (median), {answer['p99']:.2f} s (p99), "
        f"{answer['longest']:.1f} s at most",
        "after the last blow": f"all over in {report.settled_seconds:.1f} s, "
        f"{report.stuck_metric:.0f} stuck",
    }.items():
        table.add_row(name, value)
    return table


def _kills(struck: Sequence[Struck]) -> int:
    return sum(not one.blow.startswith("hold") for one in struck)


def _verdict(report: Report) -> RenderableType:
    if not report.faults:
        return Text("No faults: every table is what its acknowledged turns make it.", "bold green")
    lines = [Text(f"{len(report.faults)} faults", "bold red")]
    for fault in report.faults[:SHOWN_FAULTS]:
        lines.append(Text(f"  {fault.table or 'the stack'}: {fault.sentence}"))
    if len(report.faults) > SHOWN_FAULTS:
        lines.append(Text("  … all of them are in the report"))
    return Group(*lines)
