"""Whole games: what holds at every moment, and that everything is played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from hutch.bots import random_play
from hutch.bots.strategy import Sight, Strategy
from hutch.bots.tale_of_carrot import greedy
from hutch.engine.commands import Submit
from hutch.engine.kernel import Outcome, deal, resolve
from hutch.engine.live import Live
from hutch.engine.records import decode_record, encode_record
from hutch.engine.sampling import random_picks
from hutch.games.tale_of_carrot import REPLAY_BOUND, RULES
from hutch.games.tale_of_carrot.board import MOST_HP, Board
from hutch.games.tale_of_carrot.card_events import AdventureDrawn
from hutch.games.tale_of_carrot.events import GameWon, SupremeActivated, TokenTaken
from hutch.games.tale_of_carrot.tables import HEROES
from hutch.games.tale_of_carrot.turn import LAST_TURN
from tests.games.tale_of_carrot.arranging import TABLES, everything

#: Longer than any game of random play may take: a game has a bounded number of turns.
MOST_DECISIONS = 20_000
MOST_RECORD_BYTES = 1536


def dealt(seats: int, seed: int, **options: Any) -> Live:
    """A fresh live game."""
    outcome = deal(RULES, seats=seats, options=options, seed=Random(seed).randbytes(32), at_ms=0)
    assert isinstance(outcome, Outcome), outcome
    return outcome.live


def played(live: Live, rng: Random) -> Iterator[Live]:
    """Random play to the end; the game at each of its questions."""
    for _ in range(MOST_DECISIONS):
        if live.result is not None:
            return
        yield live
        awaited = rng.choice(sorted(live.asks))
        ask = live.asks[awaited]
        assert live.answer(awaited, live.ask_numbers[awaited], random_picks(ask, rng)) is None
    raise AssertionError(f"no end after {MOST_DECISIONS} decisions")


@pytest.mark.parametrize("timing", ["windows", "party"])
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_whatever_happens_cards_and_tokens_are_conserved_and_the_game_ends(
    seats: int, timing: str
) -> None:
    for seed in range(30):
        print(f"seats {seats}, timing {timing}, seed {seed}")
        live = dealt(seats, seed, timing=timing)
        board: Board = live.table.board
        before = everything(board)
        for _ in played(live, Random(seed)):
            assert everything(board) == before
            for village in board.villages:
                assert 0 <= village.hp <= MOST_HP
                assert not village.fallen or village.hp == 0
        assert everything(board) == before
        assert board.turn <= LAST_TURN
        assert live.result is not None
        assert live.result.winners


@pytest.mark.rule("TC-002")
def test_random_play_activates_every_hero_uses_every_token_and_draws_every_adventure() -> None:
    activated: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    adventures: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    for seed in range(400):
        live = dealt(3 + seed % 4, seed)
        for _ in played(live, Random(seed)):
            pass
        for event in live.table.events:
            match event:
                case SupremeActivated(hero=hero):
                    activated[hero] += 1
                case TokenTaken(token=token):
                    tokens[token] += 1
                case AdventureDrawn(card=card):
                    adventures[card] += 1
                case GameWon(cause=cause):
                    causes[cause] += 1
    assert set(activated) == set(HEROES), set(HEROES) - set(activated)
    assert set(tokens) == set(TABLES.supply)
    assert set(adventures) == {*TABLES.adventures, "pizza"}
    assert {"last-standing", "shared-fall", "jester"} <= set(causes)


def test_a_game_stored_after_every_answer_is_the_same_game_and_its_record_stays_small() -> None:
    for seed in range(12):
        print(f"seed {seed}")
        rng = Random(seed)
        live = dealt(3 + seed % 4, seed)
        stored = encode_record(live.record())
        while live.result is None:
            awaited = rng.choice(sorted(live.asks))
            answer = Submit(
                awaited, live.ask_numbers[awaited], random_picks(live.asks[awaited], rng)
            )
            record = decode_record(stored)
            assert len(record.inputs) <= REPLAY_BOUND
            assert len(stored) <= MOST_RECORD_BYTES
            twin = resolve(RULES, record, answer, at_ms=0)
            assert isinstance(twin, Outcome)
            assert live.answer(answer.seat, answer.number, answer.picks) is None
            stored = encode_record(live.record())
            assert encode_record(twin.record) == stored


def test_the_clock_alone_finishes_a_game() -> None:
    limits = {"decision": 1000, "window": 1000}
    for seats in (3, 6):
        outcome = deal(RULES, seats=seats, options={}, seed=bytes(32), at_ms=0, limits_ms=limits)
        assert isinstance(outcome, Outcome)
        live, now = outcome.live, 0
        for _ in range(MOST_DECISIONS):
            if live.result is not None:
                break
            now += 1000
            assert live.tick(now)
            live.run_clocks(now)
        assert live.result is not None


def test_all_that_the_active_player_decides_in_a_turn_shares_its_clock() -> None:
    outcome = deal(
        RULES,
        seats=3,
        options={},
        seed=bytes(32),
        at_ms=0,
        limits_ms={"turn": 60_000, "window": 5_000, "decision": 20_000},
    )
    assert isinstance(outcome, Outcome)
    live = outcome.live
    assert {clock.name for clock in live.clocks} == {"decision"}, "Heroes are kept before a turn"
    now, due = 0, dict[int, set[int]]()
    while live.result is None and live.table.board.turn < 6:
        board = live.table.board
        (seat, *_) = live.awaited()
        (question, *_) = live.questions(seat)
        (clock,) = [one for one in live.clocks if one.seat == seat and one.due_ms is not None]
        if board.turn and seat == board.active and question.ask.clock.name == "decision":
            assert (clock.name, clock.key) == ("turn", str(board.turn))
            assert clock.due_ms is not None
            due.setdefault(board.turn, set()).add(clock.due_ms)
        else:
            assert clock.name == question.ask.clock.name
        assert live.answer(seat, question.number, question.ask.default) is None
        now += 100
        live.run_clocks(now)
    assert len(due) > 3
    stopped = "it stands still only while others are asked"
    assert all(max(times) - min(times) < 5_000 for times in due.values()), stopped


def test_one_greedy_player_clearly_beats_random_ones() -> None:
    games = 40
    wins = 0
    for seed in range(games):
        rng = Random(seed)
        live = dealt(4, seed)
        hero = seed % 4
        while live.result is None:
            awaited = min(live.asks)
            strategy: Strategy = greedy if awaited == hero else random_play.play
            number, picks = strategy(Sight(live, awaited), rng)
            assert live.answer(awaited, number, picks) is None
        wins += live.result.winners == (hero,)
    assert wins >= games // 2, f"{wins} of {games}; a fair share is {games // 4}"


def test_greedy_answers_every_question_of_its_own_games() -> None:
    for seed in range(25):
        rng = Random(seed)
        live = dealt(3 + seed % 4, seed)
        while live.result is None:
            awaited = min(live.asks)
            number, picks = greedy(Sight(live, awaited), rng)
            assert live.answer(awaited, number, picks) is None
