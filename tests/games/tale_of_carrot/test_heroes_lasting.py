"""Heroes whose Supreme lasts. Guardian and Berserker are in `test_damage`."""

from __future__ import annotations

import pytest

from hutch.engine.prompts import picks
from hutch.games.tale_of_carrot.board import Step
from hutch.games.tale_of_carrot.card_events import HandDrawn, RabbitMoved, RabbitSwapped
from hutch.games.tale_of_carrot.events import HpChanged, HpGiven, StepBegan
from tests.games.tale_of_carrot.arranging import Game, everything, seat, zone
from tests.games.tale_of_carrot.test_heroes_once import activated

# Mage


@pytest.mark.rule("TC-079")
@pytest.mark.rule("TC-062")
def test_the_mage_draws_a_card_and_swaps_it_after_anybodys_invasion() -> None:
    game = activated("mage", hp={0: 6}, rabbits=["R31", "R02", "R03"])
    assert game.board.villages[0].hand == "R31"
    assert game.told(HandDrawn) == [HandDrawn(0, "R31")]
    game.pick(zone(1))  # seat 1 places R02 at home
    assert game.asked == (0, "mage.swap")
    game.pick(zone(1))
    assert game.told(RabbitSwapped) == [RabbitSwapped(0, 2, "R31", "R02")]
    assert game.board.villages[0].hand == "R02"
    game.until("rabbit.place", of=2).pick(zone(2)).pick(zone(2))
    assert game.board.villages[0].hand == "R03", "the card taken serves for the next swap"


@pytest.mark.rule("TC-079")
def test_the_mage_takes_from_the_active_village_wherever_the_placement_was() -> None:
    game = Game(heroes={2: "mage!"}, hand={2: "R31"}, rabbits=["R02"], zones={0: ["R01"]})
    game.pick(zone(3))
    assert game.asked == (2, "mage.swap")
    assert game.options() == [zone(0), "pass"]
    refusal = game.attempt(zone(3))
    assert refusal is not None
    assert "active player's Village" in refusal.sentence


@pytest.mark.rule("TC-079")
def test_the_mage_may_swap_in_a_fallen_players_turn_and_in_the_own() -> None:
    for active, fallen in ((0, [0]), (2, [])):
        game = Game(
            active=active,
            fallen=fallen,
            heroes={2: "mage!"},
            hand={2: "R31"},
            zones={active: ["R01"]},
        )
        game.pick(zone(1))
        assert game.asked == (2, "mage.swap")


@pytest.mark.rule("TC-079")
def test_without_a_rabbit_placed_the_mage_swaps_nothing() -> None:
    game = Game(deck=[], heroes={2: "mage!"}, hand={2: "R31"}, zones={0: ["R01"]})
    assert game.asked == (0, "adventure.go")


@pytest.mark.rule("TC-077")
@pytest.mark.rule("TC-084")
def test_the_mage_can_swap_neither_a_golemiglio_nor_the_champion() -> None:
    game = Game(
        heroes={2: "mage!", 3: "champion!"},
        hand={2: "R31"},
        zones={0: ["golemiglio", "champion"]},
    )
    game.pick(zone(1))
    assert game.asked[1] != "mage.swap"


@pytest.mark.rule("TC-079")
def test_a_swap_is_no_replacement() -> None:
    game = Game(
        heroes={2: "mage!", 3: "shaman!"}, hand={2: "R31"}, rabbits=["R02"], zones={0: ["R01"]}
    )
    game.pick(zone(1)).pick(zone(0))
    assert game.hp == [10] * 4


@pytest.mark.rule("TC-079")
def test_a_mage_without_a_card_to_draw_never_swaps() -> None:
    game = activated("mage", hp={0: 6}, deck=[])
    assert game.board.villages[0].spent
    assert game.board.villages[0].hand == ""


@pytest.mark.rule("TC-048")
def test_a_falling_mages_hand_is_discarded() -> None:
    game = Game(
        step=Step.ATTACK, heroes={1: "mage!"}, hand={1: "R20"}, hp={1: 1}, zones={0: ["R31"]}
    )
    assert game.board.rabbit_discards == ["R20"]
    assert game.board.villages[1].hand == ""


# Pizza Maker


@pytest.mark.rule("TC-080")
def test_the_pizza_maker_shuffles_six_pizzas_into_the_deck() -> None:
    game = activated("pizza_maker", hp={0: 6})
    assert game.board.adventures.count("pizza") == 6
    assert len(game.board.adventures) == 36


@pytest.mark.rule("TC-080")
def test_an_empty_deck_takes_in_its_discards_before_the_pizzas() -> None:
    game = activated("pizza_maker", hp={0: 6}, adventure_deck=[], adventure_discards=["A01"])
    assert sorted(game.board.adventures) == ["A01", *["pizza"] * 6]
    assert game.board.adventure_discards == []


@pytest.mark.rule("TC-081")
def test_a_drawn_pizza_goes_before_the_pizza_maker_and_is_the_turns_adventure() -> None:
    game = Game(
        step=Step.ADVENTURE, going=True, heroes={2: "pizza_maker!"}, adventures=["pizza", "A01"]
    )
    assert game.board.villages[2].pizzas == 1
    assert game.board.adventure_discards == []
    assert game.board.step is Step.TOKENS_AGAIN


@pytest.mark.rule("TC-082")
def test_the_fourth_pizza_wins_at_once_whoever_drew_it() -> None:
    game = Game(
        step=Step.ADVENTURE,
        going=True,
        heroes={2: "pizza_maker!"},
        pizzas={2: 3},
        adventures=["pizza"],
        zones={0: ["R31"]},
    )
    assert game.winners == (2,)
    assert game.hp == [10] * 4, "nothing that was pending came"


@pytest.mark.rule("TC-082")
def test_after_the_pizza_makers_fall_a_pizza_does_nothing_and_may_come_again() -> None:
    game = Game(
        step=Step.ADVENTURE,
        going=True,
        fallen=[2],
        heroes={2: "pizza_maker!"},
        adventures=["pizza"],
    )
    assert game.board.villages[2].pizzas == 0
    assert game.board.adventure_discards == ["pizza"]


@pytest.mark.rule("TC-082")
def test_collected_pizzas_leave_the_game_with_the_pizza_maker() -> None:
    game = Game(
        step=Step.ATTACK, heroes={1: "pizza_maker!"}, pizzas={1: 3}, hp={1: 1}, zones={0: ["R31"]}
    )
    assert game.board.villages[1].pizzas == 0


# Champion


@pytest.mark.rule("TC-083")
def test_the_champion_card_goes_into_any_zone_and_replaces_a_rabbit() -> None:
    game = activated("champion", hp={0: 6}, zones={2: ["R01"]})
    assert len(game.options()) == 8
    game.pick(zone(2))
    assert game.cards(2) == ["champion", ""]
    assert game.board.rabbit_discards == ["R01"]


@pytest.mark.rule("TC-083")
@pytest.mark.parametrize(
    ("own", "taken"), [(["R01"], 2), (["R01", "R02"], 1)], ids=["a free Zone", "none free"]
)
def test_the_clock_keeps_the_champion_in_the_own_village(own: list[str], taken: int) -> None:
    game = activated("champion", hp={0: 6}, zones={0: own})
    assert game.ask().default == picks(zone(0, taken))


@pytest.mark.rule("TC-083")
@pytest.mark.rule("TC-090")
def test_the_champion_replacing_a_rabbit_of_the_active_player_calls_the_shaman() -> None:
    game = activated("champion", by=1, hp={1: 6}, heroes={2: "shaman!"}, zones={0: ["R05"]})
    game.pick(zone(0))
    assert game.told(HpChanged)[0].changes == ((0, 2, 0),)


@pytest.mark.rule("TC-090")
def test_a_card_that_goes_into_a_free_zone_replaces_nothing() -> None:
    game = activated("champion", by=1, hp={1: 6}, heroes={2: "shaman!"}, zones={0: ["R05"]})
    game.pick(zone(0, 2))
    assert game.hp[0] == 10
    game = Game(heroes={2: "shaman!"}, zones={0: ["R05"]})
    game.pick(zone(0, 2))
    assert game.hp == [10] * 4


@pytest.mark.rule("TC-084")
def test_nothing_replaces_or_discards_the_champion() -> None:
    game = Game(heroes={2: "champion!"}, zones={1: ["champion"]}, rabbits=["R01"])
    assert zone(1) not in game.options()
    refusal = game.attempt(zone(1))
    assert refusal is not None
    assert refusal.sentence == "The Champion lies there; nothing replaces the Champion."


@pytest.mark.rule("TC-084")
@pytest.mark.rule("TC-051")
@pytest.mark.rule("TC-054")
def test_the_champions_zone_alone_is_closed_and_fallen_villages_to_the_fallen_only() -> None:
    everywhere = [zone(village, number) for village in range(4) for number in (1, 2)]
    for active, villages in ((0, 4), (3, 3)):
        game = Game(active=active, heroes={2: "champion!"}, fallen=[3], zones={1: ["champion"]})
        assert game.options() == [one for one in everywhere[: 2 * villages] if one != zone(1)]


@pytest.mark.rule("TC-084")
def test_the_champion_card_goes_when_its_player_falls() -> None:
    game = Game(
        step=Step.ATTACK,
        heroes={1: "champion!"},
        hp={1: 1},
        zones={0: ["R31"], 2: ["champion", "R01"]},
    )
    assert game.cards(2) == ["", "R01"]


@pytest.mark.rule("TC-084")
def test_the_champion_card_goes_when_the_village_holding_it_falls_and_its_player_lives_on() -> None:
    game = Game(
        step=Step.ATTACK,
        heroes={2: "champion!"},
        hp={1: 1},
        zones={0: ["R31"], 1: ["champion"]},
    )
    assert "champion" not in game.board.zones
    assert game.board.rabbit_discards == []
    assert not game.board.villages[2].fallen


@pytest.mark.rule("TC-085")
def test_the_champion_attacks_both_neighbours_in_the_turn_of_the_village_that_holds_it() -> None:
    game = Game(step=Step.ATTACK, heroes={1: "champion!"}, zones={0: ["champion", "R05"]})
    assert game.hp == [10, 7, 10, 8], "its own player too"


# Gondolier


@pytest.mark.rule("TC-087")
def test_the_active_player_may_give_hp_to_move_rabbits_again_and_again() -> None:
    game = Game(
        heroes={2: "gondolier!"}, hp={2: 5}, rabbits=["R31"], zones={0: ["R01"], 1: ["R02", "R03"]}
    )
    game.pick(zone(0, 2))
    assert game.asked == (0, "gift.rabbit")
    game.pick(zone(0, 2))
    assert game.hp == [9, 10, 6, 10]
    assert game.options() == [zone(2), zone(2, 2), zone(3), zone(3, 2)]
    game.pick(zone(3))
    game.pick(zone(0)).pick(zone(2))
    assert game.told(HpGiven) == [HpGiven(0, 2)] * 2
    assert game.told(RabbitMoved) == [RabbitMoved("R31", 1, 6), RabbitMoved("R01", 0, 4)]
    assert game.hp == [8, 10, 7, 10]
    assert game.told(HpChanged) == [], "giving is no damage"
    assert game.asked[1] == "adventure.go", "no Rabbit is left to move"


@pytest.mark.rule("TC-087")
def test_the_rabbit_moves_to_another_village_though_the_own_has_a_free_zone() -> None:
    game = Game(heroes={2: "gondolier!"}, zones={0: ["R01"], 1: ["R02", "R03"]}, fallen=[3])
    game.pick(zone(2)).pick(zone(0))
    assert game.options() == [zone(2, 2), zone(3), zone(3, 2)], "a fallen Village's too"
    refusal = game.attempt(zone(0, 2))
    assert refusal is not None
    assert refusal.sentence == "The Rabbit moves to another Village."


@pytest.mark.rule("TC-087")
def test_the_last_hp_cannot_be_given() -> None:
    game = Game(heroes={2: "gondolier!"}, hp={0: 2}, zones={0: ["R01"]})
    game.pick(zone(0, 2)).pick(zone(0)).pick(zone(3))
    assert game.hp[0] == 1
    assert game.asked[1] != "gift.rabbit", "another Rabbit is there, but no HP to give"


@pytest.mark.rule("TC-087")
def test_the_gondolier_gives_nothing_to_himself_and_takes_nothing_from_the_fallen() -> None:
    for arranged in ({"active": 2}, {"fallen": [0], "zones": {0: ["R01"]}}):
        game = Game(heroes={2: "gondolier!"}, **arranged)
        game.default()
        assert Step.GIFTS not in [event.step for event in game.told(StepBegan)]


@pytest.mark.rule("TC-087")
def test_the_champion_cannot_be_moved_but_a_golemiglio_can() -> None:
    game = Game(heroes={2: "gondolier!", 3: "champion!"}, zones={0: ["champion", "golemiglio"]})
    game.pick(zone(1))
    assert game.options() == [zone(0, 2), "pass"]


@pytest.mark.rule("TC-087")
def test_a_gift_to_a_gondolier_at_ten_hp_still_moves_the_rabbit() -> None:
    game = Game(heroes={2: "gondolier!"}, zones={0: ["R01"]})
    game.pick(zone(1)).pick(zone(0)).pick(zone(3))
    assert game.hp == [9, 10, 10, 10]


# Princess


@pytest.mark.rule("TC-088")
@pytest.mark.rule("TC-108")
def test_the_princess_gives_the_cloak_to_another_living_player() -> None:
    game = activated("princess", hp={0: 7}, fallen=[3])
    assert game.options() == [seat(1), seat(2)]
    game.pick(seat(2))
    assert game.board.cloak is not None
    assert (game.board.cloak.princess, game.board.cloak.holder) == (0, 2)


@pytest.mark.rule("TC-088")
def test_the_princess_cannot_be_declared_with_two_players_left() -> None:
    game = Game(step=Step.DECLARATIONS, heroes={0: "princess"}, hp={0: 7}, fallen=[1, 2])
    assert game.options() == ["pass"]


@pytest.mark.rule("TC-088")
def test_with_too_few_left_on_activation_the_princess_does_nothing() -> None:
    # Both are declared; the Gunslinger acts first and fells one of three.
    game = Game(
        4,
        step=Step.DECLARATIONS,
        heroes={0: "gunslinger", 1: "princess"},
        hp={0: 3, 1: 7, 2: 1},
        fallen=[3],
    )
    game.pick("declare").pick("declare")
    game.until("rabbit.place", of=1)
    assert game.board.villages[1].spent
    assert game.board.cloak is None


# Shaman


@pytest.mark.rule("TC-090")
def test_a_replacement_at_home_costs_the_active_player_two() -> None:
    game = Game(heroes={2: "shaman!"}, zones={0: ["R01"]})
    game.pick(zone(0))
    assert game.hp[0] == 8


@pytest.mark.rule("TC-090")
def test_the_shaman_minds_neither_other_villages_nor_the_own() -> None:
    game = Game(heroes={2: "shaman!"}, zones={1: ["R01"]})
    game.pick(zone(1))
    assert game.hp == [10] * 4
    game = Game(active=2, heroes={2: "shaman!"}, zones={2: ["R01"]})
    game.pick(zone(2))
    assert game.hp == [10] * 4


@pytest.mark.rule("TC-090")
def test_an_active_player_felled_by_the_shaman_meets_neither_mage_nor_gondolier() -> None:
    game = Game(
        heroes={1: "mage!", 2: "shaman!", 3: "gondolier!"},
        hand={1: "R40"},
        hp={0: 2},
        zones={0: ["R01", "R02"]},
    )
    game.pick(zone(0))
    assert game.board.villages[0].fallen
    assert game.asked == (1, "rabbit.place")


@pytest.mark.rule("TC-079")
@pytest.mark.rule("TC-087")
@pytest.mark.rule("TC-090")
def test_after_placement_come_shaman_then_mage_then_gondolier() -> None:
    game = Game(
        heroes={1: "mage!", 2: "shaman!", 3: "gondolier!"},
        hand={1: "R40"},
        zones={0: ["R01"]},
        rabbits=["R02"],
    )
    game.pick(zone(0))
    assert game.hp[0] == 8
    assert game.asked == (1, "mage.swap")
    game.pick(zone(0))
    assert game.asked == (0, "gift.rabbit")
    assert everything(game.board) == everything(Game().board)
