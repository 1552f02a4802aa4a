"""Events on the wire: framed by hand, and read as the messages that the protos describe."""

from __future__ import annotations

import pytest
from google.protobuf.message_factory import GetMessageClass

from hutch.engine.events import Event
from hutch.v1 import table_pb2 as pb
from hutch.wire.views import event_field

KINDS = [
    (game, kind)
    for game in pb.Event.DESCRIPTOR.oneofs_by_name["kind"].fields
    for kind in game.message_type.oneofs_by_name["kind"].fields
]


@pytest.mark.parametrize(
    ("game", "kind"), KINDS, ids=[kind.message_type.full_name for _, kind in KINDS]
)
def test_an_event_is_read_as_the_kind_that_it_was_told_as(game, kind):
    told = GetMessageClass(kind.message_type)()

    batch = pb.EventBatch.FromString(event_field(lambda event: told, Event()))

    (event,) = batch.events
    assert event.WhichOneof("kind") == game.name
    assert getattr(event, game.name).WhichOneof("kind") == kind.name
