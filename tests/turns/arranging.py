"""Tables for the tests of the turn path."""

from __future__ import annotations

import uuid
from typing import Any

from hutch.engine.live import Live
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.store.keys import shard_of
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.turn import Turn
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb

HOST = "host"
#: What every player adds to the seed: so long that it is nowhere by chance.
SALT = b"a pinch of sea salt"


async def started(
    lobby: Lobby,
    *,
    players: int = 1,
    ruleset: str = "rabbit-space",
    limits_ms: dict[str, int] | None = None,
    time_bank_ms: int = 0,
    options: dict[str, Any] | None = None,
    absence: pb.Absence.ValueType = pb.ABSENCE_UNSPECIFIED,
) -> str:
    """A started table with players called `p0`, `p1` …: its id."""
    wanted = pb.Table(ruleset=ruleset, seats=[pb.Seat() for _ in range(players)])
    wanted.absence.seat = absence
    for clock, limit in (limits_ms or {}).items():
        wanted.limits[clock].FromMilliseconds(limit)
    if time_bank_ms:
        wanted.time_bank.FromMilliseconds(time_bank_ms)
    wanted.options.update(options or {})
    table = await lobby.create(HOST, wanted, uuid.uuid4().hex)
    table_id = table.name.removeprefix("tables/")
    for seat in range(players):
        await lobby.claim(table_id, seat, f"p{seat}", f"P{seat}", SALT)
    await lobby.start(table_id, HOST)
    return table_id


async def bot_table(lobby: Lobby, *, limits_ms: dict[str, int] | None = None) -> str:
    """A started table of two bots, for whom no worker plays: its id."""
    wanted = pb.Table(ruleset="rabbit-space", seats=[pb.Seat(), pb.Seat()])
    for clock, limit in (limits_ms or {}).items():
        wanted.limits[clock].FromMilliseconds(limit)
    table = await lobby.create(HOST, wanted, uuid.uuid4().hex)
    table_id = table.name.removeprefix("tables/")
    for seat in range(2):
        await lobby.assign_bot(table_id, seat, HOST, "random")
    await lobby.start(table_id, HOST)
    return table_id


async def revision_of(store: Store, table_id: str) -> int:
    """The table's revision."""
    stored = await store.tables.load(table_id)
    assert stored is not None
    return stored.revision


async def damage(store: Store, table_id: str, part: str) -> None:
    """Spoil what is stored as the table's `meta` or `record`, or lose its `inputs` or `log`."""
    keys = store.keys
    match part:
        case "inputs":
            call: tuple[str, ...] = ("DEL", keys.inputs(table_id))
        case "log":
            call = ("DEL", keys.log(table_id))
        case _:
            call = ("HSET", keys.table(table_id), part, "rubbish")
    await store.pipelining.call(shard_of(table_id), *call)


async def live_of(path: TurnPath, resolver: Resolver, table_id: str) -> Live:
    """The game as it is stored."""
    stored, _ = await path.load(table_id)
    assert stored.record is not None
    live = resolver.live(stored.record)
    assert isinstance(live, Live)
    return live


def default(table_id: str, seat: int) -> Turn:
    """The turn that plays the default of a seat before its time."""
    request = rules_pb.ResolveRequest(play_default=rules_pb.PlayDefault(seat=seat))
    return Turn(table_id=table_id, request=request, seat=seat, by="clock")


def answer(table_id: str, seat: int, number: int, *options: str, request_id: str = "") -> Turn:
    """A turn: the seat answers the question of that number."""
    command = rules_pb.ResolveRequest()
    command.submit.seat = seat
    command.submit.action.prompt_id = number
    for option in options:
        command.submit.action.picks.add(option_id=option)
    return Turn(
        table_id=table_id,
        request=command,
        seat=seat,
        by="person",
        request_id=request_id or uuid.uuid4().hex,
        digest=str(options).encode(),
    )
