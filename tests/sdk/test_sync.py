"""The client for plain code: the same calls, each waiting for its answer."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from random import Random
from time import monotonic, sleep
from typing import Any, TypeVar

import pytest

from hutch import client
from hutch.client import (
    Batch,
    Ended,
    PromptClosedError,
    Retries,
    Snapshot,
    UnavailableError,
    sync,
)
from hutch.client.sync import connect
from tests.sdk.conftest import QUICK
from tests.sdk.contract import ContractService, Faults
from tests.sdk.counting import Game

R = TypeVar("R")


class ServiceThread:
    """A contract service whose loop runs beside the test."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.service: ContractService = self.do(self._make())

    async def _make(self) -> ContractService:
        service = ContractService()
        await service.start()
        return service

    def do(self, work: Coroutine[Any, Any, R]) -> R:
        """The result of a coroutine on the service's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(20)

    async def open(self, **how: int) -> Game:
        """A game that is on."""
        return self.service.open(**how)

    def stop(self) -> None:
        """End it."""
        self.do(self.service.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


@pytest.fixture
def running() -> Iterator[ServiceThread]:
    """A service beside the test."""
    thread = ServiceThread()
    yield thread
    thread.stop()


def test_a_game_is_played_from_guest_to_result(running: ServiceThread) -> None:
    with connect(running.service.address, retries=QUICK) as hutch:
        assert hutch.guest("Ada").display_name == "Ada"
        table = hutch.create_table("count", seats=2)
        seat = table.claim(0)
        table.assign_bot(1, "greedy")
        table.start()
        game = running.service.games[table.name]
        game.answers = 5
        for turn in seat.play():
            assert turn.seat is seat
            assert turn.view().prompts.prompts
            turn.answer(*turn.sample(Random(1)))
        assert table.get().result.winners == [0]
        assert len(game.accepted) == 5


def test_watching_goes_through_faults_to_the_end(running: ServiceThread) -> None:
    game = running.do(running.open(answers=30))
    running.service.faults = Faults(Random(9), cut=0.2, repeat=0.2)
    told = []
    with connect(running.service.address, retries=QUICK) as hutch:
        for update in hutch.table(game.name).watch():
            match update:
                case Snapshot():
                    for _ in range(30):
                        hutch.seat(f"{game.name}/seats/0").submit(game.prompt_ids[0], "one")
                case Batch(batch=batch):
                    told.append(batch.revision)
                case Ended(result=result):
                    assert result == game.result()
    assert told == list(range(1, 31))


def test_a_loop_may_be_left_at_any_time(running: ServiceThread) -> None:
    game = running.do(running.open())
    with connect(running.service.address, retries=QUICK) as hutch:
        for _ in range(3):
            for turn in hutch.table(game.name).seat(0).play():
                assert turn.prompt.prompt_id == 1
                break


def test_reads_are_lists_and_iterators(running: ServiceThread) -> None:
    game = running.do(running.open())
    for _ in range(4):
        running.do(game.append())
    with connect(running.service.address, retries=QUICK) as hutch:
        table = hutch.table(game.name)
        assert [found.name for found in hutch.tables()] == [game.name]
        assert [batch.revision for batch in table.replay()] == [1, 2, 3, 4]
        assert len(table.recording().commands) == 4
        assert table.view().revision == 4
        assert len(table.deadlines()) == len(hutch.rulesets()) == len(hutch.cards("count")) == 1
        assert hutch.renew().year > 2000
        other = hutch.another()
        other.guest()
        assert other.token != hutch.token
        other.close()
        table.seat(0).undo()
        table.seat(0).leave()
        assert repr(table) == f"Table({game.name!r})"


def test_errors_are_those_of_the_async_client(running: ServiceThread) -> None:
    game = running.do(running.open())
    with (
        connect(running.service.address, retries=QUICK) as hutch,
        pytest.raises(PromptClosedError),
    ):
        hutch.table(game.name).seat(0).submit(77, "one")


def test_addresses_that_do_not_fit_leave_no_thread_behind() -> None:
    before = set(threading.enumerate())
    with pytest.raises(ValueError, match="no address"):
        connect([])
    assert set(threading.enumerate()) <= before  # others may end meanwhile


def test_a_closed_client_says_so() -> None:
    hutch = connect("127.0.0.1:1", retries=Retries(give_up_after=0.2))
    hutch.close()
    hutch.close()
    with pytest.raises(RuntimeError, match="closed"):
        hutch.rulesets()


@pytest.mark.parametrize("stalls", [0, 1])
def test_what_other_threads_wait_for_ends_when_the_client_is_closed(
    running: ServiceThread, stalls: int
) -> None:
    """With a call that is not answered, or without: then the other thread watches."""
    game = running.do(running.open())
    hutch = connect(running.service.address, retries=QUICK)
    table = hutch.table(game.name)
    updates = table.watch()
    next(updates)
    running.service.faults.stalls = stalls
    waiting = in_a_thread(table.get if stalls else lambda: next(updates))
    wait_until(lambda: not running.service.faults.stalls and waiting.running())
    hutch.close()
    fault = waiting.exception(20)
    assert isinstance(fault, UnavailableError)
    assert fault.reason == "CLIENT_CLOSED"


def test_closing_ends_calls_that_are_being_tried_again() -> None:
    hutch = connect("127.0.0.1:1", retries=Retries(first_wait=20, longest_wait=20))
    waiting = in_a_thread(hutch.rulesets)
    wait_until(waiting.running)
    hutch.close()
    assert isinstance(waiting.exception(20), UnavailableError | RuntimeError)


def test_ctrl_c_ends_a_wait_and_nothing_else(running: ServiceThread) -> None:
    for _ in range(4):
        running.do(running.open())
    with connect(running.service.address, retries=QUICK) as hutch:
        tables = hutch.tables()
        next(tables), next(tables)
        running.service.faults.stalls = 1

        def interrupt() -> None:
            wait_until(lambda: not running.service.faults.stalls)
            os.kill(os.getpid(), signal.SIGINT)

        interrupting = threading.Thread(target=interrupt)
        interrupting.start()
        with pytest.raises(KeyboardInterrupt):
            next(tables)
        interrupting.join()
        assert len(list(hutch.tables())) == 4


def in_a_thread(work: Callable[[], object]) -> Future[object]:
    """What another thread makes of it."""
    outcome = Future[object]()

    def run() -> None:
        outcome.set_running_or_notify_cancel()
        try:
            outcome.set_result(work())
        except BaseException as fault:
            outcome.set_exception(fault)

    threading.Thread(target=run, daemon=True).start()
    return outcome


def wait_until(holds: Callable[[], object]) -> None:
    """Wait until it holds."""
    until = monotonic() + 20
    while not holds():
        assert monotonic() < until
        sleep(0.001)


def test_a_turn_tells_the_same_in_both_clients(running: ServiceThread) -> None:
    game = running.do(running.open())
    with connect(running.service.address, retries=QUICK) as hutch:
        turn = next(hutch.table(game.name).seat(0).play())
    ours, theirs = vars(turn).keys(), vars(turn._turn).keys()
    assert {name for name in ours if name[0] != "_"} == {name for name in theirs if name[0] != "_"}


@pytest.mark.parametrize("name", ["Hutch", "Table", "Campaign", "Seat", "Turn"])
def test_both_clients_have_the_same_methods_and_arguments(name: str) -> None:
    ours, theirs = getattr(sync, name), getattr(client, name)
    inner = {"request", "__aenter__", "__aexit__"}
    for method in vars(theirs):
        if method.startswith("_") or method in inner:
            continue
        same = getattr(ours, method)
        if callable(same):
            wanted = inspect.signature(getattr(theirs, method)).parameters
            assert list(inspect.signature(same).parameters.values()) == list(wanted.values())
