"""The ways to ask: sealed, open planning, all at once, first come, in turn, and interjections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from hutch.engine.asking import PASS, ask, ask_seat, each, joint, pass_or, passes, sealed, window
from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Option, Picks, Prompt, Reply, picks
from hutch.engine.rules import Checkpoint, Rules, Script
from hutch.engine.sampling import random_picks
from tests.engine import toy
from tests.engine.arranging import answer, asked, choice, dealt, offered, reopened, scripted, take
from tests.engine.toy import Tabled, Took
from tests.properties.play import open_questions

# Sealed


def seal_and_take(table: Tabled) -> Script[None]:
    def build(seat: int) -> Ask | None:
        return None if table.board.left[seat] else choice("bid", "1", "2", "3")

    chosen = yield from sealed(table, range(table.seats), build)
    for seat, bid in chosen.items():
        table.emit(Took(seat, int(bid[0].option)))


SEALED = scripted(seal_and_take)


def test_a_sealed_choice_tells_nobody_until_all_are_in() -> None:
    live = dealt(SEALED, seats=3).live

    answer(live, 2, "3")
    answer(live, 0, "1")

    assert live.awaited() == (1,)
    assert live.forget_events() == []
    assert live.table.board.carrots == [0, 0, 0]
    answer(live, 1, "2")
    assert live.table.board.carrots == [1, 2, 3]


def test_sealed_choices_outlive_the_process() -> None:
    live = dealt(SEALED).live
    answer(live, 0, "3")

    live = reopened(SEALED, live)

    assert live.table.sealed[0].picks == picks("3")
    answer(live, 1, "1")
    assert live.table.board.carrots == [3, 1]


def test_a_seat_that_comes_back_during_a_sealed_choice_takes_part() -> None:
    live = dealt(SEALED, seats=3).live
    assert live.leave(1) is None
    assert live.awaited() == (0, 2)
    answer(live, 0, "1")

    assert live.rejoin(1) is None
    answer(live, 1, "3")
    answer(live, 2, "2")

    assert live.table.board.carrots == [1, 3, 2]


def test_a_seat_that_leaves_before_it_chose_holds_nobody_up() -> None:
    live = dealt(SEALED, seats=3).live
    answer(live, 0, "1")
    answer(live, 2, "2")
    assert live.leave(1) is None
    assert live.table.board.carrots == [1, 0, 2]


def test_a_choice_that_is_in_stays_when_its_player_leaves() -> None:
    live = dealt(SEALED).live
    answer(live, 0, "3")
    assert live.leave(0) is None
    answer(live, 1, "1")
    assert live.table.board.carrots == [3, 1]


def test_a_sealed_choice_within_a_sealed_choice_loses_nothing() -> None:
    """A card played in between asks for a sealed choice of its own."""
    rules = scripted(
        seal_and_take,
        offers=lambda table: {} if table.board.round else {2: choice("card", "vote")},
        interject=vote,
    )
    live = dealt(rules, seats=3).live
    answer(live, 0, "3")

    take(live, 2, "vote")
    assert live.awaited() == (0, 1, 2)
    for seat in range(3):
        answer(live, seat, "yes")

    assert live.awaited() == (1, 2), "seat 0 has chosen already"
    answer(live, 1, "1")
    answer(live, 2, "2")
    assert live.table.board.carrots == [3, 1, 2]


def vote(table: Tabled, seat: int, picked: Picks) -> Script[None]:
    table.emit(toy.RoundBegan(1))
    yield from sealed(table, range(table.seats), lambda seat: choice("vote", "yes", "no"))


# Open planning


def plan(drafts: int = 12, take_backs: int = 3) -> Rules:
    def play(table: Tabled) -> Script[None]:
        yield from joint(
            table,
            range(table.seats),
            lambda seat: None if table.board.left[seat] else choice("plan", "low", "high"),
            lambda seat, picked, ready: table.emit(
                toy.Drafted(seat, picked[0].option if picked else "", ready)
            ),
            drafts=drafts,
            take_backs=take_backs,
        )

    return scripted(play)


PLAN = plan()


def test_planning_is_open_and_ends_when_all_are_ready() -> None:
    live = dealt(PLAN).live

    answer(live, 0, "high")
    assert live.forget_events() == [toy.Drafted(0, "high", True)]
    assert live.awaited() == (1,)
    answer(live, 1, "low")

    assert live.result is not None


def test_a_draft_is_laid_out_and_its_seat_is_still_awaited() -> None:
    live = dealt(PLAN).live
    assert offered(live, 0).ask.topic == "plan.draft"

    take(live, 0, "high")

    assert live.forget_events() == [toy.Drafted(0, "high", False)]
    assert live.awaited() == (0, 1)


def test_a_ready_seat_may_take_that_back_until_the_last_is_ready() -> None:
    live = dealt(PLAN).live
    answer(live, 0, "high")
    assert live.questions(0) == [offered(live, 0)]

    take(live, 0, "take-back")

    assert live.forget_events()[-1] == toy.Drafted(0, "", False)
    assert live.awaited() == (0, 1)


def test_planning_is_capped_for_each_seat_so_that_it_ends() -> None:
    live = dealt(plan(drafts=1, take_backs=1)).live
    take(live, 0, "high")
    assert len(live.questions(0)) == 1, "no draft is left"
    answer(live, 0, "low")
    take(live, 0, "take-back")
    answer(live, 0, "low")
    assert live.questions(0) == [], "no take-back is left"
    assert len(live.questions(1)) == 2, "the other seat's are untouched"


def test_leaving_ends_a_planning_that_waits_for_nobody_else() -> None:
    live = dealt(PLAN).live
    answer(live, 0, "high")
    assert live.leave(1) is None
    assert live.result is not None


# All at once


def work(table: Tabled) -> Script[None]:
    """Everybody takes carrots until they rest; taking "all" changes what others are asked."""
    board = table.board

    def build(seat: int) -> Ask | None:
        if board.digs[seat] or board.left[seat]:
            return None
        options = ("one", "rest") if max(board.carrots) > 3 else ("one", "all", "rest")
        return choice("work", *options, default=picks("rest"))

    def do(reply: Reply) -> bool:
        match reply.option:
            case "one":
                table.emit(Took(reply.seat, 1))
            case "all":
                table.emit(Took(reply.seat, 9))
                return True
            case _:
                table.emit(toy.Tired(reply.seat))
        return False

    yield from each(table, range(table.seats), build, do, last="rest")


WORK = scripted(work)


def test_all_act_at_once_in_any_order_until_all_are_done() -> None:
    live = dealt(WORK, seats=3).live
    for seat, option in ((2, "one"), (0, "rest"), (2, "one"), (1, "rest"), (2, "rest")):
        answer(live, seat, option)
    assert live.result is not None
    assert live.table.board.carrots == [0, 0, 2]


def test_two_who_answer_at_the_same_instant_both_count() -> None:
    live = dealt(WORK).live
    first, second = asked(live, 0), asked(live, 1)
    assert live.answer(1, second.number, picks("one")) is None
    assert live.answer(0, first.number, picks("one")) is None
    assert live.table.board.carrots == [1, 1]


def test_what_others_are_asked_changes_only_where_the_rules_say_so() -> None:
    live = dealt(WORK).live
    number = asked(live, 1).number

    answer(live, 0, "one")
    assert asked(live, 1).number == number
    answer(live, 0, "all")

    assert asked(live, 1).number != number
    assert asked(live, 1).ask.option("all") is None


def test_being_done_is_a_checkpoint() -> None:
    live = dealt(WORK).live
    answer(live, 0, "one")
    assert len(live.record().inputs) == 1
    answer(live, 0, "rest")
    assert live.record().inputs == []
    assert reopened(WORK, live).questions(1) == live.questions(1)


# First come, first served


def snatch(table: Tabled) -> Script[None]:
    """Carrots for whoever is first, while there are seats with fewer than two."""

    def build(seat: int) -> Ask | None:
        if table.board.carrots[seat] >= 2 or table.board.left[seat]:
            return None
        return pass_or("snatch", (Option("take"), Option("last")))

    def play(reply: Reply) -> Script[bool]:
        table.emit(Took(reply.seat, 1))
        sure = yield from ask_seat(table, reply.seat, lambda: choice("sure", "yes", "no"))
        assert sure is not None
        return reply.option == "last"

    yield from window(table, lambda: range(table.seats), build, play)


WINDOW = scripted(snatch)


def test_the_first_to_act_is_resolved_before_anybody_else_may() -> None:
    live = dealt(WINDOW, seats=3).live

    answer(live, 1, "take")

    assert live.awaited() == (1,)
    assert asked(live, 1).ask.topic == "sure"
    answer(live, 1, "yes")
    assert live.awaited() == (0, 1, 2)


def test_a_window_closes_when_all_have_passed_since_the_last_change() -> None:
    live = dealt(WINDOW, seats=3).live
    answer(live, 0, "pass")
    answer(live, 1, "take")
    answer(live, 1, "yes")
    assert live.awaited() == (0, 1, 2), "who had passed is asked again"
    for seat in (2, 0, 1):
        answer(live, seat, "pass")
    assert live.result is not None


def test_a_window_closes_at_once_where_the_play_says_so() -> None:
    live = dealt(WINDOW, seats=3).live
    answer(live, 2, "last")
    answer(live, 2, "yes")
    assert live.result is not None


# In turn


def bid_in_turn(table: Tabled) -> Script[None]:
    def build(seat: int) -> Ask | None:
        if table.board.left[seat]:
            return None
        return pass_or("bid", (Option("raise"), Option("buy")))

    def play(reply: Reply) -> Script[bool]:
        table.emit(Took(reply.seat, 1))
        return reply.option == "buy"
        yield

    yield from passes(table, lambda: range(table.seats), build, play)


PASSES = scripted(bid_in_turn)


def test_seats_are_asked_in_turn_until_all_pass_in_a_row() -> None:
    live = dealt(PASSES, seats=3).live
    turns = []
    for option in ("pass", "raise", "pass", "pass", "pass"):
        (seat,) = live.awaited()
        turns.append(seat)
        answer(live, seat, option)
    assert turns == [0, 1, 2, 0, 1]
    assert live.result is not None
    assert live.table.board.carrots == [0, 1, 0]


def test_a_turn_that_vanishes_counts_as_a_pass() -> None:
    live = dealt(PASSES, seats=3).live
    assert live.leave(0) is None
    assert live.awaited() == (1,)
    answer(live, 1, "pass")
    answer(live, 2, "pass")
    assert live.result is not None


def test_a_bid_can_end_the_turns() -> None:
    live = dealt(PASSES, seats=3).live
    answer(live, 0, "buy")
    assert live.result is not None


# Interjections


def with_cards(script: toy.Play) -> Rules:
    """That script, where seat 1 holds two cards to play at any time: they cost seat 0 a carrot."""

    def offers(table: Tabled) -> Mapping[int, Ask]:
        held = 2 - len(table.board.pile)
        return {1: choice("card", *[f"card-{n}" for n in range(held)])} if held else {}

    def interject(table: Tabled, seat: int, picked: Picks) -> Script[None]:
        table.emit(toy.Discarded(1))
        sure = yield from ask_seat(table, seat, lambda: choice("sure", "yes", "no"))
        if sure is not None and sure.option == "yes":
            table.emit(Took(0, -1))

    return scripted(script, offers=offers, interject=interject)


def target(table: Tabled) -> Script[None]:
    """Seat 0 chooses how many of its carrots to eat; without any it is not asked at all."""
    table.emit(Took(0, 2))

    def build() -> Ask | None:
        carrots = table.board.carrots[0]
        return choice("eat", *map(str, range(1, carrots + 1))) if carrots else None

    reply = yield from ask_seat(table, 0, build)
    table.emit(Took(1, int(reply.option) if reply is not None else 100))


INTERJECTED = with_cards(target)


def test_a_card_played_in_between_is_resolved_and_the_question_asked_again_afresh() -> None:
    live = dealt(INTERJECTED).live
    assert [one.id for one in asked(live, 0).ask.options] == ["1", "2"]

    take(live, 1, "card-1")
    assert live.awaited() == (1,)
    answer(live, 1, "yes")

    assert [one.id for one in asked(live, 0).ask.options] == ["1"]
    answer(live, 0, "1")
    assert live.table.board.carrots == [1, 1]


def test_a_question_may_vanish_by_what_was_played_in_between() -> None:
    live = dealt(INTERJECTED).live
    for option in ("card-1", "card-0"):
        take(live, 1, option)
        answer(live, 1, "yes")
    assert live.result is not None
    assert live.table.board.carrots == [0, 100]


def test_a_card_may_answer_a_card() -> None:
    """The second is played while the first one's own question is open."""
    live = dealt(INTERJECTED).live
    take(live, 1, "card-1")
    take(live, 1, "card-0")
    answer(live, 1, "yes")
    assert asked(live, 1).ask.topic == "sure", "the first card's question again"
    assert live.table.board.carrots[0] == 1
    answer(live, 1, "no")
    assert live.table.board.carrots[0] == 1


def test_an_interrupted_question_that_did_not_change_is_the_same_to_those_not_involved() -> None:
    def play(table: Tabled) -> Script[None]:
        yield from ask(table, lambda: {0: choice("wait", "go"), 2: choice("wait", "go")})

    live = dealt(with_cards(play), seats=3).live
    take(live, 1, "card-1")
    answer(live, 1, "no")
    assert live.awaited() == (0, 2)
    assert live.result is None


def test_interjections_reach_every_way_of_asking() -> None:
    for script in (seal_and_take, work, snatch, bid_in_turn):
        live = dealt(with_cards(script)).live
        awaited = live.awaited()
        take(live, 1, "card-0")
        answer(live, 1, "yes")
        assert live.awaited() == awaited, script.__name__
        assert live.table.board.carrots[0] == -1


def test_a_questions_own_offers_come_before_those_of_any_time() -> None:
    def play(table: Tabled) -> Script[None]:
        reply = yield from ask(
            table, lambda: {0: choice("wait", "go")}, lambda: {1: choice("own", "mine")}
        )
        assert reply is not None
        assert reply.offered
        table.emit(Took(reply.seat, 5))

    live = dealt(with_cards(play)).live
    assert [one.ask.topic for one in live.questions(1)] == ["own"]
    take(live, 1, "mine")
    assert live.table.board.carrots == [0, 5]


def test_nobody_is_asked_where_there_is_nothing_to_ask() -> None:
    def play(table: Tabled) -> Script[None]:
        assert (yield from ask(table, dict)) is None
        assert (yield from ask_seat(table, 0, lambda: None)) is None
        assert (yield from sealed(table, range(2), lambda seat: None)) == {}
        yield from each(table, range(2), lambda seat: None, lambda reply: False)
        yield from window(table, lambda: range(2), lambda seat: None, _never)
        yield from passes(table, lambda: range(2), lambda seat: None, _never)
        yield from passes(table, list, lambda seat: None, _never)

    assert dealt(scripted(play)).live.result is not None


def _never(reply: Reply) -> Script[bool]:
    raise AssertionError("nobody could have answered")
    yield


def test_a_pass_is_the_default_and_the_last_option() -> None:
    question = pass_or("window", (Option("play"),))
    assert question.options[-1] is PASS
    assert question.default == picks("pass")


def test_a_script_that_waits_for_nobody_is_a_fault_and_not_a_stuck_game() -> None:
    def play(table: Tabled) -> Script[None]:
        yield Prompt({}, {0: choice("maybe", "yes")})

    with pytest.raises(RuntimeError, match="asks nobody"):
        dealt(scripted(play))


def test_a_live_game_goes_the_same_way_in_every_process() -> None:
    for rules in (SEALED, PLAN, WORK, WINDOW, PASSES, INTERJECTED):
        live: Live = dealt(rules, seats=2).live
        while live.result is None:
            seat = live.awaited()[0]
            other = reopened(rules, live)
            default = asked(live, seat).ask.default
            for one in (live, other):
                assert one.answer(seat, asked(one, seat).number, default) is None
            assert other.record() == live.record()


@pytest.mark.parametrize("seed", range(1, 6))
def test_what_is_open_is_what_the_script_asks_and_offers(seed: int) -> None:
    rng = Random(seed)
    for rules in (SEALED, PLAN, WORK, WINDOW, INTERJECTED):
        put: list[Prompt] = []
        live = dealt(replace(rules, play=_overheard(rules, put)), seats=3).live
        while live.result is None:
            assert (live.asks, live.offers) == (put[-1].asks, put[-1].offers)
            seat = rng.randrange(3)
            if rng.random() < 0.3:
                assert live.leave(seat) is None or live.rejoin(seat) is None
                continue
            question = rng.choice(open_questions(live))
            given = random_picks(question.ask, rng)
            assert live.answer(question.seat, question.number, given) is None
        assert (live.asks, live.offers) == ({}, {})


def _overheard(rules: Rules, put: list[Prompt]) -> toy.Play:
    """The rules' script, which notes all its prompts down."""

    def play(table: Tabled) -> Script[Any]:
        script = rules.play(table)
        asked = next(script)
        while True:
            if not isinstance(asked, Checkpoint):
                put.append(asked)
            reply = yield asked
            try:
                asked = next(script) if isinstance(asked, Checkpoint) else script.send(reply)
            except StopIteration as stop:
                return stop.value

    return play
