"""`hutch up` runs a whole stack, keeps it running, and leaves nothing behind."""

from __future__ import annotations

import http.client
import json
import os
import pty
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import psutil
import pytest

from hutch.cli.stack import holding
from hutch.cli.supervisor import StackError
from hutch.client import sync
from hutch.runtime.health import STALLED_SECONDS
from hutch.store.embedded import EmbeddedServer
from tests.redis_servers import neighbours
from tests.runtime.programs import is_running, wait_until
from tests.stacks import RunningStack, running_stack

PATIENCE_SECONDS = 120.0
HUTCH = (sys.executable, "-m", "hutch.cli")
COMMAND = (*HUTCH, "up", "--json", "--workers", "1")


def running(data: Path, *arguments: str, **variables: str) -> AbstractContextManager[RunningStack]:
    """A stack with one worker."""
    return running_stack(data, "--workers", "1", *arguments, environ=variables)


def refused(data: Path, *arguments: str, **variables: str) -> str:
    """What one that cannot be says."""
    stack = RunningStack(data, "--workers", "1", *arguments, environ=variables)
    stack.launch()
    assert stack.process.communicate(timeout=PATIENCE_SECONDS)[0] == ""
    assert stack.process.returncode == 1
    return stack.log.read_text()


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """One for the tests that leave it as it was."""
    with running(tmp_path_factory.mktemp("up") / "data") as made:
        yield made


def survivors(stack: RunningStack) -> list[str]:
    """Those of its processes that run, of those that ran when it was up."""
    return [name for name, pid in stack.told["pids"].items() if is_running(pid)]


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


def test_all_processes_run_and_tell_that_they_are_ready(stack: RunningStack) -> None:
    assert set(stack.told["pids"]) == {
        "redis", "rules-1", "rules-2", "gateway", "timekeeper", "dispatcher", "worker-1",
    }  # fmt: skip
    assert survivors(stack) == list(stack.told["pids"])
    assert set(stack.told["metrics"]) == set(stack.told["pids"]) - {"redis"}
    for address in stack.told["metrics"].values():
        assert get(address, "/readyz") == (200, "serving\n")
        assert "hutch_build_info{" in get(address, "/metrics")[1]


def play_to_the_end(stack: RunningStack) -> None:
    """A game of bots, which ends."""
    with sync.connect(stack.gateway) as hutch:
        hutch.guest("host")
        table = open_table(hutch)
        wait_until(lambda: table.get().HasField("result"), "the game ends")


def test_a_game_of_bots_is_played_to_its_end(stack: RunningStack) -> None:
    play_to_the_end(stack)


def test_a_second_stack_on_the_same_data_is_refused_and_the_first_is_let_be(
    stack: RunningStack,
) -> None:
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
    assert stack.facts["pids"] == stack.told["pids"]


@pytest.mark.parametrize(
    "name", ["gateway", "rules-1", "timekeeper", "dispatcher", "worker-1", "redis"]
)
def test_a_process_that_is_killed_is_started_again(stack: RunningStack, name: str) -> None:
    before = stack.facts
    os.kill(before["pids"][name], signal.SIGKILL)

    def is_back() -> bool:
        now = stack.facts
        fresh = now["pids"][name] not in (None, before["pids"][name])
        return fresh and set(now["states"].values()) == {"ready"}

    wait_until(is_back, f"{name} is back")
    assert stack.facts["restarts"][name] == before["restarts"][name] + 1
    assert f"{name} was killed by SIGKILL" in stack.log.read_text() or name == "redis"


def test_after_all_that_games_are_still_played(stack: RunningStack) -> None:
    play_to_the_end(stack)


def test_a_data_folder_without_room_is_told_in_a_sentence(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with pytest.raises(StackError, match="cannot be the data folder"), holding(tmp_path):
            pass
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    with holding(tmp_path):
        pass


def test_sigterm_ends_everything_and_a_later_stack_plays_on(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data) as first:
        with sync.connect(first.gateway) as hutch:
            hutch.guest("host")
            name, token = hutch.create_table("rabbit-space", seats=4).name, hutch.token
        first.process.terminate()
        assert first.process.wait(PATIENCE_SECONDS) == 0
        assert not survivors(first)
        assert not (data / "stack.json").exists()

    with running(data) as second, sync.connect(second.gateway, token=token) as hutch:
        table = hutch.table(name)
        for seat in range(4):
            table.assign_bot(seat, "random")
        table.start()
        wait_until(lambda: table.get().HasField("result"), "the game ends")


def test_a_killed_stack_leaves_no_orphan_and_starts_again_on_its_data(tmp_path: Path) -> None:
    with running(tmp_path / "data") as stack:
        stack.process.kill()
        wait_until(lambda: not survivors(stack), "all are gone")
    with running(tmp_path / "data") as again:
        assert survivors(again) == list(again.told["pids"])


def test_the_second_signal_does_not_wait(tmp_path: Path) -> None:
    with running(tmp_path / "data") as stack:
        # Held: it would not end by itself.
        os.kill(stack.told["pids"]["gateway"], signal.SIGSTOP)
        os.kill(stack.told["pids"]["rules-1"], signal.SIGSTOP)
        stack.process.send_signal(signal.SIGINT)
        wait_until(lambda: "stopping" in stack.log.read_text(), "it stops")
        stack.process.send_signal(signal.SIGINT)
        assert stack.process.wait(PATIENCE_SECONDS) == 130
        wait_until(lambda: not survivors(stack), "all are gone")


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


def test_everything_ends_in_order_when_nobody_reads_any_more(tmp_path: Path) -> None:
    data = tmp_path / "data"
    process = subprocess.Popen(
        [*HUTCH, "up", "--workers", "1", "--gateway-port", "0", "--data", str(data)],
        env=os.environ | {"HUTCH_DIE_WITH_PARENT": str(os.getpid())},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert any("Hutch is up" in line for line in process.stdout)
    pids = json.loads((data / "stack.json").read_text())["pids"]
    process.stdout.close()
    os.kill(pids["timekeeper"], signal.SIGKILL)  # of which there is something to tell
    assert process.wait(PATIENCE_SECONDS) == 0
    assert not any(is_running(pid) for pid in pids.values())


def test_a_taken_port_is_refused_with_a_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(tmp_path / "data", "--gateway-port", str(port))
    assert said == (
        f"hutch up: port {port} cannot be the gateway's: Address already in use. Choose another "
        "with --gateway-port, or 0 for any.\n"
    )


def test_several_gateways_serve_the_same_tables_on_ports_that_follow(tmp_path: Path) -> None:
    with (
        neighbours(2) as (first, second),
        running(tmp_path / "data", "--gateways", "2", "--gateway-port", str(first)) as stack,
    ):
        assert stack.gateways == [f"127.0.0.1:{first}", f"127.0.0.1:{second}"]
        assert stack.gateway == stack.gateways[0]
        assert {"gateway-1", "gateway-2"} < set(stack.told["pids"])
        one, other = stack.gateways
        with sync.connect(one) as hutch:
            hutch.guest("host")
            name, token = open_table(hutch).name, hutch.token
        with sync.connect(other, token=token) as hutch:
            table = hutch.table(name)
            wait_until(lambda: table.get().HasField("result"), "the game ends")


def test_a_taken_port_of_a_further_gateway_is_named(tmp_path: Path) -> None:
    with neighbours(2) as (first, second), socket.create_server(("127.0.0.1", second)):
        said = refused(tmp_path / "data", "--gateways", "2", "--gateway-port", str(first))
    assert f"port {second} cannot be the gateway's" in said


def test_bad_settings_of_a_process_end_the_stack_with_its_words(tmp_path: Path) -> None:
    said = refused(tmp_path / "data", HUTCH_LIMIT_STREAMS="none")
    assert "hutch up: gateway cannot start. It wrote last:" in said
    assert "HUTCH_LIMIT_STREAMS is 'none'; allowed: a whole number from 1." in said


def test_a_quiet_stack_tells_a_misspelt_variable_once_and_nothing_else(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--quiet", HUTCH_LOG_LEVLE="debug") as stack:
        stack.process.terminate()
        assert stack.process.wait(PATIENCE_SECONDS) == 0
        assert stack.log.read_text().count("Is HUTCH_LOG_LEVEL meant?") == 1
        assert "[info" not in stack.log.read_text()
        assert "Hutch is up" not in stack.log.read_text()


def test_a_redis_elsewhere_is_used_and_none_is_started(tmp_path: Path) -> None:
    with (
        EmbeddedServer(tmp_path / "redis") as server,
        running(tmp_path / "data", HUTCH_REDIS_URL=server.url) as stack,
    ):
        assert "redis" not in stack.told["pids"]
        assert stack.redis_url == server.url
        with sync.connect(stack.gateway) as hutch:
            hutch.guest("host")
            open_table(hutch)
    assert not (tmp_path / "data" / "redis").exists()


def test_a_redis_elsewhere_that_is_not_there_is_told_in_a_sentence(tmp_path: Path) -> None:
    said = refused(tmp_path / "data", HUTCH_REDIS_URL="redis://me:secret@127.0.0.1:1/0")
    (line,) = said.splitlines()
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


def test_an_idle_worker_is_still_alive_when_it_would_count_as_stalled(stack: RunningStack) -> None:
    now = stack.facts
    worker = psutil.Process(now["pids"]["worker-1"])
    wait_until(lambda: time.time() > worker.create_time() + STALLED_SECONDS + 2, "it is idle long")
    assert get(now["metrics"]["worker-1"], "/livez") == (200, "alive\n")


def read_until(terminal: int, words: bytes) -> bytes:
    """What the terminal shows, up to the end of the line that holds those words."""
    shown = b""
    while words not in shown or not shown.endswith(b"\n"):
        shown += os.read(terminal, 65_536)
    return shown
