"""The report: the figures as a table in the terminal, as Markdown, and as JSON."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec
import psutil
from msgspec import Struct
from rich.table import Table

from bench.cores import CORES
from bench.figures import Figure, Standing
from hutch.engine import kernel
from hutch.store.embedded import find_server

_MARKS: dict[Standing, str] = {"end": "●", "now": "◐", "missed": "○", "none": " "}
_STYLES: dict[Standing, str] = {"end": "green", "now": "yellow", "missed": "red", "none": "dim"}
LEGEND = "● where it must end   ◐ what is to be reached now   ○ neither yet"


class Machine(Struct, frozen=True):
    """What it ran on."""

    processor: str
    cores: int
    python: str
    #: In which form the kernel and the games ran, here and in every process started from here.
    kernel: str
    grpcio: str
    redis: str
    #: The load average of the minute before, which tells whether anything else was running.
    load_before: float


class Report(Struct, frozen=True):
    """One run."""

    began: datetime
    quick: bool
    machine: Machine
    figures: list[Figure]


def machine_here() -> Machine:
    """This machine, now."""
    return Machine(
        processor=_processor(),
        cores=len(CORES),
        python=platform.python_version(),
        kernel="plain Python" if kernel.__file__.endswith(".py") else "compiled",
        grpcio=version("grpcio"),
        redis=find_server().version,
        load_before=round(psutil.getloadavg()[0], 2),
    )


def now() -> datetime:
    """The time, for a report."""
    return datetime.now(UTC).replace(microsecond=0)


def machine_line(report: Report) -> str:
    """When and on what it ran."""
    machine = report.machine
    return (
        f"{report.began:%Y-%m-%d %H:%M} UTC · {machine.processor} · {machine.cores} cores · "
        f"Python {machine.python} · kernel: {machine.kernel} · grpcio {machine.grpcio} · "
        f"{machine.redis} · load before {machine.load_before:.2f}"
        + (" · quick: says little" if report.quick else "")
    )


def table_of(figures: Iterable[Figure], *, title: str) -> Table:
    """The figures for a terminal."""
    table = Table(
        title=title, caption=LEGEND, title_justify="left", caption_justify="left", box=None
    )
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_column("to reach now", justify="right", style="dim")
    table.add_column("where it must end", justify="right", style="dim")
    table.add_column("")
    table.add_column("made from", style="dim")
    section = ""
    for figure in figures:
        if figure.section != section:
            section = figure.section
            table.add_section()
        now, end = goals(figure)
        standing = figure.standing
        table.add_row(
            figure.title,
            f"[bold]{number(figure.value)}[/] {figure.unit}",
            now,
            end,
            f"[{_STYLES[standing]}]{_MARKS[standing]}[/]",
            figure.detail,
        )
    return table


def markdown_of(report: Report) -> str:
    """The figures as Markdown."""
    lines = [
        machine_line(report),
        "",
        "| figure | value | to reach now | must end | | made from |",
        "|---|---:|---:|---:|---|---|",
    ]
    for figure in report.figures:
        now, end = goals(figure)
        lines.append(
            f"| {figure.title} | **{number(figure.value)}** {figure.unit} | {now} | {end} "
            f"| {_MARKS[figure.standing]} | {figure.detail} |"
        )
    return "\n".join([*lines, "", LEGEND, ""])


def write(report: Report, folder: Path) -> None:
    """Write `figures.json` and `figures.md` into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    encoded = msgspec.json.format(msgspec.json.encode(report), indent=2)
    (folder / "figures.json").write_bytes(encoded + b"\n")
    (folder / "figures.md").write_text(markdown_of(report))


def goals(figure: Figure) -> tuple[str, str]:
    """What is to be reached now, and in the end."""
    target = figure.target
    if target is None:
        return "", ""
    sign = "≥" if target.better == "more" else "≤"
    both = [f"{sign} {goal:g}" if goal is not None else "" for goal in (target.now, target.end)]
    return both[0], both[1]


def number(value: float) -> str:
    """A value with as many digits as mean something."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    for line in facts.read_text().splitlines() if facts.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
