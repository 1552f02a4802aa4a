"""Card types and the pink box: KB-034 to KB-050."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from hutch.games.killer_bunnies.board import Away, Roamer
from hutch.games.killer_bunnies.circle import find
from hutch.games.killer_bunnies.printed import CARDS
from tests.games.killer_bunnies.arranging import Player, arrange

SUNNY, SUIT, REVERSAL, SPATULA = 82, 151, 152, 80
HALO, MISFORTUNE = 58, 83
FIELDS = Path(__file__).with_name("cards.csv")


def printed_facts() -> list[dict[str, str]]:
    with FIELDS.open() as file:
        return list(csv.DictReader(file))


@pytest.mark.rule("KB-034")
def test_a_run_card_goes_through_the_run_cycle_and_is_never_saved() -> None:
    game = arrange(Player(bunnies=(6,), hand=(1,), top=31), Player(bunnies=(7,)))
    assert "run cycle" in game.refusal(0, "hand:1")

    game.go("flip")

    assert "save" not in game.options(0)
    assert "never saved" in game.refusal(0, "save")


@pytest.mark.rule("KB-035")
def test_a_pink_special_may_be_saved_without_a_bunny() -> None:
    game = arrange(Player(top=66), Player(bunnies=(7,))).go("flip")
    assert game.options(0) == ["save", "discard"]
    assert "pink box" in game.refusal(0, "play")

    game.go("save")

    assert game.board.seats[0].saved == [66]


@pytest.mark.rule("KB-036")
def test_a_special_may_be_played_from_the_hand_instead_of_the_flip() -> None:
    game = arrange(Player(hand=(68,), top=31), Player()).go("hand:68")

    assert len(game.board.seats[0].cabbage) == 2
    assert game.board.seats[0].top == 31
    assert game.topic(0) == "turn.after"


@pytest.mark.rule("KB-037")
def test_a_special_cannot_be_saved_straight_from_the_hand() -> None:
    game = arrange(Player(hand=(68,), top=31), Player())

    assert "discard:68" in game.options(0)
    assert "Only the run cycle saves" in game.refusal(0, "save:68")


@pytest.mark.rule("KB-038")
def test_a_special_is_played_in_its_owners_turn_alone() -> None:
    game = arrange(Player(top=31), Player(saved=(68,)))

    assert "own turn" in game.refusal(1, "saved:68")
    assert "answers only where it lies saved" in arrange(
        Player(hand=(145,), top=31), Player()
    ).refusal(0, "play:145")


@pytest.mark.rule("KB-034")
@pytest.mark.rule("KB-038")
@pytest.mark.parametrize(
    ("card", "sentence"), [(72, "in your own turn"), (45, "must go through the run cycle")]
)
def test_only_cards_for_any_time_are_played_at_any_time(card: int, sentence: str) -> None:
    game = arrange(Player(bunnies=(1,), top=31), Player(bunnies=(6,), hand=(card,)))

    assert sentence in game.refusal(1, f"play:{card}")


@pytest.mark.rule("KB-039")
@pytest.mark.rule("KB-040")
def test_a_very_special_is_played_in_anybodys_turn_and_is_no_turn() -> None:
    game = arrange(Player(bunnies=(1,), top=24), Player(bunnies=(6,), hand=(SUNNY,)))
    game.go("flip", "play", "bunny:6")
    assert game.offers(1) == [f"play:{SUNNY}", "trade:0"]
    assert "no turn" in arrange(Player(hand=(SUNNY,), top=31), Player()).refusal(0, f"hand:{SUNNY}")

    game.take(1, f"play:{SUNNY}")

    assert game.bunny(6).feeds == []
    assert len(game.board.seats[1].hand) == 5
    assert game.board.active == 0
    assert game.topic(0) == "turn.after"


@pytest.mark.rule("KB-039")
def test_a_very_special_flipped_and_played_uses_up_the_play() -> None:
    game = arrange(Player(bunnies=(1,), top=SUIT), Player()).go("flip", "play", "bunny:1")

    assert game.bunny(1).under == [SUIT]
    assert game.topic(0) == "turn.after"


@pytest.mark.rule("KB-042")
def test_play_immediately_cards_are_never_held() -> None:
    assert all(
        CARDS[card].type == "play_immediately" and not CARDS[card].savable
        for card in (83, 84, 85, 86, 153, 154)
    )


@pytest.mark.rule("KB-043")
def test_the_roaming_red_run_cards_are_cyber_bunny_and_ebola() -> None:
    red = {card.name for card in CARDS.values() if card.type == "roaming_red_run"}

    assert red == {"Cyber Bunny", "The Ebola Virus"}


@pytest.mark.rule("KB-044")
@pytest.mark.rule("KB-045")
def test_without_a_bunny_a_flipped_pink_run_card_is_discarded() -> None:
    game = arrange(Player(top=31), Player(bunnies=(6,))).go("flip")

    assert 31 in game.board.discards
    assert game.topic(0) == "turn.after"


@pytest.mark.rule("KB-044")
@pytest.mark.rule("KB-045")
@pytest.mark.rule("KB-047")
@pytest.mark.parametrize("card", [31, 24, 46, 47, 49, 54, 55, 74, 52, 144])
@pytest.mark.parametrize("left", [(), (2,)], ids=["no bunny", "a Halo bunny"])
def test_who_loses_his_last_bunny_before_he_aims_has_no_use_of_a_pink_card(
    card: int, left: tuple[int, ...]
) -> None:
    game = arrange(
        Player(bunnies=(1, *left), top=card),
        Player(hand=(SUIT,), carrots=(4,)),
        Player(bunnies=(6, 7), carrots=(5,)),
        pile=(MISFORTUNE,),
        under={2: (HALO,)} if left else {},
    ).go("flip", "play")
    aim = game.options(0)

    game.take(1, f"play:{SUIT}").go("bunny:6", "bunny:1")

    assert game.options(0) not in (aim, [])
    game.refusal(0, aim[-1])
    game.default()
    assert game.topic(0) == "turn.after"
    assert card in game.board.discards
    assert game.circle() == [*left, 6, 7]


@pytest.mark.rule("KB-044")
def test_who_lost_his_last_bunny_is_told_why_he_cannot_aim() -> None:
    game = arrange(
        Player(bunnies=(1,), top=31),
        Player(hand=(SUIT,)),
        Player(bunnies=(6,)),
        pile=(MISFORTUNE,),
    ).go("flip", "play")
    game.take(1, f"play:{SUIT}").go("bunny:6", "bunny:1")

    assert "you need a bunny in the circle" in game.refusal(0, "bunny:6")


@pytest.mark.rule("KB-044")
def test_without_a_bunny_a_pink_special_or_interrupt_cannot_be_played() -> None:
    game = arrange(Player(hand=(66,), saved=(67,), top=31), Player(bunnies=(6,)))

    assert "pink box" in game.refusal(0, "hand:66")
    assert "pink box" in game.refusal(0, "saved:67")


@pytest.mark.rule("KB-046")
@pytest.mark.rule("KB-050")
def test_pink_boxes_and_aggression_are_as_printed() -> None:
    rows = printed_facts()
    assert len(rows) == 165
    for row in rows:
        card = CARDS[int(row["id"])]
        assert card.pink == (row["pink_box"] == "yes"), card.name
        assert card.aggressive == (row["aggressive"] == "yes"), card.name
        assert card.type == row["type"], card.name
        assert card.level == int(row["level"] or 0), card.name
        assert (card.cabbage, card.water) == (int(row["cabbage"]), int(row["water"])), card.name
        assert card.any_bunny == (row["any_bunny"] == "yes"), card.name
    choices = [card for card in CARDS.values() if card.pink and not card.aggressive]
    assert {card.kind for card in choices} == {"carrot_choice"}


@pytest.mark.rule("KB-047")
def test_a_lone_halo_bunny_bars_aggression_but_not_carrots() -> None:
    halo = {1: (58,)}
    weapon = arrange(Player(bunnies=(1,), top=31, saved=(66,)), Player(bunnies=(6,)), under=halo)
    assert "Heavenly Halo" in weapon.refusal(0, "saved:66")
    weapon.go("flip")
    assert 31 in weapon.board.discards

    carrot = arrange(Player(bunnies=(1,), top=16), Player(bunnies=(6,)), under=halo)
    carrot.go("flip", "play", "carrot:7")
    assert carrot.board.seats[0].carrots == [7]


@pytest.mark.rule("KB-048")
@pytest.mark.parametrize("card", [31, 16])
def test_with_only_an_abducted_bunny_neither_aggression_nor_carrots(card: int) -> None:
    game = arrange(Player(top=card, saved=(66,)), Player(bunnies=(6,)), away=Away(1, 0))
    assert "abducted" in game.refusal(0, "saved:66")

    game.go("flip")

    assert card in game.board.discards


@pytest.mark.rule("KB-049")
def test_a_hungry_bunny_still_lets_its_owner_attack() -> None:
    game = arrange(Player(bunnies=(1,), top=24), Player(bunnies=(6,), top=31), dice=(2,))
    game.go("flip", "play", "bunny:6").end_turn()
    assert game.bunny(6).feeds

    game.go("flip", "play", "bunny:1")

    assert game.circle() == [1, 6]


def test_a_roamer_waits_for_the_spatula_at_any_decision() -> None:
    game = arrange(
        Player(top=31),
        Player(bunnies=(6,), hand=(SPATULA,)),
        roamers=(Roamer(54, 0, 6, 5),),
    )
    assert find(game.board, 6) is not None

    game.take(1, f"play:{SPATULA}")

    assert game.board.roamers == []
    assert {54, SPATULA} <= set(game.board.discards)
