"""So many at once: streams, spectators, tables and a bot's seats, at two gateways together, and
though one of them is killed."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from time import monotonic

import grpc
import pytest
from google.protobuf.message import Message

from hutch.callers.caller import Scope
from hutch.callers.keys import load_keys
from hutch.callers.tokens import Tokens
from hutch.store.embedded import EmbeddedServer
from hutch.store.engagements import LOOK_MS, Engagements
from hutch.store.store import Store
from hutch.turns.allowances import Allowances, release
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import CATALOGUE, Fault, Wrong
from tests.redis_servers import eventually, namespace, redis_server, store
from tests.services.failures import Failure, failure_of
from tests.services.processes import Served, serving
from tests.services.test_revoking import failing

__all__ = ["namespace", "redis_server", "store"]

STREAMS, SPECTATORS, TABLES, SEATS = 3, 4, 5, 2
LEASE_SECONDS = 3.0
SERVICE = "/hutch.v1.TableService"


class Gateways:
    """Two gateways with low limits, over one Redis."""

    def __init__(self, folder: Path, variables: dict[str, str], running: ExitStack) -> None:
        self._folder = folder
        self._variables = variables
        self._running = running
        self.served: list[Served] = []
        for _ in range(2):
            self.start_another()
        keys = load_keys(Path(variables["HUTCH_TOKEN_KEY_FILE"]))
        self._tokens = Tokens(keys, issuer="hutch", lifetime_seconds=3600)

    @property
    def addresses(self) -> list[str]:
        """Where they listen."""
        return [one.address for one in self.served]

    def start_another(self) -> Served:
        """Start one more."""
        log = self._folder / f"{len(self.served)}.log"
        another = self._running.enter_context(serving("hutch.gateway", log, **self._variables))
        self.served.append(another)
        return another

    def token(self, player: str, scope: Scope = Scope.PLAYER) -> str:
        """A token of that player's."""
        token, _ = self._tokens.issue(player, player, scopes=frozenset({scope}))
        return token

    async def open_table(self, host: str, gateway: int = 0) -> str:
        """Open a table: its name."""
        return pb.Table.FromString(await self.answer(gateway, "CreateTable", _create(), host)).name

    async def answer(self, gateway: int, method: str, request: Message, player: str) -> bytes:
        """What a call of that player's is answered with. Raises `AioRpcError`."""
        async with grpc.aio.insecure_channel(self.addresses[gateway]) as channel:
            call = channel.unary_unary(f"{SERVICE}/{method}")
            metadata = (("authorization", f"Bearer {self.token(player)}"),)
            answer: bytes = await call(request.SerializeToString(), metadata=metadata, timeout=10)
        return answer

    async def refused_to_open(self, host: str, gateway: int) -> Failure | None:
        """How opening a table fails."""
        return await self.failing(gateway, "CreateTable", _create(), self.token(host))

    async def failing(
        self, gateway: int, method: str, request: Message, token: str
    ) -> Failure | None:
        """How that call fails."""
        return await failing(self.addresses[gateway], f"{SERVICE}/{method}", request, token)

    @asynccontextmanager
    async def watching(self, gateway: int, table: str, player: str) -> AsyncIterator[None]:
        """While that player watches a table, and is told something. Raises `AioRpcError`."""
        async with grpc.aio.insecure_channel(self.addresses[gateway]) as channel:
            request = service_pb.WatchTableRequest(name=table).SerializeToString()
            metadata = (("authorization", f"Bearer {self.token(player)}"),)
            watch = channel.unary_stream(f"{SERVICE}/WatchTable")(request, metadata=metadata)
            try:
                await watch.read()
                yield
            finally:
                watch.cancel()

    async def refused_to_watch(self, gateway: int, table: str, player: str) -> Failure | None:
        """How watching fails at once."""
        try:
            async with self.watching(gateway, table, player):
                return None
        except grpc.aio.AioRpcError as error:
            return failure_of(error)


def _create() -> service_pb.CreateTableRequest:
    table = pb.Table(ruleset="rabbit-space", seats=[pb.Seat(), pb.Seat()])
    return service_pb.CreateTableRequest(table=table, request_id=str(uuid.uuid4()))


def somebody() -> str:
    """A player whom nobody else plays."""
    return f"player{uuid.uuid4().hex}"


def assert_refused(failure: Failure | None, reason: Wrong) -> None:
    """It was refused for that reason, and says when to come again."""
    assert failure is not None, "it was accepted"
    assert failure.reason == reason
    assert failure.code is CATALOGUE[reason].code
    assert failure.retry_ms


@pytest.fixture(scope="module")
def gateways(
    redis_server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Gateways]:
    folder = tmp_path_factory.mktemp("gateways")
    variables = {
        "HUTCH_REDIS_URL": redis_server.url,
        "HUTCH_TOKEN_KEY_FILE": str(folder / "keys.json"),
        "HUTCH_LIMIT_CALLS_PER_SECOND": "0",
        "HUTCH_LIMIT_STREAMS": str(STREAMS),
        "HUTCH_LIMIT_SPECTATORS": str(SPECTATORS),
        "HUTCH_LIMIT_TABLES": str(TABLES),
        "HUTCH_LIMIT_BOT_SEATS": str(SEATS),
        "HUTCH_LIMIT_LEASE_SECONDS": str(LEASE_SECONDS),
        "HUTCH_STREAM_HEARTBEAT_SECONDS": "0.3",
    }
    with ExitStack() as running:
        yield Gateways(folder, variables, running)


async def test_streams_and_spectators_are_counted_at_all_gateways_and_free_after_a_kill(
    gateways: Gateways,
) -> None:
    doomed = gateways.start_another()
    first, second, third = 0, 1, len(gateways.served) - 1
    ada, ben, table = somebody(), somebody(), await gateways.open_table(somebody())
    async with AsyncExitStack() as streams:
        for gateway in (first, second, third):
            await streams.enter_async_context(gateways.watching(gateway, table, ada))
        for gateway in (first, second, third):
            refused = await gateways.refused_to_watch(gateway, table, ada)
            assert_refused(refused, Wrong.TOO_MANY_STREAMS)
        await streams.enter_async_context(gateways.watching(first, table, ben))
        # All is held for longer than a lease, and nobody else is let in meanwhile.
        until = monotonic() + 1.5 * LEASE_SECONDS
        while monotonic() < until:
            for gateway in (second, third):
                refused = await gateways.refused_to_watch(gateway, table, ben)
                assert_refused(refused, Wrong.TOO_MANY_SPECTATORS)
        doomed.process.kill()
        await eventually(partial(_is_let_in, gateways, first, table, ada), within_s=30)


async def _is_let_in(gateways: Gateways, gateway: int, table: str, player: str) -> bool:
    return await gateways.refused_to_watch(gateway, table, player) is None


async def _is_opened(gateways: Gateways, streams: AsyncExitStack, table: str, player: str) -> bool:
    try:
        await streams.enter_async_context(gateways.watching(0, table, player))
    except grpc.aio.AioRpcError:
        return False
    return True


async def test_whoever_ends_streams_may_open_others_elsewhere(gateways: Gateways) -> None:
    ada, table = somebody(), await gateways.open_table(somebody())
    for _ in range(3):
        async with AsyncExitStack() as streams:
            for _ in range(STREAMS):  # those before have ended, and the gateways know in a moment
                await eventually(partial(_is_opened, gateways, streams, table, ada))
            refused = await gateways.refused_to_watch(1, table, ada)
            assert_refused(refused, Wrong.TOO_MANY_STREAMS)
        await eventually(partial(_is_let_in, gateways, 1, table, ada))


async def test_a_player_may_open_so_many_tables_through_both_gateways(gateways: Gateways) -> None:
    ada = somebody()
    for number in range(TABLES):
        await gateways.open_table(ada, number % 2)
    for gateway in (0, 1):
        assert_refused(await gateways.refused_to_open(ada, gateway), Wrong.TOO_MANY_TABLES)
    assert await gateways.refused_to_open(somebody(), 0) is None


async def test_tables_that_a_dying_gateway_was_told_to_give_up_are_given_up_once(
    gateways: Gateways,
) -> None:
    ada = somebody()
    doomed = gateways.start_another()
    tables = [await gateways.open_table(ada, number % 2) for number in range(TABLES)]
    requests = [service_pb.AbandonTableRequest(name=table) for table in tables]
    under_way = [
        asyncio.ensure_future(
            gateways.answer(len(gateways.served) - 1, "AbandonTable", request, ada)
        )
        for request in requests
    ]
    await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
    doomed.process.kill()
    await asyncio.gather(*under_way, return_exceptions=True)
    for request in requests:
        answers = [
            pb.Table.FromString(await gateways.answer(gateway, "AbandonTable", request, ada))
            for gateway in (0, 1, 0)
        ]
        assert answers[0].state == pb.TABLE_STATE_ABANDONED
        assert answers[0].revision == 2, "opened, and given up once"
        assert answers == [answers[0]] * len(answers)


async def test_a_bot_may_take_so_many_seats_through_both_gateways_and_a_person_more(
    gateways: Gateways,
) -> None:
    host = somebody()
    tables = [await gateways.open_table(host) for _ in range(2)]
    seats = [f"{table}/seats/{number}" for number in (0, 1) for table in tables]

    async def claim(number: int, gateway: int, token: str) -> Failure | None:
        request = service_pb.ClaimSeatRequest(name=seats[number])
        return await gateways.failing(gateway, "ClaimSeat", request, token)

    bot = gateways.token(somebody(), Scope.BOT)
    for number in range(SEATS):
        assert await claim(number, number % 2, bot) is None
    for gateway in (0, 1):
        assert_refused(await claim(SEATS, gateway, bot), Wrong.TOO_MANY_SEATS)
    assert await claim(0, 1, bot) is None, "it sits there already"
    person = gateways.token(somebody())
    for number in range(SEATS):
        request = service_pb.LeaveTableRequest(name=seats[number])
        assert await gateways.failing(0, "LeaveTable", request, bot) is None
    for number in range(len(seats)):
        assert await claim(number, number % 2, person) is None


class Opening:
    """A lobby that allows little, where everything that is noted is stored."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.path = TurnPath(store.tables, LocalRules(Resolver()))
        self.engagements = Engagements(store.pipelining, store.keys, stored_ms=0)
        allowances = Allowances(self.engagements, store.tables, tables=2, bot_seats=2)
        self.lobby = Lobby(self.path, allowances)

    async def open(self, request_id: str = "") -> str:
        """Open one more table: its id."""
        wanted = pb.Table(ruleset="rabbit-space", seats=[pb.Seat(), pb.Seat()])
        table = await self.lobby.create("ada", wanted, request_id or str(uuid.uuid4()))
        return table.name.removeprefix("tables/")

    async def claim(self, table_id: str, seat: int) -> None:
        """Take a seat as a bot."""
        await self.lobby.claim(table_id, seat, "bot", "Bot", b"", is_bot=True)

    async def looks_again(self) -> None:
        """It is long ago that anybody looked which engagements are over."""
        for what, who in (("tables", "ada"), ("seats", "bot")):
            for shard in range(256):
                (key,) = self.store.keys.of_shard(shard, f"looked:{what}:{who}")
                await self.store.pipelining.call(shard, "DEL", key)


@pytest.fixture
def opening(store: Store) -> Opening:
    return Opening(store)


async def test_a_table_that_is_over_or_gone_counts_no_more(opening: Opening) -> None:
    first, second = await opening.open(), await opening.open()
    with pytest.raises(Fault) as full:
        await opening.open()
    assert full.value.reason == Wrong.TOO_MANY_TABLES
    assert "Give up one that has not started" in full.value.sentence
    assert "by bots" in full.value.sentence
    assert full.value.retry_after_ms == LOOK_MS
    await Lobby(opening.path).void(first)  # as operators do: nobody is told to count it no more
    await opening.store.client.delete(opening.store.keys.table(second))
    with pytest.raises(Fault) as refused:
        await opening.open()  # somebody has just looked
    assert 0 < (refused.value.retry_after_ms or 0) <= LOOK_MS
    await opening.looks_again()
    await opening.open()
    await opening.open()
    with pytest.raises(Fault):
        await opening.open()


async def test_a_table_given_up_counts_no_more_at_once_for_its_host_and_its_bots(
    opening: Opening,
) -> None:
    first, second = await opening.open(), await opening.open()
    for seat in (0, 1):
        await opening.claim(first, seat)
    for _ in range(2):
        with pytest.raises(Fault):
            await opening.open()  # somebody looks, and is not to look again for a while
        with pytest.raises(Fault):
            await opening.claim(second, 0)
    await opening.lobby.abandon(first, "ada")
    await opening.open()
    await opening.claim(second, 0)


async def test_a_table_that_was_given_up_does_not_count_again_where_it_is_asked_for_again(
    opening: Opening,
) -> None:
    request_id = str(uuid.uuid4())
    first = await opening.open(request_id)
    await opening.open()
    with pytest.raises(Fault):
        await opening.open()  # somebody looks, and is not to look again for a while
    await opening.lobby.abandon(first, "ada")
    assert await opening.open(request_id) == first
    await opening.open()


async def test_a_finished_game_counts_no_more_once_it_is_tallied(opening: Opening) -> None:
    tables = [await opening.open() for _ in range(2)]
    _, meta = await opening.path.load(tables[0])
    await release(opening.engagements, tables[0], meta)
    await opening.open()


async def test_a_seat_that_was_left_or_never_taken_counts_no_more_at_once(opening: Opening) -> None:
    table_id = await opening.open()
    await opening.claim(table_id, 0)
    await opening.lobby.claim(table_id, 1, "ben", "Ben", b"")
    with pytest.raises(Fault) as taken:
        await opening.claim(table_id, 1)
    assert taken.value.reason == Wrong.SEAT_TAKEN
    with pytest.raises(Fault) as missing:
        await opening.claim(table_id, 2)
    assert missing.value.reason == Wrong.SEAT_NOT_FOUND
    await opening.lobby.leave(table_id, 0, "bot")
    other = await opening.open()
    await opening.claim(other, 0)
    await opening.claim(other, 1)
    with pytest.raises(Fault) as full:
        await opening.claim(table_id, 0)
    assert full.value.reason == Wrong.TOO_MANY_SEATS
