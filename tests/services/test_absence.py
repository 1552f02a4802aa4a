"""Absent players: nobody waits for them, and their seats stay theirs as far as the policy says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple, get_args

import pytest

from hutch.client import (
    Batch,
    Hutch,
    HutchError,
    NotYourSeatError,
    PromptClosedError,
    Seat,
    Snapshot,
    Table,
    TableChanged,
    Update,
)
from hutch.client.table import Absence
from hutch.v1 import table_pb2 as pb
from tests.stacks import RunningStack

ADA, BEN, BOT = range(3)
#: Time for what is decided outside the own turn, such as laying the first cards. On a busy machine
#: Ben himself may be too slow: then with the next.
DECISION_SECONDS = (1.5, 5, 20)
PATIENCE_SECONDS = 60
ABSENCES = {
    "away": pb.ABSENCE_AWAY,
    "bot": pb.ABSENCE_BOT,
    "forfeited": pb.ABSENCE_FORFEITED,
}


class Opened(NamedTuple):
    """A game of Ada, who is about to be absent, Ben, who is there, and a bot.

    Ben begins, without a clock: until he plays nothing moves but what is done for Ada.
    """

    table: Table
    ada: Seat
    ben: Seat


async def opened(ada: Hutch, ben: Hutch, absence: Absence, seconds: float = 0) -> Opened:
    """A game of Killer Bunnies, just dealt; the bot lays its first cards.

    With `seconds` there is a clock for what is not the turn player's, and it makes absent at once.
    """
    table = await ada.create_table(
        "killer-bunnies",
        seats=3,
        options={"first_seat": BEN},
        limits={"decision": seconds} if seconds else None,
        absence=absence,
        after_timeouts=1,
    )
    seats = await table.claim(ADA), await ben.table(table.name).claim(BEN)
    await table.assign_bot(BOT, "random")
    await table.start()
    return Opened(table, *seats)


async def opened_in_time(ada: Hutch, ben: Hutch, absence: Absence) -> Opened:
    """Such a game with a clock, in which Ben was not too slow."""
    for seconds in DECISION_SECONDS:
        game = await opened(ada, ben, absence, seconds)
        with suppress(PromptClosedError, NotYourSeatError):
            for prompt in (await game.ben.view()).prompts.prompts:
                if prompt.topic == "run.lay":
                    await game.ben.submit(prompt, *prompt.default_picks)
                    return game
    raise AssertionError("Ben is always too slow")


async def told(updates: AsyncIterator[Update], is_so: Callable[[pb.Table], bool]) -> pb.Table:
    """What a watcher is told of the table as soon as it is so."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for update in updates:
            match update:
                case Snapshot(view=view) if is_so(view.table):
                    return view.table
                case TableChanged(table=now) if is_so(now):
                    return now
    raise AssertionError("the game ended before that")


async def timed_out(game: Opened, absence: Absence) -> pb.Seat:
    """Ada's seat once her time has run out, and the game was told as far as it is told."""

    def is_absent(table: pb.Table) -> bool:
        seat = table.seats[ADA]
        return seat.absence == ABSENCES[absence] and seat.left == (absence == "forfeited")

    return (await told(game.table.watch(), is_absent)).seats[ADA]


async def ben_plays_until_adas_turn_is_over(game: Opened) -> None:
    """Ben answers what he is asked until he has begun another turn: Ada had hers meanwhile."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for turn in game.ben.play():
            board = (await turn.view()).killer_bunnies
            if board.active_seat == BEN and board.turn > 1:
                return
            with suppress(PromptClosedError):
                await turn.answer(*turn.prompt.default_picks)


async def refused(call: object) -> str:
    """The reason that the call is refused for; "" where it is not."""
    try:
        await call  # type: ignore[misc]
    except HutchError as error:
        return error.reason
    return ""


async def acts(seat: Seat) -> str:
    """The player answers a question that was answered for them."""
    return await refused(seat.submit(1))


@asynccontextmanager
async def stranger(ada: Hutch) -> AsyncIterator[Hutch]:
    """A player who sits nowhere, over Ada's connection."""
    cleo = ada.another()
    await cleo.guest("Cleo")
    yield cleo


#: What others are told who claim the seat, and its player, who acts and then claims it.
LEFT = {
    "away": ("TABLE_NOT_GATHERING", "PROMPT_CLOSED", ""),
    "bot": ("", "NOT_YOUR_SEAT", "TABLE_NOT_GATHERING"),
    "forfeited": ("SEAT_FORFEITED", "NOT_YOUR_SEAT", "SEAT_FORFEITED"),
}
TIMED_OUT = {
    "away": ("TABLE_NOT_GATHERING", "PROMPT_CLOSED", ""),
    "bot": ("TABLE_NOT_GATHERING", "PROMPT_CLOSED", ""),
    "forfeited": ("SEAT_FORFEITED", "NOT_YOUR_SEAT", "SEAT_FORFEITED"),
}


@pytest.mark.parametrize("absence", get_args(Absence))
async def test_a_game_goes_on_without_a_player_who_left(
    absence: Absence, ada: Hutch, ben: Hutch
) -> None:
    game = await opened(ada, ben, absence)
    left = (await game.ada.leave()).seats[ADA]
    assert left == (await game.ada.leave()).seats[ADA]
    assert left.absence == ABSENCES[absence]
    assert left.left == (absence != "away")
    assert bool(left.bot) == (absence == "bot")

    await ben_plays_until_adas_turn_is_over(game)

    async with stranger(ada) as cleo:
        claim = cleo.table(game.table.name).claim(ADA)
        found = await refused(claim), await acts(game.ada), await refused(game.table.claim(ADA))
    assert found == LEFT[absence]
    seat = (await game.table.get()).seats[ADA]
    assert (seat.absence == pb.ABSENCE_UNSPECIFIED) == (absence != "forfeited")


async def test_a_game_goes_on_without_a_player_whose_time_ran_out(ada: Hutch, ben: Hutch) -> None:
    found = await asyncio.gather(*[without(absence, ada, ben) for absence in get_args(Absence)])
    assert dict(zip(get_args(Absence), found, strict=True)) == TIMED_OUT


async def without(absence: Absence, ada: Hutch, ben: Hutch) -> tuple[str, str, str]:
    """A game without a player whose time ran out: what is told of `TIMED_OUT`."""
    game = await opened_in_time(ada, ben, absence)
    seat = await timed_out(game, absence)
    assert seat.timeouts == 1
    assert bool(seat.bot) == (absence == "bot")

    if absence != "forfeited":  # that would be for Ben as well, should he be slow
        await ben_plays_until_adas_turn_is_over(game)

    async with stranger(ada) as cleo:
        others = await refused(cleo.table(game.table.name).claim(ADA))
    assert (await game.table.get()).seats[ADA].absence == ABSENCES[absence]
    acted = await acts(game.ada)
    seat = (await game.table.get()).seats[ADA]
    back = absence != "forfeited"
    assert (seat.absence, seat.timeouts) == ((0, 0) if back else (pb.ABSENCE_FORFEITED, 1))
    return others, acted, await refused(game.table.claim(ADA))


async def test_whoever_left_is_told_no_more_of_what_the_seat_sees(ada: Hutch, ben: Hutch) -> None:
    """Somebody else may hold the seat by then, and have a hand of their own."""
    game = await opened(ada, ben, "bot")
    watch = game.ada.watch()
    assert isinstance(await anext(watch), Snapshot)

    left = await game.ada.leave()
    async with stranger(ada) as cleo:
        await cleo.table(game.table.name).claim(ADA)

    told: list[int] = []

    async def look_on() -> None:
        async for update in watch:
            if isinstance(update, Batch):
                told.append(update.batch.revision)

    with pytest.raises(NotYourSeatError):
        await asyncio.wait_for(look_on(), PATIENCE_SECONDS)
    assert all(revision < left.revision for revision in told)


async def test_nobody_who_plays_looks_into_the_hand_that_another_left(
    ada: Hutch, ben: Hutch
) -> None:
    """Who takes a seat over sees its hand, and could give it back after a look."""
    game = await opened(ada, ben, "bot")
    await game.ada.leave()
    with pytest.raises(NotYourSeatError, match="know two hands"):
        await ben.table(game.table.name).claim(ADA)
    with pytest.raises(NotYourSeatError):
        await ben.table(game.table.name).seat(ADA).view()

    async with stranger(ada) as cleo:
        await cleo.table(game.table.name).claim(ADA)


async def test_whoever_takes_a_seat_over_may_go_on_from_where_they_looked_on(
    ada: Hutch, ben: Hutch
) -> None:
    game = await opened(ada, ben, "bot")
    await game.ada.leave()
    async with stranger(ada) as cleo:
        table = cleo.table(game.table.name)
        looked_on = await anext(table.watch())
        assert isinstance(looked_on, Snapshot)
        seat = await table.claim(ADA)
        updates = seat.watch(looked_on.resume_token)
        await told(updates, lambda table: table.seats[ADA].display_name == "Cleo")


async def test_a_timekeeper_and_a_worker_that_die_at_the_time_out_lose_nothing(
    stack: RunningStack, ada: Hutch, ben: Hutch
) -> None:
    game = await opened_in_time(ada, ben, "forfeited")
    for name in ("timekeeper", "dispatcher", "worker-1"):
        stack.kill(name)

    seat = await timed_out(game, "forfeited")

    assert seat.timeouts == 1
    await game.ben.leave()
    await told(
        game.table.watch(), lambda table: table.state == pb.TABLE_STATE_FINISHED
    )  # the bot won
