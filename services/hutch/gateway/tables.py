"""TableService: tables, seats, actions, views and what happens."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import msgspec
import structlog

from hutch.callers.caller import LEAVES, LOOKS, PLAYS, Caller
from hutch.games import RULESETS
from hutch.gateway.actions import Actions
from hutch.gateway.calls import Calls, Handler, check_request_id
from hutch.gateway.play import PlayStreams
from hutch.gateway.watching import Watching
from hutch.store.commits import Listing
from hutch.store.index import Index, Listed
from hutch.turns.attendance import place_of
from hutch.turns.drafts import ruleset_named
from hutch.turns.lobby import Lobby
from hutch.turns.recording import BEGINNING, Place, read_recording
from hutch.turns.table_meta import STATE_NAMES, State, decode_meta, table_message
from hutch.turns.telling import batch_of
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import Fault, Wrong
from hutch.wire.framing import field
from hutch.wire.names import parse_name, parse_seat, parse_table

log = structlog.get_logger(__name__)

SERVICE = "hutch.v1.TableService"

LIST_PAGE = 50
LIST_PAGE_MOST = 200
REPLAY_PAGE = 100
REPLAY_PAGE_MOST = 500
RECORDING_PAGE = 500
RECORDING_PAGE_MOST = 2000

# Page tokens: the last table of a page, the last revision, and where a recording goes on, which is
# never at the deal.
_LISTED = re.compile("([0-9]{1,13})-([a-z0-9]{8,32})")
_REVISION = re.compile("([0-9]{1,18})")
_PLACE = re.compile("([1-9][0-9]{0,17})-([0-9]{1,18})")


class TableService:
    """What the RPCs do, apart from what all calls share."""

    def __init__(
        self, path: TurnPath, lobby: Lobby, index: Index, actions: Actions, watching: Watching
    ) -> None:
        self._path = path
        self._lobby = lobby
        self._index = index
        self._actions = actions
        self._watching = watching

    async def create_table(
        self, caller: Caller, request: service_pb.CreateTableRequest
    ) -> pb.Table:
        """Open a table."""
        request_id = check_request_id(request.request_id)
        return await self._lobby.create(caller.player, request.table, request_id)

    async def get_table(self, caller: Caller, request: service_pb.GetTableRequest) -> pb.Table:
        """The public face of a table."""
        table_id = parse_table(request.name)
        stored, meta = await self._path.load(table_id)
        return table_message(table_id, meta, stored.revision, stored.epoch)

    async def list_tables(
        self, caller: Caller, request: service_pb.ListTablesRequest
    ) -> service_pb.ListTablesResponse:
        """A page of tables, newest first."""
        size = _page_size(request.page_size, LIST_PAGE, LIST_PAGE_MOST)
        rulesets = [ruleset_named(request.ruleset).name] if request.ruleset else sorted(RULESETS)
        states = _states(request.state)
        listings = [Listing(state, ruleset) for state in states for ruleset in rulesets]
        listed = await self._index.list_tables(listings, size, _listed(request.page_token))
        response = service_pb.ListTablesResponse()
        if len(listed) == size:
            response.next_page_token = f"{listed[-1].since_ms}-{listed[-1].table_id}"
        loads = [self._path.store.load(one.table_id) for one in listed]
        for stored in await asyncio.gather(*loads):
            if stored is None:
                continue  # it has expired since
            try:
                meta = decode_meta(stored.meta)
            except msgspec.MsgspecError:  # damaged, or of another release: the others are told
                log.exception("table_unreadable", table=stored.table_id)
                continue
            response.tables.append(
                table_message(stored.table_id, meta, stored.revision, stored.epoch)
            )
        return response

    async def claim_seat(self, caller: Caller, request: service_pb.ClaimSeatRequest) -> pb.Table:
        """Take a seat."""
        table_id, seat = parse_seat(request.name)
        return await self._lobby.claim(
            table_id, seat, caller.player, caller.display_name, request.salt, is_bot=caller.is_bot
        )

    async def assign_bot(self, caller: Caller, request: service_pb.AssignBotRequest) -> pb.Table:
        """Put a bot on a seat."""
        table_id, seat = parse_seat(request.name)
        return await self._lobby.assign_bot(table_id, seat, caller.player, request.bot)

    async def start_table(self, caller: Caller, request: service_pb.StartTableRequest) -> pb.Table:
        """Deal."""
        return await self._lobby.start(parse_table(request.name), caller.player)

    async def abandon_table(
        self, caller: Caller, request: service_pb.AbandonTableRequest
    ) -> pb.Table:
        """Give a table up before the deal."""
        return await self._lobby.abandon(parse_table(request.name), caller.player)

    async def leave_table(self, caller: Caller, request: service_pb.LeaveTableRequest) -> pb.Table:
        """Give a seat up."""
        table_id, seat = parse_seat(request.name)
        leaver = None if caller.is_operator else caller.player
        return await self._lobby.leave(table_id, seat, leaver)

    async def get_view(self, caller: Caller, request: service_pb.GetViewRequest) -> pb.View:
        """What a seat, or the public, may see."""
        return await self._watching.view(parse_name(request.name), caller)

    async def submit_action(self, caller: Caller, request: service_pb.SubmitActionRequest) -> bytes:
        """Answer a prompt: a `SubmitActionResponse`."""
        accepted = await self._actions.submit(caller, request)
        return field(1, accepted.batch)

    async def undo_action(self, caller: Caller, request: service_pb.UndoActionRequest) -> bytes:
        """Take the last answer back: a `SubmitActionResponse`."""
        accepted = await self._actions.undo(caller, request)
        return field(1, accepted.batch)

    def watch_table(
        self, caller: Caller, request: service_pb.WatchTableRequest
    ) -> AsyncIterator[bytes]:
        """What happens from now, or from a resume token, on."""
        name = parse_name(request.name)
        return self._watching.updates(name, caller, request.resume_token)

    async def list_deadlines(
        self, caller: Caller, request: service_pb.ListDeadlinesRequest
    ) -> service_pb.ListDeadlinesResponse:
        """Deadlines, soonest first."""
        view = await self._watching.view(parse_name(request.name), caller)
        timed = [one for one in view.deadlines if one.HasField("due_time")]
        timed.sort(key=lambda one: one.due_time.ToMilliseconds())
        untimed = [one for one in view.deadlines if not one.HasField("due_time")]
        return service_pb.ListDeadlinesResponse(
            deadlines=[*timed, *untimed], time_banks=view.time_banks
        )

    async def get_replay(
        self, caller: Caller, request: service_pb.GetReplayRequest
    ) -> service_pb.GetReplayResponse:
        """What happened: for the own seat or as the public saw it; once the game is over, as any
        seat saw it."""
        name = parse_name(request.name)
        size = _page_size(request.page_size, REPLAY_PAGE, REPLAY_PAGE_MOST)
        after = _page_start(request.page_token)
        _, meta = await self._path.load(name.table_id)
        if not meta.is_over:
            self._watching.allow(meta, name, caller)
        elif name.seat is not None:
            place_of(meta, name.seat)
        entries = await self._path.store.read_log(name.table_id, after, size)
        response = service_pb.GetReplayResponse()
        for entry in entries:
            if batch := batch_of(entry.fields, name.seat):
                response.batches.append(pb.EventBatch.FromString(batch))
        if len(entries) == size:
            response.next_page_token = str(entries[-1].revision)
        return response

    async def get_recording(
        self, caller: Caller, request: service_pb.GetRecordingRequest
    ) -> service_pb.GetRecordingResponse:
        """What a game that is over was dealt from and all that was played."""
        table_id = parse_table(request.name)
        size = _page_size(request.page_size, RECORDING_PAGE, RECORDING_PAGE_MOST)
        place = _recording_place(request.page_token)
        _, meta = await self._path.load(table_id)
        page = await read_recording(self._path.store, table_id, meta, place, size)
        return service_pb.GetRecordingResponse(
            recording=page.recording,
            next_page_token=f"{page.after.start}-{page.after.revision}" if page.after else "",
        )


def handlers(calls: Calls, tables: TableService, streams: PlayStreams) -> dict[str, Handler]:
    """The gRPC handlers of TableService, by method."""
    return {
        **calls.unary(
            ("CreateTable", service_pb.CreateTableRequest, tables.create_table, PLAYS),
            ("GetTable", service_pb.GetTableRequest, tables.get_table, LOOKS),
            ("ListTables", service_pb.ListTablesRequest, tables.list_tables, LOOKS),
            ("ClaimSeat", service_pb.ClaimSeatRequest, tables.claim_seat, PLAYS),
            ("AssignBot", service_pb.AssignBotRequest, tables.assign_bot, PLAYS),
            ("StartTable", service_pb.StartTableRequest, tables.start_table, PLAYS),
            ("AbandonTable", service_pb.AbandonTableRequest, tables.abandon_table, PLAYS),
            ("LeaveTable", service_pb.LeaveTableRequest, tables.leave_table, LEAVES),
            ("GetView", service_pb.GetViewRequest, tables.get_view, LOOKS),
            ("ListDeadlines", service_pb.ListDeadlinesRequest, tables.list_deadlines, LOOKS),
            ("GetReplay", service_pb.GetReplayRequest, tables.get_replay, LOOKS),
            ("GetRecording", service_pb.GetRecordingRequest, tables.get_recording, LOOKS),
        ),
        # Actions have a rate and places of their own.
        **calls.unary(
            ("SubmitAction", service_pb.SubmitActionRequest, tables.submit_action, PLAYS),
            ("UndoAction", service_pb.UndoActionRequest, tables.undo_action, PLAYS),
            rated=False,
        ),
        "WatchTable": calls.server_stream(
            "WatchTable", "watch", service_pb.WatchTableRequest, tables.watch_table, scopes=LOOKS
        ),
        "Play": calls.both_streams("Play", "play", streams.serve, scopes=LOOKS),
    }


def _page_size(asked: int, usual: int, most: int) -> int:
    if asked < 0:
        raise Fault(
            Wrong.ARGUMENT_INVALID,
            f"page_size is {asked}; send 0 for the usual size or up to {most}.",
            {"field": "page_size"},
        )
    return min(asked or usual, most)


def _states(asked: int) -> list[State]:
    """The states that tables are listed of."""
    if asked == pb.TABLE_STATE_UNSPECIFIED:
        return sorted(STATE_NAMES.values())
    state = STATE_NAMES.get(asked)
    if state is None:
        raise Fault(
            Wrong.ARGUMENT_INVALID,
            f"There is no state {asked}; there are {', '.join(STATE_NAMES.values()).upper()}.",
            {"field": "state"},
        )
    return [state]


def _listed(token: str) -> Listed | None:
    """The last table of the page before."""
    if not token:
        return None
    since_ms, table_id = _parts(_LISTED, token)
    return Listed(int(since_ms), table_id)


def _page_start(token: str) -> int:
    if not token:
        return 0
    (revision,) = _parts(_REVISION, token)
    return int(revision)


def _recording_place(token: str) -> Place:
    if not token:
        return BEGINNING
    start, revision = _parts(_PLACE, token)
    return Place(int(start), int(revision))


def _parts(form: re.Pattern[str], token: str) -> tuple[str, ...]:
    """What a page token is made of. Raises `Fault` PAGE_TOKEN_INVALID."""
    match = form.fullmatch(token)
    if match is None:
        raise Fault(Wrong.PAGE_TOKEN_INVALID, "The page token is none of ours; start without one.")
    return match.groups()
