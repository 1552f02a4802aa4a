"""Display: what `hutch up` shows while a stack runs."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.box import ROUNDED
from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hutch.cli.supervisor import Child, State

_COLOURS: Final = ("cyan", "magenta", "green", "yellow", "blue", "bright_red", "bright_cyan")
_NAME_WIDTH: Final = 10
_HELD_LINES: Final = 200
_MARKS: Final = {
    State.WAITING: Text("·", "dim"),
    State.STARTING: Text("…", "yellow"),
    State.READY: Text("✓", "green"),
    State.PAUSING: Text("✗", "red"),
    State.STOPPED: Text("-", "dim"),
}


class PipeConsole(Console):
    """A console that raises `BrokenPipeError` when nobody reads any more.

    Left to itself, one of Rich ends the process, whatever that has to end before.
    """

    def on_broken_pipe(self) -> None:
        """Called while that error is handled."""
        raise


class Display:
    """An observer that prints programs' lines behind their names, and their progress before.

    `on_loss` is called when there is nobody left to print to.
    """

    def __init__(self, console: Console, *, quiet: bool, on_loss: Callable[[], None]) -> None:
        self.console = console
        self._quiet = quiet
        self._on_loss = on_loss
        self._colours: dict[str, str] = {}
        self._progress: Live | None = None
        self._children: list[Child] = []
        self._held: deque[Text | Panel] | None = None
        self._begun = time.monotonic()

    def begin(self, children: list[Child]) -> None:
        """Show how far the start is; on a terminal only."""
        self._children = children
        for number, child in enumerate(children):
            self._colours[child.name] = _COLOURS[number % len(_COLOURS)]
        if self.console.is_interactive and not self._quiet:
            self._progress = Live(
                console=self.console,
                get_renderable=self._starting,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._progress.start()

    def end(self) -> None:
        """Take the progress away."""
        progress, self._progress = self._progress, None
        if progress is not None:
            try:
                progress.stop()
            except OSError:
                self._on_loss()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep what is said back, the last of it, while something else fills the terminal."""
        if not self.console.is_interactive:
            yield
            return
        self._held = deque(maxlen=_HELD_LINES)
        try:
            yield
        finally:
            held, self._held = self._held, None
            for what in held:
                self.say(what)

    def ready(self, facts: dict[str, str], metrics: dict[str, str]) -> None:
        """The stack is up: where it is, and where each program's metrics are."""
        self.end()
        if self._quiet:
            return
        table = Table.grid(padding=(0, 2))
        for name, value in facts.items():
            table.add_row(Text(name, "bold"), Text(value, overflow="fold"))
        table.add_row()
        for name, value in metrics.items():
            table.add_row(Text(name, self._colours.get(name, "")), Text(value, "dim"))
        seconds = time.monotonic() - self._begun
        self.say(
            Panel(
                table,
                title=f"[bold]Hutch is up[/bold] [dim]after {seconds:.1f} s[/dim]",
                subtitle="not for production · Ctrl-C stops everything",
                box=ROUNDED,
                expand=False,
                padding=(0, 2),
            )
        )

    def wrote(self, child: Child, line: str) -> None:
        """The program wrote a line."""
        name = Text(f"{child.name:<{_NAME_WIDTH}} │ ", self._colours.get(child.name, ""))
        self.say(name + Text.from_ansi(line))

    def changed(self, child: Child) -> None:
        """Its state is another; the progress shows it by itself."""

    def died(self, child: Child, how: str, pause_seconds: float) -> None:
        """It ended unasked."""
        self.warn(
            f"{child.name} {how}; starting it again in {pause_seconds:.1f} s "
            f"(restart {child.restarts})"
        )

    def warn(self, sentence: str) -> None:
        """Something that a person should know."""
        self.say(Text(f"{'hutch up':<{_NAME_WIDTH}} │ {sentence}", "bold red"))

    def note(self, sentence: str) -> None:
        """Something that a person may like to know."""
        if not self._quiet:
            self.say(Text(f"{'hutch up':<{_NAME_WIDTH}} │ {sentence}", "bold"))

    def say(self, what: Text | Panel) -> None:
        """Print that, whole lines as they are."""
        if self._held is not None:
            self._held.append(what)
            return
        try:
            self.console.print(what, soft_wrap=isinstance(what, Text))
        except OSError:
            self._on_loss()

    def _starting(self) -> Text:
        line = Text("starting ")
        for child in self._children:
            line += Text(" ") + _MARKS[child.state] + Text(f" {child.name}")
        return line
