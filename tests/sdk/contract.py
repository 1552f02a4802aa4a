"""A small service that keeps the API's contract, with faults on demand.

It stands where the gateway would: real gRPC on loopback. Its game is a count: each seat is asked
again and again, and the game is over after so many answers. What it stores it stores once for each
request id, so that a test can compare what was told with what is true.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Self

import grpc

from hutch.v1 import (
    catalog_service_pb2,
    catalog_service_pb2_grpc,
    player_service_pb2,
    player_service_pb2_grpc,
    recording_pb2,
    table_pb2,
    table_service_pb2,
    table_service_pb2_grpc,
)
from tests.sdk.counting import Code, Game, Refused, Watch


@dataclass
class Faults:
    """What goes wrong, each with its chance for each message or call."""

    rng: Random = field(default_factory=lambda: Random(1))
    cut: float = 0.0
    going_away: float = 0.0
    repeat: float = 0.0
    skip: float = 0.0
    snapshot: float = 0.0
    lose_reply: float = 0.0
    refuse: float = 0.0
    #: Refusals to give, first come first served, to unary calls and submissions alike.
    refusals: list[Refused] = field(default_factory=list)
    #: How many of the next unary calls are never answered.
    stalls: int = 0
    #: Whether streams stop to speak at all.
    mute: bool = False
    counts: dict[str, int] = field(default_factory=dict)

    def happens(self, what: str) -> bool:
        """Whether a fault strikes now."""
        if self.rng.random() >= getattr(self, what):
            return False
        self.counts[what] = self.counts.get(what, 0) + 1
        return True


class ContractService(
    table_service_pb2_grpc.TableServiceServicer,
    player_service_pb2_grpc.PlayerServiceServicer,
    catalog_service_pb2_grpc.CatalogServiceServicer,
):
    """The service. `games` by table name, `requests` as they came, `tokens` they came with."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.games: dict[str, Game] = {}
        self.created: dict[str, str] = {}
        self.requests: list[Any] = []
        self.tokens: list[str] = []
        self.traces: list[str] = []
        self.token_life = timedelta(hours=1)
        self.heartbeat = 0.2
        self.address = ""
        self._server: grpc.aio.Server | None = None
        self._guests = 0

    async def start(self, port: int = 0) -> None:
        """Serve on a free port of loopback, or on that one."""
        server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        table_service_pb2_grpc.add_TableServiceServicer_to_server(self, server)
        player_service_pb2_grpc.add_PlayerServiceServicer_to_server(self, server)
        catalog_service_pb2_grpc.add_CatalogServiceServicer_to_server(self, server)
        port = server.add_insecure_port(f"127.0.0.1:{port}")
        await server.start()
        self._server = server
        self.address = f"127.0.0.1:{port}"

    async def stop(self) -> None:
        """Cut everything off."""
        if self._server is not None:
            await self._server.stop(None)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def open(self, *, seats: int = 1, answers: int = 1_000_000) -> Game:
        """A game that is on."""
        game = Game(f"tables/t{len(self.games) + 1}", seats, answers)
        self.games[game.name] = game
        return game

    # Players and the catalogue

    async def CreateGuest(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        self._guests += 1
        return self._token(player_service_pb2.CreateGuestResponse, display=request.display_name)

    async def RenewToken(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        self._guests += 1
        return self._token(player_service_pb2.RenewTokenResponse)

    def _token(self, kind: Callable[..., Any], display: str | None = None) -> Any:
        answer = kind(token=f"token-{self._guests}")
        answer.expire_time.FromDatetime(datetime.now(UTC) + self.token_life)
        if display is not None:
            answer.player = f"players/p{self._guests}"
            answer.display_name = display or "Bun"
        return answer

    async def ListRulesets(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        return catalog_service_pb2.ListRulesetsResponse(
            rulesets=[catalog_service_pb2.Ruleset(ruleset="count", min_seats=1, max_seats=4)]
        )

    async def ListCards(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        return catalog_service_pb2.ListCardsResponse(
            cards=[catalog_service_pb2.Card(card="c1", name="One")]
        )

    # Tables

    async def CreateTable(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        if request.request_id not in self.created:
            self.created[request.request_id] = self.open(seats=len(request.table.seats)).name
        await self._lose(context)
        return self.games[self.created[request.request_id]].table()

    async def GetTable(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        return (await self._game(request.name, context)).table()

    async def ListTables(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        names = list(self.games)
        start = int(request.page_token or 0)
        end = start + min(request.page_size, 2)
        return table_service_pb2.ListTablesResponse(
            tables=[self.games[name].table() for name in names[start:end]],
            next_page_token=str(end) if end < len(names) else "",
        )

    async def ClaimSeat(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        return (await self._game(request.name, context)).table()

    async def AssignBot(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        return (await self._game(request.name, context)).table()

    async def StartTable(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        return (await self._game(request.name, context)).table()

    async def AbandonTable(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        return (await self._game(request.name, context)).table()

    async def LeaveTable(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        return (await self._game(request.name, context)).table()

    async def GetView(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        return (await self._game(request.name, context)).view(_seat(request.name))

    async def ListDeadlines(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        await self._game(request.name, context)
        return table_service_pb2.ListDeadlinesResponse(
            deadlines=[table_pb2.Deadline(cause="decision", seat=1)]
        )

    async def GetReplay(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        game = await self._game(request.name, context)
        start = int(request.page_token or 0)
        end = start + min(request.page_size, 3)
        return table_service_pb2.GetReplayResponse(
            batches=game.log[start:end], next_page_token=str(end) if end < game.revision else ""
        )

    async def GetRecording(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        game = await self._game(request.name, context)
        start = int(request.page_token or 0)
        end = start + 3
        page = recording_pb2.Recording(
            commands=[
                recording_pb2.RecordedCommand(revision=batch.revision)
                for batch in game.log[start:end]
            ]
        )
        if not start:
            page.table = game.name
        return table_service_pb2.GetRecordingResponse(
            recording=page, next_page_token=str(end) if end < game.revision else ""
        )

    async def SubmitAction(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        game = await self._game(request.seat, context)
        try:
            batch = await game.submit(request)
        except Refused as refused:
            await refused.abort(context)
        await self._lose(context)
        return table_service_pb2.SubmitActionResponse(batch=batch)

    async def UndoAction(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        game = await self._game(request.seat, context)
        if request.request_id not in game.outcomes:
            game.outcomes[request.request_id] = await game.append(rewound=True)
        await self._lose(context)
        return table_service_pb2.SubmitActionResponse(batch=game.outcomes[request.request_id])

    async def WatchTable(self, request, context):  # type: ignore[no-untyped-def]
        await self._arrive(request, context)
        game = await self._game(request.name, context)
        try:
            async for update in self._follow(game, request):
                yield update
        except Refused as refused:
            await refused.abort(context)

    async def Play(self, requests, context):  # type: ignore[no-untyped-def]
        self._note_metadata(context)
        down: asyncio.Queue[table_service_pb2.PlayResponse | Refused] = asyncio.Queue()
        following: dict[str, asyncio.Task[None]] = {}

        async def follow(request: table_service_pb2.WatchTableRequest) -> None:
            try:
                game = self.games.get(_table(request.name))
                if game is None:
                    raise Refused(Code.NOT_FOUND, "TABLE_NOT_FOUND")
                async for update in self._follow(game, request):
                    await down.put(table_service_pb2.PlayResponse(update=update, name=request.name))
            except Refused as refused:
                if refused.reason == "CUT":
                    await down.put(refused)
                else:
                    await down.put(
                        table_service_pb2.PlayResponse(refusal=refused.refusal(), name=request.name)
                    )

        async def up() -> None:
            async for request in requests:
                self.requests.append(request)
                match request.WhichOneof("request"):
                    case "watch":
                        following[request.watch.name] = asyncio.create_task(follow(request.watch))
                    case "unwatch":
                        following.pop(request.unwatch).cancel()
                    case "submit":
                        await down.put(await self._submitted(request.submit))

        reading = asyncio.create_task(up())
        try:
            while True:
                response = await down.get()
                if isinstance(response, Refused):
                    await response.abort(context)
                elif not self.faults.mute:
                    yield response
        finally:
            reading.cancel()
            for task in following.values():
                task.cancel()

    async def _submitted(
        self, request: table_service_pb2.SubmitActionRequest
    ) -> table_service_pb2.PlayResponse | Refused:
        try:
            self._refuse()
            batch = await self.games[_table(request.seat)].submit(request)
            if self.faults.happens("lose_reply"):
                return Refused(Code.UNAVAILABLE, "CUT")
        except Refused as refused:
            return table_service_pb2.PlayResponse(
                refusal=refused.refusal(), request_id=request.request_id, name=request.seat
            )
        return table_service_pb2.PlayResponse(
            submitted=table_service_pb2.SubmitActionResponse(batch=batch),
            request_id=request.request_id,
            name=request.seat,
        )

    async def _follow(
        self, game: Game, request: table_service_pb2.WatchTableRequest
    ) -> AsyncIterator[Watch]:
        """Updates from the resume token on, with the faults of streams."""
        faults, seat = self.faults, _seat(request.name)
        if request.resume_token == b"spoilt":
            raise Refused(Code.INVALID_ARGUMENT, "RESUME_TOKEN_INVALID")
        if request.resume_token and not faults.happens("snapshot"):
            told = int(request.resume_token)
            if told and faults.happens("repeat"):
                told -= 1
        else:
            told = game.revision
            yield Watch(snapshot=game.view(seat), resume_token=str(told).encode())
        while True:
            if faults.mute:
                await asyncio.Event().wait()
            if faults.happens("cut"):
                raise Refused(Code.UNAVAILABLE, "CUT")
            if faults.happens("going_away"):
                yield Watch(
                    going_away=table_service_pb2.GoingAway(), resume_token=str(told).encode()
                )
                return
            if told < game.revision:
                told += 1
                if told < game.revision and faults.happens("skip"):
                    told += 1
                for update in game.told(told, seat):
                    told = int(update.resume_token)
                    yield update
                    if faults.happens("repeat"):
                        yield update
                    if faults.happens("cut"):
                        raise Refused(Code.UNAVAILABLE, "CUT")
                continue
            try:
                async with asyncio.timeout(self.heartbeat), game.changed:
                    await game.changed.wait()
            except TimeoutError:
                yield Watch(
                    heartbeat=table_service_pb2.Heartbeat(), resume_token=str(told).encode()
                )

    # Inside

    async def _arrive(self, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        self.requests.append(request)
        self._note_metadata(context)
        if self.faults.stalls:
            self.faults.stalls -= 1
            await asyncio.Event().wait()
        try:
            self._refuse()
        except Refused as refused:
            await refused.abort(context)

    def _note_metadata(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        metadata = dict(context.invocation_metadata() or ())
        self.tokens.append(str(metadata.get("authorization", "")))
        self.traces.append(str(metadata.get("traceparent", "")))

    def _refuse(self) -> None:
        if self.faults.refusals:
            raise self.faults.refusals.pop(0)
        if self.faults.happens("refuse"):
            raise Refused(Code.UNAVAILABLE, "BUSY")

    async def _lose(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        if self.faults.happens("lose_reply"):
            await context.abort(Code.UNAVAILABLE, "the connection broke")

    async def _game(self, name: str, context: grpc.aio.ServicerContext[Any, Any]) -> Game:
        game = self.games.get(_table(name))
        if game is None:
            await Refused(Code.NOT_FOUND, "TABLE_NOT_FOUND", f"There is no table {name}.").abort(
                context
            )
            raise AssertionError
        return game


def _table(name: str) -> str:
    return "/".join(name.split("/")[:2])


def _seat(name: str) -> int | None:
    parts = name.split("/")
    return int(parts[3]) if len(parts) == 4 else None
