"""Actions that are none, or not now."""

from __future__ import annotations

import uuid

from hutch.engine.refusals import Reason
from hutch.v1 import table_pb2
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import Wrong
from tests.services.failures import Failure
from tests.services.wrongdoing.trouble import Trouble, provokes


@provokes(Wrong.MALFORMED_MESSAGE)
async def garbage(trouble: Trouble) -> Failure | None:
    return await trouble.call("SubmitAction", b"\xff\xff\xff\xff\xff")


@provokes(Wrong.MESSAGE_TOO_LARGE)
async def too_much(trouble: Trouble) -> Failure | None:
    return await trouble.submit(request_id="x" * 100_000)


@provokes(Wrong.REQUEST_ID_INVALID)
async def no_uuid(trouble: Trouble) -> Failure | None:
    return await trouble.submit(request_id="17")


@provokes(Wrong.REQUEST_ID_REUSED)
async def one_id_for_two_actions(trouble: Trouble) -> Failure | None:
    request_id = str(uuid.uuid4())
    assert await trouble.submit(request_id=request_id) is None
    return await trouble.submit(request_id=request_id, prompt_id=999_999)


@provokes(Wrong.TABLE_NOT_PLAYING)
async def act_before_the_deal(trouble: Trouble) -> Failure | None:
    gathering = await trouble.ada.create_table("rabbit-space", seats=2)
    seat = await gathering.claim(0)
    request = service_pb.SubmitActionRequest(
        seat=seat.name, action=table_pb2.Action(prompt_id=1), request_id=str(uuid.uuid4())
    )
    return await trouble.call("SubmitAction", request)


@provokes(Wrong.REVISION_CONFLICT)
async def expect_the_past(trouble: Trouble) -> Failure | None:
    return await trouble.submit(expected_revision=1)


@provokes(Wrong.EPOCH_OVER)
async def answer_in_another_epoch(trouble: Trouble) -> Failure | None:
    return await trouble.submit(epoch=7)


@provokes(Reason.PROMPT_CLOSED)
async def answer_nothing(trouble: Trouble) -> Failure | None:
    return await trouble.submit(prompt_id=999_999)


@provokes(Reason.NOT_AN_OPTION)
async def pick_from_elsewhere(trouble: Trouble) -> Failure | None:
    return await trouble.submit(picks=[table_pb2.Pick(option_id="the-moon")])


@provokes(Reason.TOO_MANY_PICKS)
async def pick_everything(trouble: Trouble) -> Failure | None:
    prompt = await trouble.seat0()
    return await trouble.submit(
        picks=[table_pb2.Pick(option_id=option.option_id) for option in prompt.options]
    )


@provokes(Reason.TOO_FEW_PICKS)
async def pick_too_little(trouble: Trouble) -> Failure | None:
    # Ada's ready can be taken back, as Ben is not ready: an offer that wants one pick.
    batch = await trouble.table.seat(0).submit(await trouble.seat0())
    offer = next(one for one in batch.prompts.prompts if one.min_picks)
    return await trouble.submit(prompt_id=offer.prompt_id)


@provokes(Reason.COUNT_OUT_OF_RANGE)
async def pick_too_often(trouble: Trouble) -> Failure | None:
    prompt = await trouble.seat0()
    pick = table_pb2.Pick(option_id=prompt.options[0].option_id, count=3)
    return await trouble.submit(picks=[pick])


@provokes(Reason.PICKED_TWICE)
async def pick_the_same_twice(trouble: Trouble) -> Failure | None:
    prompt = await trouble.seat0()
    pick = table_pb2.Pick(option_id=prompt.options[0].option_id)
    return await trouble.submit(picks=[pick, pick])


@provokes(Reason.NOT_UNDOABLE)
async def undo_nothing(trouble: Trouble) -> Failure | None:
    request = service_pb.UndoActionRequest(
        seat=f"{trouble.table.name}/seats/0", request_id=str(uuid.uuid4())
    )
    return await trouble.call("UndoAction", request)
