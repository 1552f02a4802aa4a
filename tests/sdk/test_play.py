"""Playing: every turn shown once, every answer counted once, however often the stream is cut."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from random import Random

import pytest

from hutch.client import (
    Hutch,
    InvalidRequestError,
    NotFoundError,
    Retries,
    UnavailableError,
    connect,
)
from tests.chaos.proxy import Proxy
from tests.sdk.conftest import QUICK
from tests.sdk.contract import ContractService, Faults
from tests.sdk.counting import Code, Game, Refused
from tests.sdk.waiting import until


def sent_actions(service: ContractService) -> list[str]:
    """The request ids of all actions that came over Play streams."""
    return [
        request.submit.request_id
        for request in service.requests
        if type(request).__name__ == "PlayRequest" and request.WhichOneof("request") == "submit"
    ]


async def play_to_the_end(hutch: Hutch, game: Game, seat: int, choose: Random) -> int:
    """Play one seat at random: how many answers counted."""
    counted = 0
    async for turn in hutch.table(game.name).seat(seat).play():
        if await turn.answer(*turn.sample(choose)) is not None:
            counted += 1
    return counted


async def test_a_seat_is_asked_until_the_game_is_over(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open(answers=5)
    assert await play_to_the_end(hutch, game, 0, Random(1)) == 5
    assert len(game.accepted) == 5


async def test_a_turn_tells_what_happened_since_the_one_before(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open(seats=2, answers=3)
    events = []
    async for turn in hutch.table(game.name).seat(0).play():
        events.append(len(turn.events))
        await game.append()
        await turn.answer("one")
    assert events == [0, 2, 2]


async def test_an_answer_returns_what_it_led_to(service: ContractService, hutch: Hutch) -> None:
    game = service.open(answers=1)
    async for turn in hutch.table(game.name).seat(0).play():
        batch = await turn.answer(turn.prompt.options[1])
        assert batch is not None
        assert batch.revision == 1
        assert batch.result == game.result()
    assert game.accepted == [(0, "two")]


async def test_a_refused_answer_is_raised_and_the_question_shown_again(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open(answers=1)
    shown = 0
    async for turn in hutch.table(game.name).seat(0).play():
        shown += 1
        if shown == 1:
            with pytest.raises(InvalidRequestError) as raised:
                await turn.answer("four")
            assert raised.value.reason == "NOT_AN_OPTION"
            assert raised.value.sentence == "four is no option."
        else:
            await turn.answer("three")
    assert shown == 2


async def test_an_answer_to_a_question_that_has_closed_counts_for_nothing(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open(answers=1)
    shown = 0
    async for turn in hutch.table(game.name).seat(0).play():
        shown += 1
        if shown == 1:
            game.prompt_ids[0] += 7
            assert await turn.answer("one") is None
            await game.append()
        else:
            assert await turn.answer("one") is not None
    assert game.accepted == [(0, "one")]


async def test_an_answer_may_go_under_the_callers_own_id(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open(answers=1)
    async for turn in hutch.table(game.name).seat(0).play():
        await turn.answer("one", request_id="0b9f1b9e-7c55-4a3c-9d7f-1d2f6f3c8a01")
    assert sent_actions(service) == ["0b9f1b9e-7c55-4a3c-9d7f-1d2f6f3c8a01"]


async def test_a_turn_that_is_left_alone_is_not_shown_again(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open(answers=2)
    prompts = []
    async for turn in hutch.table(game.name).seat(0).play():
        prompts.append(turn.prompt.prompt_id)
        if len(prompts) == 1:
            await game.append()
            game.prompt_ids[0] = 9
            await game.append()
        else:
            await turn.answer("one")
    assert prompts == [1, 9, 10]


async def test_a_passing_refusal_is_answered_by_the_same_request_again(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open(answers=1)
    service.faults.refusals = [Refused(Code.UNAVAILABLE, "BUSY") for _ in range(3)]
    assert await play_to_the_end(hutch, game, 0, Random(1)) == 1
    assert len(sent_actions(service)) == 4
    assert len(set(sent_actions(service))) == 1


async def test_an_action_whose_outcome_was_lost_is_sent_again_and_counts_once(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open(answers=50)
    service.faults = Faults(Random(3), lose_reply=0.5)
    assert await play_to_the_end(hutch, game, 0, Random(3)) == 50
    assert service.faults.counts["lose_reply"] > 10
    assert len(set(sent_actions(service))) == 50


async def test_an_outcome_that_never_comes_is_asked_for_again(service: ContractService) -> None:
    game = service.open(answers=1)
    patience = Retries(first_wait=0.002, try_timeout=0.2, silence=5, give_up_after=30)
    async with connect(service.address, retries=patience) as hutch:
        async for turn in hutch.table(game.name).seat(0).play():
            service.faults.mute = True
            answering = asyncio.create_task(turn.answer("one"))
            await until(lambda: len(sent_actions(service)) > 1)
            service.faults.mute = False
            assert await answering is not None
    assert game.accepted == [(0, "one")]
    assert len(set(sent_actions(service))) == 1


async def test_many_seats_share_one_stream(service: ContractService, hutch: Hutch) -> None:
    games = [service.open(seats=2, answers=20) for _ in range(5)]
    await asyncio.gather(
        *[play_to_the_end(hutch, game, seat, Random(seat)) for game in games for seat in range(2)]
    )
    assert all(len(game.accepted) == 20 for game in games)
    assert len(service.tokens) == 1


async def test_a_seat_is_played_by_one_loop_at_a_time(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open()
    seat = hutch.table(game.name).seat(0)
    async with aclosing(seat.play()) as turns:
        await anext(turns)
        with pytest.raises(RuntimeError, match="played already"):
            await anext(seat.play())
    async with aclosing(seat.play()) as turns:
        assert (await anext(turns)).prompt.prompt_id == 1


async def test_a_loop_that_was_left_may_be_begun_again(
    service: ContractService, hutch: Hutch
) -> None:
    seat = hutch.table(service.open().name).seat(0)
    for _ in range(3):
        async for turn in seat.play():
            assert turn.prompt.prompt_id == 1
            break


async def test_two_actions_under_one_id_are_not_under_way_at_once(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open(answers=1)
    async for turn in hutch.table(game.name).seat(0).play():
        first = asyncio.create_task(turn.answer("one", request_id="mine"))
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="under way"):
            await turn.answer("one", request_id="mine")
        assert await first is not None


async def test_a_seat_that_is_not_there_ends_only_its_own_loop(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open(answers=3)
    with pytest.raises(NotFoundError):
        await play_to_the_end(hutch, Game("tables/nowhere", 1, 1), 0, Random(1))
    assert await play_to_the_end(hutch, game, 0, Random(1)) == 3


async def test_an_undo_asks_afresh(service: ContractService, hutch: Hutch) -> None:
    game = service.open(answers=2)
    seat = hutch.table(game.name).seat(0)
    prompts = []
    async for turn in seat.play():
        prompts.append(turn.prompt.prompt_id)
        if len(prompts) == 2:
            game.accepted.pop()
            game.prompt_ids[0] += 1
            await seat.undo()
        else:
            await turn.answer("one")
    assert prompts == [1, 2, 3, 4]
    assert len(game.accepted) == 2


async def test_after_a_rollback_of_the_store_the_old_question_is_shown_again(
    service: ContractService, hutch: Hutch
) -> None:
    game = service.open(answers=3)
    prompts = []
    async for turn in hutch.table(game.name).seat(0).play():
        prompts.append(turn.prompt.prompt_id)
        if len(prompts) == 3:
            game.epoch += 1
            del game.log[1:]
            del game.accepted[1:]
            game.prompt_ids[0] = 2
            service.faults.snapshot = 1.0
            service.faults.cut = 1.0
            async with game.changed:
                game.changed.notify_all()
            await until(lambda: service.faults.counts.get("cut"))
            service.faults.cut = 0.0
        else:
            await turn.answer("one")
    assert prompts == [1, 2, 3, 2, 3]


async def test_closing_the_client_ends_its_loops_and_answers(service: ContractService) -> None:
    game = service.open(seats=3)
    hutch = connect(service.address, retries=QUICK)
    table = hutch.table(game.name)
    first, second, third = [table.seat(number).play() for number in range(3)]
    turn = await anext(first)
    await anext(second)
    service.faults.mute = True
    answering = asyncio.create_task(turn.answer("one"))
    waiting = asyncio.ensure_future(anext(second))
    watch = table.watch()
    service.faults.stalls = 2
    reading, watching = asyncio.create_task(table.get()), asyncio.ensure_future(anext(watch))
    await until(lambda: sent_actions(service) and not service.faults.stalls)
    await hutch.close()
    under_way = (answering, waiting, reading, watching)
    for ended in (*under_way, anext(third), hutch.rulesets(), anext(table.watch())):
        with pytest.raises(UnavailableError) as raised:
            await ended
        assert raised.value.reason == "CLIENT_CLOSED"
    await first.aclose()
    names = [task.get_name() for task in asyncio.all_tasks()]
    assert [name for name in names if name.startswith("hutch-")] == []


@pytest.mark.parametrize("seed", [21, 22])
async def test_through_every_kind_of_fault_each_answer_counts_once(
    service: ContractService, hutch: Hutch, seed: int
) -> None:
    print(f"seed {seed}")
    rng = Random(seed)
    service.faults = Faults(
        rng,
        cut=0.05,
        going_away=0.02,
        repeat=0.1,
        skip=0.02,
        snapshot=0.1,
        lose_reply=0.1,
        refuse=0.1,
    )
    games = [service.open(seats=3, answers=60) for _ in range(4)]
    counted = await asyncio.gather(
        *[play_to_the_end(hutch, game, seat, rng) for game in games for seat in range(3)]
    )
    assert sum(counted) == sum(len(game.accepted) for game in games) == 4 * 60
    assert service.faults.counts["lose_reply"] > 5
    assert service.faults.counts["cut"] > 20


async def test_after_a_thousand_cuts_of_the_network_every_answer_counted_once(
    service: ContractService,
) -> None:
    players, rounds = 20, 50
    game = service.open(seats=players)
    async with Proxy(service.address) as proxy:
        done = [
            asyncio.create_task(play_on_its_own(proxy.address, game, seat))
            for seat in range(players)
        ]
        for _ in range(rounds):
            before = game.revision
            await until(lambda: proxy.connections == players)
            await until(lambda goal=before + 2 * players: game.revision >= goal)  # type: ignore[misc]
            proxy.sever()
        game.answers = len(game.accepted) + players
        counted = await asyncio.gather(*done)
    assert proxy.severed >= players * rounds
    assert sum(counted) == len(game.accepted)
    ids = sent_actions(service)
    assert len(ids) > len(set(ids))  # some were sent again


async def play_on_its_own(address: str, game: Game, seat: int) -> int:
    """Play a seat on a connection of its own: how many answers counted."""
    own = [("grpc.use_local_subchannel_pool", 1)]
    async with connect(address, retries=QUICK, options=own) as hutch:
        return await play_to_the_end(hutch, game, seat, Random(seat))
