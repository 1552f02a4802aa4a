"""The report on collusion: who colludes is found, who does not is left alone."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from random import Random

import pytest
from msgspec.structs import replace

from hutch.bots import STRATEGIES, Sight
from hutch.cli.collusion.aims import GAMES, Aim, aim_of, harms_of
from hutch.cli.collusion.finished import read_finished
from hutch.cli.collusion.planting import Planting, aims_between, found, played
from hutch.cli.collusion.suspicion import Game, Pair, pairs_of
from hutch.engine.kernel import deal
from hutch.engine.live import Live
from hutch.engine.prompts import picks
from hutch.engine.refusals import Refusal
from hutch.games import RULESETS
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.turn import Turn
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from hutch.wire.prompts import action_of
from tests.commands import hutch

HOST = "host"


def planted(game: str, *, games: int, loyalty: float = 1.0, seed: int = 7) -> Planting:
    """One pair that colludes among six players."""
    return Planting(game, games, players=6, colluding=1, loyalty=loyalty, seed=seed)


def flagged(pairs: Sequence[Pair]) -> list[tuple[str, str]]:
    return [pair.players for pair in pairs if pair.is_flagged]


@pytest.mark.parametrize(
    ("game", "games", "loyalty"),
    [("killer-bunnies", 100, 1.0), ("tale-of-carrot", 40, 1.0), ("tale-of-carrot", 80, 0.6)],
)
def test_planted_colluders_are_found_and_nobody_else(game: str, games: int, loyalty: float) -> None:
    planting = planted(game, games=games, loyalty=loyalty)
    well = found(planting, pairs_of(played(planting)))
    assert (well.precision, well.recall) == (1.0, 1.0)


@pytest.mark.parametrize("game", GAMES)
def test_honest_players_are_left_alone_though_they_play_in_different_ways(game: str) -> None:
    planting = replace(planted(game, games=40, loyalty=0.0), bots=("greedy", "random"))
    pairs = pairs_of(played(planting))
    assert len(pairs) == 15
    assert flagged(pairs) == []


def test_honest_players_are_left_alone_though_they_sit_together_always_in_the_same_seats() -> None:
    planting = Planting("tale-of-carrot", 40, players=4, colluding=0, loyalty=0.0, seed=7)
    seated = ["p000", "p001", "p002", "p003"]
    games = [
        Game(tuple(seated), aims_between(planting, seated, Random(number)))
        for number in range(planting.games)
    ]
    assert flagged(pairs_of(games)) == []


def test_the_same_planting_gives_the_same_games() -> None:
    planting = planted("tale-of-carrot", games=3)
    assert list(played(planting)) == list(played(planting))


def test_no_table_can_be_given_a_bot_that_colludes() -> None:
    offered = {strategy for by_name in STRATEGIES.values() for strategy in by_name.values()}
    assert {strategy.__module__.partition("hutch.bots.")[0] for strategy in offered} == {""}


# The statistic


def aimed(by: int, *, at: int, of: Sequence[int]) -> Aim:
    """The seat harms one of those rivals, and not the others."""
    return Aim(by, {rival: (rival == at) - 1 / len(of) for rival in of})


def test_a_leader_whom_all_harm_is_not_said_to_be_at_odds_nor_the_others_to_spare_each_other() -> (
    None
):
    aims = [aimed(by, at=0, of=[s for s in range(4) if s != by]) for by in (1, 2, 3)]
    game = Game(("leader", "b", "c", "d"), aims)
    assert flagged(pairs_of([game] * 20)) == []


def test_who_spares_one_that_all_others_harm_is_flagged() -> None:
    games = []
    for number in range(20):
        victim = f"v{number % 7}"
        aims = [aimed(1, at=2, of=[0, 2, 3]), aimed(2, at=0, of=[0, 1, 3])]
        aims.append(aimed(3, at=0, of=[0, 1, 2]))
        games.append(Game(("leader", "friend", victim, f"w{number % 9}"), aims))
    assert flagged(pairs_of(games)) == [("friend", "leader")]


def test_few_games_together_are_not_judged() -> None:
    games = list(played(planted("tale-of-carrot", games=40)))
    assert pairs_of(games, fewest_games=41) == []
    assert {pair.games >= 15 for pair in pairs_of(games, fewest_games=15)} == {True}


def test_seats_of_nobody_are_held_against_but_not_judged() -> None:
    planting = planted("tale-of-carrot", games=40)
    games = [
        Game(tuple("" if name > "p003" else name for name in game.players), game.aims)
        for game in played(planting)
    ]
    pairs = pairs_of(games)
    assert {name for pair in pairs for name in pair.players} <= {f"p00{one}" for one in range(4)}
    assert set(flagged(pairs)) == planting.planted


def test_as_many_are_flagged_as_are_allowed_to_be_false() -> None:
    games = list(played(planted("tale-of-carrot", games=60, loyalty=0.0)))
    assert flagged(pairs_of(games, false_share=0.0)) == []
    assert len(flagged(pairs_of(games, false_share=1.0))) == 15


# Aims


@pytest.mark.parametrize("game", GAMES)
def test_what_all_options_lean_against_a_rival_adds_up_to_nothing(game: str) -> None:
    rng = Random(3)
    aims = 0
    live = dealt(game, rng)
    while live.result is None:
        seat = min(live.asks)
        leans = [aim_of(live, seat, picks(option)) for option in harms_of(live, seat)]
        rivals = {rival for aim in leans if aim for rival in aim.leans}
        assert seat not in rivals
        for rival in rivals:
            assert sum([aim.leans[rival] for aim in leans if aim]) == pytest.approx(0)
            assert max([aim.leans[rival] for aim in leans if aim]) <= 1
        aims += bool(rivals)
        number, answer = STRATEGIES[game]["greedy"](Sight(live, seat), rng)
        assert live.answer(seat, number, answer) is None
        live.forget_events()
    assert aims > 5


def dealt(game: str, rng: Random) -> Live:
    outcome = deal(RULESETS[game], seats=4, options={}, seed=rng.randbytes(32), at_ms=0)
    assert not isinstance(outcome, Refusal)
    return Live(RULESETS[game], outcome.record, keep=False)


# Finished games


async def test_finished_games_are_read_from_the_store_and_listed(
    quiet_redis: EmbeddedServer, lobby: Lobby, path: TurnPath, store: Store
) -> None:
    aims = await play_a_game(lobby, path, players=3)
    read = await read_finished(store, "tale-of-carrot", 10, lambda: None)
    assert read.unreadable == 0
    assert read.games == [Game(("p0", "p1", "p2"), aims)]
    assert aims
    shown = hutch("report", "collusion", "tale-of-carrot", HUTCH_REDIS_URL=quiet_redis.url)
    assert shown.returncode == 0, shown.stderr
    assert "tale-of-carrot: 1 finished games" in shown.stdout
    assert "0 of 0 pairs with 5 games together or more are to be looked at" in shown.stdout


async def play_a_game(lobby: Lobby, path: TurnPath, *, players: int) -> list[Aim]:
    """A game of those players to its end: what they aimed at whom."""
    wanted = pb.Table(ruleset="tale-of-carrot", seats=[pb.Seat() for _ in range(players)])
    table = await lobby.create(HOST, wanted, uuid.uuid4().hex)
    table_id = table.name.removeprefix("tables/")
    for seat in range(players):
        await lobby.claim(table_id, seat, f"p{seat}", f"P{seat}", b"")
    await lobby.start(table_id, HOST)
    resolver, rng = Resolver(), Random(5)
    aims = []
    stored, meta = await path.load(table_id)
    while meta.state == "playing":
        live = resolver.live(stored.record or b"")
        assert isinstance(live, Live)
        seat = min(live.asks)
        number, answer = STRATEGIES[meta.ruleset]["greedy"](Sight(live, seat), rng)
        if (aim := aim_of(live, seat, answer)) is not None:
            aims.append(aim)
        command = rules_pb.ResolveRequest()
        command.submit.seat = seat
        command.submit.action.CopyFrom(action_of(number, answer))
        await path.play(Turn(table_id=table_id, request=command, seat=seat, by="person"))
        stored, meta = await path.load(table_id)
    return aims


SELF_TEST = ("report", "collusion", "tale-of-carrot", "--plant", "1", "--players", "6")


def test_the_self_test_tells_precision_and_recall() -> None:
    shown = hutch(*SELF_TEST, "--games", "40")
    assert shown.returncode == 0, shown.stderr
    assert "precision 1.00, recall 1.00" in shown.stdout
    assert shown.stdout.count("look at it") == 1
    assert "nothing is done about them" in shown.stdout


def test_the_list_can_be_had_as_json() -> None:
    first, *_ = json.loads(hutch(*SELF_TEST, "--games", "40", "--json").stdout)
    assert first["players"] == ["p000", "p001"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rabbit-space"], "There is nothing to tell of 'rabbit-space'; the games are"),
        (["tale-of-carrot", "--plant", "7"], "7 pairs are 14 players, and there are 12."),
    ],
)
def test_what_cannot_be_told_is_refused_in_a_sentence(arguments: list[str], sentence: str) -> None:
    shown = hutch("report", "collusion", *arguments)
    assert shown.returncode == 2
    assert sentence in shown.stderr
