"""What was laid down and let go is not taken back: KB-032."""

from __future__ import annotations

import pytest

from hutch.engine.refusals import Reason, Refusal
from hutch.games.killer_bunnies.board import Feed, Roamer
from tests.games.killer_bunnies.arranging import Player, arrange

TROJAN, EBOLA, CYBER = 46, 47, 54
SUNNY, REUSABLES = 82, 81


@pytest.mark.rule("KB-032")
def test_what_was_laid_down_cannot_be_taken_back() -> None:
    game = arrange(Player(top=31, bottom=32), Player()).go("flip")

    refusal = game.live.undo(0)

    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.NOT_UNDOABLE


@pytest.mark.rule("KB-032")
@pytest.mark.parametrize(
    ("card", "steps"), [(45, ("bunny:6",)), (49, ("bunny:6",)), (64, ("player:1",))]
)
def test_a_card_on_its_target_cannot_be_taken_back_while_others_may_answer(
    card: int, steps: tuple[str, ...]
) -> None:
    other = Player(bunnies=(6,), saved=(80, 145), cabbage=(5,))
    game = arrange(Player(bunnies=(1,), top=card), other).go("flip", "play", *steps)
    assert game.topic(1).startswith("window.")

    refusal = game.live.undo(0)

    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.NOT_UNDOABLE


@pytest.mark.rule("KB-032")
def test_a_saved_suit_cannot_be_taken_back_from_its_bunny() -> None:
    game = arrange(Player(bunnies=(1,), top=45), Player(bunnies=(6,), saved=(151, 80)))
    game.go("flip", "play", "bunny:6").answer(1, "play:151").answer(1, "bunny:6")
    assert game.topic(1) == "window.launch"

    assert isinstance(game.live.undo(1), Refusal)


@pytest.mark.rule("KB-032")
@pytest.mark.parametrize(("own", "placed"), [((1,), ("place:1",)), ((), ())])
def test_a_bunny_in_its_place_stays_there_while_the_next_is_revived(
    own: tuple[int, ...], placed: tuple[str, ...]
) -> None:
    game = arrange(Player(bunnies=own, hand=(76,)), Player(), discards=(2, 3), dice=(4, 4, 1, 2, 3))
    game.go("hand:76", "number:4", "revive:2", *placed)
    assert game.topic(0) == "bunny.revive"

    assert isinstance(game.live.undo(0), Refusal)


@pytest.mark.rule("KB-032")
def test_a_clover_that_black_cat_laid_stays_while_the_next_is_laid() -> None:
    game = arrange(
        Player(bunnies=(1,), top=53), Player(bunnies=(6,)), under={6: (61, 62)}, dice=(3,)
    )
    game.go("flip", "play", "bunny:6", "bunny:1")
    assert game.topic(0) == "clovers.lay"

    assert isinstance(game.live.undo(0), Refusal)


@pytest.mark.rule("KB-032")
@pytest.mark.rule("KB-151")
def test_the_minilith_that_was_thrown_away_stays_so() -> None:
    game = arrange(Player(bunnies=(1,), top=45, saved=(147,)), Player(bunnies=(6,)))
    game.go("flip", "play").take(0, "drop:147")
    assert game.topic(0) == "weapon.target"

    assert isinstance(game.live.undo(0), Refusal)


@pytest.mark.rule("KB-032")
@pytest.mark.rule("KB-156")
def test_a_trade_that_was_made_stays_made_while_its_bunnies_find_their_places() -> None:
    game = arrange(Player(bunnies=(1,), dolla=(98,)), Player(bunnies=(6,)))
    game.answer(0, "trade").answer(0, "give:dolla", "want:bunny:6").answer(1, "accept")
    assert game.topic(0) == "bunny.place"

    assert isinstance(game.live.undo(1), Refusal)


@pytest.mark.rule("KB-032")
@pytest.mark.rule("KB-132")
def test_a_flipped_sunny_day_has_shone_while_ebolas_launcher_is_asked() -> None:
    game = arrange(
        Player(bunnies=(1,), top=SUNNY),
        Player(bunnies=(6,), saved=(REUSABLES,)),
        roamers=[Roamer(EBOLA, 1, 1, 5)],
    )
    game.go("flip", "play")
    assert game.topic(1) == "weapon.again"

    assert isinstance(game.live.undo(0), Refusal)


@pytest.mark.rule("KB-032")
@pytest.mark.rule("KB-074")
def test_who_let_a_bunny_starve_cannot_feed_it_while_its_trojan_comes_back() -> None:
    game = arrange(
        Player(bunnies=(1, 2), top=59, saved=(SUNNY,)),
        Player(bunnies=(6,), saved=(REUSABLES,)),
    )
    for card in (24, TROJAN):
        game.board.pile.remove(card)
    game.bunny(1).feeds.append(Feed(24, 5))
    game.bunny(1).trojan, game.bunny(1).trojan_by = TROJAN, 1
    game.until(0, "window.end").answer(0, "pass")
    assert game.topic(1) == "weapon.again"
    assert game.circle() == [2, 6]

    assert isinstance(game.live.undo(0), Refusal)


@pytest.mark.rule("KB-032")
@pytest.mark.rule("KB-138")
def test_the_last_pass_of_an_auction_stands_once_the_bunny_is_paid() -> None:
    game = arrange(
        Player(bunnies=(1,), top=135, dolla=(87,)), Player(bunnies=(6,), dolla=(92,))
    ).go("flip", "play", "bunny:6", "bid:1", "pass")
    assert game.topic(0) == "bunny.place"

    assert isinstance(game.live.undo(1), Refusal)


@pytest.mark.rule("KB-032")
@pytest.mark.rule("KB-120")
def test_who_let_his_die_stand_cannot_roll_again_once_the_stakes_go_over() -> None:
    game = arrange(
        Player(bunnies=(1,), top=65, dolla=(87,)),
        Player(bunnies=(6,), dolla=(92,)),
        dice=(3, 7),
    ).go("flip", "play", "player:1")
    game.answer(0, "dolla", "bunnies").answer(0, "no")
    assert game.topic(1) == "bunny.place"

    assert isinstance(game.live.undo(0), Refusal)
