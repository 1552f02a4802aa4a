"""Messages that somebody writes straight into the broker: at most they do nothing."""

from __future__ import annotations

import asyncio
import base64
import json
import pickle
import uuid
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from hutch.client import Hutch, Table
from hutch.store.store import Store
from hutch.workers.celery_app import BOTS, PLAY
from tests.oracle import judge
from tests.stacks import RunningStack

JSON = "application/json"


class Bomb:
    """Leaves a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self._path,)


def message(body: bytes, *, task: str = PLAY, kind: str = JSON, **headers: object) -> bytes:
    """A message as Celery writes it."""
    task_id = str(uuid.uuid4())
    usual = {"lang": "py", "task": task, "id": task_id, "root_id": task_id, "retries": 0}
    return json.dumps(
        {
            "body": base64.b64encode(body).decode(),
            "content-encoding": "binary" if kind != JSON else "utf-8",
            "content-type": kind,
            "headers": {**usual, "eta": None, "expires": None, **headers},
            "properties": {
                "correlation_id": task_id,
                "reply_to": "",
                "delivery_mode": 2,
                "delivery_info": {"exchange": "", "routing_key": BOTS},
                "priority": 0,
                "body_encoding": "base64",
                "delivery_tag": task_id,
            },
        }
    ).encode()


def hint(*arguments: object, embedded: object = None, **named: object) -> bytes:
    """A hint with those arguments."""
    return message(json.dumps([arguments, named, embedded or {}]).encode())


def forgeries(table: Table, bomb: Path) -> dict[str, bytes]:
    """All of them, by what is wrong with them."""
    table_id = table.name.removeprefix("tables/")
    signature = {"task": PLAY, "args": [[table_id]], "kwargs": {}, "options": {}}
    return {
        "a table of people": hint([table_id]),
        "the same table many times": hint([table_id] * 500),
        "a table that never was": hint(["0123456789abcdef"]),
        "a key of something else": hint(["} hutch:revoked", "../..", "*", "\n"]),
        "no list": hint(table_id),
        "a number": hint(7),
        "things that are no names": hint([7, None, {"a": 1}, [], True]),
        "nothing": hint(),
        "too much": hint([table_id], [table_id]),
        "an argument that there is not": hint([table_id], winner=0),
        "a task after it": hint([table_id], embedded={"callbacks": [signature], "chain": []}),
        "no body": message(b""),
        "a body that is no list": message(b'{"a": 1}'),
        "an unknown task": message(b"[[], {}, {}]", task="os.system"),
        "a task of Celery's own": message(
            json.dumps([[signature, [[[table_id]]]], {}, {}]).encode(), task="celery.starmap"
        ),
        "a pickle": message(pickle.dumps(Bomb(bomb)), kind="application/x-python-serialize"),
        "a pickle that says it is JSON": message(pickle.dumps(Bomb(bomb))),
        "YAML": message(b"!!python/object/apply:os.getpid []", kind="application/x-yaml"),
    }


async def test_forged_messages_change_nothing_and_the_worker_goes_on(
    stack: RunningStack, ada: Hutch, table: Table, tmp_path: Path
) -> None:
    before = (await table.get(), await table.view(), await table.seat(0).view())
    restarts = stack.facts["restarts"]
    bomb = tmp_path / "bomb"
    broker = Redis.from_url(stack.redis_url, db=1)
    async with broker:
        for forged in forgeries(table, bomb).values():
            await broker.lpush(BOTS, forged)
        # Played by the same worker, and behind the forgeries in its queue.
        bots = await ada.create_table("rabbit-space", seats=2)
        for seat in range(2):
            await bots.assign_bot(seat, "greedy")
        await bots.start()
        async with asyncio.timeout(60):
            async for _ in bots.watch():
                pass
    after = (await table.get(), await table.view(), await table.seat(0).view())
    for was, now in zip(before, after, strict=True):
        for one in (was, now):
            if hasattr(one, "view_time"):
                one.ClearField("view_time")
        assert was == now
    assert not bomb.exists()
    assert stack.facts["restarts"] == restarts
    async with await Store.open(stack.redis_url) as store:
        verdict = await judge(store, bots.name.removeprefix("tables/"))
        assert not verdict.faults
