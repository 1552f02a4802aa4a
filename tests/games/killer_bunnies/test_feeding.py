"""Feeding: KB-074 to KB-082, and the deadline as a clock."""

from __future__ import annotations

import pytest

from hutch.engine.deadlines import Deadline
from hutch.games.killer_bunnies import RULES
from hutch.games.killer_bunnies.board import Feed, Roamer
from hutch.games.killer_bunnies.deadlines import FEED_THE_BUNNY
from tests.games.killer_bunnies.arranging import Player, Playing, arrange

FEED_11, FEED_21, GORGE = 24, 25, 127
DANISH, FLO, SUNNY, BAKER = 72, 4, 82, 52


def fed(*players: Player, **more: object) -> Playing:
    """Seat 0 has just put Feed 1/1 on bunny 6 of seat 1."""
    first, *rest = players
    first.top, first.bunnies = FEED_11, first.bunnies or (1,)
    game = arrange(first, *rest, **more)  # type: ignore[arg-type]
    return game.go("flip", "play", "bunny:6")


@pytest.mark.rule("KB-074")
def test_an_unfed_bunny_dies_at_the_end_of_its_owners_next_turn() -> None:
    game = fed(Player(), Player(bunnies=(6,)), Player(bunnies=(7,)))
    game.end_turn()
    assert game.bunny(6).feeds == [Feed(FEED_11, 10)]

    game.end_turn()

    assert game.circle() == [1, 7]
    assert {6, FEED_11} <= set(game.board.discards)


@pytest.mark.rule("KB-074")
def test_the_own_bunny_is_no_target_and_neither_is_a_halo_bunny() -> None:
    game = arrange(Player(bunnies=(1,), top=FEED_11), Player(bunnies=(6, 7)), under={7: (58,)}).go(
        "flip", "play"
    )

    assert game.options(0) == ["bunny:6"]
    assert "opponent's bunny" in game.refusal(0, "bunny:1")
    assert "Heavenly Halo" in game.refusal(0, "bunny:7")


@pytest.mark.rule("KB-074")
@pytest.mark.rule("KB-075")
def test_supplies_bought_in_that_turn_save_it() -> None:
    game = fed(
        Player(),
        Player(bunnies=(6,), dolla=(92, 87, 93, 88)),
        cabbage=(1,),
        water=(2,),
        spent_water=(1,),
    ).end_turn()
    assert "1 Cabbage and 1 Water" in game.refusal(1, f"feed:{FEED_11}")

    game.go("buy:cabbage", "buy:water", f"feed:{FEED_11}")

    assert game.bunny(6).feeds == []
    assert FEED_11 in game.board.discards
    game.end_turn()
    assert 6 in game.circle()


@pytest.mark.rule("KB-075")
def test_units_may_be_got_by_a_deal() -> None:
    game = fed(Player(cabbage=(1,), water=(1,)), Player(bunnies=(6,), dolla=(87,))).end_turn()
    game.answer(1, "trade")
    game.answer(1, "give:dolla", "want:cabbage", "want:water").answer(0, "accept")

    game.answer(1, f"feed:{FEED_11}")

    assert game.bunny(6).feeds == []
    assert game.board.seats[0].dolla == [87]


@pytest.mark.rule("KB-076")
def test_several_feed_cards_on_one_bunny_must_all_be_met() -> None:
    game = fed(Player(), Player(bunnies=(6,), cabbage=(1,), water=(1,)))
    game.board.pile.remove(FEED_21)
    game.bunny(6).feeds.append(Feed(FEED_21, 10))
    game.end_turn()

    game.go(f"feed:{FEED_11}").end_turn()

    assert game.circle() == [1]


@pytest.mark.rule("KB-077")
def test_gorge_is_a_feed_card_for_any_bunny_and_the_sun_takes_it_off() -> None:
    game = arrange(Player(bunnies=(1,), top=GORGE, hand=(SUNNY,)), Player(bunnies=(6,)))
    game.go("flip", "play", "bunny:1")
    assert game.bunny(1).feeds == [Feed(GORGE, 10)]

    game.take(0, f"play:{SUNNY}")

    assert game.bunny(1).feeds == []


@pytest.mark.rule("KB-077")
def test_gorge_on_an_own_bunny_is_not_due_in_the_same_turn() -> None:
    game = arrange(Player(bunnies=(1,), top=GORGE), Player(bunnies=(6,)))
    game.go("flip", "play", "bunny:1").end_turn()
    assert game.circle() == [1, 6]

    game.end_turn().end_turn()

    assert game.circle() == [6]


@pytest.mark.rule("KB-078")
def test_one_feeds_only_in_a_turn_of_ones_own_but_any_bunny() -> None:
    game = fed(Player(cabbage=(1,), water=(1,)), Player(bunnies=(6,), cabbage=(1,), water=(1,)))
    assert "turn of your own" in game.refusal(1, f"feed:{FEED_11}")

    game.answer(0, f"feed:{FEED_11}")

    assert game.bunny(6).feeds == []
    assert game.board.seats[0].cabbage == []


@pytest.mark.rule("KB-079")
def test_a_danish_meets_every_demand_on_any_one_bunny() -> None:
    game = fed(Player(saved=(DANISH,)), Player(bunnies=(6,)))
    game.board.pile.remove(GORGE)
    game.bunny(6).feeds.append(Feed(GORGE, 10))

    game.go(f"saved:{DANISH}", "bunny:6")

    assert game.bunny(6).feeds == []
    assert {FEED_11, GORGE, DANISH} <= set(game.board.discards)
    assert "No bunny has to be fed" in arrange(Player(saved=(DANISH,)), Player()).refusal(
        0, f"saved:{DANISH}"
    )


@pytest.mark.rule("KB-080")
def test_flo_feeds_once_in_a_game_whoever_owns_her_later() -> None:
    game = fed(Player(), Player(bunnies=(6,), carrots=(FLO,))).end_turn()
    game.go("flo:6")
    assert game.bunny(6).feeds == []
    game.board.seats[1].carrots.remove(FLO)
    game.board.seats[0].carrots.append(FLO)

    game.board.pile.remove(FEED_21)
    game.bunny(6).feeds.append(Feed(FEED_21, 10))
    game.end_turn()

    assert "once in a game" in game.refusal(0, "flo:6")


@pytest.mark.rule("KB-081")
def test_forced_feeding_kills_who_has_nothing() -> None:
    game = arrange(
        Player(bunnies=(1,), hand=(66,)), Player(bunnies=(6,), dolla=(98,)), dice=(1, 1, 2, 3, 4)
    )

    game.go("hand:66", "bunny:6")

    assert game.circle() == [1]


@pytest.mark.rule("KB-081")
def test_who_has_the_units_must_feed_and_may_not_buy_out_of_turn() -> None:
    game = arrange(
        Player(bunnies=(1,), hand=(74,)),
        Player(bunnies=(6,), cabbage=(1,), water=(1,), dolla=(98,), carrots=(FLO,)),
        dice=(5,),
    ).go("hand:74", "bunny:6")
    assert game.options(1) == ["pay", "flo"]

    game.answer(1, "pay")

    assert game.circle() == [1, 6]
    assert game.board.seats[1].cabbage == []


@pytest.mark.rule("KB-081")
def test_the_turn_player_may_first_buy_or_play_a_danish() -> None:
    game = arrange(
        Player(bunnies=(1,), hand=(74,), dolla=(92, 87, 93, 88), saved=(DANISH,)),
        Player(),
        cabbage=(2,),
        water=(1,),
        spent_cabbage=(1,),
        dice=(4,),
    ).go("hand:74", "bunny:1")
    assert game.options(0) == ["starve", f"play:{DANISH}", "buy:cabbage", "buy:water"]

    game.go("buy:cabbage", "buy:water", "pay")

    assert game.circle() == [1]
    assert game.board.seats[0].cabbage == [1]


@pytest.mark.rule("KB-081")
@pytest.mark.rule("KB-125")
def test_at_half_price_both_supplies_for_forced_feeding_are_one_purchase() -> None:
    """O-67: 3 and 3 at half price are 3 together, and one after the other 4."""
    game = arrange(
        Player(bunnies=(1,), hand=(74,), dolla=(92, 87)),
        Player(),
        cabbage=(1,),
        water=(1,),
        dice=(4,),
    )
    game.board.half_price = True

    game.go("hand:74", "bunny:1", "buy:cabbage")
    assert game.options(0) == ["pay", "buy:water"]
    game.go("buy:water")

    assert game.topic(0) == "turn.after"
    assert (game.circle(), game.board.seats[0].dolla) == ([1], [])
    assert game.board.spent_cabbage == game.board.spent_water == [1]


@pytest.mark.rule("KB-079")
@pytest.mark.rule("KB-080")
@pytest.mark.rule("KB-081")
@pytest.mark.parametrize("way", [f"play:{DANISH}", "flo"])
def test_a_danish_in_forced_feeding_meets_what_is_pending_as_well(way: str) -> None:
    game = arrange(
        Player(bunnies=(1,), hand=(74,), saved=(DANISH,), carrots=(FLO,)), Player(), dice=(4,)
    )
    game.board.pile.remove(GORGE)
    game.bunny(1).feeds.append(Feed(GORGE, 9))

    game.go("hand:74", "bunny:1", way)

    assert game.bunny(1).feeds == []
    assert GORGE in game.board.discards


@pytest.mark.rule("KB-082")
def test_pending_feed_cards_are_thrown_away_at_the_end() -> None:
    game = arrange(
        Player(bunnies=(1,), top=16), Player(bunnies=(6,), carrots=range(2, 13)), market=(1,)
    )
    game.board.pile.remove(FEED_11)
    game.bunny(6).feeds.append(Feed(FEED_11, 9))

    game.go("flip", "play", "carrot:1")

    assert game.live.result is not None
    assert game.circle() == [1, 6]
    assert FEED_11 in game.board.discards


@pytest.mark.rule("KB-074")
@pytest.mark.rule("KB-109")
def test_in_a_lost_turn_a_feed_card_is_due_at_the_end_of_the_next() -> None:
    game = fed(
        Player(),
        Player(bunnies=(6, 7), lost_turns=(BAKER,)),
        Player(saved=(80,)),
        roamers=(Roamer(54, 1, 7, 5),),
    )
    game.until(2, "window.attack")

    assert (game.board.turn, game.board.active) == (11, 1)
    assert deadline_of(game).turn == 14
    view = RULES.look(game.live.table, 1)
    assert [feed.due_turn for feed in view.circle[1].feeds] == [14]  # type: ignore[attr-defined]


def deadline_of(game: Playing) -> Deadline:
    (found,) = [one for one in game.live.deadlines() if one.cause == FEED_THE_BUNNY]
    return found


@pytest.mark.rule("KB-074")
def test_the_deadline_is_listed_with_its_turn_and_runs_from_the_owners_turn_on() -> None:
    game = fed(Player(), Player(bunnies=(6,)), Player(), limits_ms={"turn": 60_000})
    game.live.run_clocks(1_000)
    waiting = deadline_of(game)
    assert (waiting.seat, waiting.turn, waiting.due_ms) == (1, 11, None)
    assert [point.value for point in waiting.about] == ["0006", "0024"]

    game.end_turn()
    game.live.run_clocks(5_000)

    assert deadline_of(game).due_ms == 65_000
    assert game.live.tick(65_000)
    assert game.circle() == [1]


@pytest.mark.rule("KB-074")
@pytest.mark.rule("KB-109")
def test_a_lost_turn_moves_the_deadline_to_the_next_turn_really_taken() -> None:
    game = fed(Player(), Player(bunnies=(6,), lost_turns=(BAKER,)))
    assert deadline_of(game).turn == 13

    game.end_turn()
    assert (game.board.turn, game.board.active) == (12, 0)
    assert 6 in game.circle()
    game.end_turn().end_turn()

    assert 6 not in game.circle()


@pytest.mark.rule("KB-074")
def test_a_bunny_that_changed_owner_is_due_at_the_end_of_its_new_owners_first_turn() -> None:
    game = fed(Player(), Player(bunnies=(6,)), Player(bunnies=(7,))).end_turn()

    game.answer(1, "trade").answer(1, "player:2").answer(1, "give:bunny:6").answer(2, "accept")
    game.answer(2, "place:0")

    assert game.bunny(6).feeds == [Feed(FEED_11, 11)]
    game.end_turn()
    assert 6 in game.circle()
    game.end_turn()
    assert 6 not in game.circle()


def test_all_pass_on_the_window_before_starvation() -> None:
    game = fed(Player(hand=(33, SUNNY)), Player(bunnies=(6,))).end_turn()
    game.go("no-play", "close")
    while game.topic(1) != "" and not game.topic(0).startswith("window"):
        game.default()
    assert game.topic(0) == "window.end"

    game.answer(0, f"play:{SUNNY}").all_pass()

    assert 6 in game.circle()
