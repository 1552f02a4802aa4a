"""The supervisor keeps programs running, and ends them all in order."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from msgspec.structs import replace

from hutch.cli.launches import Running, launch_python, launch_redis
from hutch.cli.supervisor import Child, Patience, Program, StackError, State, Supervisor
from hutch.store.embedded import EmbeddedServer

PATIENCE = Patience(start=20, stop=20, first_pause=0.01, longest_pause=0.05, probe_alive_every=0.05)

# Tells that it is ready by making a file, then waits for SIGTERM and notes when it came.
WAITING = """
import pathlib, signal, sys
ready, order, name = map(pathlib.Path, sys.argv[1:])
def stop(*_):
    with order.open("a") as file:
        file.write(f"{name}\\n")
    sys.exit()
signal.signal(signal.SIGTERM, stop)
print("hello from", name, flush=True)
ready.touch()
while True:
    signal.pause()
"""

# Ignores SIGTERM.
DEAF = """
import pathlib, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(sys.argv[1]).touch()
while True:
    signal.pause()
"""

# Takes its time to end when it is told to.
SLOW_TO_STOP = """
import pathlib, signal, sys, time
def stop(*_):
    print("stops", flush=True)
    time.sleep(0.5)
    sys.exit()
signal.signal(signal.SIGTERM, stop)
pathlib.Path(sys.argv[1]).touch()
print("waits", flush=True)
while True:
    signal.pause()
"""


class Notes:
    """An observer that notes everything."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []
        self.deaths: list[tuple[str, str]] = []
        self.states: dict[str, list[State]] = {}
        self.changes: list[tuple[str, State]] = []
        self.news = asyncio.Event()

    def wrote(self, child: Child, line: str) -> None:
        self.lines.append((child.name, line))
        self.news.set()

    def changed(self, child: Child) -> None:
        self.states.setdefault(child.name, []).append(child.state)
        self.changes.append((child.name, child.state))
        self.news.set()

    def died(self, child: Child, how: str, pause_seconds: float) -> None:
        self.deaths.append((child.name, how))
        self.news.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not holds():
                self.news.clear()
                await self.news.wait()


class Stage:
    """Programs, the supervisor that runs them, and what is seen of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.order = folder / "order"
        self.notes = Notes()
        self.stop = asyncio.Event()
        self.programs: list[Program] = []
        self.alive = True
        #: Programs that are not ready, whatever they say.
        self.held: set[str] = set()

    def add(self, name: str, code: str = WAITING, *, stage: int = 0) -> None:
        ready = self.folder / f"{name}.ready"

        async def is_ready() -> bool:
            return ready.exists() and name not in self.held

        async def is_alive() -> bool:
            return self.alive

        launch = launch_python("-c", code, str(ready), str(self.order), name, environ=dict)
        self.programs.append(
            Program(name=name, launch=launch, ready=is_ready, alive=is_alive, stage=stage)
        )

    def start(self, patience: Patience = PATIENCE) -> None:
        self.supervisor = Supervisor(self.programs, self.notes, patience=patience)
        self.running = asyncio.create_task(self.supervisor.run(self.stop))

    async def ready(self) -> list[Child]:
        async with asyncio.timeout(60):
            await self.supervisor.all_ready.wait()
        return self.supervisor.children

    async def finish(self) -> None:
        self.stop.set()
        async with asyncio.timeout(60):
            await self.running


@pytest.fixture
async def stage(tmp_path: Path):
    made = Stage(tmp_path)
    yield made
    if hasattr(made, "supervisor"):
        made.supervisor.kill()
        made.stop.set()
        await asyncio.gather(made.running, return_exceptions=True)


async def test_programs_run_until_they_are_stopped_and_none_is_left(stage: Stage) -> None:
    stage.add("one")
    stage.add("two")
    stage.start()
    pids = [child.pid for child in await stage.ready()]
    assert all(pid and psutil.pid_exists(pid) for pid in pids)

    await stage.finish()

    assert not any(psutil.pid_exists(pid) for pid in pids if pid)
    assert stage.notes.deaths == []
    assert stage.notes.states["one"] == [State.STARTING, State.READY, State.STOPPED]


async def test_what_programs_write_is_passed_on_line_by_line(stage: Stage) -> None:
    stage.add("one", "import sys; print('a'); print('b' * 200_000); sys.stderr.write('c')")
    stage.start()
    await stage.notes.until(lambda: len(stage.notes.lines) >= 3)
    assert sorted(stage.notes.lines[:3]) == [("one", "a"), ("one", "b" * 200_000), ("one", "c")]


async def test_a_later_stage_starts_after_an_earlier_one_and_stops_before_it(stage: Stage) -> None:
    stage.add("base", stage=0)
    stage.add("door", stage=2)
    stage.add("rules", stage=1)
    stage.start()
    await stage.ready()
    assert [name for name, _ in stage.notes.lines] == ["base", "rules", "door"]
    await stage.finish()
    assert stage.order.read_text().split() == ["door", "rules", "base"]


async def test_one_that_is_killed_is_started_again_and_the_others_are_let_be(stage: Stage) -> None:
    stage.add("one")
    stage.add("two")
    stage.start()
    one, two = await stage.ready()
    before, other = one.pid, two.pid
    assert before is not None

    os.kill(before, signal.SIGKILL)
    await stage.notes.until(lambda: one.restarts == 1 and one.state is State.READY)

    assert stage.notes.deaths == [("one", "was killed by SIGKILL")]
    assert one.pid not in (None, before)
    assert two.pid == other
    await stage.finish()


async def test_one_that_ends_by_itself_is_started_again(stage: Stage) -> None:
    stage.add("one")
    stage.start()
    (one,) = await stage.ready()
    assert one.pid is not None
    os.kill(one.pid, signal.SIGTERM)
    await stage.notes.until(lambda: one.restarts == 1 and one.state is State.READY)
    assert stage.notes.deaths == [("one", "ended with status 0")]


async def test_a_crash_loop_ends_everything_with_its_last_words(stage: Stage) -> None:
    stage.add("steady")
    stage.add("broken", "import sys; sys.exit('the carrot is missing')")
    stage.start()
    with pytest.raises(StackError) as raised:
        await stage.running
    assert "broken ended with status 1, the 5th time within" in str(raised.value)
    assert "the carrot is missing" in str(raised.value)
    assert len(stage.notes.deaths) == 4
    assert [child.pid for child in stage.supervisor.children] == [None, None]


async def test_one_that_gets_ready_may_be_killed_as_often_as_one_likes(stage: Stage) -> None:
    stage.add("one")
    stage.start(Patience(deaths=2, first_pause=0.01, longest_pause=0.01))
    (one,) = await stage.ready()
    for kills in range(1, 5):
        assert one.pid is not None
        os.kill(one.pid, signal.SIGKILL)
        await stage.notes.until(lambda n=kills: one.restarts == n and one.state is State.READY)
    assert not stage.running.done()


async def test_one_that_dies_is_started_again_when_what_it_stands_on_is_ready(stage: Stage) -> None:
    stage.add("base", stage=0)
    stage.add("door", stage=1)
    stage.start()
    base, door = await stage.ready()
    assert base.pid is not None
    assert door.pid is not None
    del stage.notes.changes[:]

    stage.held = {"base"}
    os.kill(base.pid, signal.SIGKILL)
    await stage.notes.until(lambda: base.state is State.STARTING)
    os.kill(door.pid, signal.SIGKILL)
    await stage.notes.until(lambda: len(stage.notes.deaths) == 2)
    stage.held = set()
    await stage.notes.until(lambda: door.state is State.READY)

    changes = stage.notes.changes
    assert changes.index(("base", State.READY)) < changes.index(("door", State.STARTING))


async def test_deaths_that_are_far_apart_are_no_crash_loop(stage: Stage) -> None:
    stage.add("one", "import sys; sys.exit(3)")
    stage.start(Patience(deaths=3, within=0.0, first_pause=0.001, longest_pause=0.001))
    await stage.notes.until(lambda: len(stage.notes.deaths) >= 4)
    assert not stage.running.done()


async def test_bad_settings_end_everything_at_once(stage: Stage) -> None:
    stage.add("picky", "import sys; print('HUTCH_X is wrong'); sys.exit(78)")
    stage.start()
    with pytest.raises(StackError, match=r"picky cannot start\. It wrote last:\n  HUTCH_X is"):
        await stage.running
    assert stage.notes.deaths == []


async def test_a_program_that_cannot_be_started_is_told(stage: Stage) -> None:
    stage.add("one")

    async def fail() -> None:
        raise FileNotFoundError(2, "No such file", "ghost")

    program = stage.programs[0]
    stage.programs[0] = Program(
        name="ghost", launch=fail, ready=program.ready, alive=program.alive, stage=0
    )
    stage.start()
    with pytest.raises(StackError, match=r"ghost could not be started: .*No such file"):
        await stage.running


async def test_one_that_never_gets_ready_ends_everything(stage: Stage) -> None:
    stage.add("slow", "print('thinking', flush=True); import signal; signal.pause()")
    stage.start(Patience(start=1.5, stop=20))
    with pytest.raises(StackError, match=r"slow is not ready after 1.5 s\.") as raised:
        await stage.running
    # On a busy machine it has not even come to that.
    assert ("It wrote last:\n  thinking" in str(raised.value)) == bool(stage.notes.lines)
    assert stage.supervisor.children[0].pid is None


async def test_one_that_got_ready_once_is_tried_again_when_it_does_not_the_next_time(
    stage: Stage,
) -> None:
    stage.add("one")
    stage.start()
    (one,) = await stage.ready()
    assert one.pid is not None

    stage.held = {"one"}
    stage.supervisor._patience = replace(PATIENCE, start=0.5)
    os.kill(one.pid, signal.SIGKILL)
    await stage.notes.until(lambda: len(stage.notes.deaths) == 2)
    stage.held = set()
    stage.supervisor._patience = PATIENCE
    await stage.notes.until(lambda: one.state is State.READY)
    assert stage.notes.deaths == [("one", "was killed by SIGKILL")] * 2


async def test_one_that_no_longer_goes_round_is_killed_and_started_again(stage: Stage) -> None:
    stage.add("one")
    stage.start(Patience(stalled=0.1, probe_alive_every=0.02, first_pause=0.01))
    (one,) = await stage.ready()
    stage.alive = False
    await stage.notes.until(lambda: one.restarts >= 1)
    stage.alive = True
    await stage.notes.until(lambda: one.state is State.READY)
    assert stage.notes.deaths[0] == ("one", "was killed by SIGKILL")


async def test_one_that_will_not_stop_is_killed_in_the_end(stage: Stage) -> None:
    stage.add("deaf", DEAF)
    stage.start(Patience(stop=0.1))
    (deaf,) = await stage.ready()
    await stage.finish()
    assert deaf.pid is None


async def test_one_that_is_held_is_stopped_all_the_same(stage: Stage) -> None:
    stage.add("held")
    stage.start()
    (held,) = await stage.ready()
    assert held.pid is not None
    os.kill(held.pid, signal.SIGSTOP)
    await stage.finish()
    assert stage.order.read_text().split() == ["held"]


async def test_a_stop_while_things_start_leaves_nothing_behind(stage: Stage) -> None:
    others = set(psutil.Process().children(recursive=True))  # of other suites in this session
    for number in range(4):
        stage.add(f"p{number}", stage=number % 2)
    stage.start()
    await stage.notes.until(lambda: State.STARTING in stage.notes.states.get("p0", []))
    await stage.finish()
    assert [child.pid for child in stage.supervisor.children] == [None] * 4
    assert set(psutil.Process().children(recursive=True)) <= others


async def test_a_stop_in_the_middle_of_a_launch_leaves_nothing_behind(stage: Stage) -> None:
    stage.add("one")
    program = stage.programs[0]
    asked, go_on, pids = asyncio.Event(), asyncio.Event(), []

    async def launch() -> Running:
        asked.set()
        await go_on.wait()
        running = await program.launch()
        pids.append(running.pid)
        return running

    stage.programs[0] = Program(
        name="late", launch=launch, ready=program.ready, alive=program.alive, stage=0
    )
    stage.start()
    await asked.wait()
    stage.stop.set()
    await asyncio.sleep(0)
    go_on.set()
    await stage.finish()
    assert [psutil.pid_exists(pid) for pid in pids] == [False]


async def test_one_that_leaves_somebody_behind_is_started_again(stage: Stage) -> None:
    stage.add(
        "one",
        "import subprocess as s, sys; c = [sys.executable, '-c', 'import signal; signal.pause()'];"
        "print(s.Popen(c).pid, flush=True)",
    )
    stage.start()
    await stage.notes.until(lambda: len(stage.notes.deaths) >= 1)
    await stage.finish()
    for _, pid in stage.notes.lines:
        os.kill(int(pid), signal.SIGKILL)


async def test_a_stop_during_a_pause_does_not_start_it_again(stage: Stage) -> None:
    stage.add("one", "raise SystemExit(1)")
    stage.start(Patience(first_pause=600, longest_pause=600))
    await stage.notes.until(lambda: State.PAUSING in stage.notes.states.get("one", []))
    await stage.finish()
    assert stage.notes.states["one"].count(State.STARTING) == 1


async def test_how_redis_ended_is_told(tmp_path: Path) -> None:
    running = await launch_redis(EmbeddedServer(tmp_path / "redis"))()
    running.send(signal.SIGKILL)
    assert await running.wait() == -signal.SIGKILL


async def test_what_would_start_once_another_is_ready_does_not_start_any_more_after_a_stop(
    stage: Stage,
) -> None:
    stage.add("first", SLOW_TO_STOP)
    stage.add("second", stage=1)
    stage.held.add("first")
    stage.start()
    await stage.notes.until(lambda: ("first", "waits") in stage.notes.lines)

    finishing = asyncio.create_task(stage.finish())
    await stage.notes.until(lambda: ("first", "stops") in stage.notes.lines)
    stage.held.clear()
    await finishing

    assert ("first", State.READY) in stage.notes.changes
    assert [child.pid for child in stage.supervisor.children] == [None, None]
    assert "second" not in stage.notes.states


async def test_one_whose_launch_takes_until_others_are_stopped_is_stopped_as_well(
    stage: Stage,
) -> None:
    stage.add("slow", SLOW_TO_STOP)
    stage.add("late", stage=1)
    program = stage.programs[1]
    pids = []

    async def launch() -> Running:
        await stage.notes.until(lambda: ("slow", "stops") in stage.notes.lines)
        running = await program.launch()
        pids.append(running.pid)
        return running

    stage.programs[1] = replace(program, launch=launch)
    stage.start()
    await stage.notes.until(lambda: ("slow", State.READY) in stage.notes.changes)
    await stage.finish()
    assert [psutil.pid_exists(pid) for pid in pids] == [False]
