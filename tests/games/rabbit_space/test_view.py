"""The typed view and events: a client can draw the whole table from them."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import get_args

import pytest
from google.protobuf.message import Message

from hutch.engine.events import Event
from hutch.engine.live import Live
from hutch.engine.prompts import Ask
from hutch.games.rabbit_space import RULES, module_events
from hutch.games.rabbit_space import events as all_events
from hutch.games.rabbit_space.board import Evolution, Mission, Step
from hutch.games.rabbit_space.cards import HOUSE
from hutch.rabbit_space.v1 import rabbit_space_pb2 as pb
from tests.games.rabbit_space.arranging import Game, Seat, at, dealt
from tests.games.rabbit_space.random_games import random_game


def full_table() -> Game:
    return at(
        Step.GIVE_GOLD,
        Seat(
            gold=5,
            carrots=2,
            helmets=3,
            training_center="B01",
            level_1="S1 B02",
            level_2="B12",
            space="B20 B06",
        ),
        Seat(gold=1, level_1="S2"),
        turn=4,
        discard="B30 B31",
    ).offer(0, "1:3")


def test_the_board_shows_where_every_card_lies_and_on_which_side() -> None:
    seat = full_table().view(1).seats[0]

    def shown(zone: object) -> list[tuple[str, pb.Side.ValueType]]:
        return [(placed.card, placed.side) for placed in zone]  # type: ignore[attr-defined]

    assert shown(seat.training_center) == [("B01", pb.SIDE_TRAINEE)]
    assert shown(seat.level_1) == [("S1", pb.SIDE_TRAINEE), ("B02", pb.SIDE_TRAINEE)]
    assert shown(seat.level_2) == [("B12", pb.SIDE_ASTRONAUT)]
    assert shown(seat.space) == [("B20", pb.SIDE_ASTRONAUT), ("B06", pb.SIDE_ASTRONAUT)]


def test_the_board_shows_tracks_piles_plans_and_scores() -> None:
    board = full_table().view(None)
    seat = board.seats[0]

    assert (board.round, board.step, board.competitive) == (4, pb.STEP_GIVE_GOLD, False)
    assert (seat.carrots, seat.gold, seat.helmets) == (2, 5, 3)
    assert (seat.gift.receiver, seat.gift.amount) == (1, 3)
    assert (seat.score, board.team_score) == (14, 14)
    assert list(board.discard_pile) == ["B30", "B31"]
    assert board.draw_pile_size == 88 - 9
    assert [one.ready for one in board.seats] == [False, False]


@pytest.mark.rule("RS-036", "RS-038", "RS-039")
def test_the_board_shows_what_evolutions_lay_beside_it() -> None:
    keeper = Seat(carrots=1, gold=2, mission="MI2", level_1="S1", level_2="SC1")
    sender = Seat(gold=9, level_2="RB1", training_center="B01 B02")
    game = at(Step.SPEND_GOLD, keeper, sender).answer(1, "RB1")

    plain, waiting = game.view(None).seats
    assert (plain.mission_card, waiting.mission_card) == ("MI2", "")
    assert (plain.robot_waits, waiting.robot_waits) == (False, True)

    kept = game.answer(1, "B01").answer(1, "ready").view(None)
    assert [(seat.carrots_kept, seat.gold_kept) for seat in kept.seats] == [(1, 2), (0, 0)]
    assert not kept.seats[1].robot_waits


@pytest.mark.rule("RS-043", "RS-045", "RS-046", "RS-047", "RS-048")
def test_the_board_shows_what_the_mission_lays_beside_it() -> None:
    spender = Seat(carrots=9, training_center="B01")
    shown = {
        mission: at(Step.SPEND_CARROTS, own, Seat(), mission=mission, **more).view(None)
        for mission, own, more in (
            ("", spender, {}),
            ("ceres", spender, {"command_center": "B12"}),
            ("jupiter", replace(spender, warehouse=7), {}),
            ("moon", replace(spender, moon="B12"), {}),
            ("pluto", spender, {"event": "blue", "events": ("green", "blue")}),
            ("venus", replace(spender, station=3, side="B"), {}),
        )
    }

    assert {mission: board.mission for mission, board in shown.items()} == {
        mission: mission for mission in shown
    }
    [placed] = shown["ceres"].command_center
    assert (placed.card, placed.side) == ("B12", pb.SIDE_ASTRONAUT)
    assert shown["jupiter"].seats[0].warehouse == 7
    assert [placed.card for placed in shown["moon"].seats[0].moon] == ["B12"]
    assert (shown["pluto"].event_colour, shown["pluto"].events_left) == ("blue", 2)
    for mission, board in shown.items():
        own, other = board.seats
        assert (own.station, own.station_side) == (("SS3", "B") if mission == "venus" else ("", ""))
        assert (other.station, other.station_side, other.warehouse) == ("", "", 0)


def test_the_board_shows_what_the_cards_produce_with_their_bonuses() -> None:
    # Carrots: B01 1, S1 1, B02 0 and 2 for its colour, B12 2. Helmets: B12 1.
    production = full_table().view(None).seats[0].production

    assert (production.carrots, production.gold, production.helmets) == (6, 0, 1)


def test_every_step_has_its_name_in_the_api() -> None:
    for step in Step:
        assert pb.Step.Name(pb.Step.ValueType(step)) == f"STEP_{step.name}"


EVOLUTIONS = list(get_args(Evolution))
MISSIONS = get_args(Mission)


def kinds_of_event() -> list[type[Event]]:
    known = {**vars(all_events), **vars(module_events)}
    found = [one for one in known.values() if isinstance(one, type)]
    return [one for one in found if issubclass(one, Event) and one is not Event]


@pytest.mark.rule("RS-041")
def test_a_satellite_that_flew_shows_the_only_side_it_has() -> None:
    table = at(Step.SPEND_CARROTS, Seat(space="ST1 B01", moon="ST2 B02"), mission="moon").view(0)

    [own] = table.seats
    for zone in (own.space, own.moon):
        assert [placed.side for placed in zone] == [pb.SIDE_TRAINEE, pb.SIDE_ASTRONAUT]


def test_every_kind_of_event_happens_and_has_a_typed_form() -> None:
    told: dict[type[Event], set[type[Message]]] = {}
    for seed in range(24):
        modules = {"evolutions": EVOLUTIONS, "mission": MISSIONS[seed % 6]} if seed >= 12 else {}
        game = random_game(
            Random(seed), seats=2 + seed % 3, competitive=seed % 2 == 1, leaving=True, **modules
        )
        for event in game.events:
            for seat in (*range(game.seats), None):
                face = event.face(seat)
                assert face is not None
                told.setdefault(type(event), set()).add(type(RULES.tell(face)))

    assert set(told) == set(kinds_of_event())
    assert all(len(kinds) == 1 for kinds in told.values())
    forms = {field.message_type.name for field in pb.Event.DESCRIPTOR.fields}
    assert {kind.__name__ for kinds in told.values() for kind in kinds} == forms


def test_a_stranger_to_the_game_is_no_event() -> None:
    class Rained(Event, frozen=True):
        """It rained."""

    with pytest.raises(TypeError, match="Rained is no event of this game"):
        RULES.tell(Rained())


def test_the_view_is_the_same_whether_a_game_runs_or_was_stored() -> None:
    game = dealt(3)
    game.offer(1, game.options(1)[0])

    stored = Live(RULES, game.record)

    for seat in (0, 1, 2, None):
        assert stored.look(seat) == game.view(seat)


def test_every_topic_has_a_text_and_every_option_points_at_something() -> None:
    asked: dict[str, Ask] = {}
    scientist = at(Step.SPEND_GOLD, Seat(gold=9, level_1="S1", level_2="SC1"), Seat())
    asked["keep"] = scientist.answer(0, "ready").question(0).ask
    for seed in range(24):
        modules = {"evolutions": EVOLUTIONS, "mission": MISSIONS[seed % 6]} if seed >= 6 else {}
        asked |= random_game(Random(seed), seats=3, competitive=False, **modules).asked

    assert set(asked) == set(RULES.topics)
    for ask in asked.values():
        for option in ask.options:
            assert option.points


def test_the_catalogue_lists_every_card_with_a_text_of_its_own() -> None:
    catalogue = RULES.catalogue()

    assert [one.ref for one in catalogue][: len(HOUSE.refs)] == HOUSE.refs
    assert len({one.name for one in catalogue}) == len(catalogue)
    assert all(one.text.startswith("Trainee: ") for one in catalogue[:88])
    assert all(one.text for one in catalogue)
