"""Views and events as messages: what one seat, or the public, may see."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from hutch.engine.events import Event
from hutch.engine.live import Live
from hutch.v1 import table_pb2 as pb
from hutch.wire.framing import field, number_field
from hutch.wire.prompts import (
    deadline_message,
    duration,
    fill_deadlines,
    prompt_set,
    result_message,
    timestamp,
)

#: By seat, the numbers of the asks and of the offers that are open, and when the asks are due.
OpenNumbers = tuple[Mapping[int, int], Mapping[int, int], Mapping[int, int | None]]
NOTHING_OPEN: Final[OpenNumbers] = {}, {}, {}

# Fields of `EventBatch`.
_REVISION, _COMMIT_TIME, _EVENTS, _PROMPTS, _DEADLINES = 1, 2, 3, 4, 5
_AWAITED_SEATS, _RESULT, _TIME_BANKS = 6, 7, 8


def open_numbers(live: Live) -> OpenNumbers:
    """The numbers of the questions that are open now, and when they are due."""
    due_ms = {seat: live.due_ms(seat) for seat in live.asks} if live.clocks else {}
    return dict(live.ask_numbers), dict(live.offer_numbers), due_ms


def view_of(live: Live, seat: int | None, at_ms: int) -> pb.View:
    """What `seat` (None: the public) may see, without the table's own fields."""
    view = pb.View()
    view.view_time.CopyFrom(timestamp(at_ms))
    if seat is not None and live.result is None:
        view.prompts.MergeFromString(prompt_set(live.questions(seat)))
    fill_deadlines(view, live, at_ms)
    view.awaited_seats.extend(live.awaited())
    board = live.look(seat)
    getattr(view, _BOARDS[board.DESCRIPTOR.full_name]).CopyFrom(board)
    return view


def batch_parts(
    live: Live,
    events: Sequence[Event],
    before: OpenNumbers,
    *,
    revision: int,
    at_ms: int,
) -> tuple[bytes, list[bytes]]:
    """One revision as told: the part that all may see, and the part of each seat and the public.

    A seat's `EventBatch` is the two parts written one after the other. `before` are the numbers of
    the questions that were open to each seat, and when they were due; a seat whose questions stayed
    is told none.
    """
    seats = live.table.seats
    shared = _stand(live, revision, at_ms)
    faces: list[list[bytes]] = [[] for _ in range(seats + 1)]
    tell = live.rules.tell
    apart = False
    for event in events:
        if event.is_public() and not apart:
            shared.append(_event(tell, event))
            continue
        seen = [event.face(audience) for audience in (*range(seats), None)]
        # Events are told in their order: after one that is told apart, so are all others.
        apart = apart or seen.count(seen[0]) < len(seen)
        for part, face in zip(faces, seen, strict=True) if apart else ((shared, seen[0]),):
            if face is not None:
                part.append(_event(tell, face))
    asks, offers = live.ask_numbers, live.offer_numbers
    asked, offered, was_due_ms = before
    for seat in range(seats):
        if (
            asks.get(seat) != asked.get(seat)
            or offers.get(seat) != offered.get(seat)
            or ((live.clocks or was_due_ms) and live.due_ms(seat) != was_due_ms.get(seat))
        ):
            faces[seat].append(field(_PROMPTS, prompt_set(live.questions(seat))))
    return b"".join(shared), [b"".join(face) for face in faces]


def _stand(live: Live, revision: int, at_ms: int) -> list[bytes]:
    """How things stand now, for all to see: the fields of an `EventBatch` but for its events."""
    fields = [
        number_field(_REVISION, revision),
        _commit_time(at_ms),
    ]
    for deadline in live.deadlines():
        message = deadline_message(deadline, at_ms)
        fields.append(field(_DEADLINES, message.SerializeToString()))
    if awaited := live.awaited():
        fields.append(field(_AWAITED_SEATS, bytes(awaited)))
    if live.result is not None:
        fields.append(field(_RESULT, result_message(live.result).SerializeToString()))
    for left_ms in live.banks_left_ms(at_ms):
        fields.append(field(_TIME_BANKS, duration(left_ms).SerializeToString()))
    return fields


def _event(tell: Callable[[Event], Message], event: Event) -> bytes:
    """An event as a field of an `EventBatch`. Most are like one told before, so those are kept."""
    try:
        return _kept_event(tell, event)
    except TypeError:  # it holds something that cannot be a key
        return event_field(tell, event)


def event_field(tell: Callable[[Event], Message], event: Event) -> bytes:
    """The face of an event as a field of an `EventBatch`."""
    message = tell(event)
    game, kind = _KINDS[message.DESCRIPTOR.full_name]
    return field(_EVENTS, field(game, field(kind, message.SerializeToString())))


_kept_event = lru_cache(maxsize=4096)(event_field)


@lru_cache(maxsize=64)  # of what is resolved together much is of the same millisecond
def _commit_time(at_ms: int) -> bytes:
    return field(_COMMIT_TIME, timestamp(at_ms).SerializeToString())


def _members(message: Descriptor, oneof: str) -> list[tuple[FieldDescriptor, Descriptor]]:
    """The fields of a `oneof` of messages, each with what it holds."""
    return [
        (one, one.message_type)
        for one in message.oneofs_by_name[oneof].fields
        if one.message_type is not None
    ]


#: For each game's board, the field of `View` that holds it.
_BOARDS: Final = {held.full_name: one.name for one, held in _members(pb.View.DESCRIPTOR, "board")}
#: For each kind of event of any game, the fields of `Event` and of the game's own that hold it.
_KINDS: Final = {
    held.full_name: (game.number, one.number)
    for game, event in _members(pb.Event.DESCRIPTOR, "kind")
    for one, held in _members(event, "kind")
}
