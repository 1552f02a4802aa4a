"""`python -m tests.chaos`: play thousands of tables while processes are killed, and judge each.

The figures come with the seed they were drawn from: the same seed draws the same tables, people and
blows. What happens in between is up to the machine.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from secrets import randbelow
from time import monotonic

import uvloop
from rich.console import Console

from tests.chaos.plan import Plan
from tests.chaos.report import Report, show, write
from tests.chaos.run import Run
from tests.chaos.stage import bundle_faults, chaotic_stack

OUT = Path(__file__).parent / "out"
#: Where nobody looks on, progress is told this often.
LINE_SECONDS = 15.0


def main() -> None:
    """Carry one run out. The status is 1 where it found a fault."""
    plan, out = _arguments()
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    console.print(f"seed {plan.seed}")
    folder = out / f"seed-{plan.seed}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    report = uvloop.run(_run(plan, folder, console))
    write(report, out / "chaos-report.json")
    show(report, console)
    console.print(f"[dim]{out / 'chaos-report.json'}[/]")
    if report.faults:
        console.print(f"The data, the log and bundles of tables are in {folder}.")
        sys.exit(1)
    shutil.rmtree(folder)


async def _run(plan: Plan, folder: Path, console: Console) -> Report:
    with chaotic_stack(plan, folder / "data") as stack, console.status("") as status:
        told = 0.0

        def tell(what: str) -> None:
            nonlocal told
            status.update(what)
            if not console.is_terminal and monotonic() - told > LINE_SECONDS:
                told = monotonic()
                console.print(what, soft_wrap=True)

        run = Run(plan, stack, tell)
        report = await run.run()
        await bundle_faults(report, run.ledger, stack, folder)
    return report


def _arguments() -> tuple[Plan, Path]:
    usual = Plan(seed=0)
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--seed", type=int, default=None, help="repeat the run of that seed")
    for name, what in {
        "tables": "how many tables are opened",
        "at_once": "how many games are on at once, at most",
        "kills": "how often a gateway, rules, timekeeper, dispatcher or worker is killed",
        "redis_kills": "how often Redis is killed",
        "holds": "how often a process is stopped for some seconds (SIGSTOP)",
        "alls": "how often all processes are killed at once",
        "crashes": "how often `hutch up` is killed with all of them",
        "gateways": "gateways",
        "rules": "rules processes",
        "workers": "workers",
        "players": "clients",
    }.items():
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, type=int, default=getattr(usual, name), help=what)
    parser.add_argument(
        "--every",
        type=float,
        nargs=2,
        default=usual.every,
        metavar=("LEAST", "MOST"),
        help="seconds before a blow, once its victim runs",
    )
    parser.add_argument(
        "--minutes", type=float, default=usual.minutes, help="no table is opened after so long"
    )
    parser.add_argument("--out", type=Path, default=OUT, help="where the report goes")
    asked = vars(parser.parse_args())
    out: Path = asked.pop("out")
    seed = asked.pop("seed")
    every = tuple(asked.pop("every"))
    return Plan(seed=randbelow(1 << 32) if seed is None else seed, every=every, **asked), out


if __name__ == "__main__":
    main()
