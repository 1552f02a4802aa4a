"""Views and events as messages: what one seat, or the public, may see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from google.protobuf.message import Message

from hutch.engine.events import Event
from hutch.engine.live import Live
from hutch.v1 import table_pb2 as pb
from hutch.wire.framing import field
from hutch.wire.prompts import fill_deadlines, prompt_set, result_message, timestamp

#: For each seat the numbers of its ask and its offer, as far as they are open, and when the ask is
#: due.
OpenNumbers = list[tuple[int | None, int | None, int | None]]

# Fields of `EventBatch`.
_EVENTS, _PROMPTS = 3, 4


def open_numbers(live: Live) -> OpenNumbers:
    """The numbers of the questions open to each seat, and when they are due."""
    asks, offers = live.ask_numbers, live.offer_numbers
    return [
        (asks.get(seat), offers.get(seat), live.due_ms(seat)) for seat in range(live.table.seats)
    ]


def view_of(live: Live, seat: int | None, at_ms: int) -> pb.View:
    """What `seat` (None: the public) may see, without the table's own fields."""
    view = pb.View()
    view.view_time.CopyFrom(timestamp(at_ms))
    if seat is not None and live.result is None:
        view.prompts.MergeFromString(prompt_set(live.questions(seat)))
    fill_deadlines(view, live, at_ms)
    view.awaited_seats.extend(live.awaited())
    board = live.look(seat)
    name, _ = _BOARD_FIELDS[board.DESCRIPTOR.full_name]
    getattr(view, name).CopyFrom(board)
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
    audiences = (*range(live.table.seats), None)
    shared = [_stand(live, revision, at_ms)]
    faces: list[list[bytes]] = [[] for _ in audiences]
    tell = live.rules.tell
    apart = False
    for event in events:
        if event.is_public() and not apart:
            shared.append(_event(tell, event))
            continue
        seen = [event.face(audience) for audience in audiences]
        # Events are told in their order: after one that is told apart, so are all others.
        apart = apart or seen.count(seen[0]) < len(seen)
        for part, face in zip(faces, seen, strict=True) if apart else ((shared, seen[0]),):
            if face is not None:
                part.append(_event(tell, face))
    for seat, (was, now) in enumerate(zip(before, open_numbers(live), strict=True)):
        if was != now:
            faces[seat].append(field(_PROMPTS, prompt_set(live.questions(seat))))
    return b"".join(shared), [b"".join(face) for face in faces]


def _stand(live: Live, revision: int, at_ms: int) -> bytes:
    """How things stand now, for all to see: an `EventBatch` without events."""
    batch = pb.EventBatch(
        revision=revision,
        commit_time=timestamp(at_ms),
        awaited_seats=live.awaited(),
        result=None if live.result is None else result_message(live.result),
    )
    fill_deadlines(batch, live, at_ms)
    return batch.SerializeToString()


def _event(tell: Callable[[Event], Message], event: Event) -> bytes:
    """An event as a field of an `EventBatch`. Most are like one told before, so those are kept."""
    try:
        return _kept_event(tell, event)
    except TypeError:  # it holds something that cannot be a key
        return _event_field(tell, event)


def _event_field(tell: Callable[[Event], Message], event: Event) -> bytes:
    message = tell(event)
    _, number = _EVENT_FIELDS[message.DESCRIPTOR.full_name]
    return field(_EVENTS, field(number, message.SerializeToString()))


_kept_event = lru_cache(maxsize=4096)(_event_field)


def _fields(message: type[Message], oneof: str) -> dict[str, tuple[str, int]]:
    """For each type of a `oneof`, the name and the number of its field."""
    found = {}
    for one in message.DESCRIPTOR.oneofs_by_name[oneof].fields:
        assert one.message_type is not None
        found[one.message_type.full_name] = one.name, one.number
    return found


_BOARD_FIELDS = _fields(pb.View, "board")
_EVENT_FIELDS = _fields(pb.Event, "kind")
