"""Questions and answers as messages.

The same options are asked about again and again, so what a question is made of is kept serialized.
"""

from __future__ import annotations

from functools import lru_cache

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from hutch.engine.deadlines import Deadline
from hutch.engine.live import Live
from hutch.engine.prompts import Option, Pick, Picks, Point, Question
from hutch.engine.records import Result
from hutch.v1 import table_pb2 as pb
from hutch.wire.framing import field, number_field

# Fields of `PromptSet` and `Prompt`.
_PROMPTS = 1
_PROMPT_ID, _OPTIONS, _SUBJECTS, _DUE_TIME, _DEFAULT_PICKS = 1, 3, 7, 10, 11
_OFFERED = number_field(8, True)


def prompt_set(questions: list[Question]) -> bytes:
    """What is open to a seat: a `PromptSet`."""
    return b"".join([field(_PROMPTS, _prompt(question)) for question in questions])


def picks_of(action: pb.Action) -> Picks:
    """The picks of an action; a count of 0 stands for 1."""
    return tuple([Pick(pick.option_id, pick.count or 1) for pick in action.picks])


def action_of(number: int, picks: Picks) -> pb.Action:
    """Picks as the action that answers question `number`."""
    return pb.Action(
        prompt_id=number,
        picks=[pb.Pick(option_id=pick.option, count=pick.count) for pick in picks],
    )


def fill_deadlines(target: pb.View, live: Live, at_ms: int) -> None:
    """Add every deadline and time bank, with the time left at `at_ms`."""
    target.deadlines.extend([deadline_message(one, at_ms) for one in live.deadlines()])
    target.time_banks.extend([duration(left_ms) for left_ms in live.banks_left_ms(at_ms)])


def deadline_message(deadline: Deadline, at_ms: int) -> pb.Deadline:
    """A deadline with its time and the time left at `at_ms`."""
    message = pb.Deadline(
        cause=deadline.cause,
        seat=deadline.seat,
        due_turn=deadline.turn,
        subjects=[subject(point) for point in deadline.about],
    )
    if deadline.due_ms is not None:
        message.due_time.FromMilliseconds(deadline.due_ms)
        message.remaining.FromMilliseconds(max(0, deadline.due_ms - at_ms))
    return message


def subject(point: Point) -> pb.Subject:
    """What an option, a question or a deadline points at."""
    message = pb.Subject()
    setattr(message, point.kind, point.value)
    return message


def timestamp(ms: int) -> Timestamp:
    """A time in milliseconds since 1970."""
    return Timestamp(seconds=ms // 1000, nanos=ms % 1000 * 1_000_000)


def duration(ms: int) -> Duration:
    """A span of milliseconds, of at least 0."""
    return Duration(seconds=ms // 1000, nanos=ms % 1000 * 1_000_000)


def result_message(result: Result) -> pb.Result:
    """How a game ended."""
    return pb.Result(scores=result.scores, winners=result.winners, team_score=result.team)


def _prompt(question: Question) -> bytes:
    ask, due_ms = question.ask, question.deadline_ms
    return b"".join(
        [
            number_field(_PROMPT_ID, question.number),
            _OFFERED if question.offered else b"",
            field(_DUE_TIME, timestamp(due_ms).SerializeToString()) if due_ms is not None else b"",
            _frame(ask.topic, ask.least, ask.most, ask.ordered, ask.final),
            _options(ask.options),
            *[field(_SUBJECTS, subject(point).SerializeToString()) for point in ask.about],
            *[_default_pick(pick) for pick in ask.default],
        ]
    )


@lru_cache(maxsize=4096)
def _frame(topic: str, least: int, most: int, ordered: bool, final: bool) -> bytes:
    prompt = pb.Prompt(topic=topic, min_picks=least, max_picks=most, ordered=ordered, final=final)
    return prompt.SerializeToString()


@lru_cache(maxsize=4096)
def _options(options: tuple[Option, ...]) -> bytes:
    return b"".join([_option(option) for option in options])


@lru_cache(maxsize=16384)
def _option(option: Option) -> bytes:
    shown = pb.Option(
        option_id=option.id,
        max_count=0 if option.most == 1 else option.most,
        subjects=[subject(point) for point in option.points],
    )
    return field(_OPTIONS, shown.SerializeToString())


@lru_cache(maxsize=4096)
def _default_pick(pick: Pick) -> bytes:
    shown = pb.Pick(option_id=pick.option, count=pick.count)
    return field(_DEFAULT_PICKS, shown.SerializeToString())
