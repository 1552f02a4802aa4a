"""Recordings read from the store, and as messages."""

from __future__ import annotations

from typing import NamedTuple, assert_never

from google.protobuf import json_format

from hutch.engine.commands import (
    Command,
    Credit,
    Leave,
    PlayDefault,
    Rejoin,
    Submit,
    Tick,
    Undo,
)
from hutch.engine.recording import Recorded, Recording
from hutch.engine.records import Result
from hutch.engine.replay import decode_logged, decode_opening
from hutch.store.tables import TableStore
from hutch.turns.drafts import plain_options
from hutch.turns.table_meta import TableMeta
from hutch.turns.telling import SHARED, TABLE
from hutch.turns.turn_path import not_playing
from hutch.v1 import recording_pb2 as recording_pb
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault, Wrong
from hutch.wire.names import TableName, parse_table
from hutch.wire.prompts import action_of, picks_of, result_message, timestamp

_LOG_PAGE = 200


class Place(NamedTuple):
    """Where the next page begins: the number of its first input, and the revision before it."""

    start: int
    revision: int


BEGINNING = Place(0, 0)


class Page(NamedTuple):
    """A page of a recording; `after` is where the next one begins, None at the end."""

    recording: recording_pb.Recording
    after: Place | None


async def read_recording(
    store: TableStore, table_id: str, meta: TableMeta, place: Place, size: int
) -> Page:
    """A page of at most `size` commands; the first has everything else as well.

    Raises `Fault` GAME_NOT_OVER: before the end, secret and commands are nobody's business; and
    TABLE_NOT_PLAYING where the table was given up before the deal.
    """
    inputs = await store.read_inputs(table_id, place.start, size + (place == BEGINNING))
    if not meta.is_over:
        raise Fault(
            Wrong.GAME_NOT_OVER,
            f"Table {table_id} is {meta.state}; its recording can be had once a game is over.",
            {"state": meta.state},
        )
    if place == BEGINNING and not inputs:
        raise not_playing(table_id, meta)
    revisions = await _revisions(store, table_id, place.revision, len(inputs))
    entries = list(zip(revisions, [data for _, data in inputs], strict=False))
    recording = recording_pb.Recording()
    if place == BEGINNING:
        recording = await _opened(store, table_id, meta, *entries.pop(0))
    for revision, data in entries:
        logged = decode_logged(data)
        recorded = Recorded(revision, logged.at_ms, logged.command)
        recording.commands.append(command_message(recorded))
    more = len(entries) == size
    return Page(recording, Place(place.start + len(inputs), revisions[-1]) if more else None)


def recording_message(recording: Recording) -> recording_pb.Recording:
    """The recording, without what was told, as a message."""
    message = recording_pb.Recording(
        table=str(TableName(recording.table)),
        ruleset=recording.ruleset,
        rules_revision=recording.rules_revision,
        seats=recording.seats,
        commitment=recording.commitment,
        secret=recording.secret,
        salts=recording.salts,
        seed=recording.seed,
        deal_revision=recording.deal_revision,
        deal_time=timestamp(recording.deal_ms),
        commands=[command_message(recorded) for recorded in recording.commands],
        result=None if recording.result is None else result_message(recording.result),
    )
    json_format.ParseDict(recording.options, message.options)
    for clock, limit_ms in recording.limits_ms.items():
        message.limits[clock].FromMilliseconds(limit_ms)
    if recording.time_bank_ms:
        message.time_bank.FromMilliseconds(recording.time_bank_ms)
    return message


def recording_of(message: recording_pb.Recording) -> Recording:
    """The recording in a message. Raises `ValueError` where there is a command unknown here."""
    result = None
    if message.HasField("result"):
        ended = message.result
        team = ended.team_score if ended.HasField("team_score") else None
        result = Result(tuple(ended.scores), tuple(ended.winners), team)
    limits = sorted(message.limits.items())
    return Recording(
        table=parse_table(message.table),
        ruleset=message.ruleset,
        rules_revision=message.rules_revision,
        seats=message.seats,
        options=plain_options(message.options),
        limits_ms={clock: limit.ToMilliseconds() for clock, limit in limits},
        time_bank_ms=message.time_bank.ToMilliseconds(),
        commitment=message.commitment,
        secret=message.secret,
        salts=tuple(message.salts),
        seed=message.seed,
        deal_revision=message.deal_revision,
        deal_ms=message.deal_time.ToMilliseconds(),
        commands=[_recorded(command) for command in message.commands],
        result=result,
    )


def command_message(recorded: Recorded) -> recording_pb.RecordedCommand:
    """A command that was accepted, as a message."""
    message = recording_pb.RecordedCommand(
        revision=recorded.revision, resolve_time=timestamp(recorded.at_ms)
    )
    match recorded.command:
        case Submit(seat=seat, number=number, picks=picks):
            message.submitted.seat = seat
            message.submitted.action.CopyFrom(action_of(number, picks))
        case Tick():
            message.ticked.SetInParent()
        case PlayDefault(seat=seat):
            message.defaulted_seat = seat
        case Leave(seat=seat):
            message.left_seat = seat
        case Rejoin(seat=seat):
            message.rejoined_seat = seat
        case Undo(seat=seat):
            message.undone_seat = seat
        case Credit(from_ms=from_ms, until_ms=until_ms):
            message.credited.start_time.CopyFrom(timestamp(from_ms))
            message.credited.end_time.CopyFrom(timestamp(until_ms))
        case other:
            assert_never(other)
    return message


def _recorded(message: recording_pb.RecordedCommand) -> Recorded:
    command: Command
    match message.WhichOneof("command"):
        case "submitted":
            action = message.submitted.action
            command = Submit(message.submitted.seat, action.prompt_id, picks_of(action))
        case "ticked":
            command = Tick()
        case "defaulted_seat":
            command = PlayDefault(message.defaulted_seat)
        case "left_seat":
            command = Leave(message.left_seat)
        case "rejoined_seat":
            command = Rejoin(message.rejoined_seat)
        case "undone_seat":
            command = Undo(message.undone_seat)
        case "credited":
            outage = message.credited
            command = Credit(outage.start_time.ToMilliseconds(), outage.end_time.ToMilliseconds())
        case _:
            raise ValueError(f"revision {message.revision} holds a command that is unknown here")
    return Recorded(message.revision, message.resolve_time.ToMilliseconds(), command)


async def _opened(
    store: TableStore, table_id: str, meta: TableMeta, revision: int, data: bytes
) -> recording_pb.Recording:
    """The recording as far as the deal."""
    opening = decode_opening(data)
    ended = Result(tuple(meta.scores), tuple(meta.winners), meta.team)
    return recording_message(
        Recording(
            table=table_id,
            ruleset=opening.ruleset,
            rules_revision=meta.rules_revision,
            seats=opening.seats,
            options=opening.options,
            limits_ms=opening.limits_ms,
            time_bank_ms=opening.time_bank_ms,
            commitment=await _published(store, table_id),
            secret=meta.secret,
            salts=tuple([seat.salt for seat in meta.seats]),
            seed=opening.seed,
            deal_revision=revision,
            deal_ms=opening.at_ms,
            commands=[],
            result=ended if meta.state == "finished" else None,
        )
    )


async def _published(store: TableStore, table_id: str) -> bytes:
    """The commitment as everybody was told it when the table was opened: from the log, so that
    nothing that happened to the secret since can change it."""
    first, *_ = await store.read_log(table_id, 0, 1)
    return pb.Table.FromString(first.fields[TABLE]).seed_commitment


async def _revisions(store: TableStore, table_id: str, after: int, count: int) -> list[int]:
    """The first `count` revisions after that one which a turn or the deal led to."""
    found: list[int] = []
    while len(found) < count:
        entries = await store.read_log(table_id, after, _LOG_PAGE)
        if not entries:
            break
        found += [entry.revision for entry in entries if SHARED in entry.fields]
        after = entries[-1].revision
    return found[:count]
