"""Campaigns: a team plays game after game, and its Evolution sheet grows; gateways may die."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from random import Random

import pytest

from hutch.client import Campaign, ForbiddenError, Hutch, Table
from hutch.v1 import campaign_pb2, table_pb2
from tests.stacks import RunningStack, running_stack

SEED = 20261130
FINISH_SECONDS = 60
MARS = ("N1", "Moon", "N3", "N4", "Mars")


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """A stack of this module's own, for its gateway is killed."""
    with running_stack(tmp_path_factory.mktemp("campaigns") / "data", "--workers", "1") as running:
        yield running


async def team(ada: Hutch, ben: Hutch) -> tuple[Campaign, Campaign]:
    """A campaign of Ada, its host, and Ben: as each of them calls it."""
    campaign = await ada.create_campaign("Carrots to Mars")
    bens = ben.campaign(campaign.name)
    await bens.join((await campaign.get()).invite)
    return campaign, bens


async def restarted(stack: RunningStack, restarts: int) -> None:
    """Wait until the killed gateway has a successor that is ready."""
    while True:
        facts = stack.facts
        if facts["restarts"]["gateway"] > restarts and facts["states"]["gateway"] == "ready":
            return
        await asyncio.sleep(0.05)


async def finished(table: Table) -> table_pb2.Table:
    """The table, once its game is over."""
    async with asyncio.timeout(FINISH_SECONDS):
        async for _ in table.watch():
            pass
    return await table.get()


async def play(ada: Hutch, ben: Hutch, table: Table, stack: RunningStack | None) -> None:
    """Ada plays at random and the rest is up to bots: Ben leaves his seat to one. The gateway of
    the stack is killed on the way."""
    rng, answers = Random(SEED), 0
    async with asyncio.timeout(FINISH_SECONDS):
        await ben.seat(f"{table.name}/seats/1").leave()
        async for turn in table.seat(0).play():
            answers += 1
            if stack is not None and answers == 3:
                await restarted(stack, stack.kill("gateway"))
            await turn.answer(*turn.sample(rng))


def checked(campaign: campaign_pb2.Campaign) -> list[str]:
    """The boxes that are checked, without Earth."""
    state = campaign_pb2.BOX_STATE_CHECKED
    return [one.box for one in campaign.boxes if one.state == state and one.box != "Earth"]


@pytest.mark.rule("RS-032", "RS-033", "RS-034", "RS-035", "RS-042", "RS-046")
async def test_a_team_plays_on_with_what_it_has_unlocked_and_a_killed_gateway_loses_nothing(
    stack: RunningStack, ada: Hutch, ben: Hutch
) -> None:
    campaign, bens = await team(ada, ben)
    table = await campaign.start_game(seats=4, options={"absent": "bot"})
    opened = await table.get()
    assert opened.campaign == campaign.name
    assert [seat.display_name for seat in opened.seats] == ["Ada", "Ben", "", ""]
    for seat in (2, 3):
        await table.assign_bot(seat, "greedy")
    await table.start()
    await play(ada, ben, table, stack)

    points = (await finished(table)).result.team_score
    after = await bens.get()
    assert (after.games[0].points, after.boxes_left) == (points, points // 10), f"seed {SEED}"
    assert after.boxes_left >= len(MARS)
    assert not after.evolutions
    with pytest.raises(ForbiddenError):
        await bens.check("N1")
    await campaign.check(*MARS)
    restarts = stack.kill("gateway")
    await restarted(stack, restarts)
    seen = await bens.get()
    assert sorted(checked(seen)) == sorted(MARS)
    assert (list(seen.evolutions), list(seen.missions)) == (["mars"], ["moon"])
    assert seen.boxes_left == points // 10 - len(MARS)

    await campaign.vote("moon")
    assert (await bens.vote("moon")).next_mission == "moon"
    second = await campaign.start_game(options={"absent": "bot"})
    assert (await campaign.get()).boxes_left == 0
    await second.start()
    board = (await second.view()).rabbit_space
    assert board.mission == "moon"
    kinds = {card.card: card.kind for card in await ada.cards("rabbit-space")}
    for own in board.seats:
        assert "billionaire" in [kinds[card.card] for card in own.level_1]
    await play(ada, ben, second, None)
    score = (await finished(second)).result.team_score
    last = (await campaign.get()).games[-1]
    assert (last.points, last.boxes_earned) == (score, score // 10), f"seed {SEED}"
    assert (list(last.evolutions), last.mission) == (["mars"], "moon")


async def test_the_same_request_opens_one_campaign_and_one_game(ada: Hutch) -> None:
    request_id = str(uuid.uuid4())
    campaigns = [await ada.create_campaign("Twice", request_id=request_id) for _ in range(2)]
    assert campaigns[0].name == campaigns[1].name
    tables = [await campaigns[0].start_game(request_id=request_id) for _ in range(2)]
    assert tables[0].name == tables[1].name
    assert [one.display_name for one in await ada.campaigns()].count("Twice") == 1


async def test_anybody_may_look_but_the_invite_is_for_the_team(ada: Hutch, ben: Hutch) -> None:
    campaign = await ada.create_campaign()
    assert (await campaign.get()).display_name == "Ada's campaign"
    seen = await ben.campaign(campaign.name).get()
    assert (len(seen.boxes), seen.invite) == (45, "")
    with pytest.raises(ForbiddenError):
        await ben.campaign(campaign.name).join("0" * 16)
    assert campaign.name not in [one.name for one in await ben.campaigns()]
    await ben.campaign(campaign.name).join((await campaign.get()).invite)
    assert (await ben.campaigns())[0].name == campaign.name


async def test_a_player_may_add_a_salt_to_the_seat_the_campaign_gave(
    ada: Hutch, ben: Hutch
) -> None:
    campaign, _ = await team(ada, ben)
    table = await campaign.start_game(options={"absent": "bot"})
    revision = (await table.get()).revision
    for _ in range(2):  # one salt a seat: the second changes nothing
        await ben.table(table.name).claim(1, salt=b"pepper")
    assert (await table.get()).revision == revision + 1
    await table.start()
    for hutch, seat in ((ada, 0), (ben, 1)):
        await hutch.table(table.name).seat(seat).leave()
    assert [seat.salt for seat in (await finished(table)).seats] == [b"", b"pepper"]


async def test_a_campaigns_table_is_listed_like_any_other_and_may_be_given_up(ada: Hutch) -> None:
    campaign = await ada.create_campaign()
    table = await campaign.start_game(seats=2)
    listed = [one.name async for one in ada.tables(state=table_pb2.TABLE_STATE_GATHERING)]
    assert table.name in listed
    given_up = await campaign.abandon_game(table.name)
    assert given_up.table == ""
    assert (await table.get()).state == table_pb2.TABLE_STATE_GATHERING


async def test_whoever_gives_up_a_campaigns_table_before_the_deal_gives_up_its_game(
    ada: Hutch, ben: Hutch
) -> None:
    campaign, bens = await team(ada, ben)
    table = await campaign.start_game()
    with pytest.raises(ForbiddenError):
        await ben.table(table.name).abandon()
    await table.abandon()
    seen = await bens.get()
    assert (seen.table, seen.games[-1].state) == ("", campaign_pb2.CAMPAIGN_GAME_STATE_GIVEN_UP)
    again = await campaign.start_game()
    assert (await again.get()).state == table_pb2.TABLE_STATE_GATHERING
