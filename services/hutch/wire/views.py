"""Views and events as messages: what one seat, or the public, may see."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from hutch.engine.events import Event
from hutch.engine.live import Live
from hutch.v1 import table_pb2 as pb
from hutch.wire.prompts import fill_deadlines, prompt_set, result_message


def view_of(live: Live, seat: int | None, at_ms: int) -> pb.View:
    """What `seat` (None: the public) may see, without the table's own fields."""
    view = pb.View()
    view.view_time.FromMilliseconds(at_ms)
    if seat is not None and live.result is None:
        view.prompts.CopyFrom(prompt_set(live.questions(seat)))
    fill_deadlines(view, live.deadlines(), at_ms)
    view.awaited_seats.extend(live.awaited())
    board = live.look(seat)
    getattr(view, _BOARD_FIELDS[board.DESCRIPTOR.full_name]).CopyFrom(board)
    return view


def batch_parts(
    live: Live,
    events: Sequence[Event],
    before: Sequence[Sequence[int]],
    *,
    revision: int,
    at_ms: int,
) -> tuple[bytes, list[bytes]]:
    """One revision as told: the part that all may see, and the part of each seat and the public.

    A seat's `EventBatch` is the two parts written one after the other. `before` are the numbers of
    the questions that were open to each seat; a seat whose questions stayed is told none.
    """
    shared = pb.EventBatch(revision=revision)
    shared.commit_time.FromMilliseconds(at_ms)
    fill_deadlines(shared, live.deadlines(), at_ms)
    shared.awaited_seats.extend(live.awaited())
    if live.result is not None:
        shared.result.CopyFrom(result_message(live.result))
    seats = range(live.table.seats)
    faces = [pb.EventBatch() for _ in (*seats, None)]
    tell = live.rules.tell
    if all(event.is_public() for event in events):
        for event in events:
            _add_event(shared, tell(event))
    else:
        for audience, face in zip((*seats, None), faces, strict=True):
            for event in events:
                seen = event.face(audience)
                if seen is not None:
                    _add_event(face, tell(seen))
    for seat in seats:
        questions = live.questions(seat)
        if [question.number for question in questions] != list(before[seat]):
            faces[seat].prompts.CopyFrom(prompt_set(questions))
    return shared.SerializeToString(), [face.SerializeToString() for face in faces]


def open_numbers(live: Live) -> list[list[int]]:
    """The numbers of the questions open to each seat."""
    return [
        [question.number for question in live.questions(seat)] for seat in range(live.table.seats)
    ]


def _add_event(batch: pb.EventBatch, event: Message) -> None:
    getattr(batch.events.add(), _EVENT_FIELDS[event.DESCRIPTOR.full_name]).CopyFrom(event)


def _fields(message: type[Message], oneof: str) -> dict[str, str]:
    """For each type of a `oneof`, the name of its field."""
    found = {}
    for field in message.DESCRIPTOR.oneofs_by_name[oneof].fields:
        assert field.message_type is not None
        found[field.message_type.full_name] = field.name
    return found


_BOARD_FIELDS = _fields(pb.View, "board")
_EVENT_FIELDS = _fields(pb.Event, "kind")
