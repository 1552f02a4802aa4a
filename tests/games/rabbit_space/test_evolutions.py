"""Evolutions: the decks and sets that join the game."""

from __future__ import annotations

import pytest

from hutch.engine.commands import Submit, Undo
from hutch.engine.prompts import Pick, card, place, word
from hutch.engine.refusals import Refusal
from hutch.games.rabbit_space.board import Step
from hutch.games.rabbit_space.cards import HOUSE, Kind
from hutch.games.rabbit_space.counting import score
from hutch.games.rabbit_space.events import CardsDealt, Counted, SentIntoSpace, StepBegan
from hutch.games.rabbit_space.module_events import Kept, RobotPromoted, RobotWaits
from tests.games.rabbit_space.arranging import Game, Seat, at, dealt, refs

# What joins


@pytest.mark.rule("RS-036")
@pytest.mark.rule("RS-037")
@pytest.mark.rule("RS-039")
@pytest.mark.rule("RS-041")
@pytest.mark.parametrize(
    ("planet", "kind"),
    [
        ("mercury", "robot"),
        ("neptune", "rocket"),
        ("titan", "scientist"),
        ("vesta", "satellite"),
    ],
)
def test_eight_cards_join_the_deck(planet: str, kind: Kind) -> None:
    (begun,) = dealt(2, evolutions=[planet]).told(CardsDealt)
    joined = [card for card in begun.pile if HOUSE.kinds[card] == kind]
    assert sorted(joined) == HOUSE.of_kind(kind)
    assert len(joined) == 8
    (plain,) = dealt(2).told(CardsDealt)
    assert len(begun.pile) == len(plain.pile) + 8


@pytest.mark.rule("RS-035")
@pytest.mark.rule("RS-040")
@pytest.mark.parametrize(("planet", "kind"), [("mars", "billionaire"), ("uranus", "experiment")])
def test_everybody_starts_with_one_of_the_set_on_level_1(planet: str, kind: Kind) -> None:
    game = dealt(3, evolutions=[planet])
    (begun,) = game.told(CardsDealt)
    for own in begun.starting:
        assert [HOUSE.kinds[card] for card in own] == ["start", "start", kind]
    assert sum([HOUSE.kinds[card] == kind for card in begun.pile]) == 1, "the spare one"


@pytest.mark.rule("RS-038")
def test_everybody_gets_a_mission_beside_the_board_and_the_spare_ones_stay_in_the_box() -> None:
    game = dealt(3, evolutions=["saturn"])
    missions = [game.seat(index).mission for index in range(3)]
    assert len(set(missions)) == 3
    assert all(HOUSE.kinds[card] == "mission" for card in missions)
    (begun,) = game.told(CardsDealt)
    assert not any(HOUSE.kinds[card] == "mission" for card in begun.pile)


@pytest.mark.rule("RS-037")
def test_a_rocket_is_a_plain_card_worth_more_than_it_costs() -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=12, level_2="RK5"), Seat())
    assert game.answer(0, "RK5").seat(0).space == [HOUSE.index["RK5"]]
    assert score(HOUSE, game.seat(0)) == 16


# Robots


def robot_sent(training_center: str) -> Game:
    """A Robot goes into Space with those cards in the Training Center."""
    game = at(
        Step.SPEND_GOLD,
        Seat(gold=9, level_2="RB1", training_center=training_center),
        Seat(gold=9, level_1="S1"),
    )
    return game.answer(0, "RB1")


@pytest.mark.rule("RS-036")
def test_a_robot_sent_into_space_brings_a_rabbit_card_of_choice_to_level_1() -> None:
    game = robot_sent("B01 B09 S2")
    assert game.told(RobotWaits) == [RobotWaits(0)]
    assert game.question(0).ask.topic == "promote-by-robot"
    assert game.question(0).ask.default == (Pick("B09"),), "the dearest"
    game.answer(0, "S2")
    assert refs(game.seat(0).level_1) == "S2"
    assert game.seat(0).gold == 6, "nothing was paid for it"


@pytest.mark.rule("RS-036")
def test_the_only_rabbit_card_comes_along_unasked_and_other_kinds_do_not_count() -> None:
    game = robot_sent("B01 RB2 RK1 SC1 ST1")
    assert game.told(RobotPromoted) == [RobotPromoted(0, HOUSE.index["B01"])]


@pytest.mark.rule("RS-036")
def test_without_a_rabbit_card_a_robot_has_no_effect() -> None:
    game = robot_sent("RB2 RK1")
    assert game.told(SentIntoSpace)
    assert game.seat(0).level_1 == []


@pytest.mark.rule("RS-036")
def test_a_card_brought_by_a_robot_may_be_certified_in_the_same_phase() -> None:
    game = robot_sent("B01 B02").answer(0, "B01").answer(0, "B01")
    assert refs(game.seat(0).level_2) == "B01"


@pytest.mark.rule("RS-036")
def test_a_robot_whose_owner_left_promotes_the_dearest() -> None:
    game = robot_sent("B01 B09").leave(0)
    game.answer(1, "ready")
    assert game.told(RobotPromoted) == [RobotPromoted(0, HOUSE.index["B09"])]


@pytest.mark.rule("RS-036")
def test_a_robot_promotes_rabbit_cards_only() -> None:
    refusal = robot_sent("B01 B02 RK1").refusal(0, "RK1")
    assert refusal.sentence == "Light Rocket 1 (RK1) is no Rabbit card in your Training Center."


# Scientists


@pytest.mark.rule("RS-039")
def test_a_scientist_never_goes_into_space() -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=20, level_2="SC1 B01"), Seat())
    assert game.options(0) == ["B01", "ready"]
    assert "never goes into Space" in game.refusal(0, "SC1").sentence
    game = at(Step.SPEND_GOLD, Seat(gold=4, level_1="SC5 B01"), Seat())
    assert game.refusal(0, "SC5").sentence.endswith("costs 6 Gold and you have 4.")


@pytest.mark.rule("RS-039")
def test_a_scientist_keeps_up_to_four_resources_which_are_counted_with_the_next() -> None:
    seat = Seat(carrots=3, gold=5, level_1="S1", level_2="SC1")
    game = at(Step.SPEND_GOLD, seat, Seat(), evolutions=["titan"])
    game.answer(0, "ready")
    question = game.question(0).ask
    assert question.topic == "keep"
    assert question.default == (Pick("gold", 4),)
    assert "card" not in game.refusal(0, "helmet").sentence
    game.do(Submit(0, game.question(0).number, (Pick("carrot", 3), Pick("gold"))))
    assert game.told(Kept) == [Kept(0, 3, 1)]
    assert (game.seat(0).carrots, game.seat(0).gold) == (3, 1)
    game.until(Step.GIVE_CARROTS)
    own = game.view(0).seats[0]
    assert own.production.carrots >= 2, "S1 and SC1 (Astronaut) yield a Carrot each"
    assert own.carrots == 3 + own.production.carrots
    assert game.seat(0).kept == (0, 1)
    game.until(Step.GIVE_GOLD)
    own = game.view(0).seats[0]
    assert own.gold == 1 + own.production.gold
    assert game.seat(0).kept == (0, 0)


@pytest.mark.rule("RS-039")
def test_what_can_all_be_kept_is_kept_unasked() -> None:
    game = at(Step.SPEND_GOLD, Seat(carrots=1, gold=3, level_1="S1", level_2="SC1"), Seat())
    game.answer(0, "ready")
    assert game.told(Kept) == [Kept(0, 1, 3)]


@pytest.mark.rule("RS-039")
def test_who_has_more_of_both_than_may_be_kept_is_asked_and_may_keep_nothing() -> None:
    seat = Seat(carrots=3, gold=2, level_2="SC1")
    game = at(Step.SPEND_GOLD, seat, Seat(gold=3, level_1="S1"), evolutions=["titan"])
    game.answer(1, "ready")
    assert game.awaited == (0,)
    assert game.question(0).ask.default == (Pick("carrot", 2), Pick("gold", 2))
    game.answer(0)
    assert game.told(Kept) == [Kept(0, 0, 0)]
    assert (game.seat(0).carrots, game.seat(0).gold) == (0, 0)


@pytest.mark.rule("RS-028", "RS-039")
def test_what_is_kept_makes_no_helmets() -> None:
    seat = Seat(carrots=2, gold=2, level_2="SC1")
    game = at(Step.SPEND_GOLD, seat, Seat(gold=3, level_1="S1"), evolutions=["titan"])
    game.answer(1, "ready")
    assert game.told(Kept) == [Kept(0, 2, 2)]
    assert game.seat(0).helmets == 2 + 1, "SC1 (Astronaut) has a Helmet"


@pytest.mark.rule("RS-039")
@pytest.mark.parametrize(
    ("turn", "own"),
    [
        (1, Seat(carrots=3, gold=3, training_center="S1", level_1="SC5")),
        (7, Seat(carrots=3, gold=3, training_center="S1", level_2="SC5")),
    ],
)
def test_nothing_is_kept_without_a_scientist_on_level_2_or_after_round_7(
    turn: int, own: Seat
) -> None:
    other = Seat(gold=3, level_1="S2")
    game = at(Step.SPEND_GOLD, own, other, turn=turn).leave(0).answer(1, "ready")
    assert Step.KEEP not in [event.step for event in game.told(StepBegan)]
    assert game.told(Kept) == []
    assert (game.seat(0).carrots, game.seat(0).gold) == (0, 0)


@pytest.mark.rule("RS-039")
def test_what_is_kept_is_not_undone_while_others_still_choose() -> None:
    keeper = Seat(gold=9, level_1="S1", level_2="SC1")
    game = at(Step.SPEND_GOLD, keeper, Seat(gold=9, level_1="S2", level_2="SC2"))
    game.answer(0, "ready").answer(1, "ready").answer(0, "gold")
    assert game.told(Kept) == [Kept(0, 0, 1)]
    assert game.awaited == (1,)
    assert isinstance(game.tried(Undo(0)), Refusal)


@pytest.mark.rule("RS-039")
def test_two_scientists_keep_eight_and_nothing_is_kept_after_round_7() -> None:
    seat = Seat(carrots=9, gold=9, level_1="S1", level_2="SC1 SC2")
    game = at(Step.SPEND_GOLD, seat, Seat()).answer(0, "ready")
    assert game.question(0).ask.most == 8
    last = at(Step.SPEND_GOLD, seat, Seat(), turn=7).answer(0, "ready")
    assert last.live.result is not None


# Missions of Saturn and Satellites


@pytest.mark.rule("RS-038")
@pytest.mark.parametrize(
    ("space", "moon", "carrots"), [("", "", 0), ("B01", "", 2), ("ST1", "", 0), ("", "B01", 2)]
)
def test_a_mission_yields_while_an_own_astronaut_is_away(
    space: str, moon: str, carrots: int
) -> None:
    own = Seat(mission="MI1", space=space, moon=moon)
    game = at(Step.ARRANGE, own, Seat(hand="B05"), evolutions=["saturn"])
    counted = [event for event in game.defaults().told(Counted) if event.resource == "carrot"]
    assert counted[0].amounts[0] == carrots


@pytest.mark.rule("RS-041")
def test_a_satellite_goes_from_level_1_straight_into_space() -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=8, level_1="ST1 B01"), Seat())
    ways = {option.id: option.points for option in game.question(0).ask.options}
    assert ways["ST1"] == (word("send"), card("ST1"), place("space"))
    assert ways["B01"] == (word("certify"), card("B01"), place("level-2"))
    game.answer(0, "ST1")
    assert refs(game.seat(0).space) == "ST1"
    assert refs(game.seat(0).level_1) == "B01"
    assert game.seat(0).gold == 3


@pytest.mark.rule("RS-041")
def test_a_satellite_in_the_training_center_cannot_be_sent() -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=9, training_center="ST1", level_1="B01"), Seat())
    assert "not on your Level 1 or Level 2" in game.refusal(0, "ST1").sentence
