"""The turn: its phases in order, Invasion, and Revelation."""

from __future__ import annotations

import pytest

from hutch.engine.kernel import Outcome, deal
from hutch.engine.refusals import Reason, Refusal
from hutch.games.tale_of_carrot import RULES
from hutch.games.tale_of_carrot.board import Step
from hutch.games.tale_of_carrot.card_events import RabbitDrawn, RabbitPlaced
from hutch.games.tale_of_carrot.events import (
    StepBegan,
    SupremeActivated,
    SupremeDeclared,
    TurnBegan,
)
from hutch.games.tale_of_carrot.turn import SEQUENCE
from tests.games.tale_of_carrot.arranging import Game, seat, zone


@pytest.mark.rule("TC-017")
def test_turns_go_clockwise_fallen_players_included() -> None:
    game = Game(active=2, fallen=[3])
    for active in (3, 0, 1):
        game.until("rabbit.place", of=active)
    assert [event.seat for event in game.told(TurnBegan)] == [3, 0, 1]


@pytest.mark.rule("TC-015")
@pytest.mark.rule("TC-017")
def test_the_first_player_has_the_first_turn_once_heroes_are_kept() -> None:
    for number in range(6):
        outcome = deal(RULES, seats=3, options={}, seed=bytes([number]) * 32, at_ms=0)
        assert isinstance(outcome, Outcome)
        live = outcome.live
        for chooser in live.awaited():
            assert live.play_default(chooser) is None
        assert [event for event in live.table.events if isinstance(event, TurnBegan)] == [
            TurnBegan(live.table.board.first, 1)
        ]


@pytest.mark.rule("TC-018")
def test_the_four_phases_come_in_their_order() -> None:
    game = Game(hp={0: 8}, heroes={0: "thief"})
    game.default()
    assert game.asked[1] == "adventure.go"
    game.pick("yes").until("supreme.declare").pick("declare").until("rabbit.place", of=1)
    steps = [event.step for event in game.told(StepBegan)]
    assert steps == [
        Step.CALL,
        Step.TOKENS,
        Step.ADVENTURE,
        Step.TOKENS_AGAIN,
        Step.DECLARATIONS,
        Step.RED_TOKENS,
        Step.SUPREMES,
        Step.ATTACK,
    ]


@pytest.mark.rule("TC-018")
def test_the_sequence_lists_every_step_once_and_in_order() -> None:
    assert [timing.step for timing in SEQUENCE] == list(Step)[1:]


# Invasion


@pytest.mark.rule("TC-019")
def test_the_active_player_draws_one_rabbit_and_places_it_anywhere() -> None:
    game = Game(rabbits=["R33", "R01"], fallen=[3])
    assert len(game.options()) == 8
    game.pick(zone(3, 2))
    assert game.told(RabbitPlaced) == [RabbitPlaced(0, "R33", 7, "", True)]
    assert len(game.told(RabbitDrawn)) == 1


@pytest.mark.rule("TC-020")
def test_replacing_is_a_free_choice_while_other_zones_are_empty() -> None:
    game = Game(rabbits=["R33"], zones={1: ["R02"]})
    assert zone(1) in game.options()
    game.pick(zone(1))
    assert game.told(RabbitPlaced)[0].replaced == "R02"


@pytest.mark.rule("TC-019")
def test_placing_cannot_be_passed() -> None:
    refusal = Game().attempt("pass")
    assert refusal is not None
    assert refusal.sentence == "This question cannot be passed; pick one of its options."


@pytest.mark.rule("TC-013")
def test_an_empty_rabbit_deck_is_renewed_from_its_own_discards() -> None:
    game = Game(deck=[], discards=["R05"])
    assert game.board.held == "R05"
    assert game.board.rabbit_discards == []


@pytest.mark.rule("TC-019")
def test_without_any_rabbit_left_the_invasion_is_skipped() -> None:
    assert Game(deck=[]).asked == (0, "adventure.go")


# Adventure


@pytest.mark.rule("TC-021")
@pytest.mark.rule("TC-022")
def test_the_active_player_may_go_on_one_adventure_or_none() -> None:
    game = Game(step=Step.CALL, adventures=["A01", "A02"])
    game.pick("yes").until("rabbit.place", of=1)
    assert game.board.adventure_discards == ["A01"]
    game = Game(step=Step.CALL)
    game.pick("no").until("rabbit.place", of=1)
    assert game.board.adventure_discards == []


@pytest.mark.rule("TC-022")
def test_without_any_adventure_left_nobody_is_asked_to_go() -> None:
    game = Game(rabbits=["R01"], adventure_deck=[])
    assert game.pick(zone(0)).asked == (0, "tokens")


# Revelation


@pytest.mark.rule("TC-026")
@pytest.mark.rule("TC-031")
@pytest.mark.rule("TC-063")
def test_the_active_player_may_declare_at_or_below_the_heros_number() -> None:
    game = Game(step=Step.DECLARATIONS, heroes={0: "evoker"}, hp={0: 5})
    assert game.options() == ["declare", "pass"]
    game = Game(step=Step.DECLARATIONS, heroes={0: "evoker"}, hp={0: 6})
    assert game.options() == ["pass"]
    refusal = game.attempt("declare")
    assert refusal is not None
    assert refusal.sentence == "The Evoker declares at 5 HP or less, and has 6."


@pytest.mark.rule("TC-027")
@pytest.mark.rule("TC-034")
def test_others_may_declare_in_clockwise_order_even_where_the_active_player_does_not() -> None:
    game = Game(
        step=Step.DECLARATIONS,
        active=2,
        heroes={1: "thief", 3: "evoker"},
        hp={2: 8, 3: 5, 1: 8},
    )
    assert game.asked == (2, "supreme.declare")
    game.pick("pass").pick("declare", by=3).pick("pass", by=1)
    assert [event.seat for event in game.told(SupremeDeclared)] == [3]


@pytest.mark.rule("TC-028")
def test_a_declaration_cannot_be_withdrawn() -> None:
    game = Game(step=Step.DECLARATIONS, heroes={0: "thief"}, hp={0: 8, 1: 8})
    game.pick("declare")
    assert game.asked == (1, "supreme.declare"), "the declarer is not asked again"
    game.until("reserve.tokens")
    assert game.told(SupremeActivated) == [SupremeActivated(0, "thief")]


@pytest.mark.rule("TC-028")
@pytest.mark.parametrize(
    ("hero", "said"), [("thief", "declare"), ("thief", "pass"), ("assassin", "pass")]
)
def test_neither_a_declaration_nor_a_pass_can_be_undone(hero: str, said: str) -> None:
    game = Game(step=Step.DECLARATIONS, heroes={0: hero}, hp={0: 8, 1: 8})
    game.pick(said)
    refusal = game.live.undo(0)
    assert isinstance(refusal, Refusal), "all have heard it"
    assert refusal.reason is Reason.NOT_UNDOABLE
    assert game.asked == (1, "supreme.declare")


@pytest.mark.rule("TC-030")
@pytest.mark.rule("TC-034")
@pytest.mark.rule("TC-059")
def test_declared_supremes_act_clockwise_each_wholly_and_are_revealed_only_then() -> None:
    game = Game(
        step=Step.DECLARATIONS,
        active=3,
        heroes={3: "thief", 0: "priestess"},
        hp={3: 8, 0: 6},
    )
    game.pick("declare").pick("declare")
    game.until("reserve.tokens")
    assert game.asked[0] == 3
    assert [village.revealed for village in game.board.villages] == [False, False, False, True]
    game.pick("damage1").pick("shield")
    assert game.asked[0] == 0
    assert game.board.villages[0].revealed


@pytest.mark.rule("TC-030")
def test_a_declarer_felled_by_an_earlier_supreme_does_not_act() -> None:
    game = Game(
        step=Step.DECLARATIONS,
        heroes={0: "gunslinger", 2: "gunslinger"},
        hp={0: 3, 2: 1},
    )
    game.pick("declare").pick("declare", by=2).until("rabbit.place", of=1)
    assert game.told(SupremeActivated) == [SupremeActivated(0, "gunslinger")]
    assert game.board.villages[2].revealed
    assert game.board.declared == []


@pytest.mark.rule("TC-029")
def test_without_a_declaration_there_is_no_red_window() -> None:
    game = Game(step=Step.DECLARATIONS, hp={0: 5})
    game.pick("pass")
    assert game.asked == (1, "rabbit.place")


@pytest.mark.rule("TC-060")
def test_a_used_supreme_is_not_asked_for_again() -> None:
    game = Game(step=Step.DECLARATIONS, heroes={0: "thief!"}, hp={0: 1, 1: 8})
    assert game.asked == (1, "supreme.declare")


@pytest.mark.rule("TC-066")
def test_a_skull_hero_is_asked_to_declare_like_others_but_can_only_pass() -> None:
    game = Game(step=Step.DECLARATIONS, heroes={0: "assassin"}, hp={0: 3})
    assert game.options() == ["pass"]
    refusal = game.attempt("declare")
    assert refusal is not None
    assert "acts by itself" in refusal.sentence


def test_a_supreme_with_nothing_to_act_on_may_be_declared_and_is_spent() -> None:
    game = Game(step=Step.DECLARATIONS, heroes={0: "evoker"}, hp={0: 5})
    game.pick("declare").until("rabbit.place", of=1)
    assert game.board.villages[0].spent


@pytest.mark.rule("TC-010")
def test_an_unknown_place_or_seat_is_refused_in_a_sentence() -> None:
    game = Game(3)
    refusal = game.attempt("village:5/zone:1")
    assert refusal is not None
    assert "has 3 Villages" in refusal.sentence
    game = Game(3, step=Step.TOKENS, heroes={0: "gunslinger"})
    refusal = game.pick("damage1").attempt(seat(4))
    assert refusal is not None
    assert refusal.sentence == "There is no seat 4; the seats are 0 to 2."


def test_a_place_that_answers_a_question_about_players_is_just_no_option() -> None:
    game = Game(3, step=Step.TOKENS, heroes={0: "gunslinger"}).pick("damage1")
    refusal = game.attempt(zone(1))
    assert refusal is not None
    assert "not among the options" in refusal.sentence
    game = Game(3)
    refusal = game.attempt(seat(1))
    assert refusal is not None
    assert "not among the options" in refusal.sentence
