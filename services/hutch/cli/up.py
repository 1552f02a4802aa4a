"""`hutch up`: a whole stack on this machine, with a Redis of its own, until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from hutch.cli.demo import demo_plan, show
from hutch.cli.display import Display, PipeConsole
from hutch.cli.exhibition import ExhibitionError
from hutch.cli.exhibition import Plan as DemoPlan
from hutch.cli.operations import named_redis
from hutch.cli.stack import GATEWAY_PORT, Plan, Stack, holding, laid_out
from hutch.cli.supervisor import Child, Patience, StackError, Supervisor
from hutch.client import HutchError
from hutch.runtime.drain import run_until_signalled
from hutch.runtime.logs import configure_logs
from hutch.runtime.parent import die_with_parent
from hutch.runtime.redaction import mask_credentials
from hutch.runtime.settings.cli import StackSettings
from hutch.runtime.settings.shared import LogSettings
from hutch.runtime.variables import SettingsError, load, unknown_variables
from hutch.store.connect import connect
from hutch.store.errors import StoreError

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# What a process may take beyond its own grace before it is killed.
_STOP_SECONDS: Final = 5.0


def up(
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the games and keys.", show_default="HUTCH_DATA_DIR, else .hutch"
        ),
    ] = None,
    gateways: Annotated[int, typer.Option(min=1, max=16, help="Gateways.")] = 1,
    rules: Annotated[int, typer.Option(min=1, max=64, help="Rules processes.")] = 2,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Bot workers.")] = 2,
    gateway_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Port of the API, and of further gateways those after it; 0 is any.",
            show_default=f"{GATEWAY_PORT}, or any if that is taken",
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Once up, print addresses and process ids as a line of JSON."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show warnings and errors only.")] = False,
    demo: Annotated[
        bool, typer.Option("--demo", help="Then show bots at play, as `hutch demo` does.")
    ] = False,
    games: Annotated[
        int, typer.Option(min=0, help="Games of the demo; 0 goes on until Ctrl-C.")
    ] = 0,
    once: Annotated[
        bool, typer.Option("--once", help="Stop everything when the demo is over.")
    ] = False,
) -> None:
    """Run the whole stack on this machine until Ctrl-C.

    It has a Redis of its own, unless HUTCH_REDIS_URL names one. Games are kept in the data folder:
    the next `hutch up` there plays on. HUTCH_... variables reach all processes.
    """
    if games and not demo:
        raise typer.BadParameter("there are no games without --demo", param_hint="'--games'")
    if once and not games:
        raise typer.BadParameter("a demo without --games never ends", param_hint="'--once'")
    # With --json, standard output belongs to the program that reads it.
    console = PipeConsole(stderr=as_json, highlight=False)
    try:
        settings = load(StackSettings)
        plan = Plan(
            data=data or settings.data.dir,
            gateways=gateways,
            rules=rules,
            workers=workers,
            gateway_port=gateway_port,
            redis_url=named_redis(),
            environ=_variables(colours=console.is_terminal, quiet=quiet or demo),
        )
        with holding(plan.data), laid_out(plan) as stack:
            run = _Run(settings, plan, stack, console, as_json=as_json, quiet=quiet)
            if demo:
                run.show(demo_plan(console, games), once=once)
            run.until_stopped()
    except (StackError, StoreError, SettingsError) as fault:
        with contextlib.suppress(OSError):
            typer.echo(f"hutch up: {fault}", err=True)
        raise typer.Exit(1) from None


class _Run:
    """One run of a stack, and the observer of its programs."""

    def __init__(
        self,
        settings: StackSettings,
        plan: Plan,
        stack: Stack,
        console: Console,
        *,
        as_json: bool,
        quiet: bool,
    ) -> None:
        self._plan = plan
        self._stack = stack
        self._as_json = as_json
        self._display = Display(console, quiet=quiet, on_loss=self._end)
        self._stop: asyncio.Event | None = None
        self._demo: DemoPlan | None = None
        self._once = False
        self._failed = False
        grace = settings.drain.notice_seconds + settings.drain.grace_seconds
        self._supervisor = Supervisor(
            self._stack.programs, self, patience=Patience(stop=grace + _STOP_SECONDS)
        )
        if settings.die_with_parent:
            die_with_parent(settings.die_with_parent, grace_seconds=2 * grace + _STOP_SECONDS)

    def until_stopped(self) -> None:
        """Run it until a signal comes, or raise `StackError` when it cannot be kept running."""
        configure_logs(LogSettings(level="warning"), process="up")
        for name, sentence in unknown_variables().items():
            self._display.warn(sentence)
            # Said once; each process would say it again.
            del os.environ[name]
        notice = self._plan.data / "stack.json"
        try:
            run_until_signalled(self._main, signals=_SIGNALS, at_once=self._supervisor.kill)
        finally:
            notice.unlink(missing_ok=True)
        if self._failed and self._once:
            raise typer.Exit(1)

    def show(self, demo: DemoPlan, *, once: bool) -> None:
        """Show that demo when the stack is up, and with `once` stop after it."""
        self._demo, self._once = demo, once

    async def _main(self, stop: asyncio.Event) -> None:
        self._stop = stop
        if self._plan.redis_url:
            # Asked once here, for a plain answer instead of a trace from every process.
            await (await connect(self._plan.redis_url)).aclose()
        stop_programs = asyncio.Event()
        self._display.begin(self._supervisor.children)
        running = asyncio.create_task(self._supervisor.run(stop_programs))
        running.add_done_callback(lambda _: stop.set())
        ready = asyncio.create_task(self._supervisor.all_ready.wait())
        asked = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait([ready, asked], return_when=asyncio.FIRST_COMPLETED)
            if ready.done():
                self._tell_ready()
                if self._demo is not None:
                    await self._show(self._demo, asked)
                await asked
            self._display.end()
            if not running.done():
                self._display.note("stopping; a second Ctrl-C does not wait")
                stop_programs.set()
            await running
        finally:
            self._display.end()
            ready.cancel()
            asked.cancel()

    async def _show(self, demo: DemoPlan, asked: asyncio.Task[Any]) -> None:
        """Show the demo until it is over or a stop is asked for."""
        with self._display.held():
            showing = asyncio.create_task(
                show(self._stack.gateways[0], demo, self._display.console)
            )
            await asyncio.wait([showing, asked], return_when=asyncio.FIRST_COMPLETED)
            if not showing.done():
                showing.cancel()
            (fault,) = await asyncio.gather(showing, return_exceptions=True)
        match fault:
            case None | asyncio.CancelledError():
                pass
            case OSError():
                self._end()
            case HutchError() | ExhibitionError():
                self._display.warn(f"the demo ended: {fault}")
                self._failed = True
            case _:
                raise fault
        if self._once:
            self._end()
        elif not asked.done():
            self._display.note("the demo is over; Ctrl-C stops the stack")

    def wrote(self, child: Child, line: str) -> None:
        """The program wrote a line."""
        self._display.wrote(child, line)

    def changed(self, child: Child) -> None:
        """Its state is another: so is what others read about the stack."""
        if self._supervisor.all_ready.is_set():
            self._write_notice()

    def died(self, child: Child, how: str, pause_seconds: float) -> None:
        """It ended unasked."""
        self._display.died(child, how, pause_seconds)

    def _tell_ready(self) -> None:
        self._write_notice()
        self._display.ready(
            {
                "gRPC": " · ".join(self._stack.gateways),
                "Redis": " · ".join(filter(None, (self._redis(), self._stack.redis_version))),
                "data": str(self._plan.data.absolute()),
            },
            {name: f"http://{address}/metrics" for name, address in self._stack.metrics.items()},
        )
        if self._as_json:
            try:
                print(json.dumps(self._facts()), flush=True)
            except OSError:
                self._end()

    def _facts(self) -> dict[str, object]:
        children = self._supervisor.children
        return {
            "pid": os.getpid(),
            "gateway": self._stack.gateways[0],
            "gateways": self._stack.gateways,
            "redis_url": self._redis(),
            "data": str(self._plan.data.absolute()),
            "metrics": dict(self._stack.metrics),
            "pids": {child.name: child.pid for child in children},
            "states": {child.name: child.state for child in children},
            "restarts": {child.name: child.restarts for child in children},
        }

    def _redis(self) -> str:
        return mask_credentials(self._stack.redis_url())

    def _write_notice(self) -> None:
        """Keep `stack.json` in the data folder true, for programs that need the stack."""
        fresh = self._plan.data / "stack.json.new"
        # The stack itself does not need it, so that a full disk is no reason to end.
        with contextlib.suppress(OSError):
            fresh.write_text(json.dumps(self._facts(), indent=1) + "\n")
            fresh.replace(self._plan.data / "stack.json")

    def _end(self) -> None:
        """Stop, as a signal would have it: there is nobody to run for any more."""
        if self._stop is not None:
            self._stop.set()


def _variables(*, colours: bool, quiet: bool) -> dict[str, str]:
    """What all processes are told, unless the caller's environment says otherwise."""
    told = {"HUTCH_LOG_FORMAT": "console"}
    if colours:
        told["FORCE_COLOR"] = "1"
    if quiet:
        told["HUTCH_LOG_LEVEL"] = "warning"
    return {name: os.environ.get(name, value) for name, value in told.items()}
