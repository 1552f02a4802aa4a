"""Questions and answers as messages."""

from __future__ import annotations

from hutch.engine.deadlines import Deadline
from hutch.engine.live import Question
from hutch.engine.prompts import Pick, Picks, Point
from hutch.engine.records import Result
from hutch.v1 import table_pb2 as pb


def prompt_set(questions: list[Question]) -> pb.PromptSet:
    """What is open to a seat."""
    message = pb.PromptSet()
    for question in questions:
        _fill_prompt(message.prompts.add(), question)
    return message


def picks_of(action: pb.Action) -> Picks:
    """The picks of an action; a count of 0 stands for 1."""
    return tuple([Pick(pick.option_id, pick.count or 1) for pick in action.picks])


def action_of(number: int, picks: Picks) -> pb.Action:
    """Picks as the action that answers question `number`."""
    return pb.Action(
        prompt_id=number,
        picks=[pb.Pick(option_id=pick.option, count=pick.count) for pick in picks],
    )


def fill_deadlines(target: pb.EventBatch | pb.View, found: list[Deadline], at_ms: int) -> None:
    """Add every deadline, with the time left at `at_ms`."""
    for deadline in found:
        target.deadlines.append(deadline_message(deadline, at_ms))


def deadline_message(deadline: Deadline, at_ms: int) -> pb.Deadline:
    """A deadline with its time and the time left at `at_ms`."""
    message = pb.Deadline(cause=deadline.cause, seat=deadline.seat)
    if deadline.due_ms is not None:
        message.due_time.FromMilliseconds(deadline.due_ms)
        message.remaining.FromMilliseconds(max(0, deadline.due_ms - at_ms))
    if deadline.turn is not None:
        message.due_turn = deadline.turn
    for point in deadline.about:
        _fill_subject(message.subjects.add(), point)
    return message


def result_message(result: Result) -> pb.Result:
    """How a game ended."""
    return pb.Result(scores=result.scores, winners=result.winners, team_score=result.team)


def _fill_prompt(message: pb.Prompt, question: Question) -> None:
    ask = question.ask
    message.prompt_id = question.number
    message.topic = ask.topic
    message.min_picks = ask.least
    message.max_picks = ask.most
    if ask.ordered:
        message.ordered = True
    if ask.final:
        message.final = True
    if question.offered:
        message.offered = True
    if question.deadline_ms is not None:
        message.due_time.FromMilliseconds(question.deadline_ms)
    for option in ask.options:
        shown = message.options.add(option_id=option.id)
        if option.most != 1:
            shown.max_count = option.most
        for point in option.points:
            _fill_subject(shown.subjects.add(), point)
    for point in ask.about:
        _fill_subject(message.subjects.add(), point)
    for pick in ask.default:
        message.default_picks.add(option_id=pick.option, count=pick.count)


def _fill_subject(message: pb.Subject, point: Point) -> None:
    setattr(message, point.kind, point.value)
