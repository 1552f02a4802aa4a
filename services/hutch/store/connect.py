"""Connecting: from a URL to a client of a server that is new enough.

`redis://`, `rediss://` (TLS) and `unix://` name one server; `redis+cluster://` and
`rediss+cluster://` one or more nodes of a cluster, separated by commas. Options of redis-py may
follow as a query, such as `?ssl_ca_certs=ca.pem` or `?db=1`.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialWithJitterBackoff
from redis.exceptions import RedisClusterException, RedisError

from hutch.runtime.redaction import mask_credentials
from hutch.store.errors import StoreError, StoreMisnamed, StoreTooOld, StoreUnavailable

Client = Redis | RedisCluster

OLDEST: Final = (7, 0)
TIMEOUT_S: Final = 3.0


def open_client(url: str, *, name: str = "hutch", timeout_s: float = TIMEOUT_S) -> Client:
    """A client that has not connected yet. Raises `StoreMisnamed` for a URL that is no good.

    `name` is what `CLIENT LIST` shows, `timeout_s` the time to connect and to answer.
    """
    options: dict[str, Any] = {
        "client_name": name,
        "protocol": 2,
        "retry": Retry(ExponentialWithJitterBackoff(base=0.02, cap=0.2), 2),
        "socket_connect_timeout": timeout_s,
        "socket_timeout": timeout_s,
    }
    try:
        return _client(url, options)
    except (ValueError, TypeError) as fault:  # as redis-py says it
        raise StoreMisnamed(f"{mask_credentials(url)!r} is no good: {fault}") from None


def _client(url: str, options: dict[str, Any]) -> Client:
    match urlsplit(url).scheme:
        case "unix":
            client = Redis.from_url(url, **options)
        case "redis" | "rediss":
            client = Redis.from_url(url, socket_keepalive=True, **options)
        case "redis+cluster" | "rediss+cluster":
            return _open_cluster(url, {"socket_keepalive": True, **options})
        case _:
            raise ValueError(
                "it names no Redis; it must start with redis://, rediss://, unix://,"
                " redis+cluster:// or rediss+cluster://"
            )
    client.connection_pool.make_connection()  # type: ignore[no-untyped-call]  # with all its options
    return client


async def connect(url: str, *, name: str = "hutch", timeout_s: float = TIMEOUT_S) -> Client:
    """A client that is connected to a server that is new enough. Arguments as for `open_client`.

    Raises `StoreUnavailable` where nothing answers, or not us; `StoreMisnamed`; `StoreTooOld` where
    it is older than 7.0; `StoreError` where it is part of a cluster and the URL does not say so.
    """
    client = open_client(url, name=name, timeout_s=timeout_s)
    try:
        await check_version(client)
    except (RedisError, RedisClusterException, OSError) as fault:
        await client.aclose()
        raise StoreUnavailable(
            f"the Redis at {mask_credentials(url)} cannot be used: {fault}"
        ) from fault
    except BaseException:
        await client.aclose()
        raise
    return client


async def check_version(client: Client) -> str:
    """What answers, such as `valkey 9.1.2`.

    Raises `StoreTooOld` where a server is older than 7.0, `StoreError` where it is a node of a
    cluster and the URL does not say so.
    """
    if isinstance(client, RedisCluster):  # one node will do: another may just be away
        facts = await client.info("server", target_nodes=RedisCluster.DEFAULT_NODE)
    else:
        facts = await client.info("server")
    version = str(facts["redis_version"])
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
        raise StoreTooOld(
            f"the Redis server is {version}; Hutch needs Redis {OLDEST[0]}.{OLDEST[1]} or newer,"
            " or Valkey"
        )
    mode = facts.get("redis_mode") or facts.get("server_mode")  # as Valkey calls it
    if mode == "cluster" and isinstance(client, Redis):
        raise StoreError("the server is part of a cluster; its URL starts redis+cluster://")
    valkey = facts.get("valkey_version")
    return f"valkey {valkey}" if valkey else f"redis {version}"


def open_line(client: Client, node: ClusterNode | None = None) -> AbstractConnection:
    """A connection beside the client's own, which connects when it is first used.

    It goes to `node`, or on a cluster to any. Reading from it has no limit: who reads sets one.
    """
    if isinstance(client, RedisCluster):
        place = node or client.get_random_node()
        line: AbstractConnection = place.connection_class(**place.connection_kwargs)
    else:
        line = client.connection_pool.make_connection()  # type: ignore[no-untyped-call]
    line.socket_timeout = None
    line.health_check_interval = 0
    return line


def _open_cluster(url: str, options: dict[str, Any]) -> RedisCluster:
    scheme, _, rest = url.replace("+cluster", "", 1).partition("://")
    place, slash, query = rest.partition("/")
    login, at, hosts = place.rpartition("@")
    first, *others = hosts.split(",")
    nodes = []
    for other in others:
        parts = urlsplit(f"//{other}")
        nodes.append(ClusterNode(parts.hostname or "localhost", parts.port or 6379))
    return RedisCluster.from_url(
        f"{scheme}://{login}{at}{first}{slash}{query}",
        startup_nodes=nodes,
        **options,
    )
