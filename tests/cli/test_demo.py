"""`hutch demo` against a real stack: as a program, in a terminal, and through a killed gateway."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from tests.stacks import RunningStack

COMMAND = (sys.executable, "-m", "hutch.cli", "demo")
PATIENCE_SECONDS = 60.0
ANSI = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def demo(address: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The demo as a script runs it, to its end."""
    return subprocess.run(
        [*COMMAND, "--address", address, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )


class Terminal:
    """The demo in a terminal of its own."""

    def __init__(self, address: str, *arguments: str) -> None:
        self.pid, self._terminal = pty.fork()
        if not self.pid:
            os.environ.update(TERM="xterm-256color", COLUMNS="120", LINES="40")
            os.execv(sys.executable, [*COMMAND, "--address", address, *arguments])
        self.text = ""

    def read_until(self, holds: Callable[[str], bool]) -> None:
        """Read on until that holds for what was shown so far, without its colours."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds(ANSI.sub("", self.text)):
            assert time.monotonic() < deadline, ANSI.sub("", self.text)[-3000:]
            if select.select([self._terminal], [], [], 0.1)[0]:
                self.text += os.read(self._terminal, 65536).decode(errors="replace")

    def press_ctrl_c(self) -> None:
        """As a person does."""
        os.write(self._terminal, b"\x03")

    def status(self) -> int:
        """What it exits with; what it still shows is read."""
        while True:
            try:
                shown = os.read(self._terminal, 65536)
            except OSError:  # the terminal is closed with the program
                break
            if not shown:
                break
            self.text += shown.decode(errors="replace")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_a_script_gets_plain_lines_and_status_0(stack: RunningStack) -> None:
    done = demo(stack.gateway, "--games", "3", "--once", "--bots", "random", "--seats", "2")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    begins = sorted(line for line in lines if " begins at table " in line)
    assert [line.split()[1] for line in begins] == ["1", "2", "3"]
    over = [line for line in lines if " is over after " in line]
    assert len(over) == 3
    assert all(re.search(r"team=\d+ random=\d+ random=\d+$", line) for line in over)
    assert lines[-2].startswith("random: ")
    assert re.fullmatch(r"3 games, [\d,]+ moves", lines[-1])
    assert "\x1b" not in done.stdout


def test_rivals_play_with_the_options_given(stack: RunningStack) -> None:
    done = demo(stack.gateway, "--games", "1", "--once", "--option", "competitive=true")
    assert done.returncode == 0, done.stderr
    assert "team=" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--game", "chess"), "There is no game 'chess'"),
        (("--bots", "nobody"), "has no bot 'nobody'"),
        (("--seats", "9"), "is for 1 to 4 players, not 9"),
        (("--option", "colour=blue"), "options do not fit"),
    ],
    ids=["game", "bot", "seats", "option"],
)
def test_what_does_not_fit_is_told_in_a_sentence(
    stack: RunningStack, arguments: tuple[str, ...], sentence: str
) -> None:
    done = demo(stack.gateway, "--games", "1", "--once", *arguments)
    assert done.returncode == 1
    assert sentence in done.stdout
    assert "Traceback" not in done.stderr


def test_an_endless_demo_cannot_be_asked_to_end_by_itself() -> None:
    done = demo("127.0.0.1:1", "--once")
    assert done.returncode == 2
    assert "--games" in done.stderr


def test_in_a_terminal_games_are_drawn_until_ctrl_c_and_the_standings_stay(
    stack: RunningStack,
) -> None:
    shown = Terminal(stack.gateway, "--pace", "0", "--tables", "2", "--bots", "random")
    shown.read_until(lambda text: "round 7 of 7" in text and "moves/s" in text)
    shown.read_until(lambda text: re.search(r"[1-9]\d* games finished", text) is not None)
    shown.press_ctrl_c()
    assert shown.status() == 0
    after = ANSI.sub("", shown.text.rpartition("\x1b[?1049l")[2])
    assert "mean points" in after
    assert re.search(r"\d+ games, [\d,]+ moves", after)


def test_a_seat_played_from_here_gives_the_games_a_pace(stack: RunningStack) -> None:
    shown = Terminal(stack.gateway, "--games", "1", "--once", "--pace", "0.01", "--seats", "2")
    assert shown.status() == 0
    text = ANSI.sub("", shown.text)
    assert "▸ eager" in text
    assert "1 games, " in text


def test_with_all_games_over_it_waits_for_ctrl_c(stack: RunningStack) -> None:
    shown = Terminal(stack.gateway, "--games", "1", "--pace", "0", "--seats", "1")
    shown.read_until(lambda text: "Ctrl-C ends it." in text)
    os.kill(shown.pid, signal.SIGTERM)
    assert shown.status() == 0


@pytest.mark.timeout(120)
def test_a_killed_gateway_does_not_end_the_demo(stack: RunningStack) -> None:
    running = subprocess.Popen(
        [*COMMAND, "--address", stack.gateway, "--games", "16", "--once", "--bots", "random"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    over = 0
    for line in running.stdout:
        over += " is over after " in line
        if over == 3 and " is over after " in line:
            stack.kill("gateway")
    assert running.wait(PATIENCE_SECONDS) == 0
    assert over == 16
