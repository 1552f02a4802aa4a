"""Connecting: every kind of URL, and a plain answer where it cannot be."""

from __future__ import annotations

import asyncio
import datetime
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from redis.asyncio import RedisCluster

from hutch.runtime.redaction import mask_credentials
from hutch.store.commits import Commit, Committed
from hutch.store.connect import check_version, connect, open_client
from hutch.store.contact import Contact
from hutch.store.embedded import EmbeddedServer
from hutch.store.errors import StoreError, StoreMisnamed, StoreTooOld, StoreUnavailable
from hutch.store.keys import Keys
from hutch.store.pipelining import Pipelining
from hutch.store.store import Store
from tests.redis_servers import CLUSTERS, ClusterOfTwo

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


@asynccontextmanager
async def listening(serve: Serve, **options: Any) -> AsyncIterator[int]:
    """A TCP server of that behaviour: its port."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0, **options)
    async with server:
        yield server.sockets[0].getsockname()[1]


def passing_on_to(server: EmbeddedServer) -> Serve:
    """The behaviour of one who passes everything on to a Redis server."""

    async def pour(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(65536):
            sink.write(data)
        sink.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_unix_connection(
            server.url.removeprefix("unix://")
        )
        await asyncio.gather(pour(reader, far_writer), pour(far_reader, writer))

    return serve


def a_certificate(folder: Path) -> Path:
    """A certificate for localhost, signed by itself, with its key in the same file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    today = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - datetime.timedelta(days=1))
        .not_valid_after(today + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path


async def commits_once(url: str, namespace: str) -> None:
    """Commit and load over that URL, with the doorbell's line up."""
    async with await Store.open(url, namespace=namespace) as store:
        async with store.doorbell.listen("t"):
            made = await store.tables.commit(Commit(table_id="t", expected_revision=0))
        assert isinstance(made, Committed)
        assert await store.tables.load("t") is not None


async def test_a_unix_socket(redis_server: EmbeddedServer, namespace: str) -> None:
    await commits_once(redis_server.url, namespace)


async def test_a_host_and_port_and_a_database(redis_server: EmbeddedServer, namespace: str) -> None:
    async with listening(passing_on_to(redis_server)) as port:
        await commits_once(f"redis://127.0.0.1:{port}/3", namespace)
        client = await connect(f"{redis_server.url}?db=3")
        assert [key async for key in client.scan_iter(match=f"{namespace}:*")]
        await client.aclose()


async def test_a_password(own_redis_server: EmbeddedServer, namespace: str) -> None:
    own_redis_server.ask("ACL", "SETUSER", "ada", "on", ">secret", "+@all", "~*", "&*")
    own_redis_server.ask("ACL", "SETUSER", "default", "off")
    place = own_redis_server.url.removeprefix("unix://")
    await commits_once(f"unix://ada:secret@{place}", namespace)
    with pytest.raises(StoreUnavailable, match="cannot be used") as raised:
        await connect(f"unix://ada:guess@{place}")
    assert "guess" not in str(raised.value)


async def test_tls(redis_server: EmbeddedServer, namespace: str, tmp_path: Path) -> None:
    certificate = a_certificate(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    async with listening(passing_on_to(redis_server), ssl=context) as port:
        url = f"rediss://localhost:{port}"
        await commits_once(f"{url}?ssl_ca_certs={certificate}", namespace)
        with pytest.raises(StoreUnavailable, match="certificate verify failed"):
            await connect(url)


@pytest.mark.parametrize("any_redis", CLUSTERS, indirect=True, scope="session")
async def test_a_cluster_is_found_by_any_of_its_nodes(
    any_redis: ClusterOfTwo, namespace: str
) -> None:
    dead, alive = 1, any_redis.ports[1]
    await commits_once(f"redis+cluster://127.0.0.1:{dead},127.0.0.1:{alive}", namespace)
    with pytest.raises(StoreError, match=r"redis\+cluster://"):
        await connect(f"redis://127.0.0.1:{alive}")


async def test_cluster_urls_may_carry_everything_that_others_may() -> None:
    client = open_client("rediss+cluster://ada:p%40ss@one:7000,two,[::1]:7002/?ssl_cert_reqs=none")
    assert isinstance(client, RedisCluster)
    nodes = client.nodes_manager.startup_nodes
    assert set(nodes) == {"one:7000", "two:6379", "::1:7002"}
    for node in nodes.values():
        assert node.connection_kwargs["username"] == "ada"
        assert node.connection_kwargs["password"] == "p@ss"
        assert node.connection_class.__name__ == "SSLConnection"
    await client.aclose()


@pytest.mark.parametrize(
    "url",
    [
        "redis://host?soket_timeout=5",
        "redis://host?socket_timeout=soon",
        "redis+cluster://host?soket_timeout=5",
        "redis://host:99999",
        "unix:///run/r.sock?nonsense=1",
    ],
)
async def test_a_url_that_is_no_good_is_told_before_anybody_is_asked(url: str) -> None:
    with pytest.raises(StoreMisnamed, match="is no good"):
        await connect(url)


@pytest.mark.parametrize("url", ["http://localhost", "localhost:6379", "", "redis+cluter://x"])
async def test_what_is_no_url_of_redis_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="names no Redis"):
        await connect(url)


async def test_nobody_there_is_told_soon_and_without_secrets(tmp_path: Path) -> None:
    for url in (
        f"unix://ada:secret@{tmp_path}/none",
        "redis://ada:secret@127.0.0.1:1",
        "redis://127.0.0.1:1?db=1&password=secret",
    ):
        began = monotonic()
        with pytest.raises(StoreUnavailable) as raised:
            await connect(url)
        assert monotonic() - began < 20
        assert "secret" not in str(raised.value)
        assert mask_credentials(url) in str(raised.value)


async def test_one_who_never_answers_is_given_up(tmp_path: Path) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with listening(silent) as port:
        with pytest.raises(StoreUnavailable):
            await connect(f"redis://127.0.0.1:{port}", timeout_s=0.1)


@pytest.mark.parametrize(
    ("facts", "fits"),
    [
        ("redis_version:6.2.14", False),
        ("redis_version:7.0.0", True),
        ("redis_version:8.2.1", True),
        ("redis_version:7.2.4\r\nvalkey_version:9.1.2", True),
    ],
)
async def test_the_server_must_be_new_enough(facts: str, fits: bool) -> None:
    async def an_old_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Says of itself what it was told to; `+OK` to all else."""
        while data := await reader.read(65536):
            for _ in range(data.count(b"*") - data.count(b"INFO")):
                writer.write(b"+OK\r\n")
            if b"INFO" in data:
                writer.write(b"$%d\r\n%s\r\n" % (len(facts), facts.encode()))
        writer.close()

    async with listening(an_old_one) as port:
        if fits:
            client = await connect(f"redis://127.0.0.1:{port}")
            assert facts.rpartition(":")[2] in await check_version(client)
            await client.aclose()
        else:
            with pytest.raises(StoreTooOld, match=r"is 6\.2\.14; Hutch needs Redis 7\.0"):
                await connect(f"redis://127.0.0.1:{port}")


async def test_whoever_answers_in_redis_place_is_taken_for_no_answer() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65536)
        writer.write(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
        writer.close()

    async with listening(serve) as port:
        client = open_client(f"redis://127.0.0.1:{port}/0")
        pipelining = Pipelining(client, Keys("t"), Contact())
        with pytest.raises(StoreUnavailable, match="Protocol error"):
            await pipelining.call(0, "PING")
        await pipelining.aclose()
        await client.aclose()
