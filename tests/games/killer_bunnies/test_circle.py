"""The Bunny Circle and Bunny Triplets: KB-051 to KB-063."""

from __future__ import annotations

import pytest

from hutch.games.killer_bunnies.board import Away, Feed, Roamer
from hutch.games.killer_bunnies.circle import has_triplet, neighbours, opponents, spread
from tests.games.killer_bunnies.arranging import Player, arrange

FREE_AGENT, OTHER_FREE_AGENT, FOUNTAIN = 57, 138, 76


@pytest.mark.rule("KB-051")
@pytest.mark.rule("KB-052")
@pytest.mark.parametrize(("place", "ring"), [(0, [11, 1, 2]), (1, [1, 11, 2]), (2, [1, 2, 11])])
def test_a_new_bunny_goes_left_of_right_of_or_between_its_owners_own(
    place: int, ring: list[int]
) -> None:
    game = arrange(Player(bunnies=(6,)), Player(bunnies=(1, 2), top=11), active=1)

    game.go("flip", "play", f"place:{place}")

    assert game.circle() == [6, *ring]


@pytest.mark.rule("KB-051")
def test_segments_follow_the_seats() -> None:
    game = arrange(Player(bunnies=(1,)), Player(top=11), Player(bunnies=(6,)), active=1)

    game.go("flip", "play")

    assert game.circle() == [1, 11, 6]


@pytest.mark.rule("KB-053")
def test_adjacent_players_sit_left_and_right() -> None:
    board = arrange(Player(), Player(), Player(), Player()).board

    assert (opponents(board, 3)[0], opponents(board, 3)[-1]) == (0, 2)
    two = arrange(Player(), Player()).board
    assert opponents(two, 0) == [1]


@pytest.mark.rule("KB-054")
def test_adjacent_bunnies_are_the_next_ones_whoever_owns_them() -> None:
    board = arrange(Player(bunnies=(1, 2)), Player(bunnies=(6,)), Player(bunnies=(7,))).board

    assert [bunny.card for bunny in neighbours(board, 2)] == [6, 1]
    assert [bunny.card for bunny in neighbours(board, 1)] == [2, 7]


@pytest.mark.rule("KB-055")
def test_spaces_count_on_both_sides_and_every_bunny_once() -> None:
    board = arrange(Player(bunnies=(1, 2)), Player(bunnies=(6, 7)), Player(bunnies=(8,))).board
    assert [(bunny.card, far) for bunny, far in spread(board, 6, 2)] == [
        (6, 0),
        (7, 1),
        (2, 1),
        (8, 2),
        (1, 2),
    ]

    small = arrange(Player(bunnies=(1,)), Player(bunnies=(6,))).board
    assert [(bunny.card, far) for bunny, far in spread(small, 1, 3)] == [(1, 0), (6, 1)]
    lone = arrange(Player(bunnies=(1,)), Player()).board
    assert neighbours(lone, 1) == []


@pytest.mark.rule("KB-056")
def test_a_dead_bunny_takes_everything_on_it_along_but_cyber_bunny() -> None:
    game = arrange(
        Player(bunnies=(1,), top=48),
        Player(bunnies=(6,)),
        Player(bunnies=(7,)),
        Player(),
        under={6: (61,)},
        roamers=(Roamer(54, 3, 6, 5),),
        dice=(1,),
        market_card=60,
    )
    bunny = game.bunny(6)
    game.board.pile.remove(24)
    bunny.feeds.append(Feed(24, 9))
    game.board.pile.remove(46)
    bunny.trojan, bunny.trojan_by = 46, 0
    # A warhead in a ring of three kills all; Clovers give a roll, and 1 is not enough.
    game.go("flip", "play", "bunny:7")

    assert game.circle() == []
    assert {1, 6, 7, 61, 24, 46, 54} <= set(game.board.discards)


@pytest.mark.rule("KB-057")
@pytest.mark.rule("KB-128")
def test_the_fountain_revives_bunnies_of_choice_from_the_discards() -> None:
    game = arrange(Player(hand=(FOUNTAIN,)), Player(), discards=(6, 7, 8), dice=(4, 9, 4, 1, 2)).go(
        f"hand:{FOUNTAIN}", "number:4"
    )
    assert game.options(0) == ["revive:6", "revive:7", "revive:8", "no"]

    game.go("revive:7", "revive:6", "place:0")

    assert game.owners() == {6: 0, 7: 0}
    assert game.circle() == [6, 7]
    assert game.topic(0) == "turn.after"


@pytest.mark.rule("KB-057")
def test_nothing_is_revived_where_no_bunny_is_discarded() -> None:
    game = arrange(Player(hand=(FOUNTAIN,)), Player())

    assert "no bunny in the discards" in game.refusal(0, f"hand:{FOUNTAIN}")


@pytest.mark.rule("KB-058")
@pytest.mark.rule("KB-063")
@pytest.mark.parametrize(
    ("bunnies", "stands"),
    [
        ((1, 2, 3), True),
        ((1, 6, 11), True),
        ((1, 2, 8), False),
        ((1, 2, FREE_AGENT), True),
        ((1, FREE_AGENT, OTHER_FREE_AGENT), True),
        ((1, 7, FREE_AGENT), False),
        ((1, 2), False),
    ],
)
def test_three_of_a_colour_or_a_kind_make_a_triplet(bunnies: tuple[int, ...], stands: bool) -> None:
    board = arrange(Player(bunnies=bunnies), Player(bunnies=(3, 4, 5))).board

    assert has_triplet(board, 0) == stands


@pytest.mark.rule("KB-063")
def test_an_abducted_bunny_is_no_part_of_a_triplet() -> None:
    game = arrange(Player(bunnies=(1, 2), top=69, bottom=70), Player(), away=Away(3, 0))

    game.go("flip", "discard", "close").default()

    assert game.board.active == 1


@pytest.mark.rule("KB-059")
@pytest.mark.rule("KB-061")
def test_a_triplet_made_by_the_first_play_opens_a_second_at_once() -> None:
    game = arrange(Player(bunnies=(1, 2), top=3, bottom=59), Player(), pile=(60,))

    game.go("flip", "play", "place:2", "close", "lay:60")
    assert game.topic(0) == "turn.between"
    game.go("flip", "play", "close").default()

    assert game.board.market_card == 59
    assert game.board.active == 1


@pytest.mark.rule("KB-060")
@pytest.mark.rule("KB-061")
def test_more_triplets_still_give_two_plays_and_the_second_may_be_declined() -> None:
    bunnies = (1, 2, 3, 6, 11)
    game = arrange(Player(bunnies=bunnies, top=59, bottom=60), Player())
    game.go("flip", "play", "close").default()
    assert game.options(0)[0] == "end"

    game.go("flip", "play", "close").default()

    assert game.board.active == 1
    declined = arrange(Player(bunnies=bunnies, top=59, bottom=60), Player())
    declined.go("flip", "play", "close").default().go("end")
    assert declined.board.active == 1


@pytest.mark.rule("KB-062")
def test_a_misfortune_in_the_replacement_may_cost_the_second_play() -> None:
    game = arrange(Player(bunnies=(1, 2, 3), top=59, bottom=60), Player(), pile=(83, 31))

    game.go("flip", "play", "close", "bunny:3", "lay:31")

    assert game.board.active == 1


@pytest.mark.rule("KB-058")
def test_the_second_play_is_lost_with_the_triplet_that_was_traded_away() -> None:
    game = arrange(Player(bunnies=(1, 2, 3), top=59, bottom=60), Player())
    game.go("flip", "play", "close").default()

    game.go("trade", "give:bunny:3").answer(1, "accept")

    assert "flip" not in game.options(0)
    assert "needs a Bunny Triplet" in game.refusal(0, "flip")
