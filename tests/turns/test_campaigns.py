"""Campaigns: credited once, whoever looks first, and never half changed."""

from __future__ import annotations

import asyncio
import uuid

import pytest

from hutch.store.commits import Committed, Conflict, Repeated, Stored
from hutch.store.errors import StoreUnavailable
from hutch.store.store import Store
from hutch.turns.campaigns import GAMES_KEPT, Campaigns
from hutch.turns.lobby import Lobby
from hutch.turns.shelves import CAMPAIGNS_MOST
from hutch.turns.table_meta import TableMeta
from hutch.turns.turn_path import TurnPath
from hutch.v1 import campaign_pb2 as pb
from hutch.v1 import table_pb2
from hutch.wire.errors import Fault, Wrong

HOST, OTHER = "ada", "ben"


@pytest.fixture
def campaigns(path: TurnPath) -> Campaigns:
    """The campaigns over that path."""
    return Campaigns(path)


def fresh_id() -> str:
    return uuid.uuid4().hex


def id_of(campaign: pb.Campaign) -> str:
    return campaign.name.removeprefix("campaigns/")


def table_of(campaign: pb.Campaign) -> str:
    return campaign.table.removeprefix("tables/")


async def opened(campaigns: Campaigns, *others: str) -> pb.Campaign:
    """A campaign of the host and others."""
    campaign = await campaigns.create(HOST, "Ada", "Carrots", fresh_id())
    for other in others:
        campaign = await campaigns.join(id_of(campaign), other, other.title(), campaign.invite)
    return campaign


async def begun(
    campaigns: Campaigns, campaign: pb.Campaign, wished: table_pb2.Table | None = None
) -> pb.Campaign:
    """The campaign with its next game on."""
    wished = wished or table_pb2.Table()
    return await campaigns.start_game(id_of(campaign), HOST, wished, fresh_id())


async def end(path: TurnPath, campaign: pb.Campaign, *scores: int, state: str = "finished") -> None:
    """Let the campaign's game end."""
    table_id = table_of(campaign)
    stored, meta = await path.load(table_id)
    meta.state = state  # type: ignore[assignment]
    meta.scores = list(scores)
    assert isinstance(await path.commit_meta(table_id, stored, meta, finished=True), Committed)


async def played(
    path: TurnPath, campaigns: Campaigns, campaign: pb.Campaign, *scores: int
) -> pb.Campaign:
    """The campaign after one more game."""
    campaign = await begun(campaigns, campaign)
    await end(path, campaign, *scores)
    return await campaigns.get(id_of(campaign), HOST)


def states(campaign: pb.Campaign) -> list[str]:
    """What became of its games, as the proto calls it."""
    return [
        pb.CampaignGameState.Name(game.state).removeprefix("CAMPAIGN_GAME_STATE_")
        for game in campaign.games
    ]


@pytest.mark.rule("RS-032")
async def test_a_game_is_credited_once_however_many_look(
    path: TurnPath, campaigns: Campaigns
) -> None:
    campaign = await begun(campaigns, await opened(campaigns, OTHER))
    await end(path, campaign, 31, 28)
    seen = await asyncio.gather(*[campaigns.get(id_of(campaign), HOST) for _ in range(8)])
    assert {(one.games[0].points, one.boxes_left, one.revision) for one in seen} == {
        (59, 5, seen[0].revision)
    }
    checked = await campaigns.check_boxes(id_of(campaign), HOST, ["N1"], fresh_id())
    assert checked.boxes_left == 4
    assert (await campaigns.get(id_of(campaign), HOST)).boxes_left == 4


@pytest.mark.rule("RS-032", "RS-049")
async def test_rivals_earn_boxes_for_the_sum_of_their_scores(
    path: TurnPath, campaigns: Campaigns
) -> None:
    wished = table_pb2.Table()
    wished.options["competitive"] = True
    campaign = await begun(campaigns, await opened(campaigns, OTHER), wished)
    _, meta = await path.load(table_of(campaign))
    assert meta.options == {"competitive": True, "evolutions": [], "mission": ""}
    await end(path, campaign, 19, 11)
    assert (await campaigns.get(id_of(campaign), OTHER)).boxes_left == 3


@pytest.mark.rule("RS-032")
async def test_boxes_that_were_left_are_lost_when_the_next_game_starts(
    path: TurnPath, campaigns: Campaigns
) -> None:
    campaign = await played(path, campaigns, await opened(campaigns), 45)
    assert campaign.boxes_left == 4
    campaign = await begun(campaigns, campaign)
    assert campaign.boxes_left == 0
    await end(path, campaign, 12)
    campaign = await campaigns.check_boxes(id_of(campaign), HOST, ["E1"], fresh_id())
    assert (campaign.boxes_left, campaign.games[-1].boxes_earned) == (0, 1)
    assert list(campaign.games[-1].boxes_checked) == ["E1"]


async def test_a_game_that_ended_unseen_is_credited_by_the_start_of_the_next(
    path: TurnPath, campaigns: Campaigns
) -> None:
    campaign = await begun(campaigns, await opened(campaigns))
    await end(path, campaign, 45)
    campaign = await begun(campaigns, campaign)
    assert states(campaign) == ["OVER", "ON"]
    assert campaign.games[0].boxes_earned == 4


async def test_a_game_whose_table_is_gone_counts_for_nothing_and_the_next_can_start(
    store: Store, path: TurnPath, campaigns: Campaigns
) -> None:
    campaign = await begun(campaigns, await opened(campaigns))
    await end(path, campaign, 45)
    await store.client.delete(store.keys.table(table_of(campaign)))  # as its expiry does
    campaign = await campaigns.get(id_of(campaign), HOST)
    assert (states(campaign), campaign.boxes_left, campaign.table) == (["EXPIRED"], 0, "")
    assert states(await begun(campaigns, campaign)) == ["EXPIRED", "ON"]


async def test_a_game_given_up_counts_for_nothing_even_if_it_ends_well(
    path: TurnPath, campaigns: Campaigns
) -> None:
    campaign = await begun(campaigns, await opened(campaigns))
    first = campaign
    for _ in range(2):  # the second time it is not on any more
        campaign = await campaigns.abandon_game(id_of(campaign), HOST, table_of(first))
    assert states(campaign) == ["GIVEN_UP"]
    campaign = await begun(campaigns, campaign)
    await end(path, first, 99)
    campaign = await campaigns.abandon_game(id_of(campaign), HOST, table_of(first))
    assert (states(campaign), campaign.boxes_left) == (["GIVEN_UP", "ON"], 0)


async def test_a_game_that_is_over_cannot_be_given_up(path: TurnPath, campaigns: Campaigns) -> None:
    campaign = await begun(campaigns, await opened(campaigns))
    await end(path, campaign, 20)
    campaign = await campaigns.abandon_game(id_of(campaign), HOST, table_of(campaign))
    assert (states(campaign), campaign.boxes_left) == (["OVER"], 2)


async def test_a_table_that_an_operator_voids_counts_as_given_up(
    path: TurnPath, campaigns: Campaigns
) -> None:
    campaign = await begun(campaigns, await opened(campaigns))
    await end(path, campaign, state="abandoned")
    assert states(await campaigns.get(id_of(campaign), HOST)) == ["GIVEN_UP"]


async def test_a_table_that_its_host_gives_up_gives_its_game_up_and_not_the_next_one(
    path: TurnPath, campaigns: Campaigns, lobby: Lobby
) -> None:
    first = await begun(campaigns, await opened(campaigns, OTHER))
    await lobby.abandon(table_of(first), HOST)
    second = await begun(campaigns, first)
    await lobby.abandon(table_of(first), HOST)  # it comes again
    campaign = await campaigns.abandon_game(id_of(first), HOST, table_of(first))  # is not on
    assert (states(campaign), campaign.table) == (["GIVEN_UP", "ON"], second.table)
    await end(path, second, 20)
    assert (await campaigns.get(id_of(first), OTHER)).boxes_left == 2


async def test_the_table_of_a_game_that_was_given_up_can_be_given_up_too(
    campaigns: Campaigns, lobby: Lobby
) -> None:
    campaign = await begun(campaigns, await opened(campaigns))
    await campaigns.abandon_game(id_of(campaign), HOST, table_of(campaign))
    table = await lobby.abandon(table_of(campaign), HOST)
    assert table.state == table_pb2.TABLE_STATE_ABANDONED
    assert states(await campaigns.get(id_of(campaign), HOST)) == ["GIVEN_UP"]


class DyingPath(TurnPath):
    """Loses Redis whenever a table is to be stored."""

    async def commit_meta(
        self, table_id: str, stored: Stored | None, meta: TableMeta, **more: object
    ) -> Committed | Conflict | Repeated:
        raise StoreUnavailable("gone")


async def test_whoever_looks_next_opens_the_table_that_a_dead_gateway_did_not(
    path: TurnPath, campaigns: Campaigns
) -> None:
    campaign = await opened(campaigns, OTHER)
    dying = Campaigns(DyingPath(path.store, path.rules))
    request_id = fresh_id()
    with pytest.raises(StoreUnavailable):
        await dying.start_game(id_of(campaign), HOST, table_pb2.Table(), request_id)
    seen = await campaigns.get(id_of(campaign), OTHER)
    _, meta = await path.load(table_of(seen))
    assert [seat.player for seat in meta.seats] == [HOST, OTHER]
    again = await campaigns.start_game(id_of(campaign), HOST, table_pb2.Table(), request_id)
    assert (again.table, len(again.games)) == (seen.table, 1)


async def test_one_request_counts_once_and_its_id_cannot_be_used_for_another(
    path: TurnPath, campaigns: Campaigns
) -> None:
    campaign = await played(path, campaigns, await opened(campaigns), 30)
    request_id = fresh_id()
    doubled = [
        campaigns.check_boxes(id_of(campaign), HOST, ["N1", "Moon"], request_id) for _ in range(4)
    ]
    seen = await asyncio.gather(*doubled)
    again = await campaigns.check_boxes(id_of(campaign), HOST, ["N1", "Moon"], request_id)
    assert {(one.boxes_left, one.revision) for one in [*seen, again]} == {
        (1, campaign.revision + 1)
    }
    with pytest.raises(Fault) as refused:
        await campaigns.check_boxes(id_of(campaign), HOST, ["E1"], request_id)
    assert refused.value.reason == Wrong.REQUEST_ID_REUSED


async def test_a_start_that_comes_again_after_its_game_starts_no_other(
    path: TurnPath, campaigns: Campaigns
) -> None:
    campaign, request_id = await opened(campaigns), fresh_id()
    wished = table_pb2.Table()
    first = await campaigns.start_game(id_of(campaign), HOST, wished, request_id)
    await end(path, first, 30)
    again = await campaigns.start_game(id_of(campaign), HOST, wished, request_id)
    assert (states(again), again.boxes_left) == (["OVER"], 3)
    wished.options["competitive"] = False
    with pytest.raises(Fault) as refused:
        await campaigns.start_game(id_of(campaign), HOST, wished, request_id)
    assert refused.value.reason == Wrong.REQUEST_ID_REUSED


async def test_of_two_starts_at_once_one_counts(campaigns: Campaigns) -> None:
    campaign = await opened(campaigns)
    starts = [begun(campaigns, campaign) for _ in range(4)]
    done = await asyncio.gather(*starts, return_exceptions=True)
    started = [one for one in done if isinstance(one, pb.Campaign)]
    assert len(started) == 1
    refused = [one.reason for one in done if isinstance(one, Fault)]
    assert refused == [Wrong.CAMPAIGN_GAME_ON] * 3
    assert (await campaigns.get(id_of(campaign), HOST)).table == started[0].table


async def test_boxes_are_checked_all_or_none(path: TurnPath, campaigns: Campaigns) -> None:
    campaign = await played(path, campaigns, await opened(campaigns), 50)
    with pytest.raises(Fault) as refused:
        await campaigns.check_boxes(id_of(campaign), HOST, ["N1", "N3"], fresh_id())
    assert refused.value.reason == Wrong.BOX_NOT_OPEN
    after = await campaigns.get(id_of(campaign), HOST)
    assert (after.boxes_left, after.revision) == (5, campaign.revision)


async def test_players_who_join_at_once_all_are_in_and_no_more_than_fit(
    campaigns: Campaigns,
) -> None:
    campaign = await opened(campaigns)
    joins = [
        campaigns.join(id_of(campaign), f"p{number}", "", campaign.invite) for number in range(5)
    ]
    done = await asyncio.gather(*joins, return_exceptions=True)
    assert [one.reason for one in done if isinstance(one, Fault)] == [Wrong.CAMPAIGN_FULL] * 2
    after = await campaigns.get(id_of(campaign), HOST)
    assert len({one.player for one in after.players}) == 4
    for number in range(5):
        listed = await campaigns.list_of(f"p{number}")
        is_in = f"players/p{number}" in [one.player for one in after.players]
        assert [one.name for one in listed] == ([after.name] if is_in else [])


async def test_a_player_who_left_may_be_in_as_many_others_as_before(campaigns: Campaigns) -> None:
    mine = [await opened(campaigns) for _ in range(CAMPAIGNS_MOST)]
    with pytest.raises(Fault) as refused:
        await opened(campaigns)
    assert refused.value.reason == Wrong.TOO_MANY_CAMPAIGNS
    await campaigns.leave(id_of(mine[7]), HOST)
    newest = await opened(campaigns)
    names = [one.name for one in await campaigns.list_of(HOST)]
    assert names == [newest.name, *[one.name for one in reversed(mine) if one != mine[7]]]


async def test_a_campaign_ends_with_its_last_player_and_then_goes(
    store: Store, campaigns: Campaigns
) -> None:
    campaign = await opened(campaigns, OTHER)
    key = store.keys.table(f"campaign-{id_of(campaign)}")
    after = await campaigns.leave(id_of(campaign), HOST)
    assert after.host == f"players/{OTHER}"
    assert await store.client.ttl(key) == -1
    for _ in range(2):  # leaving twice is leaving once
        after = await campaigns.leave(id_of(campaign), OTHER)
        assert not after.players
    assert await store.client.ttl(key) > 0
    with pytest.raises(Fault) as refused:
        await campaigns.join(id_of(campaign), OTHER, "Ben", campaign.invite)
    assert refused.value.reason == Wrong.CAMPAIGN_NOT_FOUND


async def test_a_table_of_a_campaign_that_nobody_starts_goes_like_any_other(
    store: Store, campaigns: Campaigns, lobby: Lobby
) -> None:
    """Else a host could leave tables behind for good, by giving up what was never begun."""
    campaign = await begun(campaigns, await opened(campaigns))
    key = store.keys.table(table_of(campaign))
    assert await store.client.ttl(key) > 0
    await lobby.start(table_of(campaign), HOST)
    assert await store.client.ttl(key) == -1


@pytest.mark.rule("RS-042")
async def test_a_vote_goes_with_its_player_and_all_go_with_the_game(
    path: TurnPath, campaigns: Campaigns
) -> None:
    campaign = await played(path, campaigns, await opened(campaigns, OTHER), 20, 20)
    campaign_id = id_of(campaign)
    await campaigns.check_boxes(campaign_id, HOST, ["N1", "Moon", "E1", "Venus"], fresh_id())
    for player in (HOST, OTHER):
        campaign = await campaigns.vote(campaign_id, player, "venus")
    assert campaign.next_mission == "venus"
    campaign = await campaigns.vote(campaign_id, HOST, "none")
    assert campaign.next_mission == ""
    campaign = await campaigns.vote(campaign_id, HOST, "moon")
    campaign = await campaigns.leave(campaign_id, OTHER)
    assert campaign.next_mission == "moon"
    campaign = await begun(campaigns, campaign)
    assert campaign.games[-1].mission == "moon"
    assert [one.vote for one in campaign.players] == [""]


async def test_however_much_is_voted_a_campaign_does_not_grow(
    store: Store, path: TurnPath, campaigns: Campaigns
) -> None:
    campaign = await played(path, campaigns, await opened(campaigns, OTHER), 20, 20)
    campaign_id = id_of(campaign)
    await campaigns.check_boxes(campaign_id, HOST, ["N1", "Moon"], fresh_id())
    await campaigns.vote(campaign_id, OTHER, "moon")
    key = store.keys.table(f"campaign-{campaign_id}")
    before = await keys_of(store, campaign_id)
    assert list(before) == [key], "and there is no log"
    for _ in range(100):
        await campaigns.vote(campaign_id, OTHER, "none")
        await campaigns.vote(campaign_id, OTHER, "moon")
    after = await keys_of(store, campaign_id)
    assert list(after) == [key]
    assert after[key] - before[key] < 64, "but for its revision, which has more digits"


async def test_a_request_is_known_for_as_long_as_its_game_is_remembered(
    store: Store, campaigns: Campaigns
) -> None:
    campaign = await opened(campaigns)
    campaign_id = id_of(campaign)
    wished = table_pb2.Table()
    requests = [fresh_id() for _ in range(GAMES_KEPT + 10)]
    sizes = []
    for request_id in requests:
        campaign = await campaigns.start_game(campaign_id, HOST, wished, request_id)
        campaign = await campaigns.abandon_game(campaign_id, HOST, table_of(campaign))
        sizes.append(sum((await keys_of(store, campaign_id)).values()))
    assert len(campaign.games) == GAMES_KEPT
    # As many games as before, and as many requests: nine more would take some hundred bytes each.
    # How Redis has laid them out makes a few bytes of difference.
    assert abs(sizes[-1] - sizes[-10]) < 500
    for request_id in (requests[-GAMES_KEPT], requests[-1]):
        again = await campaigns.start_game(campaign_id, HOST, wished, request_id)
        assert again == campaign


async def keys_of(store: Store, campaign_id: str) -> dict[str, int]:
    """The keys of a campaign and how many bytes each takes."""
    pattern = f"{store.keys.namespace}:*:campaign-{campaign_id}"
    keys = [key.decode() async for key in store.client.scan_iter(match=pattern)]
    return {key: await store.client.memory_usage(key) for key in keys}


async def test_a_campaign_is_no_table(store: Store, campaigns: Campaigns) -> None:
    campaign = await opened(campaigns)
    assert await store.index.counts() == {}
    assert await store.tables.load(id_of(campaign)) is None
