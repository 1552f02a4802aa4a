"""`python -m bench`: measure, print the table, write it and a picture to `bench/out`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import monotonic

from rich.console import Console

from bench import report
from bench.figures import Figure
from bench.measuring import Plan
from bench.picture import draw
from bench.sections import SECTIONS

_WIDTH = 160
_OUT = Path(__file__).parent / "out"


def main() -> None:
    """Measure what is asked for."""
    asked = _arguments()
    console = Console(width=None if sys.stdout.isatty() else _WIDTH)
    began, start = report.now(), monotonic()
    machine = report.machine_here()
    figures: list[Figure] = []
    with console.status("") as status:

        def tell(what: str) -> None:
            status.update(f"[dim]{monotonic() - start:4.0f} s[/]  {what}")

        plan = Plan(quick=asked.quick, rounds=1 if asked.quick else asked.rounds, tell=tell)
        for name, measure in SECTIONS.items():
            if name in asked.only:
                found = measure(plan)
                figures += found
                console.print(report.table_of(found, title=name))
    done = report.Report(began, asked.quick, machine, figures)
    report.write(done, asked.out)
    draw(figures, asked.out / "figures.png", footnote=report.machine_line(done))
    console.rule()
    console.print(report.table_of(figures, title="Hutch, measured"))
    console.print(f"[dim]{report.machine_line(done)}[/]")
    console.print(f"[dim]{monotonic() - start:.0f} s; written to {asked.out}[/]")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--only",
        nargs="+",
        choices=SECTIONS,
        default=list(SECTIONS),
        metavar="SECTION",
        help=f"measure these alone: {', '.join(SECTIONS)}",
    )
    parser.add_argument("--rounds", type=int, default=5, help="how often, in turn (default 5)")
    parser.add_argument(
        "--quick", action="store_true", help="see that everything works; the figures say little"
    )
    parser.add_argument("--out", type=Path, default=_OUT, help="where to write (default bench/out)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
