"""`hutch up` runs a whole stack, keeps it running, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import pty
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from hutch.client import sync
from hutch.runtime.health import STALLED_SECONDS
from hutch.store.embedded import EmbeddedServer
from tests.redis_servers import neighbours

PATIENCE_SECONDS = 120.0
HUTCH = (sys.executable, "-m", "hutch.cli")
COMMAND = (*HUTCH, "up", "--json", "--workers", "1")


class Stack:
    """A `hutch up --json` that printed its line."""

    def __init__(self, process: subprocess.Popen[str], data: Path) -> None:
        self.process = process
        self.data = data
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, self.errors()
        self.told: dict[str, Any] = json.loads(line)
        self.pids: dict[str, int] = self.told["pids"]

    def now(self) -> dict[str, Any]:
        """What it tells others about itself."""
        told: dict[str, Any] = json.loads((self.data / "stack.json").read_text())
        return told

    def errors(self) -> str:
        return log_of(self.data).read_text()

    def ended(self) -> int:
        return self.process.wait(PATIENCE_SECONDS)


def log_of(data: Path) -> Path:
    return data.with_suffix(".log")


def start(data: Path, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    with log_of(data).open("w") as log:
        return subprocess.Popen(
            [*COMMAND, "--data", str(data), "--gateway-port", "0", *arguments],
            env=os.environ | {"HUTCH_DIE_WITH_PARENT": str(os.getpid())} | variables,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )


@contextlib.contextmanager
def running(data: Path, *arguments: str, **variables: str) -> Iterator[Stack]:
    process = start(data, *arguments, **variables)
    watchdog = threading.Timer(PATIENCE_SECONDS, process.kill)
    watchdog.start()
    try:
        stack = Stack(process, data)
        watchdog.cancel()
        yield stack
    finally:
        watchdog.cancel()
        process.terminate()
        process.wait(PATIENCE_SECONDS)
        assert process.stdout is not None
        process.stdout.close()


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """One for the tests that leave it as it was."""
    with running(tmp_path_factory.mktemp("up") / "data") as made:
        yield made


def wait_until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def get(address: str, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(address, timeout=30)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def open_table(hutch: sync.Hutch) -> sync.Table:
    """A table whose four bots have begun."""
    table = hutch.create_table("rabbit-space", seats=4)
    for seat in range(4):
        table.assign_bot(seat, "random")
    table.start()
    return table


def test_all_processes_run_and_tell_that_they_are_ready(stack: Stack) -> None:
    assert set(stack.pids) == {
        "redis", "rules-1", "rules-2", "gateway", "timekeeper", "dispatcher", "worker-1",
    }  # fmt: skip
    assert all(is_running(pid) for pid in stack.pids.values())
    assert set(stack.told["metrics"]) == set(stack.pids) - {"redis"}
    for address in stack.told["metrics"].values():
        assert get(address, "/readyz") == (200, "serving\n")
        assert "hutch_build_info{" in get(address, "/metrics")[1]


def test_a_game_of_bots_is_played_to_its_end(stack: Stack) -> None:
    with sync.connect(stack.told["gateway"]) as hutch:
        hutch.guest("host")
        table = open_table(hutch)
        wait_until(lambda: table.get().HasField("result"), "the game ends")


def test_a_second_stack_on_the_same_data_is_refused_and_the_first_is_let_be(stack: Stack) -> None:
    second = subprocess.run(
        [*COMMAND, "--data", str(stack.data)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert second.returncode == 1
    assert second.stdout == ""
    assert second.stderr == (
        f"hutch up: process {stack.process.pid} runs on {stack.data} already; stop it first, or "
        "choose another folder with --data.\n"
    )
    assert stack.now()["pids"] == stack.pids


@pytest.mark.parametrize(
    "name", ["gateway", "rules-1", "timekeeper", "dispatcher", "worker-1", "redis"]
)
def test_a_process_that_is_killed_is_started_again(stack: Stack, name: str) -> None:
    before = stack.now()
    os.kill(before["pids"][name], signal.SIGKILL)

    def is_back() -> bool:
        now = stack.now()
        fresh = now["pids"][name] not in (None, before["pids"][name])
        return fresh and set(now["states"].values()) == {"ready"}

    wait_until(is_back, f"{name} is back")
    assert stack.now()["restarts"][name] == before["restarts"][name] + 1
    assert f"{name} was killed by SIGKILL" in stack.errors() or name == "redis"


def test_after_all_that_games_are_still_played(stack: Stack) -> None:
    with sync.connect(stack.told["gateway"]) as hutch:
        hutch.guest("host")
        table = open_table(hutch)
        wait_until(lambda: table.get().HasField("result"), "the game ends")


def test_sigterm_ends_everything_and_a_later_stack_plays_on(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data) as first:
        with sync.connect(first.told["gateway"]) as hutch:
            hutch.guest("host")
            name, token = hutch.create_table("rabbit-space", seats=4).name, hutch.token
        first.process.terminate()
        assert first.ended() == 0
        assert not any(is_running(pid) for pid in first.pids.values())
        assert not (data / "stack.json").exists()

    with running(data) as second, sync.connect(second.told["gateway"], token=token) as hutch:
        table = hutch.table(name)
        for seat in range(4):
            table.assign_bot(seat, "random")
        table.start()
        wait_until(lambda: table.get().HasField("result"), "the game ends")


def test_a_killed_stack_leaves_no_orphan_and_starts_again_on_its_data(tmp_path: Path) -> None:
    with running(tmp_path / "data") as stack:
        stack.process.kill()
        wait_until(lambda: not any(is_running(pid) for pid in stack.pids.values()), "all are gone")
    with running(tmp_path / "data") as again:
        assert all(is_running(pid) for pid in again.pids.values())


def test_the_second_signal_does_not_wait(tmp_path: Path) -> None:
    with running(tmp_path / "data") as stack:
        # Held: it would not end by itself.
        os.kill(stack.pids["gateway"], signal.SIGSTOP)
        os.kill(stack.pids["rules-1"], signal.SIGSTOP)
        stack.process.send_signal(signal.SIGINT)
        wait_until(lambda: "stopping" in stack.errors(), "it stops")
        stack.process.send_signal(signal.SIGINT)
        assert stack.ended() == 130
        wait_until(lambda: not any(is_running(pid) for pid in stack.pids.values()), "all are gone")


def test_everything_ends_when_the_terminal_goes_away(tmp_path: Path) -> None:
    data = tmp_path / "data"
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [*COMMAND, "--data", str(data), "--gateway-port", "0"])
    shown = read_until(terminal, b'"pids"')
    told = json.loads(next(line for line in shown.splitlines() if line.startswith(b'{"pid"')))
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    # 120: Python had words left for the terminal.
    assert os.waitstatus_to_exitcode(status) in (0, 120)
    assert not any(is_running(child) for child in told["pids"].values())


def test_a_taken_port_is_refused_with_a_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = start(tmp_path / "data", "--gateway-port", str(port))
        assert process.communicate(timeout=PATIENCE_SECONDS)[0] == ""
    assert process.returncode == 1
    assert log_of(tmp_path / "data").read_text() == (
        f"hutch up: port {port} cannot be the gateway's: Address already in use. Choose another "
        "with --gateway-port, or 0 for any.\n"
    )


def test_several_gateways_serve_the_same_tables_on_ports_that_follow(tmp_path: Path) -> None:
    with (
        neighbours(2) as (first, second),
        running(tmp_path / "data", "--gateways", "2", "--gateway-port", str(first)) as stack,
    ):
        assert stack.told["gateways"] == [f"127.0.0.1:{first}", f"127.0.0.1:{second}"]
        assert stack.told["gateway"] == stack.told["gateways"][0]
        assert {"gateway-1", "gateway-2"} < set(stack.pids)
        one, other = stack.told["gateways"]
        with sync.connect(one) as hutch:
            hutch.guest("host")
            name, token = open_table(hutch).name, hutch.token
        with sync.connect(other, token=token) as hutch:
            table = hutch.table(name)
            wait_until(lambda: table.get().HasField("result"), "the game ends")


def test_a_taken_port_of_a_further_gateway_is_named(tmp_path: Path) -> None:
    with neighbours(2) as (first, second), socket.create_server(("127.0.0.1", second)):
        process = start(tmp_path / "data", "--gateways", "2", "--gateway-port", str(first))
        assert process.communicate(timeout=PATIENCE_SECONDS)[0] == ""
    assert process.returncode == 1
    assert f"port {second} cannot be the gateway's" in log_of(tmp_path / "data").read_text()


def test_bad_settings_of_a_process_end_the_stack_with_its_words(tmp_path: Path) -> None:
    process = start(tmp_path / "data", HUTCH_LIMIT_STREAMS="none")
    assert process.communicate(timeout=PATIENCE_SECONDS)[0] == ""
    assert process.returncode == 1
    errors = log_of(tmp_path / "data").read_text()
    assert "hutch up: gateway cannot start. It wrote last:" in errors
    assert "HUTCH_LIMIT_STREAMS is 'none'; allowed: a whole number from 1." in errors


def test_a_quiet_stack_tells_a_misspelt_variable_once_and_nothing_else(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--quiet", HUTCH_LOG_LEVLE="debug") as stack:
        stack.process.terminate()
        assert stack.ended() == 0
        assert stack.errors().count("Is HUTCH_LOG_LEVEL meant?") == 1
        assert "[info" not in stack.errors()
        assert "Hutch is up" not in stack.errors()


def test_a_redis_elsewhere_is_used_and_none_is_started(tmp_path: Path) -> None:
    with (
        EmbeddedServer(tmp_path / "redis") as server,
        running(tmp_path / "data", HUTCH_REDIS_URL=server.url) as stack,
    ):
        assert "redis" not in stack.pids
        assert stack.told["redis_url"] == server.url
        with sync.connect(stack.told["gateway"]) as hutch:
            hutch.guest("host")
            open_table(hutch)
    assert not (tmp_path / "data" / "redis").exists()


def test_a_redis_elsewhere_that_is_not_there_is_told_in_a_sentence(tmp_path: Path) -> None:
    process = start(tmp_path / "data", HUTCH_REDIS_URL="redis://me:secret@127.0.0.1:1/0")
    assert process.communicate(timeout=PATIENCE_SECONDS)[0] == ""
    assert process.returncode == 1
    (line,) = log_of(tmp_path / "data").read_text().splitlines()
    assert line.startswith("hutch up: ")
    assert "127.0.0.1:1" in line
    assert "secret" not in line


def test_a_demo_plays_its_games_shows_the_standings_and_ends_with_the_stack(tmp_path: Path) -> None:
    shown = subprocess.run(
        [*HUTCH, "up", "--data", str(tmp_path / "data"), "--gateway-port", "0", "--workers", "1",
         "--demo", "--games", "2", "--once"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "Hutch is up" in shown.stdout
    assert shown.stdout.count("is over after") == 2
    assert "2 games, " in shown.stdout


@pytest.mark.parametrize("wrong", [["--once"], ["--games", "2"], ["--demo", "--once"]])
def test_a_demo_that_makes_no_sense_is_refused(wrong: list[str]) -> None:
    done = subprocess.run([*HUTCH, "up", *wrong], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "--demo" in done.stderr or "--games" in done.stderr


def test_an_idle_worker_is_still_alive_when_it_would_count_as_stalled(stack: Stack) -> None:
    now = stack.now()
    worker = psutil.Process(now["pids"]["worker-1"])
    wait_until(lambda: time.time() > worker.create_time() + STALLED_SECONDS + 2, "it is idle long")
    assert get(now["metrics"]["worker-1"], "/livez") == (200, "alive\n")


def read_until(terminal: int, words: bytes) -> bytes:
    """What the terminal shows, up to the end of the line that holds those words."""
    shown = b""
    while words not in shown or not shown.endswith(b"\n"):
        shown += os.read(terminal, 65_536)
    return shown
