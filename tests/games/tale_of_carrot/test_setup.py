"""Components, the deal, and what a table may choose."""

from __future__ import annotations

from typing import Any

import pytest

from hutch.engine.kernel import Outcome, deal
from hutch.engine.live import Live
from hutch.engine.prompts import Pick
from hutch.engine.refusals import Refusal
from hutch.games.tale_of_carrot import RULES
from hutch.games.tale_of_carrot.board import SLOTS, ZONES, Board
from hutch.games.tale_of_carrot.moments import SUPREMES
from hutch.games.tale_of_carrot.setup import Options, hero_pool
from hutch.games.tale_of_carrot.tables import HEROES, RED, TOKENS, WHITE
from tests.games.tale_of_carrot.arranging import SEED, TABLES


def dealt(seats: int, **options: Any) -> Outcome:
    """A fresh game of that many players."""
    outcome = deal(RULES, seats=seats, options=options, seed=SEED, at_ms=0)
    assert isinstance(outcome, Outcome), outcome
    return outcome


def board_of(seats: int, **options: Any) -> Board:
    """The board after the deal."""
    board: Board = dealt(seats, **options).live.table.board
    return board


@pytest.mark.rule("TC-001")
@pytest.mark.rule("TC-004")
@pytest.mark.rule("TC-013")
def test_forty_rabbits_and_thirty_adventures_stand_in_two_decks_of_their_own() -> None:
    board = board_of(4)
    assert sorted(board.rabbits) == sorted(TABLES.rabbits)
    assert sorted(board.adventures) == sorted(TABLES.adventures)
    assert (len(board.rabbits), len(board.adventures)) == (40, 30)
    assert (board.rabbit_discards, board.adventure_discards) == ([], [])


@pytest.mark.rule("TC-002")
@pytest.mark.rule("TC-058")
@pytest.mark.rule("TC-063")
def test_all_nineteen_heroes_have_a_number_three_icons_and_a_supreme() -> None:
    assert set(TABLES.heroes) == set(SUPREMES) == set(HEROES)
    assert len(HEROES) == 19
    for hero in TABLES.heroes.values():
        assert len(hero.icons) == 3
        assert 0 <= hero.hp_to_declare <= 8


@pytest.mark.rule("TC-061")
@pytest.mark.rule("TC-062")
def test_eleven_supremes_are_used_once_and_eight_last() -> None:
    once = [hero.ref for hero in TABLES.heroes.values() if hero.once]
    assert len(once) == 11
    assert len(TABLES.heroes) - len(once) == 8


@pytest.mark.rule("TC-003")
@pytest.mark.rule("TC-009")
@pytest.mark.rule("TC-094")
def test_everybody_gets_a_village_with_two_zones_living_side_up() -> None:
    board = board_of(6)
    assert len(board.villages) == 6
    assert len(board.zones) == 6 * ZONES == 12
    assert not any(village.fallen for village in board.villages)


@pytest.mark.rule("TC-006")
@pytest.mark.rule("TC-010")
def test_everybody_starts_at_ten_hp_for_all_to_see() -> None:
    view = dealt(5).live.look(None)
    assert [village.hp for village in view.villages] == [10] * 5  # type: ignore[attr-defined]


@pytest.mark.rule("TC-005")
@pytest.mark.rule("TC-014")
@pytest.mark.rule("TC-107")
def test_forty_tokens_of_six_types_form_the_supply() -> None:
    supply = board_of(3).supply
    assert list(supply) == list(TOKENS)
    assert sum(supply.values()) == 40
    assert {TABLES.borders[token] for token in TOKENS} == {WHITE, RED}


@pytest.mark.rule("TC-008")
@pytest.mark.rule("TC-014")
@pytest.mark.rule("TC-109")
def test_the_support_cards_are_set_aside() -> None:
    assert TABLES.support == {
        "golemiglio": 10,
        "champion": 1,
        "pizza": 6,
        "holy_grail": 1,
        "knights_cloak": 1,
        "thiefs_bag": 1,
    }
    board = board_of(3)
    assert board.golemiglios == 10
    assert "pizza" not in board.adventures


@pytest.mark.rule("TC-007")
@pytest.mark.rule("TC-012")
@pytest.mark.rule("TC-110")
@pytest.mark.rule("TC-111")
def test_the_catalogue_says_in_words_what_summary_sheets_and_icons_say() -> None:
    cards = {entry.ref: entry for entry in RULES.catalogue()}
    assert {entry.kind for entry in cards.values()} == {
        "rabbit",
        "hero",
        "adventure",
        "token",
        "support",
    }
    assert all(entry.text for entry in cards.values())
    assert cards["assassin"].facts["hp_to_declare"] == "0"
    assert cards["R29"].text == "Left heals 1, own Village 2, right 1."
    assert cards["A21"].text == "Suffer 1 damage. Choose a player: they suffer 2 damage."


@pytest.mark.rule("TC-011")
def test_each_player_draws_two_heroes_and_keeps_one_all_at_once() -> None:
    live = dealt(4).live
    board: Board = live.table.board
    drawn = [list(village.drawn) for village in board.villages]
    assert len({hero for pair in drawn for hero in pair}) == 8
    assert sorted(live.asks) == [0, 1, 2, 3]
    keeps = [0, 1, 1, 0]
    for chooser in (2, 0, 3, 1):
        ask = live.asks[chooser]
        assert [option.id for option in ask.options] == drawn[chooser]
        assert ask.default == (Pick(drawn[chooser][0]),)
        kept = drawn[chooser][keeps[chooser]]
        assert live.answer(chooser, live.ask_numbers[chooser], (Pick(kept),)) is None
    for village, pair, first_or_second in zip(board.villages, drawn, keeps, strict=True):
        assert [village.hero, village.spare] == [pair[first_or_second], pair[1 - first_or_second]]


@pytest.mark.rule("TC-011")
def test_whoever_forfeits_while_heroes_are_kept_keeps_the_first() -> None:
    live = dealt(3, leaving="forfeit").live
    board: Board = live.table.board
    drawn = [list(village.drawn) for village in board.villages]
    live.leave(1)
    for chooser in (0, 2):
        assert live.answer(chooser, live.ask_numbers[chooser], (Pick(drawn[chooser][1]),)) is None
    assert [village.hero for village in board.villages] == [drawn[0][1], drawn[1][0], drawn[2][1]]


@pytest.mark.rule("TC-015")
@pytest.mark.rule("TC-017")
def test_the_first_player_comes_from_the_seed_and_every_seat_can_be_first() -> None:
    firsts = set()
    for number in range(60):
        outcome = deal(RULES, seats=6, options={}, seed=bytes([number]) * 32, at_ms=0)
        assert isinstance(outcome, Outcome)
        firsts.add(outcome.live.table.board.first)
    assert firsts == set(range(6))


@pytest.mark.rule("TC-016")
def test_a_first_game_is_dealt_from_the_short_list() -> None:
    pool = hero_pool(TABLES, 6, Options(heroes="first-game"))
    assert len(pool) == 12
    board = board_of(6, heroes="first-game")
    assert {hero for village in board.villages for hero in village.drawn} == set(pool)


def test_named_heroes_can_be_left_out() -> None:
    without = ["jester", "mage", "princess"]
    board = board_of(6, without=without)
    assert not {hero for village in board.villages for hero in village.drawn} & set(without)


def test_the_jester_can_be_left_out_where_three_play() -> None:
    options = Options(jester_at_three=False)
    assert "jester" not in hero_pool(TABLES, 3, options)
    assert "jester" in hero_pool(TABLES, 4, options)


@pytest.mark.parametrize(
    ("seats", "options", "sentence"),
    [
        (2, {}, "Tale of Carrot: Rise of Hero is for 3 to 6 players, not 2."),
        (7, {}, "Tale of Carrot: Rise of Hero is for 3 to 6 players, not 7."),
        (4, {"without": ["hare"]}, "There is no Hero 'hare' to leave out"),
        (6, {"without": list(HEROES[:8])}, "6 players draw 12 Heroes, and only 11 are left"),
        (4, {"timing": "chess"}, "Invalid enum value 'chess'"),
    ],
)
def test_what_cannot_be_dealt_is_refused_in_a_sentence(
    seats: int, options: dict[str, Any], sentence: str
) -> None:
    refusal = deal(RULES, seats=seats, options=options, seed=SEED, at_ms=0)
    assert isinstance(refusal, Refusal)
    assert sentence in refusal.sentence


@pytest.mark.rule("TC-093")
def test_a_living_village_has_three_slots() -> None:
    assert SLOTS == 3


def test_a_game_goes_on_from_its_record_after_the_deal() -> None:
    outcome = dealt(3)
    assert Live(RULES, outcome.record).look(None) == outcome.live.look(None)
