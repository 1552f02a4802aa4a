"""TLS at every door: the gateway's, the rules', and Redis'; and no open door by accident."""

from __future__ import annotations

import asyncio
import socket
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from cryptography.hazmat.primitives import serialization

from hutch.client import UnavailableError, connect
from hutch.client.retries import Retries
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.runtime.process import BAD_SETTINGS_STATUS
from hutch.runtime.tls import CertificateError, channel_credentials, server_credentials
from hutch.store.embedded import EmbeddedServer
from hutch.store.errors import StoreUnavailable
from hutch.store.store import Store
from tests.redis_servers import eventually
from tests.services.certificates import Authority, Certificate
from tests.services.processes import Served, refused_start, serving
from tests.stacks import RunningStack

IMPATIENT = Retries(give_up_after=3, try_timeout=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def authority(folder: Path) -> Authority:
    return Authority(folder)


@pytest.fixture(scope="module")
def stranger(folder: Path) -> Certificate:
    """A client's certificate from another authority."""
    return Authority(folder, "other").signed("stranger")


@pytest.fixture(scope="module")
def rules(folder: Path, authority: Authority) -> Iterator[Served]:
    """Rules that want a certificate from whoever asks."""
    own = authority.signed("rules")
    variables = {
        "HUTCH_RULES_CERTIFICATE_FILE": str(own.certificate),
        "HUTCH_RULES_KEY_FILE": str(own.key),
        "HUTCH_RULES_CA_FILE": str(authority.file),
    }
    with serving("hutch.rules", folder / "rules.log", **variables) as served:
        yield served


@pytest.fixture(scope="module")
def gateway(
    folder: Path, authority: Authority, rules: Served, stack: RunningStack
) -> Iterator[Served]:
    """A gateway with TLS that asks those rules."""
    own, to_rules = authority.signed("gateway"), authority.signed("gateway-to-rules")
    variables = {
        "HUTCH_REDIS_URL": stack.redis_url,
        "HUTCH_TOKEN_KEY_FILE": str(folder / "keys.json"),
        "HUTCH_GATEWAY_CERTIFICATE_FILE": str(own.certificate),
        "HUTCH_GATEWAY_KEY_FILE": str(own.key),
        "HUTCH_RULES_ADDRESSES": rules.address,
        "HUTCH_RULES_CA_FILE": str(authority.file),
        "HUTCH_RULES_CERTIFICATE_FILE": str(to_rules.certificate),
        "HUTCH_RULES_KEY_FILE": str(to_rules.key),
    }
    with serving("hutch.gateway", folder / "gateway.log", **variables) as served:
        yield served


async def test_a_game_is_played_over_tls_with_rules_that_know_the_gateway(
    gateway: Served, authority: Authority
) -> None:
    trusting = channel_credentials(authority.file)
    async with connect(gateway.address, credentials=trusting) as ada:
        await ada.guest("Ada")
        table = await ada.create_table("rabbit-space", seats=1)
        seat = await table.claim(0)
        await table.start()
        view = await seat.view()
        prompt = next(one for one in view.prompts.prompts if not one.offered)
        assert (await seat.submit(prompt)).revision > view.revision


async def test_a_client_without_tls_or_with_another_ca_gets_nowhere(
    gateway: Served, stranger: Certificate, folder: Path
) -> None:
    other = channel_credentials(folder / "other-ca.pem")
    for credentials in (None, other):
        async with connect(gateway.address, credentials=credentials, retries=IMPATIENT) as ada:
            with pytest.raises(UnavailableError):
                await ada.guest("Ada")


@pytest.mark.parametrize(
    ("trusts", "told"),
    [
        ("test-ca.pem", "campaigns/none"),
        ("other-ca.pem", "Was it signed by"),
        (None, "needs --ca"),
        ("no.pem", "cannot be read"),
    ],
)
def test_a_command_reaches_a_gateway_whose_authority_it_is_given(
    gateway: Served, stranger: Certificate, folder: Path, trusts: str | None, told: str
) -> None:
    given = [] if trusts is None else ["--ca", str(folder / trusts)]
    done = subprocess.run(
        [sys.executable, "-m", "hutch.cli", "campaign", "none",
         "--address", gateway.address, *given],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert told in done.stderr


async def test_rules_answer_nobody_without_a_certificate_from_their_ca(
    rules: Served, authority: Authority, stranger: Certificate
) -> None:
    for credentials in (
        channel_credentials(authority.file),
        channel_credentials(authority.file, stranger.certificate, stranger.key),
    ):
        assert await _asked(rules.address, credentials) is grpc.StatusCode.UNAVAILABLE
    known = authority.signed("asker")
    good = channel_credentials(authority.file, known.certificate, known.key)
    assert await _asked(rules.address, good) is grpc.StatusCode.OK


async def test_a_gateway_may_want_certificates_from_its_clients(
    folder: Path, authority: Authority, stack: RunningStack
) -> None:
    own, client = authority.signed("strict"), authority.signed("client")
    variables = {
        "HUTCH_REDIS_URL": stack.redis_url,
        "HUTCH_TOKEN_KEY_FILE": str(folder / "keys.json"),
        "HUTCH_GATEWAY_CERTIFICATE_FILE": str(own.certificate),
        "HUTCH_GATEWAY_KEY_FILE": str(own.key),
        "HUTCH_GATEWAY_CLIENT_CA_FILE": str(authority.file),
    }
    with serving("hutch.gateway", folder / "strict.log", **variables) as served:
        shown = channel_credentials(authority.file, client.certificate, client.key)
        async with connect(served.address, credentials=shown) as ada:
            await ada.guest("Ada")
        silent = channel_credentials(authority.file)
        async with connect(served.address, credentials=silent, retries=IMPATIENT) as eve:
            with pytest.raises(UnavailableError):
                await eve.guest("Eve")


async def test_a_renewed_certificate_is_shown_without_a_restart(
    gateway: Served, authority: Authority
) -> None:
    before = await asyncio.to_thread(_shown, gateway.address, authority)
    authority.signed("gateway")

    async def renewed() -> bool:
        return await asyncio.to_thread(_shown, gateway.address, authority) != before

    await eventually(renewed)


async def test_a_redis_behind_tls_is_used_if_its_certificate_is_known(
    folder: Path, authority: Authority, stranger: Certificate
) -> None:
    with EmbeddedServer(folder / "redis") as server:
        async with _behind_tls(server, authority.signed("redis")) as address:
            async with (
                await Store.open(f"rediss://{address}?ssl_ca_certs={authority.file}") as store,
                store.doorbell.listen("t"),
            ):
                await store.revocations.add("eve", 60)
                assert await store.revocations.names() == {"eve"}
            with pytest.raises(StoreUnavailable):
                await Store.open(f"rediss://{address}?ssl_ca_certs={folder / 'other-ca.pem'}")


@pytest.mark.parametrize("bind", ["0.0.0.0:0", "[::]:0", "192.0.2.7:50551", "play.example:50551"])
def test_a_gateway_that_others_reach_does_not_start_without_tls(bind: str) -> None:
    status, said = refused_start("hutch.gateway", HUTCH_GATEWAY_BIND=bind)
    assert status == BAD_SETTINGS_STATUS
    assert "HUTCH_GATEWAY_CERTIFICATE_FILE" in said
    assert "HUTCH_GATEWAY_PLAINTEXT" in said


def test_a_gateway_that_others_reach_starts_where_something_in_front_ends_tls(
    folder: Path, stack: RunningStack
) -> None:
    variables = {
        "HUTCH_REDIS_URL": stack.redis_url,
        "HUTCH_TOKEN_KEY_FILE": str(folder / "keys.json"),
        "HUTCH_GATEWAY_BIND": "0.0.0.0:0",
        "HUTCH_GATEWAY_PLAINTEXT": "1",
    }
    with serving("hutch.gateway", folder / "plain.log", **variables) as served:
        assert served.process.poll() is None


@pytest.mark.parametrize(
    ("variables", "word"),
    [
        ({"HUTCH_GATEWAY_CERTIFICATE_FILE": "x.pem"}, "HUTCH_GATEWAY_KEY_FILE"),
        ({"HUTCH_GATEWAY_CLIENT_CA_FILE": "x.pem"}, "HUTCH_GATEWAY_CERTIFICATE_FILE"),
        ({"HUTCH_RULES_KEY_FILE": "x.key"}, "HUTCH_RULES_CERTIFICATE_FILE"),
        ({"HUTCH_TOKEN_EXTERNAL_ISSUER": "x"}, "HUTCH_TOKEN_EXTERNAL_KEYS"),
        (
            {
                "HUTCH_TOKEN_EXTERNAL_ISSUER": "x",
                "HUTCH_TOKEN_EXTERNAL_KEYS": "http://id.example/keys",
            },
            "HUTCH_TOKEN_EXTERNAL_KEYS",
        ),
        (
            {
                "HUTCH_GATEWAY_CERTIFICATE_FILE": "/nowhere/x.pem",
                "HUTCH_GATEWAY_KEY_FILE": "/nowhere/x.key",
            },
            "/nowhere/x.pem",
        ),
    ],
)
def test_half_a_setting_stops_the_gateway_with_a_sentence(
    variables: dict[str, str], word: str, tmp_path: Path
) -> None:
    keys = {"HUTCH_TOKEN_KEY_FILE": str(tmp_path / "keys.json")}
    status, said = refused_start("hutch.gateway", **keys, **variables)
    assert status == BAD_SETTINGS_STATUS
    assert word in said
    assert "Traceback" not in said


def test_a_gateway_does_not_start_with_keys_that_others_may_read(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    keys.write_text("{}")
    keys.chmod(0o644)
    status, said = refused_start("hutch.gateway", HUTCH_TOKEN_KEY_FILE=str(keys))
    assert status == BAD_SETTINGS_STATUS
    assert f"chmod 600 {keys}" in said


def another_key(own: Certificate) -> None:
    own.key.write_bytes(Authority(own.key.parent, "third").signed("third").key.read_bytes())


def a_locked_key(own: Certificate) -> None:
    key = serialization.load_pem_private_key(own.key.read_bytes(), None)
    locked = serialization.BestAvailableEncryption(b"word")
    own.key.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, locked
        )
    )


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (another_key, "key values mismatch"),
        (a_locked_key, "are no certificate and its key"),
        (lambda own: own.certificate.write_text("rubbish"), "are no certificate and its key"),
        (lambda own: own.key.write_text(""), "are no certificate and its key"),
    ],
)
def test_files_that_do_not_fit_are_named(
    tmp_path: Path, spoil: Callable[[Certificate], None], word: str
) -> None:
    own = Authority(tmp_path).signed("own")
    ca = tmp_path / "test-ca.pem"
    spoil(own)
    with pytest.raises(CertificateError, match=word) as told:
        server_credentials(own.certificate, own.key, None)
    assert f"{own.certificate} and {own.key}" in str(told.value)
    with pytest.raises(CertificateError, match=word):
        channel_credentials(ca, own.certificate, own.key)
    ca.write_text("rubbish")
    with pytest.raises(CertificateError, match=r"test-ca\.pem holds no certificate"):
        channel_credentials(ca)


@pytest.mark.parametrize(
    "module",
    ["hutch.gateway", "hutch.timekeeper", "hutch.workers dispatcher", "hutch.workers bots"],
)
def test_a_url_that_is_no_good_stops_the_start_with_a_sentence(module: str, tmp_path: Path) -> None:
    keys = {"HUTCH_TOKEN_KEY_FILE": str(tmp_path / "keys.json")}
    url = "redis://:hush@127.0.0.1:1/0?soket_timeout=5"
    status, said = refused_start(module, HUTCH_REDIS_URL=url, **keys)
    assert status == BAD_SETTINGS_STATUS
    assert "HUTCH_REDIS_URL: 'redis://[redacted]@127.0.0.1:1/0?soket_timeout=5' is no good" in said
    assert "hush" not in said
    assert "Traceback" not in said


@pytest.mark.parametrize("module", ["hutch.workers dispatcher", "hutch.workers bots"])
@pytest.mark.parametrize("server", ["carrier-pigeon://ada:hush@loft", "redis://ada:hush@loft:one"])
def test_a_broker_that_celery_does_not_know_stops_the_start_with_a_sentence(
    module: str, server: str
) -> None:
    status, said = refused_start(module, HUTCH_BROKER_URL=server)
    assert status == BAD_SETTINGS_STATUS
    assert f"HUTCH_BROKER_URL: '{server.replace('ada:hush', '[redacted]')}' is no good: " in said
    assert "hush" not in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("module", "variable"),
    [
        ("hutch.gateway", "HUTCH_TOKEN_KEY_FILE"),
        ("hutch.workers dispatcher", "HUTCH_BROKER_KEY_FILE"),
        ("hutch.workers bots", "HUTCH_BROKER_KEY_FILE"),
    ],
)
def test_a_key_file_that_cannot_be_made_stops_the_start_with_a_sentence(
    module: str, variable: str
) -> None:
    nowhere = {variable: "/proc/nowhere/keys", "HUTCH_REDIS_URL": "redis://127.0.0.1:1"}
    status, said = refused_start(module, **nowhere)
    assert status == BAD_SETTINGS_STATUS
    assert "/proc/nowhere/keys cannot be made: No such file or directory" in said
    assert "Traceback" not in said


async def test_while_but_one_of_the_files_is_new_the_ones_before_are_shown(
    tmp_path: Path,
) -> None:
    authority = Authority(tmp_path)
    own, new = authority.signed("own"), authority.signed("new")
    server = grpc.aio.server()
    port = server.add_secure_port("127.0.0.1:0", server_credentials(own.certificate, own.key, None))
    await server.start()
    before = await asyncio.to_thread(_shown, f"127.0.0.1:{port}", authority)
    own.key.write_bytes(new.key.read_bytes())
    assert await asyncio.to_thread(_shown, f"127.0.0.1:{port}", authority) == before
    own.certificate.write_bytes(new.certificate.read_bytes())
    assert await asyncio.to_thread(_shown, f"127.0.0.1:{port}", authority) != before
    await server.stop(None)


async def _asked(address: str, credentials: grpc.ChannelCredentials) -> grpc.StatusCode:
    async with grpc.aio.secure_channel(address, credentials) as channel:
        deal = channel.unary_unary("/hutch.internal.v1.RulesService/Deal")
        request = rules_pb.DealRequest(ruleset="rabbit-space", seats=2)
        try:
            await deal(request.SerializeToString(), timeout=60)
        except grpc.aio.AioRpcError as error:
            return error.code()
    return grpc.StatusCode.OK


def _shown(address: str, authority: Authority) -> bytes | None:
    """The certificate that is shown there."""
    context = ssl.create_default_context(cafile=str(authority.file))
    context.set_alpn_protocols(["h2"])
    host, _, port = address.rpartition(":")
    raw = socket.create_connection((host, int(port)), timeout=60)
    with context.wrap_socket(raw, server_hostname=host) as wrapped:
        return wrapped.getpeercert(binary_form=True)


@asynccontextmanager
async def _behind_tls(server: EmbeddedServer, shown: Certificate) -> AsyncIterator[str]:
    """An address where TLS is ended in front of that server, which was built without."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(shown.certificate, shown.key)
    path = server.url.removeprefix("unix://")

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_unix_connection(path)
        ways = [_copy(reader, far_writer), _copy(far_reader, writer)]
        await asyncio.gather(*ways, return_exceptions=True)

    async with await asyncio.start_server(carry, "127.0.0.1", 0, ssl=context) as door:
        yield f"127.0.0.1:{door.sockets[0].getsockname()[1]}"


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()
