"""Collaborative missions: one at most, each with its own way to score or to help."""

from __future__ import annotations

import pytest

from hutch.engine.commands import Leave, Undo
from hutch.engine.kernel import deal
from hutch.engine.refusals import Refusal
from hutch.games.rabbit_space import RULES
from hutch.games.rabbit_space.board import Step
from hutch.games.rabbit_space.cards import HOUSE
from hutch.games.rabbit_space.counting import score
from hutch.games.rabbit_space.events import Counted, Promoted
from hutch.games.rabbit_space.missions import SIDES_OF
from hutch.games.rabbit_space.module_events import EventTurnedUp, MissionBegan, StationsDealt
from tests.games.rabbit_space.arranging import SEED, Seat, at, dealt, refs


@pytest.mark.rule("RS-042")
def test_a_game_has_one_mission_or_none() -> None:
    assert dealt(2).told(MissionBegan) == []
    assert dealt(2, mission="moon").told(MissionBegan) == [MissionBegan("moon")]
    refusal = deal(RULES, seats=2, options={"mission": "mars"}, seed=SEED, at_ms=0)
    assert isinstance(refusal, Refusal)


# Ceres


@pytest.mark.rule("RS-043")
def test_a_card_of_level_1_goes_to_the_command_center_for_its_carrots() -> None:
    game = at(Step.SPEND_CARROTS, Seat(carrots=7, level_1="B03 ST1"), Seat(), mission="ceres")
    assert game.options(0) == ["B03", "ready"]
    assert "no Astronaut side" in game.refusal(0, "ST1").sentence
    game.answer(0, "B03")
    assert refs(game.board.command_center) == "B03"
    assert game.seat(0).level_1 == [HOUSE.index["ST1"]]
    assert game.seat(0).carrots == 4


@pytest.mark.rule("RS-043")
def test_a_card_may_be_promoted_and_sent_to_the_command_center_in_one_phase() -> None:
    game = at(Step.SPEND_CARROTS, Seat(carrots=9, training_center="B03"), Seat(), mission="ceres")
    game.answer(0, "B03").answer(0, "B03")
    assert refs(game.board.command_center) == "B03"


@pytest.mark.rule("RS-043")
def test_the_command_center_has_three_slots_for_the_whole_table() -> None:
    game = at(
        Step.SPEND_CARROTS,
        Seat(carrots=9, level_1="B03", training_center="B01"),
        Seat(carrots=9, level_1="B13", training_center="B11"),
        command_center="B21 B22",
        mission="ceres",
    )
    assert "B13" in game.options(1)
    game.answer(0, "B03")
    assert game.options(1) == ["B11", "ready"]
    assert game.refusal(1, "B13").sentence == "All slots of the Command Center are filled."
    poor = Seat(carrots=2, training_center="B01 B20")
    game = at(Step.SPEND_CARROTS, poor, Seat(), command_center="B21 B22 B13", mission="ceres")
    assert game.refusal(0, "B20").sentence == "Nova Rootwell (B20) costs 10 Carrots and you have 2."


@pytest.mark.rule("RS-044")
def test_the_command_center_serves_everybody_without_bonuses_and_scores_nothing() -> None:
    # B25's Astronaut side and a bonus card of the same colour, which pays nothing there.
    card = next(
        ref
        for ref in HOUSE.refs
        if HOUSE.cards[HOUSE.index[ref]].bonus is not None
        and HOUSE.cards[HOUSE.index[ref]].astronaut.gold
    )
    gold = HOUSE.cards[HOUSE.index[card]].astronaut.gold
    game = at(
        Step.SPEND_CARROTS,
        Seat(carrots=9, training_center="B01"),
        Seat(),
        command_center=card,
        mission="ceres",
    )
    game.answer(0, "ready")
    counted = game.told(Counted)[0]
    assert counted.resource == "gold"
    assert counted.amounts == (gold, gold)
    assert score(HOUSE, game.seat(0)) == 0


# Jupiter


@pytest.mark.rule("RS-045")
def test_carrots_in_the_warehouse_are_never_spent_again() -> None:
    game = at(Step.SPEND_CARROTS, Seat(carrots=6), Seat(), mission="jupiter")
    assert game.options(0) == [f"warehouse:{amount}" for amount in range(1, 7)] + ["ready"]
    for amount in (9, 40):
        assert "You have 6 Carrots" in game.refusal(0, f"warehouse:{amount}").sentence
    game.answer(0, "warehouse:4")
    assert (game.seat(0).carrots, game.seat(0).warehouse) == (2, 4)


@pytest.mark.rule("RS-045")
def test_where_gold_is_spent_nothing_is_said_of_carrots_for_the_warehouse() -> None:
    game = at(Step.SPEND_GOLD, Seat(carrots=6, gold=3, level_1="S1"), Seat(), mission="jupiter")
    assert "Warehouse" not in game.refusal(0, "warehouse:3").sentence


@pytest.mark.rule("RS-045")
@pytest.mark.parametrize(
    ("stock", "points"), [(9, 0), (10, 5), (19, 5), (20, 10), (30, 15), (47, 15)]
)
def test_a_stock_scores_the_highest_step_it_reaches(stock: int, points: int) -> None:
    assert score(HOUSE, Seat(warehouse=stock).board()) == points


# Moon


@pytest.mark.rule("RS-046")
def test_a_card_in_space_moves_to_the_moon_for_its_carrots_and_scores_five_more() -> None:
    game = at(Step.SPEND_CARROTS, Seat(carrots=9, space="B12"), Seat(), mission="moon")
    assert score(HOUSE, game.seat(0)) == 6
    game.answer(0, "B12")
    assert refs(game.seat(0).moon) == "B12"
    assert score(HOUSE, game.seat(0)) == 11


@pytest.mark.rule("RS-043", "RS-046")
@pytest.mark.parametrize(
    ("mission", "own"),
    [
        ("ceres", Seat(carrots=3, level_1="B12 B01")),
        ("moon", Seat(carrots=3, space="B12 B01")),
    ],
)
def test_a_card_too_dear_for_the_mission_is_refused_with_its_cost(mission: str, own: Seat) -> None:
    game = at(Step.SPEND_CARROTS, own, Seat(), mission=mission)
    refusal = game.refusal(0, "B12")
    assert refusal.sentence == "Fizz Rootwell (B12) costs 6 Carrots and you have 3."


@pytest.mark.rule("RS-046")
def test_without_the_mission_nothing_moves_to_the_moon() -> None:
    game = at(Step.SPEND_CARROTS, Seat(carrots=9, space="B12", training_center="B01"), Seat())
    assert game.options(0) == ["B01", "ready"]


# Pluto


@pytest.mark.rule("RS-047")
def test_each_round_an_event_is_turned_up_before_the_draw() -> None:
    game = dealt(2, mission="pluto")
    (first,) = game.told(EventTurnedUp)
    assert game.board.event == first.colour
    assert len(game.board.events) == 7
    colours = [first.colour, *reversed(game.board.events)]
    assert sorted(colours) == sorted(["orange", "yellow", "blue", "green"] * 2)
    turned = [first.colour]
    while game.live.result is None:
        turned += [event.colour for event in game.defaults().told(EventTurnedUp)]
    assert turned == colours[:7]


@pytest.mark.rule("RS-047")
def test_cards_of_its_colour_cost_two_less_but_never_below_nothing() -> None:
    seat = Seat(carrots=1, training_center="B01 B03 B21")
    game = at(Step.SPEND_CARROTS, seat, Seat(), mission="pluto", event="orange")
    assert game.options(0) == ["B01", "B03", "ready"]
    game.answer(0, "B01")
    assert game.told(Promoted)[0].cost == 0
    game.answer(0, "B03")
    assert game.told(Promoted)[0].cost == 1
    assert score(HOUSE, Seat(space="B03").board()) == 3, "the value stays"


@pytest.mark.rule("RS-047")
def test_an_event_makes_gold_payments_cheaper_too() -> None:
    game = at(Step.SPEND_GOLD, Seat(gold=4, level_2="B12"), Seat(), mission="pluto", event="orange")
    game.answer(0, "B12")
    assert refs(game.seat(0).space) == "B12"


# Venus


@pytest.mark.rule("RS-048")
def test_everybody_gets_a_station_and_turns_it_once_before_round_1() -> None:
    game = dealt(3, mission="venus")
    (dealt_out,) = game.told(StationsDealt)
    assert len(set(dealt_out.stations)) == 3
    assert game.board.step is Step.TURN_STATIONS
    assert game.awaited == (0, 1, 2)
    assert "card" not in game.refusal(0, "C").sentence
    game.answer(1, "B").answer(0, "A")
    assert game.view(2).seats[1].station_side == "B", "chosen openly"
    game.answer(2, "B")
    assert (game.board.round, game.board.step) == (1, Step.ARRANGE)


@pytest.mark.rule("RS-048")
def test_a_station_is_turned_for_good() -> None:
    game = dealt(2, mission="venus").answer(0, "B")
    assert game.awaited == (1,)
    assert isinstance(game.tried(Undo(0)), Refusal)


@pytest.mark.rule("RS-048")
def test_the_clock_turns_stations_to_the_front() -> None:
    game = dealt(2, mission="venus").defaults()
    assert [game.seat(index).side for index in range(2)] == ["A", "A"]


@pytest.mark.rule("RS-048")
def test_the_station_of_a_player_who_left_shows_its_front() -> None:
    game = dealt(2, mission="venus").do(Leave(0)).answer(1, "B")
    assert [game.seat(index).side for index in range(2)] == ["A", "B"]


@pytest.mark.rule("RS-048")
@pytest.mark.parametrize(
    ("station", "side", "seat", "points"),
    [
        (1, "A", Seat(space="B01 B02 B21"), 4),  # two colours
        (1, "B", Seat(space="B01 B02 B21"), 0),
        (1, "B", Seat(space="B01 B02 B21 B22"), 4),
        (2, "A", Seat(space="B15 B20 B01"), 4),  # 7 and 10
        (2, "B", Seat(space="B01 B07 B20"), 2),  # 2 and 4
        (3, "A", Seat(space="B01 B02 B03 B21 B22"), 6),  # a pair of each colour
        (3, "B", Seat(level_2="B01 B02"), 2),
        (4, "A", Seat(space="B01 B21 B41 B61"), 6),
        (4, "A", Seat(space="B01 B21 B41"), 0),
        (4, "B", Seat(training_center="B12", level_2="S5"), 2),
    ],
)
def test_each_side_of_a_station_scores_in_its_own_way(
    station: int, side: str, seat: Seat, points: int
) -> None:
    own = seat.board()
    assert SIDES_OF[station, side][1](HOUSE, own) == points
    plain = score(HOUSE, own)
    own.station, own.side = station, side
    assert score(HOUSE, own) == plain + points
