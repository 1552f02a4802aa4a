"""Nothing that a seat or the public may not see reaches them: not a byte, not a size, not a log.

Two tables differ only in what an audience may not see. Whatever it asks, and whatever it is told
while others play, is the same from both, to the byte, but for the tables' names and the time. The
games are those of `--seeds`: `--seeds 1-150` plays 2,100 of them.
"""

from __future__ import annotations

import asyncio
import secrets
import uuid
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import grpc
import msgspec
import pytest
from google.protobuf.message import Message

from hutch.callers.keys import load_keys
from hutch.callers.tokens import Tokens
from hutch.client import Hutch
from hutch.engine.commands import Submit
from hutch.engine.kernel import Outcome, imagined
from hutch.engine.live import Live
from hutch.engine.records import Record, encode_record
from hutch.store.commits import Commit, Committed, Listing
from hutch.store.store import Store
from hutch.turns.table_meta import SeatMeta, TableMeta, decode_meta, encode_meta
from hutch.v1 import table_pb2
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.prompts import action_of
from tests.properties.conftest import pytest_generate_tests
from tests.properties.play import answered
from tests.properties.profile import Setting, every_setting
from tests.properties.secrecy import answered_alike, encoded, told
from tests.services.failures import failure_of
from tests.stacks import RunningStack

__all__ = ["pytest_generate_tests"]

MOMENTS = 3
#: The number of a player who has no seat.
WATCHER = 99
#: Ids of the same length, so that sizes can be compared.
TABLE_ID_LENGTH = 20
TIMES = {"view_time", "commit_time", "create_time"}
#: The part of a resume token that tells what it was given for.
MARK = slice(1, 5)


class Twins:
    """A table and another that `audience` cannot tell from it, in the store of a stack."""

    def __init__(self, audience: int | None, names: list[str], token: str) -> None:
        self.audience = audience
        self.names = names
        self.token = token

    def name(self, table: str) -> str:
        """What the audience watches there."""
        return table if self.audience is None else f"{table}/seats/{self.audience}"


def settings() -> list[Setting]:
    """One table of each game, with as many seats as are usual; and one of each other options."""
    found: dict[str, Setting] = {}
    for setting in every_setting():
        if 2 <= setting.seats <= 4:
            found[f"{setting.rules.name} {sorted(setting.options.items())}"] = setting
    return list(found.values())


@pytest.fixture
async def store(stack: RunningStack) -> AsyncIterator[Store]:
    async with await Store.open(stack.redis_url) as opened:
        yield opened


@pytest.fixture(scope="module")
def tokens(stack: RunningStack) -> Tokens:
    return Tokens(load_keys(stack.data / "keys.json"), issuer="hutch", lifetime_seconds=3600)


@pytest.fixture
async def channel(stack: RunningStack) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(stack.gateway) as opened:
        yield opened


async def laid(
    store: Store, setting: Setting, seed: int, records: list[Record], salt: bytes
) -> list[str]:
    """Tables that are playing those records, told of nothing yet: their names."""
    names = []
    secret = secrets.token_bytes(32)
    for record in records:
        table_id = uuid.uuid4().hex[:TABLE_ID_LENGTH]
        seats = [
            SeatMeta(player=player_id(setting, seed, seat), display_name=f"P{seat}", salt=salt)
            for seat in range(setting.seats)
        ]
        meta = TableMeta(
            ruleset=setting.rules.name,
            host=player_id(setting, seed, 0),
            seats=seats,
            options=dict(setting.options),
            limits_ms={},
            secret=secret,
            created_ms=1_000_000,
            state="playing",
            rules_revision=setting.rules.revision,
        )
        commit = Commit(
            table_id=table_id,
            expected_revision=0,
            meta=encode_meta(meta),
            record=encode_record(record),
            log={"s": b""},
            listing=Listing("playing", setting.rules.name),
        )
        assert isinstance(await store.tables.commit(commit), Committed)
        names.append(f"tables/{table_id}")
    return names


def player_id(setting: Setting, seed: int, seat: int) -> str:
    """The player of that seat: of both tables the same, for each game another, within its rate."""
    return f"wire{crc32(f'{setting} {seed}'.encode()):012}{seat:04}"


def same(answer: bytes, kind: type[Message], table: str) -> tuple[bytes, int]:
    """An answer without its table's name and the time: its bytes, and how many came over."""
    message = kind.FromString(answer)
    _forget_table_and_times(message)
    table_id = table.removeprefix("tables/").encode()
    return encoded(message).replace(table_id, b"-" * TABLE_ID_LENGTH), message.ByteSize()


def _forget_table_and_times(message: Message) -> None:
    for field, value in message.ListFields():
        if field.name in TIMES:
            message.ClearField(field.name)  # type: ignore[arg-type]
        elif field.name == "resume_token":
            setattr(message, field.name, value[: MARK.start] + value[MARK.stop :])
        elif field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for one in value if field.is_repeated else [value]:
                _forget_table_and_times(one)


class Asking:
    """Asks as an audience."""

    def __init__(self, channel: grpc.aio.Channel, twins: Twins, table: str) -> None:
        self._channel = channel
        self._metadata = (("authorization", f"Bearer {twins.token}"),)
        self.table = table
        self.name = twins.name(table)
        self._audience = twins.audience

    async def everything(self) -> list[object]:
        """Every answer that it gets of the table as it is, refusals and their sizes included."""
        pb = service_pb
        own = 0 if self._audience is None else self._audience
        asked: list[tuple[str, Message, type[Message]]] = [
            ("GetTable", pb.GetTableRequest(name=self.table), table_pb2.Table),
            ("GetView", pb.GetViewRequest(name=self.name), table_pb2.View),
            ("GetView", pb.GetViewRequest(name=self.table), table_pb2.View),
            ("ListDeadlines", pb.ListDeadlinesRequest(name=self.table), pb.ListDeadlinesResponse),
            ("GetReplay", pb.GetReplayRequest(name=self.name), pb.GetReplayResponse),
            ("UndoAction", _undo(f"{self.table}/seats/{own}"), pb.SubmitActionResponse),
        ]
        for seat in range(6):
            name = f"{self.table}/seats/{seat}"
            if seat != self._audience:
                asked.append(("GetView", pb.GetViewRequest(name=name), table_pb2.View))
            for action in WRONG:
                asked.append(("SubmitAction", _submit(name, action), pb.SubmitActionResponse))
        return [await self._answer(*one) for one in asked] + [await self._first_update()]

    async def wrong_answers_to(self, view: table_pb2.View) -> list[object]:
        """What it is told of picks that its own questions do not offer."""
        found = []
        for prompt in view.prompts.prompts:
            for picks in ([table_pb2.Pick(option_id="the-moon")], []):
                if not picks and not prompt.min_picks:
                    continue  # that would be an answer
                action = table_pb2.Action(prompt_id=prompt.prompt_id, picks=picks)
                request = _submit(self.name, action)
                found.append(
                    await self._answer("SubmitAction", request, service_pb.SubmitActionResponse)
                )
        return found

    async def view(self) -> table_pb2.View:
        """What it sees."""
        request = service_pb.GetViewRequest(name=self.name).SerializeToString()
        call = self._channel.unary_unary("/hutch.v1.TableService/GetView")
        return table_pb2.View.FromString(await call(request, metadata=self._metadata, timeout=60))

    def watch(self) -> Any:
        """A stream of what it is told."""
        request = service_pb.WatchTableRequest(name=self.name).SerializeToString()
        call = self._channel.unary_stream("/hutch.v1.TableService/WatchTable")
        return call(request, metadata=self._metadata, timeout=30)

    async def _first_update(self) -> object:
        stream = self.watch()
        update = await stream.read()
        stream.cancel()
        return same(update, service_pb.WatchTableResponse, self.table)

    async def _answer(self, method: str, request: Message, kind: type[Message]) -> object:
        call = self._channel.unary_unary(f"/hutch.v1.TableService/{method}")
        try:
            answer = await call(request.SerializeToString(), metadata=self._metadata, timeout=60)
        except grpc.aio.AioRpcError as error:
            failure = failure_of(error)
            table_id = self.table.removeprefix("tables/")
            return failure.reason, failure.sentence.replace(table_id, "-")
        return same(answer, kind, self.table)


WRONG = (
    table_pb2.Action(prompt_id=999_999),
    table_pb2.Action(prompt_id=999_999, picks=[table_pb2.Pick(option_id="the-moon", count=9)]),
)


def _submit(seat: str, action: table_pb2.Action) -> service_pb.SubmitActionRequest:
    return service_pb.SubmitActionRequest(seat=seat, action=action, request_id=str(uuid.uuid4()))


def _undo(seat: str) -> service_pb.UndoActionRequest:
    return service_pb.UndoActionRequest(seat=seat, request_id=str(uuid.uuid4()))


def _audiences(setting: Setting, number: int) -> list[int | None]:
    """A seat, another each time, and the public."""
    return [number % setting.seats, None]


def _moments(setting: Setting, seed: int) -> Iterator[tuple[int, Live, Submit, Outcome]]:
    """A few moments of a random game that stand at a checkpoint, and what happens then."""
    clean = (one for one in answered(setting, seed, most=200) if _stands(setting, one[0]))
    for number, (before, command, after) in enumerate(islice(clean, 0, 12 * MOMENTS, 12)):
        yield number, before, command, after


def _stands(setting: Setting, live: Live) -> bool:
    """Whether nothing has happened since the checkpoint, and nothing does when it is read again."""
    record = live.record()
    return not record.inputs and setting.rules.encode_board(live.table.board) == record.board


def otherwise(setting: Setting, record: Record, audience: int | None, rng: Random) -> Record:
    """A game that stands at a checkpoint, with everything else where the audience cannot see."""
    world = imagined(setting.rules, record, audience, rng, keep=True)
    return msgspec.structs.replace(record, board=setting.rules.encode_board(world.table.board))


@pytest.mark.parametrize("setting", settings(), ids=str)
async def test_tables_that_differ_in_what_is_hidden_answer_alike(
    setting: Setting, seed: int, store: Store, channel: grpc.aio.Channel, tokens: Tokens
) -> None:
    rng = Random(seed)
    compared = differed = 0
    for number, before, command, after in _moments(setting, seed):
        for audience in _audiences(setting, number):
            records = [before.record(), otherwise(setting, before.record(), audience, rng)]
            differed += records[0] != records[1]
            names = await laid(store, setting, seed, records, b"a salt of a player")
            player = player_id(setting, seed, WATCHER if audience is None else audience)
            twins = Twins(audience, names, tokens.issue(player, "P")[0])
            here, there = (Asking(channel, twins, name) for name in names)
            assert await here.everything() == await there.everything(), f"{setting} seed {seed}"
            if audience is not None:
                view = await here.view()
                wrong = [await one.wrong_answers_to(view) for one in (here, there)]
                assert wrong[0] == wrong[1], f"{setting} seed {seed}"
            compared += 1
            world = Live(setting.rules, records[1])
            await _play_on(setting, seed, channel, tokens, twins, (before, world), command, after)
    assert compared >= 2
    assert differed, "nothing was hidden from anybody"


async def _play_on(
    setting: Setting,
    seed: int,
    channel: grpc.aio.Channel,
    tokens: Tokens,
    twins: Twins,
    worlds: tuple[Live, Live],
    command: Submit,
    after: Outcome,
) -> None:
    """Play the same answer at both tables, where it may be given at both and shows the audience
    nothing that was hidden: its watchers are told the same."""
    before, world = worlds
    _, nothing_shown = told(setting.rules, after.events, twins.audience)
    if not nothing_shown or command.seat == twins.audience:
        return
    number = _number_in(before, world, command)
    if number is None or not answered_alike(before, world, command):
        return
    _, nothing_shown_there = told(setting.rules, world.forget_events(), twins.audience)
    if not nothing_shown_there:
        return
    updates = []
    token, _ = tokens.issue(player_id(setting, seed, command.seat), "P")
    for name, prompt in zip(twins.names, (command.number, number), strict=True):
        asking = Asking(channel, twins, name)
        stream = asking.watch()
        await stream.read()
        request = _submit(f"{name}/seats/{command.seat}", action_of(prompt, command.picks))
        call = channel.unary_unary("/hutch.v1.TableService/SubmitAction")
        metadata = (("authorization", f"Bearer {token}"),)
        await call(request.SerializeToString(), metadata=metadata, timeout=60)
        update = await _news(stream)
        stream.cancel()
        updates.append(same(update, service_pb.WatchTableResponse, name))
    assert updates[0] == updates[1], f"{setting}: {command}"


async def _news(stream: Any) -> bytes:
    """The next update that tells of more than that the stream lives."""
    while True:
        update: bytes = await stream.read()
        if not service_pb.WatchTableResponse.FromString(update).HasField("heartbeat"):
            return update


def _number_in(before: Live, world: Live, command: Submit) -> int | None:
    """The number of the same question in another world."""
    offered = before.ask_numbers.get(command.seat) != command.number
    numbers = world.offer_numbers if offered else world.ask_numbers
    return numbers.get(command.seat)


async def test_secrets_are_in_no_log_no_metric_and_no_error(
    stack: RunningStack, ada: Hutch, ben: Hutch, store: Store
) -> None:
    salts = [f"canary{secrets.token_hex(8)}".encode() for _ in range(2)]
    table = await ada.create_table("rabbit-space", seats=2)
    await table.claim(0, salt=salts[0])
    await ben.table(table.name).claim(1, salt=salts[1])
    await table.start()
    stored = await store.tables.load(table.name.removeprefix("tables/"))
    assert stored is not None
    secret = decode_meta(stored.meta).secret
    errors = []
    async with grpc.aio.insecure_channel(stack.gateway) as channel:
        for token in (ben.token, ben.token + "x", "", "eyJ" + salts[0].decode()):
            metadata = (("authorization", f"Bearer {token}"),)
            for seat in ("seats/0", "seats/9", "seats/" + salts[0].decode()):
                request = service_pb.GetViewRequest(name=f"{table.name}/{seat}")
                call = channel.unary_unary("/hutch.v1.TableService/GetView")
                with pytest.raises(grpc.aio.AioRpcError) as error:
                    await call(request.SerializeToString(), metadata=metadata, timeout=60)
                if seat != "seats/" + salts[0].decode():  # what was sent may come back
                    errors.append(str(error.value) + str(error.value.trailing_metadata()))
    logs = (stack.data.parent / f"{stack.data.name}.log").read_text()
    metrics = [await asyncio.to_thread(stack.scrape, name) for name in stack.facts["metrics"]]
    everything = "\n".join([logs, *metrics, *errors])
    assert everything.count("hutch_") > 100
    hidden = [ada.token, ben.token, secret.hex(), str(secret)[2:-1]]
    hidden += [salt.hex() for salt in salts]
    for word in hidden:
        assert word not in everything
    for salt in salts:
        assert salt.decode() not in "\n".join([logs, *metrics])
    assert not [key for key in _private_parts(stack.data / "keys.json") if key in everything]


def _private_parts(path: Path) -> list[str]:
    return [key.as_dict(private=True)["d"] for key in load_keys(path).by_id.values()]  # type: ignore[misc]
