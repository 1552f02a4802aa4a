"""Each property holds for the toy game, and fails for one that is broken in one place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, Final

import pytest
from google.protobuf.message import Message
from msgspec.structs import replace

from hutch.engine import live
from hutch.engine.asking import ask_seat, each, pass_or, window
from hutch.engine.events import Event
from hutch.engine.prompts import Ask, Clock, Option, Picks, Reply, card, picks
from hutch.engine.questions import OpenQuestions
from hutch.engine.records import Result
from hutch.engine.rules import CHECKPOINT, Rules, Script
from tests.engine import toy
from tests.engine.arranging import choice
from tests.engine.toy import Board, Tabled
from tests.engine.ways import PASSES
from tests.properties import defaults, ending, folding, legality, secrecy, storing, timing, undoing
from tests.properties.profile import Profile, Setting, profile_of, settings_of
from tests.properties.test_every_game import PROPERTIES, Property


def conserved(table: Tabled) -> list[int]:
    board = table.board
    return sorted([*board.deck, *board.pile, *[one for hand in board.hands for one in hand]])


def hidden(table: Tabled, seat: int | None) -> dict[str, object]:
    hands: dict[str, object] = {
        f"hand {other}": tuple(hand)
        for other, hand in enumerate(table.board.hands)
        if other != seat and hand
    }
    return {"deck": tuple(table.board.deck)} | hands


PROFILE: Final = Profile(
    options=({}, {"cards": 14, "shouting": False}),
    decisions=600,
    conserved=conserved,
    hidden=hidden,
)
SEEDS: Final = range(1, 9)


def holds_for(holds: Property, rules: Rules, *, seeds: range = SEEDS) -> None:
    """Try a property at tables for three, from several seeds."""
    for seed in seeds:
        holds(Setting(rules, PROFILE, 3, {}), seed)


@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda holds: holds.__name__)
@pytest.mark.parametrize("setting", list(settings_of(toy.GAME, PROFILE)), ids=str)
def test_the_toy_game_has_every_property(holds: Property, setting: Setting, seed: int) -> None:
    holds(setting, seed)


@pytest.mark.parametrize("story", range(20))
def test_any_story_of_the_toy_game_is_the_same_everywhere(story: int) -> None:
    rng = Random(story)
    setting = Setting(toy.GAME, PROFILE, rng.randrange(1, 5), {})
    storing.any_story_is_the_same_everywhere(setting, story, answers=rng.randrange(20), commands=40)


# Broken games. Each is the toy game with one fault that was made somewhere before.


def question(build: Callable[[Tabled, int], Ask | None], **changes: Any) -> Rules:
    """The toy game with another question in its digging phase."""

    def play(table: Tabled) -> Script[Result]:
        table.emit(toy.RoundBegan(1))
        yield from each(table, range(table.seats), partial(build, table), partial(toy.dig, table))
        return Result(tuple(table.board.carrots), (0,))

    return toy.rules(play=play, **changes)


def never_ending(table: Tabled) -> Script[Result]:
    while True:
        yield from table.checkpoint()
        yield from ask_seat(table, 0, lambda: choice("bid", "on", clock=Clock("phase")))


def winnerless(table: Tabled) -> Script[Result]:
    result = yield from toy.play(table)
    return replace(result, winners=())


class CardLost(Event, frozen=True):
    seat: int
    card: int

    reveals = True

    def apply(self, board: Board) -> None:
        board.hands[self.seat].remove(self.card)


def losing_cards(table: Tabled, seat: int, picked: Picks) -> Script[None]:
    table.emit(CardLost(seat, int(picked[0].option)))
    return
    yield


def without_checkpoints(table: Tabled) -> Script[Result]:
    script = toy.play(table)
    reply: Any = None
    while True:
        try:
            prompt = script.send(reply)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        reply = None if prompt is CHECKPOINT else (yield prompt)


def bad_default(table: Tabled, seat: int) -> Ask | None:
    asked = toy.dig_question(table, seat)
    return asked and replace(asked, default=picks("no such thing"))


def unanswerable(table: Tabled, seat: int) -> Ask | None:
    asked = toy.dig_question(table, seat)
    return asked and replace(asked, least=5, most=5, default=())


def same_id_twice(table: Tabled, seat: int) -> Ask | None:
    asked = toy.dig_question(table, seat)
    return asked and replace(asked, options=(*asked.options, Option("dig")))


def unexplained(table: Tabled, seat: int) -> Ask | None:
    asked = toy.dig_question(table, seat)
    return asked and replace(asked, topic="unheard of")


def about_no_card(table: Tabled, seat: int) -> Ask | None:
    asked = toy.dig_question(table, seat)
    return asked and replace(asked, about=(card("999"),))


def on_no_clock(table: Tabled, seat: int) -> Ask | None:
    asked = toy.dig_question(table, seat)
    return asked and replace(asked, clock=Clock("sundial"))


def option_that_fails(table: Tabled, reply: Reply) -> bool:
    raise AssertionError("the rules fall over an option they listed")


def with_a_memory(table: Tabled) -> Script[Result]:
    """A script that keeps over a checkpoint what the board does not hold."""
    dug = 0
    while dug < 3:
        yield from table.checkpoint()
        yield from ask_seat(table, 0, lambda: pass_or("dig", (Option("dig"),)))
        dug += 1
        table.emit(toy.Took(0, dug))
    return Result(tuple(table.board.carrots), (0,))


class SharedList(Event, frozen=True):
    """An event that hands its own list to the board, where it changes later."""

    cards: list[int]

    def apply(self, board: Board) -> None:
        board.pile = self.cards


def sharing(table: Tabled) -> None:
    toy.setup(table)
    table.emit(SharedList([]))


def open_hands(table: Tabled, seat: int | None) -> Message:
    return toy.look(table, 0)


def counting_good_cards(table: Tabled, seat: int | None) -> Message:
    """A view that grows with what others hold."""
    view: Any = toy.look(table, seat)
    view["best"] = max([0, *[one for hand in table.board.hands for one in hand]])
    return view  # type: ignore[no-any-return]


def showing_sealed(table: Tabled, seat: int | None) -> Message:
    view: Any = toy.look(table, seat)
    view["bids"] = [choice.picks[0].option for choice in table.sealed.values()]
    return view  # type: ignore[no-any-return]


def asking_who_can(table: Tabled, seat: int) -> Ask | None:
    """A window that opens only for those who can answer."""
    asked = toy.pounce_question(table, seat)
    return None if asked is None or len(asked.options) == 1 else asked


def who_can(table: Tabled) -> Script[Result]:
    while table.board.round < toy.ROUNDS:
        yield from table.checkpoint()
        table.emit(toy.RoundBegan(table.board.round + 1))
        yield from window(
            table,
            lambda: range(table.seats),
            partial(asking_who_can, table),
            partial(toy.pounce, table),
        )
    return Result(tuple(table.board.carrots), (0,))


def no_resample(table: Tabled, seat: int | None, rng: Random) -> None:
    """A search bot would be given the true cards."""


def half_a_resample(table: Tabled, seat: int | None, rng: Random) -> None:
    """Shuffles the deck, and forgets the hands."""
    rng.shuffle(table.board.deck)


class Peeked(Event, frozen=True):
    """Tells everybody the top card, and says nothing of it."""

    card: int


def telling_the_top(table: Tabled, reply: Reply) -> bool:
    if table.board.deck:
        table.emit(Peeked(table.board.deck[-1]))
    return toy.dig(table, reply)


class PeekedInSecret(Event, frozen=True):
    """Tells the seat beside the one it means."""

    seat: int
    card: int

    def face(self, seat: int | None) -> Event | None:
        return self if seat == self.seat + 1 else None


def telling_the_wrong_seat(table: Tabled, reply: Reply) -> bool:
    if table.board.hands[reply.seat]:
        table.emit(PeekedInSecret(reply.seat, table.board.hands[reply.seat][0]))
    return toy.dig(table, reply)


def digging(do: Callable[[Tabled, Reply], bool]) -> Rules:
    """The toy game with another way to dig."""

    def play(table: Tabled) -> Script[Result]:
        table.emit(toy.RoundBegan(1))
        yield from each(
            table, range(table.seats), partial(toy.dig_question, table), partial(do, table)
        )
        return Result(tuple(table.board.carrots), (0,))

    return toy.rules(play=play)


def telling_who_holds_what(table: Tabled, seat: int, ask: Ask, option: str) -> str:
    """Explains a pick that is no option by what others hold."""
    held = [str(one) for hand in table.board.hands for one in hand]
    return "Somebody holds that." if option in held else "Nobody holds that."


class Whispered(Event, frozen=True):
    """Changes what everybody sees, and is told to nobody."""

    seat: int
    option: str

    def apply(self, board: Board) -> None:
        board.carrots[self.seat] += self.option == "dig"

    def face(self, seat: int | None) -> Event | None:
        return None


def whispering(table: Tabled, reply: Reply) -> bool:
    table.emit(Whispered(reply.seat, reply.option))
    table.board.digs[reply.seat] -= 1
    return False


class Swapped(Event, frozen=True):
    """A card for the top one of the deck; looks harmless, and is not said to reveal anything."""

    seat: int

    def apply(self, board: Board) -> None:
        if board.deck and board.hands[self.seat]:
            board.deck[-1], board.hands[self.seat][0] = board.hands[self.seat][0], board.deck[-1]
        board.digs[self.seat] -= 1


def swapping(table: Tabled, reply: Reply) -> bool:
    table.emit(Swapped(reply.seat))
    return False


BROKEN: Final[dict[str, tuple[str, Property, Rules]]] = {
    "a game that never ends": (
        r"the game is not over",
        ending.a_random_game_ends_well,
        toy.rules(play=never_ending),
    ),
    "a game that nobody wins": (
        r"somebody wins",
        ending.a_random_game_ends_well,
        toy.rules(play=winnerless),
    ),
    "a card that vanishes": (
        r"after \d+ answers",
        ending.nothing_is_lost_or_made,
        toy.rules(interject=losing_cards),
    ),
    "a long replay": (
        r"inputs since a checkpoint",
        ending.little_is_replayed,
        toy.rules(play=without_checkpoints, replay_bound=20),
    ),
    "an illegal default": (
        r"its default is illegal",
        ending.questions_are_well_formed,
        question(bad_default),
    ),
    "a question without an answer": (
        r"it cannot be answered",
        ending.questions_are_well_formed,
        question(unanswerable),
    ),
    "two options with one id": (
        r"the same id",
        ending.questions_are_well_formed,
        question(same_id_twice),
    ),
    "a topic without a text": (r"no text", ending.questions_are_well_formed, question(unexplained)),
    "a card that does not exist": (
        r"no card '999'",
        ending.questions_are_well_formed,
        question(about_no_card),
    ),
    "a clock that does not exist": (
        r"its clock is not among",
        ending.questions_are_well_formed,
        question(on_no_clock),
    ),
    "a question that waits for ever": (
        r"stuck",
        defaults.the_clock_finishes_the_game,
        question(on_no_clock, clocks=("phase",)),
    ),
    "defaults that go round and round": (
        r"defaults alone do not finish",
        defaults.defaults_alone_finish_the_game,
        toy.rules(play=never_ending),
    ),
    "a board changed without an event": (
        r"after \[Whispered",
        folding.events_make_the_board,
        digging(whispering),
    ),
    "an event that changes later": (
        r"changed after it was told",
        folding.events_make_the_board,
        toy.rules(setup=sharing),
    ),
    "an option that is listed and not taken": (
        r"fall over",
        legality.every_listed_option_is_accepted,
        digging(option_that_fails),
    ),
    "a script that remembers over a checkpoint": (
        r"Submit",
        storing.storing_changes_nothing,
        toy.rules(play=with_a_memory),
    ),
    "a view of other hands": (
        r"hidden from it",
        secrecy.views_hide_what_is_hidden,
        toy.rules(look=open_hands),
    ),
    "a view that counts hidden cards": (
        r"hidden from it",
        secrecy.views_hide_what_is_hidden,
        toy.rules(look=counting_good_cards),
    ),
    "a view of sealed choices": (
        r"hidden from it",
        secrecy.views_hide_what_is_hidden,
        toy.rules(look=showing_sealed),
    ),
    "a window that only opens for those who can": (
        r"hidden from it",
        secrecy.views_hide_what_is_hidden,
        toy.rules(play=who_can),
    ),
    "worlds that are the real one": (
        r"the same in all imagined worlds",
        secrecy.imagined_worlds_replace_what_is_hidden,
        toy.rules(resample=no_resample),
    ),
    "worlds with the real hands": (
        r"'hand 1'",
        secrecy.imagined_worlds_replace_what_is_hidden,
        toy.rules(resample=half_a_resample),
    ),
    "an event that tells a hidden card": (
        r"tells seat",
        secrecy.faces_hide_what_is_hidden,
        digging(telling_the_top),
    ),
    "a refusal that tells who holds a card": (
        r"finds out by picking",
        secrecy.refusals_hide_what_is_hidden,
        toy.rules(why_not=telling_who_holds_what),
    ),
    "a face for the wrong seat": (
        r"is told",
        secrecy.faces_tell_no_more_than_views_show,
        digging(telling_the_wrong_seat),
    ),
    "a change that nobody was told of": (
        r"can tell",
        secrecy.views_follow_from_what_was_told,
        digging(whispering),
    ),
    "an undo of something learnt": (
        r"learnt something",
        undoing.what_may_be_taken_back_taught_nothing,
        digging(swapping),
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_game_is_caught(fault: str) -> None:
    complaint, holds, rules = BROKEN[fault]
    with pytest.raises(AssertionError, match=complaint):
        holds_for(holds, rules)


#: Kernels that give or take time: what to put in the place of a part of `Live`'s clocks.
UNFAIR: Final[dict[str, tuple[str, Rules, str, Callable[..., object]]]] = {
    "an outage that is charged": (
        r"deadlines differ",
        toy.GAME,
        "credited",
        lambda clocks, *outage: clocks,
    ),
    "an undo that charges for what was asked for nothing": (
        r"time banks differ",
        PASSES,
        "asked_then",
        lambda clocks, runs: clocks,
    ),
    "a bank that nothing is taken out of": (
        r"differ",
        toy.GAME,
        "settled",
        lambda banks_ms, *clocks: banks_ms,
    ),
}


@pytest.mark.parametrize("fault", UNFAIR)
def test_an_unfair_clock_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    complaint, rules, part, unfair = UNFAIR[fault]
    monkeypatch.setattr(live, part, unfair)
    with pytest.raises(AssertionError, match=complaint):
        holds_for(timing.no_time_is_won_or_lost, rules)


def test_time_won_by_leaving_and_coming_back_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OpenQuestions, "set_aside", lambda questions, seat: None)
    with pytest.raises(AssertionError, match=r"a fresh question"):
        holds_for(timing.no_time_is_won_or_lost, toy.GAME)


def test_a_game_without_a_profile_is_caught() -> None:
    with pytest.raises(LookupError, match="no_such_game"):
        profile_of(toy.rules(name="no-such-game"))


def test_every_number_of_seats_and_every_set_of_options_is_tried() -> None:
    settings = list(settings_of(toy.GAME, PROFILE))
    assert [(one.seats, dict(one.options)) for one in settings] == [
        (1, {}),
        (2, {}),
        (3, {}),
        (4, {}),
        (4, {"cards": 14, "shouting": False}),
    ]
