"""Random games of every size: what must hold whatever is played."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from hutch.engine.kernel import imagined
from hutch.engine.live import Live
from hutch.engine.records import decode_record, encode_record
from hutch.games.rabbit_space import RULES
from hutch.games.rabbit_space.board import HELMETS_AT_START, Board, Options, new_board
from hutch.games.rabbit_space.cards import HOUSE
from hutch.games.rabbit_space.questions import why_not
from tests.games.rabbit_space.arranging import BASE, zones_of
from tests.games.rabbit_space.random_games import Played, random_game

MODES = [(seats, mode) for seats in (1, 2, 3, 4) for mode in (False, True) if seats > 1 or not mode]
RECORD_BYTES = 1024


def a_game(seats: int, competitive: bool, seed: int, *, leaving: bool = False) -> Played:
    print(f"seed {seed}")
    return random_game(Random(seed), seats=seats, competitive=competitive, leaving=leaving)


def boards_of(game: Played) -> list[Board]:
    return [Live(RULES, decode_record(data)).table.board for data in game.records]


@pytest.mark.parametrize(("seats", "competitive"), MODES)
def test_no_card_is_lost_or_doubled(seats: int, competitive: bool) -> None:
    for board in boards_of(a_game(seats, competitive, seed=seats)):
        piles = [board.pile, board.discard, board.aside]
        lying = [zone for own in board.seats for zone in zones_of(own)] + piles
        counted = Counter([card for zone in lying for card in zone])
        assert counted == Counter(BASE)


@pytest.mark.parametrize(("seats", "competitive"), MODES)
def test_tracks_stay_on_the_board_and_training_centers_within_the_helmets(
    seats: int, competitive: bool
) -> None:
    for board in boards_of(a_game(seats, competitive, seed=10 + seats)):
        for own in board.seats:
            assert 0 <= own.carrots <= 20
            assert 0 <= own.gold <= 20
            assert HELMETS_AT_START <= own.helmets <= 7


@pytest.mark.parametrize(("seats", "competitive"), MODES)
def test_the_board_is_what_its_events_made_of_it(seats: int, competitive: bool) -> None:
    game = a_game(seats, competitive, seed=20 + seats, leaving=seats > 1)

    board = new_board(seats, Options())
    for event in game.events:
        event.apply(board)

    assert board == game.live.table.board


@pytest.mark.parametrize(("seats", "competitive"), MODES)
def test_the_result_is_what_lies_in_space(seats: int, competitive: bool) -> None:
    game = a_game(seats, competitive, seed=30 + seats)

    result = game.live.result
    assert result is not None
    board = game.live.table.board
    scores = [sum([HOUSE.values[card] for card in own.space]) for own in board.seats]
    assert list(result.scores) == scores
    if competitive:
        assert [scores[seat] for seat in result.winners] == [max(scores)] * len(result.winners)
    else:
        assert result.team == sum(scores)


@pytest.mark.parametrize("competitive", [False, True])
def test_a_record_of_4_players_stays_below_a_kilobyte(competitive: bool) -> None:
    sizes = [len(data) for seed in range(5) for data in a_game(4, competitive, seed=seed).records]

    assert max(sizes) <= RECORD_BYTES


@pytest.mark.parametrize(("seats", "competitive"), MODES)
def test_few_inputs_are_replayed(seats: int, competitive: bool) -> None:
    game = a_game(seats, competitive, seed=40 + seats, leaving=seats > 1)

    longest = max([len(decode_record(data).inputs) for data in game.records])
    assert longest <= RULES.replay_bound


def test_the_replay_bound_holds_for_those_who_cannot_decide() -> None:
    game = random_game(Random(7), seats=4, competitive=False, offers=0.97)

    longest = max([len(decode_record(data).inputs) for data in game.records])
    assert 40 < longest <= RULES.replay_bound


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_what_a_rival_may_not_see_changes_nothing_it_sees(seats: int) -> None:
    game = a_game(seats, True, seed=50 + seats)
    rng = Random(seats)

    worlds_apart = 0
    for data in rng.sample(game.records, 40):
        live = Live(RULES, decode_record(data))
        for seat in (*range(seats), None):
            world = imagined(RULES, decode_record(data), seat, rng)
            assert world.look(seat) == live.look(seat)
            assert world.awaited() == live.awaited()
            if seat is not None:
                assert world.questions(seat) == live.questions(seat)
            worlds_apart += world.table.board != live.table.board
    assert worlds_apart > 30


def test_a_question_is_refused_with_a_sentence_for_every_card_it_does_not_list() -> None:
    game = a_game(3, False, seed=60)

    for data in Random(60).sample(game.records, 60):
        live = Live(RULES, decode_record(data))
        for seat, ask in live.asks.items():
            listed = [option.id for option in ask.options]
            for ref in HOUSE.refs:
                if ref not in listed:
                    assert why_not(HOUSE, live.table, seat, ask, ref).endswith(".")


def test_a_stored_game_goes_on_as_if_it_had_never_stopped() -> None:
    game = a_game(3, False, seed=70)

    for data in game.records:
        assert encode_record(Live(RULES, decode_record(data)).record()) == data
