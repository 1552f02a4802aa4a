"""Nobody is shown or told what is hidden from them.

Everything that an audience (a seat, or the public) may not know is replaced by something else that
it cannot tell from it (`imagine`); then all that reaches the audience must stay as it was, to the
byte: its view, its questions, who is awaited, the deadlines, and the faces of what happens next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

from google.protobuf.message import Message
from msgspec import Struct

from hutch.engine.commands import Submit
from hutch.engine.events import Event
from hutch.engine.kernel import imagined
from hutch.engine.live import Live
from hutch.engine.prompts import Ask, Pick
from hutch.engine.rules import Rules
from hutch.engine.sampling import random_picks
from tests.properties.play import answered, moments, some_audiences, steps
from tests.properties.profile import Setting

MOMENTS = 10
STEPS = 30
WORLDS = 2
#: So many wrong picks are tried of each question.
GUESSES = 40


class Seen(Struct, frozen=True):
    """All that an audience gets of a moment, without what happened before."""

    view: bytes
    questions: list[Any]
    awaited: tuple[int, ...]
    deadlines: list[Any]
    result: Any


def seen(live: Live, audience: int | None, *, numbers: bool = False) -> Seen:
    """What that audience gets of this moment; question numbers only on request."""
    questions: list[Any] = []
    if audience is not None:
        questions = list(live.questions(audience))
        if not numbers:
            questions = [(one.offered, one.ask, one.deadline_ms) for one in questions]
    return Seen(
        view=encoded(live.look(audience)),
        questions=questions,
        awaited=live.awaited(),
        deadlines=list(live.deadlines()),
        result=live.result,
    )


def encoded(message: Message) -> bytes:
    """A message as bytes, the same for equal messages."""
    return message.SerializeToString(deterministic=True)


def views_hide_what_is_hidden(setting: Setting, seed: int) -> None:
    """In every world that an audience may imagine it gets the same bytes."""
    rng = Random(seed)
    for live in moments(setting, seed, most=MOMENTS):
        for audience in setting.audiences:
            here = seen(live, audience, numbers=True)
            for _ in range(WORLDS):
                world = imagined(setting.rules, live.record(), audience, rng)
                assert seen(world, audience, numbers=True) == here, (
                    f"{setting}: seat {audience} is shown something that is hidden from it"
                )


def imagined_worlds_replace_what_is_hidden(setting: Setting, seed: int) -> None:
    """Each hidden thing that the profile names takes another value in some imagined world.

    Otherwise a search bot would be given the true cards, and the other checks here would be empty.
    """
    rng = Random(seed)
    constant: dict[tuple[int | None, str], object] = {}
    varied: set[tuple[int | None, str]] = set()
    for live in moments(setting, seed, most=MOMENTS):
        for audience in setting.audiences:
            here = setting.profile.hidden(live.table, audience)
            for _ in range(WORLDS):
                world = imagined(setting.rules, live.record(), audience, rng)
                there = setting.profile.hidden(world.table, audience)
                assert there.keys() == here.keys()
                for name, value in here.items():
                    if there[name] != value:
                        varied.add((audience, name))
                    else:
                        constant[audience, name] = value
    stayed = {key: value for key, value in constant.items() if key not in varied}
    assert not stayed, f"{setting}: the same in all imagined worlds: {stayed}"
    assert varied, f"{setting}: nothing is hidden from anybody"


def faces_hide_what_is_hidden(setting: Setting, seed: int) -> None:
    """An answer is told to an audience in the same bytes in every world it may imagine.

    Up to the first event that gives it something to learn: one that `reveals`, or of which it sees
    more than the public. From there on the worlds may go different ways.
    """
    rng = Random(seed)
    for before, command, after in answered(setting, seed, most=STEPS):
        for audience in some_audiences(setting, rng):
            for _ in range(WORLDS):
                world = imagined(setting.rules, before.record(), audience, rng)
                world.table.chance.reseed(before.record().seed)  # the same dice fall
                if not answered_alike(before, world, command):
                    continue  # in that world the cards would not allow it
                here, same = told(setting.rules, after.events, audience)
                there, also_same = told(setting.rules, world.forget_events(), audience)
                shared = min(len(here), len(there)) if not (same and also_same) else None
                assert here[:shared] == there[:shared], (
                    f"{setting}: {command} tells seat {audience} something that is hidden from it "
                    f"(or an event that shows something hidden does not say that it reveals)"
                )
                if same and also_same:
                    assert seen(world, audience) == seen(after.live, audience), (
                        f"{setting}: after {command} seat {audience} gets something it was not told"
                    )


def refusals_hide_what_is_hidden(setting: Setting, seed: int) -> None:
    """A pick that is no option is refused in the same words in every world that its player may
    imagine: nobody finds out what another holds by trying.

    Tried are picks that are options elsewhere, and others made of the same words.
    """
    rng = Random(seed)
    wrong = guesses(setting, seed)
    for live in moments(setting, seed, most=MOMENTS):
        for seat in range(setting.seats):
            worlds = [imagined(setting.rules, live.record(), seat, rng) for _ in range(WORLDS)]
            for question in live.questions(seat):
                for guess in rng.sample(wrong, min(GUESSES, len(wrong))):
                    if question.ask.option(guess) is not None:
                        continue
                    here = live.answer(seat, question.number, (Pick(guess),))
                    for world in worlds:
                        there = world.answer(seat, question.number, (Pick(guess),))
                        assert there == here, (
                            f"{setting}: seat {seat} finds out by picking {guess!r} as "
                            f"{question.ask.topic!r}: {here} or {there}"
                        )


@cache
def guesses(setting: Setting, seed: int) -> list[str]:
    """Options of all questions of a game, and their first words with every card and more."""
    listed = {
        option.id
        for live in steps(setting, seed)
        for seat in range(setting.seats)
        for question in live.questions(seat)
        for option in question.ask.options
    }
    rests = [card.ref for card in setting.rules.catalogue()]
    rests += ["", "-1", "0", "99", "\u00b2", "\u0663", "9" * 50, "a:b", "hand:12", "saved:12"]
    made = {f"{option.partition(':')[0]}:{rest}" for option in listed for rest in rests}
    return sorted(listed | made | set(rests))


def views_follow_from_what_was_told(setting: Setting, seed: int) -> None:
    """Of two answers that are told alike to others, they see alike what came of it.

    So what is chosen in secret stays secret, and a client that was told everything knows the view.
    """
    rng = Random(seed)
    for before, command, after in answered(setting, seed, most=STEPS):
        ask = _asked(before, command)
        other = Submit(command.seat, command.number, random_picks(ask, rng))
        twin = before.fork()
        assert twin.answer(other.seat, other.number, other.picks) is None
        events = twin.forget_events()
        for audience in setting.audiences:
            if audience == command.seat:
                continue
            here, _ = told(setting.rules, after.events, audience, whole=True)
            there, _ = told(setting.rules, events, audience, whole=True)
            if here == there:
                assert seen(twin, audience) == seen(after.live, audience), (
                    f"{setting}: seat {audience} can tell {command} from {other}"
                )


def faces_tell_no_more_than_views_show(setting: Setting, seed: int) -> None:
    """The cards that an audience may learn by an event, it sees in its view or its questions."""
    tell = setting.rules.tell
    cards = {card.ref for card in setting.rules.catalogue()}
    for before, _, after in answered(setting, seed, most=STEPS):
        for audience in setting.audiences:
            known: set[str] = set()
            for event in after.events:
                face = event.face(audience)
                if face is None or type(event) in setting.profile.peeks:
                    continue
                if teaches(event, audience):
                    known = known or _words_known(before, audience) | _words_known(
                        after.live, audience
                    )
                    extra = cards.intersection(words(tell(face))) - known
                    assert not extra, f"{setting}: seat {audience} is told {extra} by {event}"


def teaches(event: Event, audience: int | None) -> bool:
    """Whether that audience may learn something hidden by the event."""
    return event.reveals or event.face(audience) != event.face(None)


def told(
    rules: Rules, events: Sequence[Event], audience: int | None, *, whole: bool = False
) -> tuple[list[tuple[str, bytes] | None], bool]:
    """What an audience is told, and whether that is all of it.

    Unless it is to be `whole`, it ends before the first event by which the audience may learn.
    """
    faces: list[tuple[str, bytes] | None] = []
    for event in events:
        face = event.face(audience)
        if not whole and teaches(event, audience):
            return faces, False
        if face is None:
            faces.append(None)
        else:
            message = rules.tell(face)
            faces.append((message.DESCRIPTOR.full_name, encoded(message)))
    return faces, True


def words(message: Message) -> Iterator[str]:
    """Every text in a message: the names of cards and places that it shows."""
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            values = [value[key] for key in value]
            yield from [key for key in value if isinstance(key, str)]
        for one in values:
            if isinstance(one, Message):
                yield from words(one)
            elif isinstance(one, str):
                yield one


def _words_known(live: Live, audience: int | None) -> set[str]:
    known = set(words(live.look(audience)))
    if audience is not None:
        for question in live.questions(audience):
            known.update([option.id for option in question.ask.options])
    return known


def answered_alike(before: Live, world: Live, command: Submit) -> bool:
    """Give the same answer to the same question in another world: whether it is legal there."""
    offered = before.ask_numbers.get(command.seat) != command.number
    numbers = world.offer_numbers if offered else world.ask_numbers
    number = numbers.get(command.seat)
    return number is not None and world.answer(command.seat, number, command.picks) is None


def _asked(live: Live, command: Submit) -> Ask:
    if live.ask_numbers.get(command.seat) == command.number:
        return live.asks[command.seat]
    return live.offers[command.seat]
