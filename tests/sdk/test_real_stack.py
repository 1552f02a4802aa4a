"""The SDK against the real service: whole games, cuts, errors and the limits of a caller."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from random import Random

import grpc
import pytest

from hutch.callers.keys import load_keys
from hutch.callers.tokens import LEEWAY_SECONDS, Tokens
from hutch.client import (
    Batch,
    Ended,
    Hutch,
    LimitError,
    NoGameError,
    NotFoundError,
    NotPossibleError,
    NotYourSeatError,
    PromptClosedError,
    Retries,
    Seat,
    SeatTakenError,
    Snapshot,
    Table,
    TableChanged,
    UnauthenticatedError,
    connect,
    sync,
)
from hutch.v1 import table_pb2, table_service_pb2, table_service_pb2_grpc
from tests.chaos.proxy import Proxy
from tests.sdk.waiting import until
from tests.stacks import WATCHES, RunningStack, running_stack

EXAMPLE = Path(__file__).parents[2] / "clients" / "python" / "examples" / "bot.py"
GAME = "rabbit-space"
#: Quick to try again, but not surprised that a stream is quiet between heartbeats.
PATIENT = Retries(first_wait=0.002, longest_wait=0.1)


@pytest.fixture
async def ada(stack: RunningStack) -> AsyncIterator[Hutch]:
    """A guest's client of the real service."""
    async with connect(stack.gateway, retries=PATIENT) as client:
        await client.guest("Ada")
        yield client


async def seated(hutch: Hutch, seats: int = 4, **more: object) -> tuple[Table, Seat]:
    """A table that has started, with the caller at seat 0 and bots at the others."""
    table = await hutch.create_table(GAME, seats=seats, **more)  # type: ignore[arg-type]
    seat = await table.claim(0)
    for other in range(1, seats):
        await table.assign_bot(other, "random")
    await table.start()
    return table, seat


async def told(table: Table, token: bytes = b"") -> list[table_pb2.EventBatch]:
    """The batches that a watcher is told, to the end."""
    return [update.batch async for update in table.watch(token) if isinstance(update, Batch)]


async def play(seat: Seat, rng: Random) -> int:
    """Play at random to the end: how many answers counted."""
    counted = 0
    async for turn in seat.play():
        counted += await turn.answer(*turn.sample(rng)) is not None
    return counted


def test_the_example_bot_plays_a_game(stack: RunningStack) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), stack.gateway], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("points: [")
    code = [line for line in EXAMPLE.read_text().splitlines() if line.strip()]
    assert len(code) <= 20


async def test_watching_tells_what_the_replay_tells(ada: Hutch) -> None:
    table = await ada.create_table(GAME, seats=2)
    for seat in range(2):
        await table.assign_bot(seat, "random")
    watching = asyncio.create_task(told(table))
    await table.start()
    batches = await watching
    assert [batch.revision for batch in batches] == list(
        range(batches[0].revision, batches[-1].revision + 1)
    )
    replay = [batch async for batch in table.replay()]
    assert batches == replay[-len(batches) :]
    final = await table.get()
    assert final.state == table_pb2.TABLE_STATE_FINISHED
    assert batches[-1].result == final.result


async def test_an_answer_is_acknowledged_with_what_the_seat_is_told(ada: Hutch) -> None:
    table, seat = await seated(ada)
    acknowledged = []
    async for turn in seat.play():
        batch = await turn.answer(*turn.sample())
        if batch is not None:
            acknowledged.append(batch)
    replay = {batch.revision: batch async for batch in table.replay(seat=0)}
    assert len(acknowledged) > 20
    assert all(batch == replay[batch.revision] for batch in acknowledged)


async def test_a_seat_may_be_played_by_unary_calls_alone(ada: Hutch) -> None:
    _, seat = await seated(ada, seats=1)
    rng = Random(1)
    view = await seat.view()
    prompts = view.prompts.prompts
    answers = 0
    while prompts:
        prompt = prompts[0]
        options = [option.option_id for option in prompt.options]
        batch = await seat.submit(prompt, *rng.sample(options, prompt.min_picks))
        prompts = batch.prompts.prompts
        answers += 1
    assert answers >= 7  # one a round at least
    with pytest.raises(NoGameError):
        await seat.submit(1)


async def test_a_stream_that_ends_with_its_token_goes_on_with_the_renewed_one(
    stack: RunningStack, ada: Hutch
) -> None:
    keys = load_keys(stack.data / "keys.json")
    nearly_over = Tokens(keys, issuer="hutch", lifetime_seconds=3 - LEEWAY_SECONDS)
    token, _ = nearly_over.issue("eve", "Eve")
    async with connect(stack.gateway, token=token, retries=PATIENT) as eve:
        table = await ada.create_table(GAME, seats=2)
        await table.claim(0)
        seat = await eve.table(table.name).claim(1)
        watch = seat.watch()
        assert isinstance(await anext(watch), Snapshot)
        watching = asyncio.create_task(anext(watch))
        playing = asyncio.create_task(anext(seat.play()))
        await eve.renew()
        before = cutoffs(stack)
        await until(lambda: cutoffs(stack) == before + 2)
        await table.start()
        async with asyncio.timeout(60):
            assert isinstance(await watching, TableChanged)
            assert (await playing).prompt.options
        await watch.aclose()


def cutoffs(stack: RunningStack) -> float:
    """How many streams the gateway ended for their tokens."""
    found = re.search(
        r'hutch_stream_cutoffs_total\{cause="token"\} ([\d.]+)', stack.scrape("gateway")
    )
    return float(found[1]) if found else 0.0


CUTS = 25


async def test_through_cuts_of_the_network_nothing_is_missed_or_doubled(
    stack: RunningStack, ada: Hutch
) -> None:
    # Its watching and its answers share one connection, which is cut again and again.
    async with (
        Proxy(stack.gateway) as proxy,
        connect(proxy.address, token=ada.token, retries=PATIENT) as cut,
    ):
        playing = True

        async def keep_cutting() -> None:
            while playing:
                await asyncio.sleep(0.03)
                proxy.sever()

        cutting = asyncio.create_task(keep_cutting())
        number = 0
        while proxy.severed <= CUTS:
            number += 1
            table, seat = await seated(ada, seats=2)
            watched, counted = await asyncio.gather(
                told(cut.table(table.name)), play(cut.seat(seat.name), Random(number))
            )
            replay = [batch async for batch in table.replay()]
            assert watched == replay[len(replay) - len(watched) :]  # none, where it came too late
            answers = [batch async for batch in table.replay(seat=0) if batch.revision]
            assert 0 < counted <= len(answers)
        playing = False
        await cutting


async def test_a_gateway_that_is_told_to_stop_loses_nobody_anything(
    stack: RunningStack, ada: Hutch
) -> None:
    before = stack.facts
    table, seat = await seated(ada, seats=2)
    watching = asyncio.create_task(told(table))
    answered = 0
    async for turn in seat.play():
        if answered == 5:
            os.kill(before["pids"]["gateway"], signal.SIGTERM)
        answered += await turn.answer(*turn.sample()) is not None
    watched = await watching
    replay = [batch async for batch in table.replay()]
    assert answered > 10
    assert watched == replay[-len(watched) :]
    await until(lambda: stack.facts["restarts"]["gateway"] > before["restarts"]["gateway"])


async def test_a_watcher_that_comes_back_after_the_end_is_told_the_end(ada: Hutch) -> None:
    table, seat = await seated(ada, seats=1)
    await play(seat, Random(2))
    tokens = []
    async for update in table.watch():
        if isinstance(update, Snapshot | Batch):
            tokens.append(update.resume_token)
    async with asyncio.timeout(60):
        again = [update async for update in table.watch(tokens[-1])]
    assert isinstance(again[-1], Ended)
    assert again[-1].result == (await table.get()).result


async def test_the_last_answer_is_taken_back_and_asked_afresh(ada: Hutch) -> None:
    for _ in range(20):  # until there is a game in which two cards can be paid at once
        _, seat = await seated(ada, seats=1)
        undone = await spend_and_take_back(seat)
        if undone is not None:
            break
    else:
        pytest.fail("nothing was spent that could be taken back")
    before, after = undone
    assert after.prompt_id > before.prompt_id
    assert (after.topic, after.options) == (before.topic, before.options)


async def spend_and_take_back(seat: Seat) -> tuple[table_pb2.Prompt, table_pb2.Prompt] | None:
    """Pay for a card and take that back: the question before that and after."""
    before: table_pb2.Prompt | None = None
    async for turn in seat.play():
        prompt = turn.prompt
        if before is not None:
            return before, prompt
        if not prompt.topic.startswith("spend"):
            await turn.answer(*prompt.default_picks)
            continue
        batch = await turn.answer(prompt.options[0])  # pays for a card
        assert batch is not None
        if batch.prompts.prompts and batch.prompts.prompts[0].topic == prompt.topic:
            undone = await seat.undo()
            assert undone.revision == batch.revision + 1
            before = prompt
    return None


async def test_clocks_show_their_deadlines_and_play_for_who_is_away(ada: Hutch) -> None:
    table, seat = await seated(ada, seats=1, limits={"phase": 1}, after_timeouts=0)
    first = (await table.deadlines())[0]
    assert (first.cause, first.seat) == ("phase", 0)
    assert 0 <= first.remaining.ToMilliseconds() <= 1000
    view = await seat.view()
    stale = view.prompts.prompts[0]
    async for update in seat.watch():
        if isinstance(update, Batch) and update.batch.revision > view.revision:
            break
    with pytest.raises(PromptClosedError):
        await seat.submit(stale, *stale.default_picks)


async def test_a_seat_that_was_left_is_taken_over_by_somebody_else(
    stack: RunningStack, ada: Hutch
) -> None:
    table = await ada.create_table(GAME, seats=2)
    seat, other = await table.claim(0), await table.claim(1)
    await table.start()
    await seat.leave()
    async with connect(stack.gateway, retries=PATIENT) as bob:
        player = await bob.guest("Bob")
        taken = await bob.table(table.name).claim(0)
        assert (await table.get()).seats[0].player == player.name
        played, _ = await asyncio.gather(play(taken, Random(3)), play(other, Random(4)))
        assert played > 0


async def test_mistakes_are_told_with_their_reason(stack: RunningStack, ada: Hutch) -> None:
    table, seat = await seated(ada, seats=2)
    with pytest.raises(NotFoundError, match="BOT_UNKNOWN"):
        await (await ada.create_table(GAME, seats=2)).assign_bot(0, "nobody")
    with pytest.raises(NotFoundError, match="TABLE_NOT_FOUND"):
        await ada.table("tables/00000000000000000000").get()
    with pytest.raises(NotFoundError, match="RULESET_UNKNOWN"):
        await ada.cards("chess")
    with pytest.raises(NotPossibleError, match="SEATS_EMPTY"):
        await (await ada.create_table(GAME, seats=2)).start()
    async with connect(stack.gateway, retries=PATIENT) as bob:
        with pytest.raises(UnauthenticatedError, match="TOKEN_MISSING"):
            await bob.table(table.name).get()
        await bob.guest("Bob")
        with pytest.raises(NotYourSeatError):
            await bob.seat(seat.name).view()
        with pytest.raises(NotYourSeatError):
            await anext(bob.seat(seat.name).play())
        other = await ada.create_table(GAME, seats=2)
        await other.claim(0)
        with pytest.raises(SeatTakenError):
            await bob.table(other.name).claim(0)


async def test_one_seat_too_many_on_a_stream_ends_its_own_loop_alone(ada: Hutch) -> None:
    seats = [(await seated(ada, seats=1))[1] for _ in range(WATCHES + 1)]
    turns = [seat.play() for seat in seats]
    shown = [await anext(loop) for loop in turns[:-1]]
    with pytest.raises(LimitError, match="TOO_MANY_WATCHES"):
        await anext(turns[-1])
    assert await shown[0].answer(*shown[0].sample()) is not None
    assert (await anext(turns[0])).revision > shown[0].revision
    for loop in turns:
        await loop.aclose()


@pytest.fixture(scope="module")
def strict_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """A stack that lets a player act ten times a second."""
    limits = {"HUTCH_LIMIT_ACTIONS_PER_SECOND": "10", "HUTCH_LIMIT_ACTIONS_BURST": "5"}
    data = tmp_path_factory.mktemp("strict") / "data"
    with running_stack(data, "--workers", "1", "--rules", "1", environ=limits) as running:
        yield running


async def test_a_flood_over_a_stream_is_told_when_to_go_on(strict_stack: RunningStack) -> None:
    async with connect(strict_stack.gateway, retries=PATIENT) as ada:
        await ada.guest("Ada")
        _, seat = await seated(ada, seats=1)
        flood = [table_service_pb2.PlayRequest(submit=seat.request(999_999, ())) for _ in range(50)]
        async with grpc.aio.insecure_channel(strict_stack.gateway) as channel:
            call = table_service_pb2_grpc.TableServiceStub(channel).Play(
                iter(flood), metadata=(("authorization", f"Bearer {ada.token}"),)
            )
            refusals = [response.refusal async for response in call]
    limited = [one for one in refusals if one.reason == "RATE_LIMITED"]
    assert len(refusals) == len(flood)
    assert limited
    assert all(int(one.metadata["retry_after_ms"]) > 0 for one in limited)


async def test_a_player_who_is_too_fast_waits_and_plays_on(strict_stack: RunningStack) -> None:
    async with connect(strict_stack.gateway, retries=PATIENT) as ada:
        await ada.guest("Ada")
        _, seat = await seated(ada, seats=1)
        answers = await play(seat, Random(4))
    assert answers >= 7  # one a round at least
    assert 'reason="RATE_LIMITED"' in strict_stack.scrape("gateway")


def test_plain_code_plays_a_game_and_reads_the_catalogue(stack: RunningStack) -> None:
    with sync.connect(stack.gateway, retries=PATIENT) as hutch:
        hutch.guest("Ada")
        assert GAME in [ruleset.ruleset for ruleset in hutch.rulesets()]
        cards = {card.card for card in hutch.cards(GAME)}
        table = hutch.create_table(GAME, seats=2)
        seat = table.claim(0)
        table.assign_bot(1, "random")
        table.start()
        assert table.name in [found.name for found in hutch.tables(ruleset=GAME)]
        for turn in seat.play():
            turn.answer(*turn.sample())
        board = table.view().rabbit_space
        assert {placed.card for own in board.seats for placed in own.level_1} <= cards
        with pytest.raises(NoGameError):
            seat.submit(1, "x")
