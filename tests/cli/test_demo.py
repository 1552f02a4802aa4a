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
PATIENCE_SECONDS = 120.0
EVERY_GAME = ["rabbit-space", "killer-bunnies", "tale-of-carrot"]
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

    def __init__(self, address: str, *arguments: str, kind: str = "xterm-256color") -> None:
        self.pid, self._terminal = pty.fork()
        if not self.pid:
            os.environ.update(TERM=kind, COLUMNS="120", LINES="40")
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
    done = demo(
        stack.gateway, "--game", "rabbit-space", "--games", "3", "--once",
        "--bots", "random", "--seats", "2",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    begins = sorted(line for line in lines if " begins at " in line)
    assert [line.split()[1] for line in begins] == ["1", "2", "3"]
    assert all(re.search(r"begins at tables/[0-9a-f]{20}$", line) for line in begins)
    over = [line for line in lines if " is over after " in line]
    assert len(over) == 3
    assert all(re.search(r"team=\d+ random=\d+ random=\d+$", line) for line in over)
    assert lines[-2].startswith("rabbit-space, random: ")
    assert re.fullmatch(r"3 games, [\d,]+ moves", lines[-1])
    assert "\x1b" not in done.stdout


def test_without_a_choice_every_game_has_its_turn(stack: RunningStack) -> None:
    done = demo(stack.gateway, "--games", "6", "--once", "--tables", "2", "--seats", "3")
    assert done.returncode == 0, done.stderr
    begun = re.findall(r"^game (\d) \((\S+)\) begins at tables/", done.stdout, re.MULTILINE)
    over = re.findall(r"^game (\d) \((\S+)\) is over after", done.stdout, re.MULTILINE)
    assert sorted(over) == sorted(begun)
    assert sorted(game for _, game in begun) == sorted(2 * EVERY_GAME)
    assert [game for _, game in sorted(begun)][:2] == EVERY_GAME[:2]
    means = re.findall(r"^(\S+), random: .* points on average", done.stdout, re.MULTILINE)
    assert sorted(means) == sorted(EVERY_GAME)


def test_games_that_are_named_are_played_in_that_order(stack: RunningStack) -> None:
    named = ["tale-of-carrot", "rabbit-space"]
    done = demo(
        stack.gateway, "--game", ",".join(named), "--games", "2", "--once", "--tables", "1",
        "--bots", "random", "--seats", "2",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert re.findall(r"\((\S+)\) begins", done.stdout) == named
    # Two play the one; the other is for three at least.
    assert re.findall(r"random: .* at (\d) seats", done.stdout) == ["3", "2"]


def test_rivals_play_with_the_options_given(stack: RunningStack) -> None:
    done = demo(
        stack.gateway, "--game", "rabbit-space", "--games", "1", "--once",
        "--option", "competitive=true",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "team=" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--game", "chess"), "There is no game 'chess'"),
        (("--bots", "nobody"), "has no bot 'nobody'"),
        (("--seats", "9"), "is for 1 to 4 players, not 9"),
        (("--game", "tale-of-carrot", "--seats", "2"), "is for 3 to 6 players, not 2"),
        (("--game", "rabbit-space", "--option", "colour=blue"), "options do not fit"),
        (("--option", "competitive=true"), "Options are those of a single game"),
    ],
    ids=["game", "bot", "seats", "seats of one game", "option", "option of which game"],
)
def test_what_does_not_fit_is_told_in_a_sentence(
    stack: RunningStack, arguments: tuple[str, ...], sentence: str
) -> None:
    done = demo(stack.gateway, "--games", "1", "--once", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("hutch demo: ")
    assert sentence in done.stderr


def test_an_endless_demo_cannot_be_asked_to_end_by_itself() -> None:
    done = demo("127.0.0.1:1", "--once")
    assert done.returncode == 2
    assert "--games" in done.stderr


def test_in_a_terminal_games_are_drawn_until_ctrl_c_and_the_standings_stay(
    stack: RunningStack,
) -> None:
    shown = Terminal(stack.gateway, "--pace", "0", "--bots", "random")
    shown.read_until(lambda text: all(f"{game}  " in text for game in EVERY_GAME))
    shown.read_until(lambda text: all(part in text for part in ("round ", "HP", "clockwise")))
    assert "moves/s" in ANSI.sub("", shown.text)
    shown.read_until(lambda text: re.search(r"[1-9]\d* games? finished", text) is not None)
    shown.press_ctrl_c()
    assert shown.status() == 0
    after = ANSI.sub("", shown.text.rpartition("\x1b[?1049l")[2])
    assert "mean points" in after
    assert re.search(r"\d+ games?, [\d,]+ moves", after)


def test_a_terminal_that_cannot_draw_gets_the_lines_that_a_script_gets(
    stack: RunningStack,
) -> None:
    shown = Terminal(stack.gateway, "--games", "2", "--once", "--seats", "3", kind="dumb")
    assert shown.status() == 0
    assert len(re.findall(r"^game \d \(\S+\) begins at tables/", shown.text, re.MULTILINE)) == 2
    assert len(re.findall(r"^game \d \(\S+\) is over after ", shown.text, re.MULTILINE)) == 2
    assert "eager" not in shown.text
    assert "\x1b" not in shown.text


def test_a_seat_played_from_here_gives_the_games_a_pace(stack: RunningStack) -> None:
    shown = Terminal(stack.gateway, "--games", "3", "--once", "--pace", "0.001", "--seats", "3")
    assert shown.status() == 0
    text = ANSI.sub("", shown.text)
    assert "▸ eager" in text
    assert "3 games, " in text


def test_with_all_games_over_it_waits_for_ctrl_c(stack: RunningStack) -> None:
    shown = Terminal(stack.gateway, "--games", "1", "--pace", "0", "--seats", "1")
    shown.read_until(lambda text: "Ctrl-C ends it." in text)
    os.kill(shown.pid, signal.SIGTERM)
    assert shown.status() == 0


def test_a_killed_gateway_does_not_end_the_demo(stack: RunningStack) -> None:
    running = subprocess.Popen(
        [*COMMAND, "--address", stack.gateway, "--games", "16", "--once", "--bots", "random",
         "--game", "rabbit-space,tale-of-carrot"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert running.stdout is not None
    over = 0
    for line in running.stdout:
        over += " is over after " in line
        if over == 3 and " is over after " in line:
            stack.kill("gateway")
    assert running.wait(PATIENCE_SECONDS) == 0
    assert over == 16
