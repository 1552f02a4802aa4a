"""Worlds that a seat imagines while others choose: nothing in them tells the true cards."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from hutch.engine.live import Live
from hutch.engine.prompts import picks
from hutch.games.killer_bunnies.board import Seat
from hutch.games.killer_bunnies.events.goods import TradeOffered
from hutch.games.killer_bunnies.printed import CARDS
from tests.games.killer_bunnies.arranging import ANSWERS, Player, Playing, arrange

WHISK, SPATULA, REUSABLES, EXCHANGE, ROTATE = 31, 80, 81, 149, 150
WORLDS = 40


def worlds(game: Playing, seat: int) -> Iterator[Live]:
    """Worlds that the seat cannot tell from the game."""
    for seed in range(WORLDS):
        world = game.live.fork()
        world.imagine(seat, Random(seed))
        yield world


def answer(world: Live, seat: int, option: str) -> None:
    """Answer in such a world."""
    ask = world.asks[seat]
    found = next(one for one in ask.options if one.id == option)
    assert world.answer(seat, world.ask_numbers[seat], picks(found.id)) is None


def place(world: Live, seat: int) -> Seat:
    """That player's place in the world."""
    found: Seat = world.table.board.seats[seat]
    return found


def test_in_a_window_others_play_what_they_hold_there() -> None:
    game = arrange(
        Player(bunnies=(1,), top=WHISK), Player(bunnies=(6,), hand=(SPATULA,)), Player()
    ).go("flip", "play", "bunny:6")
    held = set()

    for world in worlds(game, 2):
        plays = [option.id for option in world.asks[1].options if option.id != "pass"]
        assert all(int(play.removeprefix("play:")) in place(world, 1).hand for play in plays)
        held.add(SPATULA in place(world, 1).hand)
        for play in plays:
            answer(world, 1, play)

    assert held == {False, True}


def test_who_offers_hand_cards_offers_those_he_holds_there() -> None:
    game = arrange(Player(hand=(33, 34)), Player(), Player()).answer(0, "trade")
    game.answer(0, "player:1").answer(0, "give:hand:33", "give:hand:34")
    assert game.topic(0) == "trade.wish"

    for world in worlds(game, 2):
        answer(world, 0, "wish:anything")
        (offered,) = [one for one in world.forget_events() if isinstance(one, TradeOffered)]
        assert offered.hand == place(world, 0).hand[:2]


def test_what_is_exchanged_is_what_lies_there_in_the_hand() -> None:
    game = arrange(
        Player(bunnies=(1,), hand=(EXCHANGE, 33)), Player(hand=(48, 16, 45)), Player()
    ).go(f"hand:{EXCHANGE}", "player:1", "take:45")

    for world in worlds(game, 2):
        taken = place(world, 1).hand[2]
        give = world.asks[0].options[0].id

        answer(world, 0, give)

        assert taken in place(world, 0).hand


@pytest.mark.rule("KB-152")
def test_who_was_shown_all_weapons_of_a_hand_imagines_no_more_of_them_there() -> None:
    game = arrange(
        Player(bunnies=(1,), hand=(EXCHANGE, 33)), Player(hand=(48, 16, 45)), Player()
    ).go(f"hand:{EXCHANGE}", "player:1")

    for world in worlds(game, 0):
        weapons = [card for card in place(world, 1).hand if CARDS[card].kind == "weapon"]
        assert weapons == [48, 45]


@pytest.mark.rule("KB-152")
@pytest.mark.parametrize("seat", [1, 2])
def test_who_exchanges_weapons_holds_one_in_every_world_though_the_pile_has_none(seat: int) -> None:
    game = arrange(
        Player(bunnies=(1,), hand=(EXCHANGE, 33)),
        Player(hand=(48, 16, 45)),
        Player(),
        empty_pile=True,
    ).go(f"hand:{EXCHANGE}", "player:1", "take:45")

    for world in worlds(game, seat):
        weapons = [card for card in place(world, 0).hand if CARDS[card].kind == "weapon"]
        assert [option.id for option in world.asks[0].options] == [f"give:{w}" for w in weapons]
        assert weapons


def test_reusables_are_replaced_if_they_came_from_the_hand_there() -> None:
    game = arrange(
        Player(bunnies=(1,), top=45), Player(bunnies=(6, 7)), Player(hand=(REUSABLES,)), dice=(12,)
    ).go("flip", "play", "bunny:6")
    assert game.topic(0) == "weapon.again"
    played = 0

    for world in worlds(game, 1):
        if len(world.asks[0].options) > 1:
            answer(world, 0, f"play:{REUSABLES}")
            while "turn.after" not in [ask.topic for ask in world.asks.values()]:
                world.play_default(min(world.asks))
            assert len(place(world, 0).hand) == 5
            played += 1

    assert played


@pytest.mark.rule("KB-154")
def test_who_passed_a_top_run_card_on_knows_it_until_it_is_flipped_or_another_slides_up() -> None:
    game = arrange(
        Player(hand=(ROTATE,), top=33, bottom=34),
        Player(top=35, bottom=36),
        Player(top=37, bottom=38),
    ).go(f"hand:{ROTATE}")

    assert {place(world, 2).top for world in worlds(game, 0)} == {33}
    assert {place(world, 1).top for world in worlds(game, 2)} == {37}
    assert len({place(world, 1).top for world in worlds(game, 0)}) > 1, "he never saw that one"
    game.end_turn().end_turn().until(2, "run.bottom")
    assert len({place(world, 2).top for world in worlds(game, 0)}) > 1, "another has slid up"


@pytest.mark.rule("KB-023")
def test_cards_that_all_saw_go_into_the_new_pile_are_in_no_hand_held_since_before() -> None:
    game = arrange(
        Player(top=WHISK),
        Player(hand=(33, 34, 35), top=48, bottom=45),
        discards=(36, 37, 38, 39),
        spent_dolla=(87,),
        empty_pile=True,
    ).go("flip", "close")
    before = {*place(game.live, 1).hand, 48, 45}
    (drawn,) = set(place(game.live, 0).hand) & {WHISK, *range(36, 40), *ANSWERS}
    seen = set()

    for world in worlds(game, 0):
        rival = place(world, 1)
        assert {*rival.hand, rival.top, rival.bottom} == before
        assert drawn in place(world, 0).hand
        seen.add((rival.top, tuple(world.table.board.pile)))

    assert len(seen) > 1, "all else is still unknown"


@pytest.mark.rule("KB-026")
@pytest.mark.parametrize("newest", [True, False])
def test_worlds_do_not_tell_whether_a_run_card_was_drawn_before_or_after_the_reshuffle(
    newest: bool,
) -> None:
    game = arrange(
        Player(),
        Player(hand=(33, 34, 35, 16, 17), top=WHISK, bottom=45),
        discards=(36, 37, 38, 39),
        active=1,
        empty_pile=True,
    ).go("flip", "close")
    new = {WHISK, *range(36, 40), *ANSWERS}
    (drawn,) = new.intersection(place(game.live, 1).hand)
    game.go(f"lay:{drawn if newest else 33}")
    in_run = set()

    for world in worlds(game, 0):
        rival = place(world, 1)
        assert len(new.intersection((*rival.hand, rival.bottom))) == 1
        assert rival.top not in new, "it lay there before the reshuffle"
        in_run.add(rival.bottom in new)

    assert in_run == {False, True}
