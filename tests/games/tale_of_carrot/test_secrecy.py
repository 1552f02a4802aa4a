"""What is hidden stays hidden, and what all can see is all that a window depends on."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from hutch.engine.kernel import Outcome, deal
from hutch.engine.live import Live
from hutch.engine.prompts import Pick
from hutch.engine.sampling import random_picks
from hutch.games.tale_of_carrot import RULES
from hutch.games.tale_of_carrot.board import Board, Step
from hutch.games.tale_of_carrot.card_events import HandDrawn, RabbitDrawn
from hutch.games.tale_of_carrot.events import HeroesDrawn, HeroKept, TableLaid
from tests.games.tale_of_carrot.arranging import TABLES, Game, everything, zone


@pytest.mark.rule("TC-011")
@pytest.mark.rule("TC-059")
def test_a_hero_face_down_is_seen_by_its_player_alone_and_so_is_the_spare() -> None:
    game = Game(heroes={1: "mage"})
    for viewer in (0, 2, 3, None):
        view: Any = game.live.look(viewer)
        assert view.villages[1].hero == ""
    own: Any = game.live.look(1)
    assert own.villages[1].hero == "mage"
    assert own.own_spare_hero == game.board.villages[1].spare


def test_hidden_cards_have_no_face_for_others() -> None:
    laid = TableLaid(0, ("R01", "R02"), ("A01",), (), 10)
    assert laid.face(0) == laid.face(None) == TableLaid(0, ("", ""), ("",), (), 10)
    for event, shown in (
        (HeroesDrawn(1, ("mage", "thief")), HeroesDrawn(1, ("", ""))),
        (HeroKept(1, "mage"), HeroKept(1, "")),
        (RabbitDrawn(1, "R01"), RabbitDrawn(1, "")),
        (HandDrawn(1, "R01"), HandDrawn(1, "")),
    ):
        assert event.face(1) == event
        assert event.face(0) == event.face(None) == shown


@pytest.mark.rule("TC-079")
def test_the_mages_first_card_is_secret_until_it_was_swapped() -> None:
    game = Game(heroes={1: "mage!"}, hand={1: "R31"}, zones={0: ["R01"]})
    view: Any = game.live.look(0)
    assert (view.villages[1].has_hand, view.villages[1].hand) == (True, "")
    game.pick(zone(2)).pick(zone(0))
    view = game.live.look(0)
    assert view.villages[1].hand == "R01", "everybody saw it taken"


def test_a_drawn_rabbit_is_seen_by_who_drew_it() -> None:
    game = Game(rabbits=["R31"])
    own: Any = game.live.look(0)
    other: Any = game.live.look(1)
    assert (own.held.card, other.held.card) == ("R31", "")
    assert other.held.seat == 0


@pytest.mark.parametrize("step", [Step.TOKENS, Step.RED_TOKENS])
def test_who_is_asked_in_a_window_does_not_depend_on_hidden_heroes(step: Step) -> None:
    def asked(heroes: dict[int, str]) -> list[int]:
        game = Game(
            step=step,
            heroes=heroes,
            slots={1: ["heal2"], 2: []},
        )
        seats = []
        while game.board.step is step:
            seats.append(game.asked[0])
            game.default()
        return seats

    assert (
        asked({1: "priestess", 2: "jester", 3: "archer"})
        == asked({1: "evoker", 2: "thief", 3: "necromancer"})
        == [0, 1, 2, 3]
    )


def test_who_is_asked_to_declare_follows_from_hp_alone() -> None:
    def asked(heroes: dict[int, str]) -> list[int]:
        game = Game(step=Step.DECLARATIONS, heroes=heroes, hp={0: 8, 1: 9, 2: 1, 3: 3})
        seats = []
        while game.board.step is Step.DECLARATIONS:
            seats.append(game.asked[0])
            game.default()
        return seats

    assert (
        asked({0: "jester", 2: "assassin", 3: "paladin"})
        == asked({0: "thief", 2: "shaman", 3: "gondolier"})
        == [0, 2, 3]
    )


@pytest.mark.parametrize("seed", range(12))
def test_an_imagined_world_looks_the_same_to_its_seat_and_fits_what_all_saw(seed: int) -> None:
    rng = Random(seed)
    seats = 3 + seed % 4
    outcome = deal(RULES, seats=seats, options={}, seed=rng.randbytes(32), at_ms=0)
    assert isinstance(outcome, Outcome)
    live = outcome.live
    while live.result is None:
        awaited = min(live.asks)
        live.answer(awaited, live.ask_numbers[awaited], random_picks(live.asks[awaited], rng))
        if rng.random() < 0.1:
            _assert_indistinguishable(live, rng.randrange(seats), rng)


@pytest.mark.rule("TC-011")
def test_a_world_can_be_imagined_while_heroes_are_kept_and_one_who_kept_has_left() -> None:
    outcome = deal(RULES, seats=4, options={"leaving": "forfeit"}, seed=bytes(32), at_ms=0)
    assert isinstance(outcome, Outcome)
    live = outcome.live
    assert live.answer(1, live.ask_numbers[1], (Pick(live.asks[1].options[1].id),)) is None
    live.leave(1)
    for seed in range(8):
        for viewer in (0, None):
            _assert_indistinguishable(live, viewer, Random(seed))


def test_in_imagined_worlds_every_other_seat_may_have_any_hero_that_fits() -> None:
    # Seat 1 used the two stings that only the Jester has; the others used nothing.
    game = Game(heroes={0: "thief", 1: "jester"}, slots={1: ["damage1", "damage1"]})
    rng = Random(7)
    seen: dict[int, set[str]] = {index: set() for index in range(4)}
    for _ in range(200):
        world = Live(RULES, game.live.record())
        world.imagine(0, rng)
        for index, village in enumerate(world.table.board.villages):
            seen[index].add(village.hero)
    assert seen[0] == {"thief"}
    assert seen[1] == {"jester"}
    # All but the own Hero, the own spare and the Jester, who is found out.
    assert len(seen[2]) == len(seen[3]) == 19 - 3


@pytest.mark.rule("TC-079")
def test_a_mages_card_that_can_be_counted_out_is_the_same_in_all_imagined_worlds() -> None:
    # When the deck ran out all other Rabbits were in sight, and the new deck is made of those.
    seen = [ref for ref in TABLES.rabbits if ref not in ("R31", "R32")]
    game = Game(heroes={1: "mage!"}, hand={1: "R31"}, rabbits=["R32"], deck=[], discards=seen)
    game.pick(zone(2)).until("rabbit.place", of=1)
    assert game.board.rabbits, "the deck was made anew"
    for viewer in (0, None):
        for seed in range(8):
            world = Live(RULES, game.live.record())
            world.imagine(viewer, Random(seed))
            assert world.table.board.villages[1].hand == "R31"
    view: Any = game.live.look(0)
    assert view.villages[1].hand == "", "for those to know who count"


def _assert_indistinguishable(live: Live, viewer: int | None, rng: Random) -> None:
    if live.result is not None:
        return
    world = Live(RULES, live.record())
    world.imagine(viewer, rng)
    assert world.look(viewer) == live.look(viewer)
    if viewer is not None:
        assert world.questions(viewer) == live.questions(viewer)
    assert world.awaited() == live.awaited()
    real: Board = live.table.board
    imagined: Board = world.table.board
    assert everything(imagined) == everything(real)
    heroes = [village.hero for village in imagined.villages if village.hero]
    assert len(set(heroes)) == len(heroes)
    while world.result is None:  # and it can be played on
        awaited = min(world.asks)
        ask = world.asks[awaited]
        assert world.answer(awaited, world.ask_numbers[awaited], random_picks(ask, rng)) is None
