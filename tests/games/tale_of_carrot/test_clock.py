"""What the clock plays for a player who does not answer."""

from __future__ import annotations

from typing import Any

import pytest

from hutch.engine.prompts import picks
from hutch.games.tale_of_carrot.board import Step
from tests.games.tale_of_carrot.arranging import Game, seat, zone
from tests.games.tale_of_carrot.test_heroes_once import activated

FULL = ["R01", "R02"]
ALSO_FULL = ["R03", "R04"]


@pytest.mark.parametrize(
    ("arranged", "taken"),
    [
        ({}, zone(1, 1)),
        ({"zones": {1: ["R01", ""]}}, zone(1, 2)),
        ({"zones": {1: FULL}}, zone(2, 1)),
        ({"zones": {1: FULL, 2: ALSO_FULL, 0: ["R05", "R06"]}}, zone(1, 1)),
        ({"zones": {1: ["champion", "R02"], 2: ALSO_FULL, 0: ["R05", "R06"]}}, zone(1, 2)),
        ({"fallen": [1]}, zone(2, 1)),
    ],
    ids=["own", "own second", "next", "all are taken", "not the Champion's", "a fallen invader's"],
)
def test_a_rabbit_goes_into_the_first_free_zone_or_else_the_first(
    arranged: dict[str, Any], taken: str
) -> None:
    game = Game(3, active=1, rabbits=["R40"], **arranged)
    assert game.ask().default == picks(taken)


def test_the_mage_swaps_nothing_and_nobody_gives_to_the_gondolier() -> None:
    game = Game(
        heroes={1: "mage!", 3: "gondolier!"}, hand={1: "R40"}, zones={0: ["R01"]}, rabbits=["R02"]
    )
    game.default()
    assert game.asked == (1, "mage.swap")
    game.default()
    assert game.asked == (0, "gift.rabbit")
    game.default()
    assert game.asked[1] == "adventure.go"
    assert game.cards(0) == ["R01", "R02"]
    assert game.hp == [10] * 4


def test_what_was_paid_for_moves_to_the_first_free_zone() -> None:
    game = Game(heroes={3: "gondolier!"}, zones={0: ["R01"], 1: FULL[1:]}, rabbits=["R40"])
    game.pick(zone(0, 2)).pick(zone(0)).default()
    assert game.cards(1) == ["R02", "R01"]


def test_nobody_goes_on_an_adventure_uses_a_token_or_declares() -> None:
    game = Game(step=Step.CALL, heroes={0: "thief"}, hp={0: 8})
    game.default()
    assert not game.board.going
    for index in range(4):
        assert game.asked == (index, "tokens")
        assert game.ask().default == picks("pass")
        game.default()
    assert game.asked == (0, "supreme.declare")
    game.default()
    assert game.board.declared == []


@pytest.mark.parametrize("asked", [0, 2, 3])
def test_harm_and_the_cloak_go_to_the_nearest_other_living_player(asked: int) -> None:
    nearest = seat({0: 2, 2: 3, 3: 0}[asked])
    for game in (
        Game(step=Step.TOKENS, active=asked, heroes={asked: "gunslinger"}, fallen=[1]).pick(
            "damage1"
        ),
        Game(step=Step.ADVENTURE, active=asked, going=True, adventures=["A19"], fallen=[1]),
        Game(
            step=Step.ADVENTURE,
            active=asked,
            going=True,
            adventures=["A07"],
            heroes={asked: "assassin"},
            hp={asked: 1},
            fallen=[1],
        ),
        activated("princess", by=asked, hp={asked: 7}, fallen=[1], active=asked),
    ):
        assert game.ask(asked).default == picks(nearest)


def test_help_goes_to_oneself() -> None:
    game = Game(step=Step.TOKENS, heroes={0: "evoker"})
    assert game.pick("heal2").ask().default == picks(seat(0))
    game = Game(step=Step.TOKENS, heroes={0: "evoker"})
    assert game.pick("shield").ask().default == picks(seat(0))
    game = Game(step=Step.ADVENTURE, going=True, active=2, adventures=["A14"])
    assert game.ask().default == picks(seat(2))


def test_the_first_rabbit_is_discarded_those_of_the_own_village_first() -> None:
    game = Game(step=Step.TOKENS, active=1, heroes={1: "gunslinger"}, zones={0: FULL, 2: ALSO_FULL})
    assert game.pick("discard_rabbit").ask().default == picks(zone(2))
    game = Game(
        step=Step.TOKENS, active=1, heroes={1: "gunslinger"}, zones={0: FULL, 1: ["", "R05"]}
    )
    assert game.pick("discard_rabbit").ask().default == picks(zone(1, 2))


def test_the_necromancer_raises_nothing_and_places_what_was_chosen_in_order() -> None:
    game = activated("necromancer", hp={0: 4}, discards=["R31", "R32"])
    assert game.ask().default == ()
    game.pick("R32", "R31")
    assert game.ask().default == picks("R32")


def test_the_berserker_draws() -> None:
    game = Game(step=Step.ATTACK, heroes={0: "berserker!"}, zones={0: ["R25"]}, rabbits=["R15"])
    assert game.ask().default == picks("yes")


def test_the_thief_takes_the_lowest_types() -> None:
    game = activated("thief", hp={0: 8}, supply={"damage1": 0})
    assert game.ask().default == picks("play_rabbit")
    assert game.default().ask().default == picks("heal2")
