"""Thinkers: whatever a bot does to one, whoever ends one, the worker can ask the next."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from importlib.resources import files
from pathlib import Path

import pytest
from msgspec.structs import replace

from hutch.engine import kernel
from hutch.engine.records import encode_record
from hutch.engine.rules import Rules
from hutch.games import RULESETS, rabbit_space
from hutch.v1.table_pb2 import Action
from hutch.workers.answering import BotFailed
from hutch.workers.thinkers import PLACES, SUSPECTS_PLACES, NoThinker, Thinkers
from hutch.workers.thoughts import Asked, Bounds
from tests.chaos.poison import RULESET, Poisoned
from tests.redis_servers import eventually

BOUNDS = Bounds(answer_seconds=0.4, memory_megabytes=256)
#: A worker of its own kind: it asks one bot, that will not answer.
WORKER = """
import asyncio
from hutch.workers.thoughts import Asked, Bounds
from tests.chaos.poison import Poisoned
thinkers = Poisoned(Bounds(answer_seconds=100, memory_megabytes=256))
asyncio.run(thinkers.think(Asked("sleeps", {record}, 0), is_suspect=False))
"""


@pytest.fixture(scope="module")
def record() -> bytes:
    """A game in which seat 0 is asked."""
    return record_of(RULESETS[RULESET])


def record_of(rules: Rules) -> bytes:
    """One by those rules."""
    dealt = kernel.deal(rules, seats=1, options={}, seed=b"7" * 32, at_ms=0)
    assert isinstance(dealt, kernel.Outcome)
    return encode_record(dealt.live.record())


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the strategies that are poison write that they were asked."""
    log = tmp_path / "poison"
    log.touch()
    monkeypatch.setenv("POISON_LOG", str(log))
    return log


@pytest.fixture
def poisoned(log: Path) -> Iterator[Thinkers]:
    """Thinkers that know them."""
    with closing(Poisoned(BOUNDS)) as thinkers:
        yield thinkers


@pytest.fixture
def patient(log: Path) -> Iterator[Thinkers]:
    """Some that give them all the time they want."""
    with closing(Poisoned(replace(BOUNDS, answer_seconds=100))) as thinkers:
        yield thinkers


async def answered(thinkers: Thinkers, record: bytes) -> int:
    """The number of the question that a healthy bot answers."""
    action = await thinkers.think(Asked("random", record, 0), is_suspect=False)
    return Action.FromString(action).prompt_id


def children_of(pid: int) -> list[int]:
    """Its child processes."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")  # each thread has its own
    return [int(child) for task in tasks for child in task.read_text().split()]


def command_of(pid: int) -> str:
    """The command line of that process; "" once it has ended."""
    return Path(f"/proc/{pid}/cmdline").read_text()


def nursery_of(pid: int) -> int:
    """The nursery of that worker."""
    (nursery,) = [child for child in children_of(pid) if Poisoned.program in command_of(child)]
    return nursery


async def until_gone(*pids: int) -> None:
    """Wait until those processes are no more, or only wait to be buried."""

    async def are_gone() -> bool:
        return all(map(_is_gone, pids))

    await eventually(are_gone)


def _is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def asked_of(log: Path) -> list[str]:
    """Which bots were asked, one after the other."""
    return log.read_text().split()


async def until_asked(log: Path, kind: str, times: int) -> None:
    """Wait until bots of that kind were asked so often."""

    async def were_asked() -> bool:
        return asked_of(log).count(kind) >= times

    await eventually(were_asked)


async def test_one_that_answers_is_kept_for_the_next_question(
    poisoned: Thinkers, record: bytes
) -> None:
    await answered(poisoned, record)
    (thinker,) = children_of(nursery_of(os.getpid()))
    await answered(poisoned, record)
    assert children_of(nursery_of(os.getpid())) == [thinker]


async def test_the_nursery_has_no_thread_and_no_channel_that_a_fork_could_harm(
    poisoned: Thinkers, record: bytes
) -> None:
    await answered(poisoned, record)
    nursery = Path(f"/proc/{nursery_of(os.getpid())}")
    assert len([*(nursery / "task").iterdir()]) == 1
    assert "cygrpc" not in (nursery / "maps").read_text()
    files = [os.readlink(file) for file in (nursery / "fd").iterdir()]
    assert len([file for file in files if file.startswith("socket:")]) == 1  # its orders


async def test_one_that_was_killed_while_it_waited_is_passed_over(
    poisoned: Thinkers, record: bytes
) -> None:
    await answered(poisoned, record)
    (thinker,) = children_of(nursery_of(os.getpid()))
    os.kill(thinker, signal.SIGKILL)
    await until_gone(thinker)
    await answered(poisoned, record)


async def test_a_nursery_that_was_killed_comes_back(poisoned: Thinkers, record: bytes) -> None:
    await answered(poisoned, record)
    nursery = nursery_of(os.getpid())
    (thinker,) = children_of(nursery)
    os.killpg(nursery, signal.SIGKILL)
    await until_gone(nursery, thinker)
    await answered(poisoned, record)
    assert nursery_of(os.getpid()) != nursery


async def test_what_tells_a_worker_to_stop_leaves_its_thinkers_to_it(
    poisoned: Thinkers, record: bytes
) -> None:
    await answered(poisoned, record)
    nursery = nursery_of(os.getpid())
    (thinker,) = children_of(nursery)
    for number in (signal.SIGTERM, signal.SIGINT):
        os.killpg(nursery, number)
    await answered(poisoned, record)
    assert children_of(nursery) == [thinker]


@pytest.fixture
def worker(record: bytes, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another worker, whose bot sleeps."""
    worker = subprocess.Popen([sys.executable, "-c", WORKER.format(record=record)])
    yield worker
    worker.kill()
    worker.wait()


async def test_a_worker_that_is_killed_takes_along_whoever_thinks_for_it(
    worker: subprocess.Popen[bytes], log: Path
) -> None:
    await until_asked(log, "sleeps", 1)
    nursery = nursery_of(worker.pid)
    (thinker,) = children_of(nursery)
    worker.kill()
    await until_gone(nursery, thinker)


@pytest.mark.parametrize("kind", ["loops", "sleeps", "hides"])
async def test_one_that_does_not_answer_is_ended(
    poisoned: Thinkers, record: bytes, log: Path, kind: str
) -> None:
    await answered(poisoned, record)
    (thinker,) = children_of(nursery_of(os.getpid()))
    with pytest.raises(BotFailed):
        await poisoned.think(Asked(kind, record, 0), is_suspect=False)
    await until_gone(thinker)
    await answered(poisoned, record)


async def test_one_whose_answer_is_not_waited_for_any_more_is_ended(
    patient: Thinkers, record: bytes, log: Path
) -> None:
    asking = asyncio.create_task(patient.think(Asked("sleeps", record, 0), is_suspect=False))
    await until_asked(log, "sleeps", 1)
    (thinker,) = children_of(nursery_of(os.getpid()))
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    await until_gone(thinker)
    assert await answered(patient, record)  # and not what the other had been asked


async def test_suspects_do_not_take_the_places_of_others(
    patient: Thinkers, record: bytes, log: Path
) -> None:
    await answered(patient, record)
    asking = [
        asyncio.create_task(patient.think(Asked("sleeps", record, 0), is_suspect=True))
        for _ in range(PLACES + SUSPECTS_PLACES)
    ]
    await until_asked(log, "sleeps", SUSPECTS_PLACES)
    await answered(patient, record)
    assert not any(task.done() for task in asking)
    assert asked_of(log) == ["sleeps"] * SUSPECTS_PLACES
    for task in asking:
        task.cancel()
    await asyncio.wait(asking)


@pytest.fixture
def cards(tmp_path: Path) -> Path:
    """The cards of an owner, of whom one rabbit has another name."""
    shutil.copytree(str(files(rabbit_space) / "data"), tmp_path / RULESET)
    table = tmp_path / RULESET / "rabbit_cards.csv"
    table.write_text(table.read_text().replace("Pip Rootwell", "Pip"))
    return tmp_path


async def test_they_know_the_cards_of_an_owner(cards: Path) -> None:
    record = record_of(rabbit_space.with_cards(cards / RULESET))
    with closing(Thinkers(replace(BOUNDS, cards=str(cards)))) as thinkers:
        assert await answered(thinkers, record)


async def test_where_there_is_no_nursery_nothing_is_held_against_the_bot(record: bytes) -> None:
    class Lost(Thinkers):
        program = "tests.chaos.no_such_program"

    with closing(Lost(BOUNDS)) as thinkers, pytest.raises(NoThinker):
        await answered(thinkers, record)


async def test_where_no_nursery_can_be_started_nothing_is_held_against_the_bot(
    record: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Thinkers(BOUNDS)) as thinkers:
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
        with pytest.raises(NoThinker):
            await answered(thinkers, record)
        monkeypatch.undo()
        assert await answered(thinkers, record)
