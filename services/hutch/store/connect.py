"""Connecting: from a URL to a client of a server that is new enough.

`redis://`, `rediss://` (TLS) and `unix://` name one server; `redis+cluster://` and
`rediss+cluster://` one or more nodes of a cluster, separated by commas. Options of redis-py may
follow as a query, such as `?ssl_ca_certs=ca.pem` or `?db=1`.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from redis.asyncio import Redis, RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialWithJitterBackoff
from redis.exceptions import RedisError

from hutch.store.errors import StoreError, StoreTooOld, StoreUnavailable

Client = Redis | RedisCluster

OLDEST = (7, 0)
_CLUSTER = "+cluster"
_ALL_NODES = RedisCluster.ALL_NODES


def open_client(
    url: str, *, timeout_s: float = 5.0, connections: int = 32, name: str = "hutch"
) -> Client:
    """A client that has not connected yet. Raises `ValueError` for a URL of an unknown kind.

    `timeout_s` is for connecting and for each reply; `connections` the most that are opened (to
    each node); `name` is what `CLIENT LIST` shows.
    """
    options: dict[str, Any] = {
        "client_name": name,
        "health_check_interval": 0 if url.startswith("unix:") else 15,
        "max_connections": connections,
        "protocol": 2,
        "socket_connect_timeout": timeout_s,
        "socket_timeout": timeout_s,
        "socket_keepalive": True,
    }
    scheme = urlsplit(url).scheme
    match scheme:
        case "redis" | "rediss" | "unix":
            options["retry"] = Retry(ExponentialWithJitterBackoff(base=0.02, cap=0.2), 2)
            if scheme == "unix":
                del options["socket_keepalive"]
            return Redis.from_url(url, **options)
        case "redis+cluster" | "rediss+cluster":
            return _cluster(url, options)
        case _:
            raise ValueError(
                f"{hidden(url)!r} names no Redis; it must start with redis://, rediss://, unix://,"
                " redis+cluster:// or rediss+cluster://"
            )


async def connect(url: str, **options: Any) -> Client:
    """A connected client. Options as for `open_client`.

    Raises `StoreUnavailable` where nothing answers, `StoreTooOld` where it is older than 7.0.
    """
    client = open_client(url, **options)
    try:
        await check_version(client)
    except RedisError as fault:
        await client.aclose()
        raise StoreUnavailable(f"no Redis answers at {hidden(url)}: {fault}") from fault
    except BaseException:
        await client.aclose()
        raise
    return client


async def check_version(client: Client) -> str:
    """What answers, such as `valkey 9.1.2`.

    Raises `StoreTooOld` where a server is older than 7.0, `StoreError` where it is a node of a
    cluster and the URL does not say so.
    """
    clusterwide = isinstance(client, RedisCluster)
    reply = await client.info("server", **({"target_nodes": _ALL_NODES} if clusterwide else {}))
    answer = ""
    for facts in [reply] if "redis_version" in reply else reply.values():
        version = str(facts["redis_version"])
        if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
            raise StoreTooOld(
                f"the Redis server is {version}; Hutch needs Redis {OLDEST[0]}.{OLDEST[1]} or"
                " newer, or Valkey"
            )
        if facts.get("redis_mode") == "cluster" and not clusterwide:
            raise StoreError("the server is part of a cluster; its URL starts redis+cluster://")
        valkey = facts.get("valkey_version")
        answer = f"valkey {valkey}" if valkey else f"redis {version}"
    return answer


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
    return line


def hidden(url: str) -> str:
    """The URL without user and password, for messages."""
    scheme, separator, rest = url.partition("://")
    return scheme + separator + rest.rpartition("@")[2]


def _cluster(url: str, options: dict[str, Any]) -> RedisCluster:
    scheme, _, rest = url.replace(_CLUSTER, "", 1).partition("://")
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
        cluster_error_retry_attempts=2,
        **options,
    )
