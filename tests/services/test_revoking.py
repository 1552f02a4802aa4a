"""Tokens end when they are revoked or run out, on open streams too; and `hutch keys` does it."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from google.protobuf.message import Message
from joserfc.jwk import KeySet, OKPKey
from typer.testing import CliRunner

from hutch.callers.caller import Scope
from hutch.callers.keys import load_keys
from hutch.callers.tokens import LEEWAY_SECONDS, Tokens
from hutch.cli.commands import app as cli
from hutch.client import Hutch, NotPossibleError, Table, connect
from hutch.v1 import campaign_service_pb2 as campaign_pb
from hutch.v1 import player_service_pb2 as player_pb
from hutch.v1 import table_service_pb2 as service_pb
from tests.callers.test_issuers import ISSUER, theirs
from tests.redis_servers import eventually
from tests.services.failures import Failure, failure_of
from tests.services.processes import Served, serving
from tests.stacks import RunningStack

REVOKED_WITHIN_SECONDS = 5.0


async def hutch(*arguments: str) -> str:
    """What that command prints."""
    ran = await asyncio.to_thread(CliRunner().invoke, cli, ["keys", *arguments])
    assert ran.exit_code == 0, ran.output
    return ran.output.strip()


async def failing(address: str, method: str, request: Message, token: str) -> Failure | None:
    """How that call fails."""
    async with grpc.aio.insecure_channel(address) as channel:
        call = channel.unary_unary(method)
        metadata = (("authorization", f"Bearer {token}"),)
        try:
            await call(request.SerializeToString(), metadata=metadata, timeout=60)
        except grpc.aio.AioRpcError as error:
            return failure_of(error)
    return None


def listing(address: str, token: str) -> asyncio.Future[Failure | None]:
    """How listing tables fails with that token."""
    request = service_pb.ListTablesRequest()
    return asyncio.ensure_future(
        failing(address, "/hutch.v1.TableService/ListTables", request, token)
    )


@asynccontextmanager
async def watching(
    address: str, table: Table, token: str, *, play: bool
) -> AsyncIterator[asyncio.Task[Failure]]:
    """A stream about a table that was told something: how it ends."""
    metadata = (("authorization", f"Bearer {token}"),)
    watch = service_pb.WatchTableRequest(name=table.name)
    async with grpc.aio.insecure_channel(address) as channel:
        if play:
            stream = channel.stream_stream("/hutch.v1.TableService/Play")(metadata=metadata)
            await stream.write(service_pb.PlayRequest(watch=watch).SerializeToString())
        else:
            stream = channel.unary_stream("/hutch.v1.TableService/WatchTable")(
                watch.SerializeToString(), metadata=metadata
            )
        assert await stream.read()

        async def end() -> Failure:
            try:
                while await stream.read() is not grpc.aio.EOF:
                    pass
            except grpc.aio.AioRpcError as error:
                return failure_of(error)
            raise AssertionError("the stream ended well")

        ending = asyncio.create_task(end())
        try:
            yield ending
        finally:
            ending.cancel()


@pytest.mark.parametrize("play", [False, True], ids=["WatchTable", "Play"])
async def test_a_revoked_players_stream_and_calls_end_within_seconds(
    stack: RunningStack, ada: Hutch, table: Table, play: bool
) -> None:
    async with connect(stack.gateway) as eve:
        player = await eve.guest("Eve")
        token = eve.token
    async with watching(stack.gateway, table, token, play=play) as ending:
        await hutch("revoke", player.name, "--data", str(stack.data))
        started = time.monotonic()
        failure = await asyncio.wait_for(ending, REVOKED_WITHIN_SECONDS)
        assert failure.reason == "TOKEN_REVOKED"
        refused = await listing(stack.gateway, token)
        assert refused is not None
        assert refused.reason == "TOKEN_REVOKED"
        assert time.monotonic() - started < REVOKED_WITHIN_SECONDS
    assert await ada.table(table.name).get()  # nobody else is touched
    assert player.name.removeprefix("players/") in await hutch("revoked", "--data", str(stack.data))
    await hutch("pardon", player.name, "--data", str(stack.data))
    await eventually(lambda: _let_in(stack.gateway, token), within_s=30)


async def test_a_revoked_session_ends_what_was_renewed_from_it(stack: RunningStack) -> None:
    tokens = Tokens(load_keys(stack.data / "keys.json"), issuer="hutch", lifetime_seconds=60)
    stolen, _ = tokens.issue("eve", "Eve")
    async with connect(stack.gateway, token=stolen) as thief:
        await thief.renew()
        renewed = thief.token
    assert renewed != stolen
    await hutch("revoke", tokens.check(stolen).session, "--data", str(stack.data))

    async def refused() -> bool:
        failure = await listing(stack.gateway, renewed)
        return failure is not None and failure.reason == "TOKEN_REVOKED"

    await eventually(refused, within_s=REVOKED_WITHIN_SECONDS)


async def test_a_stream_ends_with_its_token(stack: RunningStack, table: Table) -> None:
    keys = load_keys(stack.data / "keys.json")
    nearly_over = Tokens(keys, issuer="hutch", lifetime_seconds=5 - LEEWAY_SECONDS)
    token, _ = nearly_over.issue("eve", "Eve")
    async with watching(stack.gateway, table, token, play=True) as ending:
        failure = await asyncio.wait_for(ending, 60)
    assert failure.reason == "TOKEN_EXPIRED"


async def test_a_rotation_needs_no_restart_and_loses_nobody(
    stack: RunningStack, ada: Hutch
) -> None:
    data = str(stack.data)
    before = ada.token
    fresh = (await hutch("rotate", "--data", data)).removeprefix("signs now: ")
    assert (await hutch("list", "--data", data)).splitlines()[-1] == fresh

    async def signed_by_it() -> bool:
        async with connect(stack.gateway) as guest:
            await guest.guest("Gus")
            return fresh in str(_header(guest.token))

    await eventually(signed_by_it, within_s=30)
    assert await listing(stack.gateway, before) is None


async def test_an_issued_token_has_its_scopes(stack: RunningStack) -> None:
    token = await hutch("issue", "--scope", "spectator", "--data", str(stack.data))
    assert await listing(stack.gateway, token) is None
    create = service_pb.CreateTableRequest()
    failure = await failing(stack.gateway, "/hutch.v1.TableService/CreateTable", create, token)
    assert failure is not None
    assert failure.reason == "SCOPE_MISSING"


async def test_at_a_table_for_people_no_bot_takes_a_seat(stack: RunningStack, ada: Hutch) -> None:
    table = await ada.create_table("rabbit-space", seats=2, people_only=True)
    assert (await table.get()).people_only
    token = await hutch("issue", "--scope", "bot", "--data", str(stack.data))
    claim = service_pb.ClaimSeatRequest(name=f"{table.name}/seats/1")
    method = "/hutch.v1.TableService/ClaimSeat"
    failure = await failing(stack.gateway, method, claim, token)
    assert failure is not None
    assert failure.reason == "PEOPLE_ONLY"
    assert await failing(stack.gateway, method, claim, ada.token) is None


async def test_at_a_table_for_people_no_token_of_a_bot_acts_for_a_seat(
    stack: RunningStack, ada: Hutch
) -> None:
    tokens = Tokens(load_keys(stack.data / "keys.json"), issuer="hutch", lifetime_seconds=60)
    player = tokens.check(ada.token).player
    program = ada.another(tokens.issue(player, "Ada", [Scope.BOT])[0])
    table = await ada.create_table("rabbit-space", seats=1, people_only=True)
    seat = await table.claim(0)
    await table.start()
    (ask, *_) = (await seat.view()).prompts.prompts
    with pytest.raises(NotPossibleError) as refused:
        await program.seat(seat.name).submit(ask, *ask.default_picks)
    assert refused.value.reason == "PEOPLE_ONLY"
    await seat.submit(ask, *ask.default_picks)


async def test_no_campaign_seats_a_bot_at_a_table_for_people(stack: RunningStack) -> None:
    token = await hutch("issue", "--scope", "bot", "--data", str(stack.data))
    async with connect(stack.gateway, token=token) as program:
        campaign = await program.create_campaign()
    start = campaign_pb.StartCampaignGameRequest(name=campaign.name, request_id=str(uuid.uuid4()))
    start.table.people_only = True
    method = "/hutch.v1.CampaignService/StartCampaignGame"
    failure = await failing(stack.gateway, method, start, token)
    assert failure is not None
    assert failure.reason == "PEOPLE_ONLY"
    start.table.people_only = False
    assert await failing(stack.gateway, method, start, token) is None


async def test_bad_tokens_without_end_are_slowed_down(stack: RunningStack, tmp_path: Path) -> None:
    variables = {
        "HUTCH_REDIS_URL": stack.redis_url,
        "HUTCH_TOKEN_KEY_FILE": str(stack.data / "keys.json"),
        "HUTCH_LIMIT_REFUSALS_PER_SECOND": "0.1",
    }
    with serving("hutch.gateway", tmp_path / "log", **variables) as gateway:
        failures = [await listing(gateway.address, "garbage") for _ in range(20)]
        last = failures[-1]
        assert failures[0] is not None
        assert failures[0].reason == "TOKEN_INVALID"
        assert last is not None
        assert last.reason == "RATE_LIMITED"
        assert last.retry_ms is not None
        assert 0 < last.retry_ms <= 10_000
        token = await hutch("issue", "--scope", "player", "--data", str(stack.data))
        assert await listing(gateway.address, token) is None  # a good one is not held up


@pytest.fixture
def their_key() -> OKPKey:
    return OKPKey.generate_key("Ed25519", auto_kid=True)


@pytest.fixture
def gateway_of_another_issuer(
    stack: RunningStack, tmp_path: Path, their_key: OKPKey
) -> Iterator[Served]:
    published = tmp_path / "theirs.json"
    published.write_text(json.dumps(KeySet([their_key]).as_dict(private=False)))
    variables = {
        "HUTCH_REDIS_URL": stack.redis_url,
        "HUTCH_TOKEN_KEY_FILE": str(stack.data / "keys.json"),
        "HUTCH_TOKEN_GUESTS": "0",
        "HUTCH_TOKEN_EXTERNAL_ISSUER": ISSUER,
        "HUTCH_TOKEN_EXTERNAL_KEYS": str(published),
    }
    with serving("hutch.gateway", tmp_path / "log", **variables) as served:
        yield served


async def test_a_gateway_takes_another_issuers_tokens_and_renews_none_of_them(
    gateway_of_another_issuer: Served, their_key: OKPKey
) -> None:
    address = gateway_of_another_issuer.address
    token = theirs(their_key, "Ed25519", scope="openid player")
    assert await listing(address, token) is None
    renew = "/hutch.v1.PlayerService/RenewToken"
    failure = await failing(address, renew, player_pb.RenewTokenRequest(), token)
    assert failure is not None
    assert failure.reason == "TOKEN_NOT_OURS"


async def test_a_gateway_may_refuse_guests(gateway_of_another_issuer: Served) -> None:
    method = "/hutch.v1.PlayerService/CreateGuest"
    request = player_pb.CreateGuestRequest()
    failure = await failing(gateway_of_another_issuer.address, method, request, "")
    assert failure is not None
    assert failure.reason == "GUESTS_REFUSED"


async def _let_in(address: str, token: str) -> bool:
    return await listing(address, token) is None


def _header(token: str) -> object:
    from joserfc.jws import extract_compact

    return extract_compact(token.encode()).headers()
